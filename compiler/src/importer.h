// LLVM's code through the library gdr_import.
#pragma once

#include <string>
#include <string_view>

#include "pair_function.h"

namespace gdr::compiler {

/// Message for a library that is loaded while gdr runs and cannot be found.
[[nodiscard]] std::string not_found(std::string_view library);

/// Imports LLVM IR. Throws gdr::Error if the library is not found. Errors in the code are in Imported::errors.
[[nodiscard]] Imported import_ir(const std::string& code, const std::string& name, const std::string& function);

}  // namespace gdr::compiler
