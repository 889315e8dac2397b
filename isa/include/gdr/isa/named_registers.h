// Text of lines with names in place of registers.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "gdr/isa/line.h"

namespace gdr::isa {

/// Names of words; the key is the text of the register: `$lr8v` has the name `x[1]`.
using RegisterNames = std::map<std::string, std::string, std::less<>>;

/// Write ports whose destinations get `/always`: results that a line of the loop body writes whatever $jvalid says.
struct AlwaysWritten {
  bool gpr = false;
  bool lm = false;
};

/// As print(line), with names in place of those registers of the GPR and words of local memory that have one.
[[nodiscard]] std::string print(const Line& line, const RegisterNames& names, const AlwaysWritten& always = {});

/// The text of a register whose letters are `prefix` (kGprPrefix, kLmPrefix): `$lr8v`.
[[nodiscard]] std::string register_text(std::string_view prefix, std::uint16_t address, Width width, bool vector);

}  // namespace gdr::isa
