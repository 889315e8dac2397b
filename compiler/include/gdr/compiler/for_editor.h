// What editors show of a pair function while it is written.
#pragma once

#include <filesystem>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"

namespace gdr::compiler {

/// The source that the function compiles to, assembled, with the diagnostics of clang and of this compiler in the form
/// of the assembler's, and the files that they name. What compile_file() throws is a diagnostic, too.
[[nodiscard]] assembler::AssembleResult assembled_for_editor(const std::filesystem::path& path,
                                                             const CompileOptions& options);

}  // namespace gdr::compiler
