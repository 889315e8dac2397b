// Libraries of gdr that are loaded at run time, when they are needed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::base {

/// The library or program with this code, as an absolute path; empty if it is not known.
[[nodiscard]] std::filesystem::path own_file();

/// Folders that may hold gdr's libraries, the likeliest first: those near the library or program with this code, then
/// those of the installation and of the build.
[[nodiscard]] std::vector<std::filesystem::path> library_folders();

/// The address of a function in the first library of this file name that loads and has it, in the order of
/// library_folders(): one of another version of gdr may lack it. Null if there is none. Libraries are never unloaded.
[[nodiscard]] void* plugin_function(const char* library, const char* function);

/// The first library of this file name that loads, in the order of library_folders().
struct PluginState {
  std::filesystem::path file;  // empty if there is none
  std::string refusal;         // the system's message for a file that exists and does not load; empty if there is none
};
[[nodiscard]] PluginState plugin_state(const char* library);

/// Says of a library without the function that it is not found, what it needs, and the CMake option that builds it: the
/// end of a sentence on what cannot be done without it.
[[nodiscard]] std::string missing_plugin(std::string_view library, std::string_view needs, std::string_view option);

}  // namespace gdr::base

/// plugin_function() for a function that a header declares: a pointer of its type. Its name there is a macro for a name
/// with a number, which rises with each change of the type; so library and caller cannot mean different functions.
#define GDR_PLUGIN_FUNCTION(library, function) \
  reinterpret_cast<decltype(&(function))>(gdr::base::plugin_function(library, GDR_PLUGIN_NAME(function)))
#define GDR_PLUGIN_NAME(function) #function
