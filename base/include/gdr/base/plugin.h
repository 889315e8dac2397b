// Libraries of gdr that are loaded at run time, when they are needed.
#pragma once

#include <filesystem>
#include <vector>

namespace gdr::base {

/// Folders that may hold gdr's libraries, the likeliest first: those near the library or program with this code, then
/// those of the installation and of the build.
[[nodiscard]] std::vector<std::filesystem::path> library_folders();

/// The address of a function in the library of this file name; null if there is none. The library is never unloaded.
[[nodiscard]] void* plugin_function(const char* library, const char* function);

}  // namespace gdr::base
