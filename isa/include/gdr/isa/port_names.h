// How assembly text names the two read ports of the GPR, where it names them at all: behind the register, `$r8.b`.
#pragma once

#include <string_view>

#include "gdr/isa/line.h"

namespace gdr::isa {

/// Empty for a source that is no GPR.
[[nodiscard]] constexpr std::string_view read_port_suffix(Source source) {
  return source == Source::gpr_a ? ".a" : source == Source::gpr_b ? ".b" : "";
}

}  // namespace gdr::isa
