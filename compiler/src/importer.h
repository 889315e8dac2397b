// LLVM's code through the library gdr_import.
#pragma once

#include <string>
#include <string_view>

#include "pair_function.h"

namespace gdr::compiler {

/// What errors say of a library that is loaded while gdr runs and is not there.
[[nodiscard]] std::string not_found(std::string_view library);

/// Throws gdr::Error if the library is not found. What the code says wrong is in Imported::errors.
[[nodiscard]] Imported import_ir(const std::string& code, const std::string& name, const std::string& function);

}  // namespace gdr::compiler
