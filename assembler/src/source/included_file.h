// Which file an `include` line means.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "diagnostics/reporter.h"
#include "gdr/assembler/assembler.h"

namespace gdr::assembler {

/// Folder among the data files with the macros that come with gdr.
inline const std::filesystem::path kMacros = "kernels/macros";

/// A path that is the same for every spelling of a file's path.
[[nodiscard]] std::filesystem::path identity_of(const std::filesystem::path& path);

/// A file beside the including one, in the folders of the options, or of the macros that come with gdr. Nothing if
/// there is none or it cannot be one, which is reported.
[[nodiscard]] std::optional<std::filesystem::path> find_included(const std::string& name,
                                                                 const std::filesystem::path& including,
                                                                 const AssembleOptions& options, const Place& where,
                                                                 Reporter& reporter);

}  // namespace gdr::assembler
