// Libraries of ours that are loaded when they are needed.
#pragma once

#include <filesystem>
#include <vector>

namespace gdr::base {

/// Folders where libraries of ours may be, the likeliest first: beside the code that asks, as it is built and as it is
/// installed.
[[nodiscard]] std::vector<std::filesystem::path> library_folders();

/// A function of the library of this file name, which is never unloaded; null if there is none.
[[nodiscard]] void* plugin_function(const char* library, const char* function);

}  // namespace gdr::base
