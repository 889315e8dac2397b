#include "libraries.h"

#include <dlfcn.h>

namespace gdr::compiler {

std::vector<std::filesystem::path> library_places() {
  std::vector<std::filesystem::path> places;
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&library_places), &own) != 0 && own.dli_fname != nullptr) {
    std::error_code none;
    const std::filesystem::path beside = std::filesystem::canonical(own.dli_fname, none).parent_path();
    if (!none) {
      for (const char* folder : {".", "../lib", "../" GDR_LIBRARY_FOLDER}) places.push_back(beside / folder);
    }
  }
  places.emplace_back(GDR_INSTALLED_LIBRARIES);
  places.emplace_back(GDR_BUILT_LIBRARIES);
  return places;
}

void* library_function(const char* library, const char* function) {
  for (const std::filesystem::path& place : library_places()) {
    void* loaded = dlopen((place / library).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded != nullptr) return dlsym(loaded, function);
  }
  return nullptr;
}

}  // namespace gdr::compiler
