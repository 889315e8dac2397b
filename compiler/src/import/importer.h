// LLVM's code through the library libgdr_import.so.
#pragma once

#include <string>
#include <string_view>

#include "pair/pair_function.h"

namespace gdr::compiler {

/// Throws gdr::Error: `what`, in the plural, cannot be compiled without a library, told as by base::missing_plugin().
[[noreturn]] void refuse_without(std::string_view what, std::string_view library, std::string_view needs,
                                 std::string_view option);

/// Throws gdr::Error if the library is not found or does not load.
void require_import();

/// What clang makes of a source without optimising it, text or bitcode, after the passes of the compiler of pair
/// functions. Throws as require_import() does.
[[nodiscard]] std::string optimised(const std::string& code);

/// Imports LLVM IR. Throws as require_import() does. Errors in the code are in Imported::errors.
[[nodiscard]] Imported import_ir(const std::string& code, const std::string& name, const std::string& function);

}  // namespace gdr::compiler
