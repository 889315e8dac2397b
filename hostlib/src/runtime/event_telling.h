// Events of a C runtime on standard error, for programs that cannot ask for them.
#pragma once

#include <string>

#include "gdr/hostlib/runtime.h"

namespace gdr::hostlib {

/// From now on gdr_runtime_finish() tells of the first events with `place` before them, unless GDR_EVENTS says
/// otherwise. Throws gdr::Error if GDR_EVENTS has a value that is refused.
void tell_events_by_default(gdr_runtime& runtime, std::string place);

}  // namespace gdr::hostlib
