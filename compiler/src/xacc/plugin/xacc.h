// The one function of the library gdr_xacc, which reads XcalableMP and OpenACC.
#pragma once

#include "xacc/xacc_unit.h"

#define GDR_XACC_FUNCTION gdr_xacc_1

namespace gdr::compiler {

/// Puts calls of the runtime in place of a program's directives. What is not taken is told in XaccUnit::errors; nothing
/// is thrown.
extern "C" __attribute__((visibility("default"))) void GDR_XACC_FUNCTION(const XaccRequest& request, XaccUnit& unit);

}  // namespace gdr::compiler
