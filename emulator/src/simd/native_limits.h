// Programs that the engine native cannot compute, because they rely on the machine's word formats.
#pragma once

#include "line/decoded_program.h"

namespace gdr::emulator::simd {

/// Throws gdr::Error with the place of the first line that rounds a number by adding a constant to
/// it: native's doubles have other last bits.
void refuse_rounding_by_constants(const DecodedProgram& code);

}  // namespace gdr::emulator::simd
