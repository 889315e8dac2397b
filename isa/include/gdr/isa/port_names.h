// Suffixes of registers that name the two read ports of the GPR in assembly text, such as `$r8.b`. Text that needs no
// choice of a port has none.
#pragma once

#include <string_view>

#include "gdr/isa/line.h"

namespace gdr::isa {

/// `.a` or `.b`; empty for a source that is not the GPR.
[[nodiscard]] constexpr std::string_view read_port_suffix(Source source) {
  return source == Source::gpr_a ? ".a" : source == Source::gpr_b ? ".b" : "";
}

}  // namespace gdr::isa
