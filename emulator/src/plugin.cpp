#include "plugin.h"

#include <dlfcn.h>

#include <filesystem>
#include <vector>

namespace gdr::emulator {
namespace {

/// Where a library of ours may be: beside the code that asks, as it is built and as it is installed.
std::vector<std::filesystem::path> plugin_places() {
  std::vector<std::filesystem::path> places;
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&plugin_places), &own) != 0 && own.dli_fname != nullptr) {
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

}  // namespace

void* load_plugin(const char* name) {
  for (const std::filesystem::path& place : plugin_places()) {
    if (void* const library = dlopen((place / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace gdr::emulator
