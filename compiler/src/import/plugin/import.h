// The functions of the library gdr_import, which alone knows LLVM.
#pragma once

#include <string>

#include "pair/pair_function.h"

#define GDR_IMPORT_FUNCTION gdr_import_1
#define GDR_PASSES_FUNCTION gdr_import_passes_1

namespace gdr::compiler {

/// Takes the text or bitcode `code`, which messages call `name`, and the pair function `function`, or the only one if
/// that is empty. What cannot be compiled is told in Imported::errors; nothing is thrown.
extern "C" __attribute__((visibility("default"))) void GDR_IMPORT_FUNCTION(const std::string& code,
                                                                           const std::string& name,
                                                                           const std::string& function,
                                                                           Imported& result);

/// Takes what clang makes without optimising it, text or bitcode, through our passes, in the same form.
extern "C" __attribute__((visibility("default"))) void GDR_PASSES_FUNCTION(const std::string& code, std::string& made);

}  // namespace gdr::compiler
