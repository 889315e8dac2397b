// The one function of the library gdr_import, which alone knows LLVM.
#pragma once

#include <string>

#include "pair/pair_function.h"

#define GDR_IMPORT_FUNCTION gdr_import_1

namespace gdr::compiler {

/// Takes the text or bitcode `code`, which messages call `name`, and the pair function `function`, or the only one if
/// that is empty. What cannot be compiled is told in Imported::errors; nothing is thrown.
extern "C" __attribute__((visibility("default"))) void GDR_IMPORT_FUNCTION(const std::string& code,
                                                                           const std::string& name,
                                                                           const std::string& function,
                                                                           Imported& result);

}  // namespace gdr::compiler
