// Libraries beside the code that asks for them, as they are built and as they are installed.
#pragma once

#include <filesystem>
#include <vector>

namespace gdr::compiler {

/// Where libraries of ours may be, the likeliest folder first.
[[nodiscard]] std::vector<std::filesystem::path> library_places();

/// A function of a library that is loaded for it and stays; null if there is no such library.
[[nodiscard]] void* library_function(const char* library, const char* function);

}  // namespace gdr::compiler
