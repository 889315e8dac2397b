#include "gdr/base/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace gdr::base {
namespace {

/// Where cmake --install puts what is loaded by its path, below the folder of libraries (GDR_INSTALL_PLUGIN_DIR).
constexpr const char* kInstalledPlugins = "gdr";

/// The library or program with this code, as an absolute path; empty if it is not known.
std::array<char, PATH_MAX> own_path{};

/// Finds the path when this code is loaded. A library that was found by a relative name (LD_PRELOAD=lib/...) has that
/// name for the folder of that time; in a folder that the program changes to later it may name a stranger's file. It
/// allocates nothing and throws nothing, since it runs before main().
__attribute__((constructor)) void find_own_file() {
  Dl_info own{};
  if (dladdr(own_path.data(), &own) == 0 || own.dli_fname == nullptr) return;
  // A program's name here is argv[0], which has no folder if the shell found the program on PATH.
  const char* const file = std::strchr(own.dli_fname, '/') != nullptr ? own.dli_fname : "/proc/self/exe";
  if (realpath(file, own_path.data()) == nullptr) own_path[0] = '\0';
}

}  // namespace

std::filesystem::path own_file() { return own_path.data(); }

std::vector<std::filesystem::path> library_folders() {
  std::vector<std::filesystem::path> folders;
  if (own_path[0] != '\0') {
    const std::filesystem::path beside = std::filesystem::path(own_path.data()).parent_path();
    for (const char* folder : {".", "../lib", "../" GDR_LIBRARY_FOLDER}) {
      folders.push_back(beside / folder);
      folders.push_back(beside / folder / kInstalledPlugins);
    }
  }
  for (const std::filesystem::path installed{GDR_INSTALLED_LIBRARIES};
       const std::filesystem::path& folder : {installed, installed / kInstalledPlugins}) {
    folders.push_back(folder);
  }
#ifdef GDR_BUILT_LIBRARIES
  folders.emplace_back(GDR_BUILT_LIBRARIES);
#endif
  // A relative prefix of the installation would be one in whatever folder the program runs in.
  std::erase_if(folders, [](const std::filesystem::path& folder) { return folder.is_relative(); });
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

PluginState plugin_state(const char* library) {
  PluginState state;
  for (const std::filesystem::path& folder : library_folders()) {
    const std::filesystem::path file = folder / library;
    std::error_code none;
    if (!std::filesystem::exists(file, none)) continue;
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) {
      const std::filesystem::path whole = std::filesystem::canonical(file, none);
      return {none ? file : whole, ""};
    }
    const char* const why = dlerror();
    if (state.refusal.empty() && why != nullptr) state.refusal = why;
  }
  return state;
}

std::string missing_plugin(std::string_view library, std::string_view needs, std::string_view option) {
  return fmt::format("gdr's library {}, which is not found or does not load: it needs {} and is built with -D{}=ON",
                     library, needs, option);
}

}  // namespace gdr::base
