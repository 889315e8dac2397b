#include "gdr/base/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <system_error>

namespace gdr::base {

std::vector<std::filesystem::path> library_folders() {
  std::vector<std::filesystem::path> folders;
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&library_folders), &own) != 0 && own.dli_fname != nullptr) {
    // A program's name here is argv[0], which has no folder if the shell found the program on PATH.
    const std::filesystem::path file(own.dli_fname);
    std::error_code none;
    const std::filesystem::path beside =
        std::filesystem::canonical(file.has_parent_path() ? file : "/proc/self/exe", none).parent_path();
    if (!none) {
      for (const char* folder : {".", "../lib", "../" GDR_LIBRARY_FOLDER}) folders.push_back(beside / folder);
    }
  }
  folders.emplace_back(GDR_INSTALLED_LIBRARIES);
#ifdef GDR_BUILT_LIBRARIES
  folders.emplace_back(GDR_BUILT_LIBRARIES);
#endif
  return folders;
}

void* plugin_function(const char* library, const char* function) {
  for (const std::filesystem::path& folder : library_folders()) {
    void* const loaded = dlopen((folder / library).c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const address = loaded != nullptr ? dlsym(loaded, function) : nullptr;
    if (address != nullptr) return address;
  }
  return nullptr;
}

std::string missing_plugin(std::string_view library, std::string_view needs, std::string_view option) {
  return fmt::format("gdr's library {}, which is not found or does not load: it needs {} and is built with -D{}=ON",
                     library, needs, option);
}

}  // namespace gdr::base
