// What limits one iteration of a program's loop, counted from its lines alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "gdr/isa/program.h"

namespace gdr::isa {

/// Clocks that each resource needs for one iteration of the loop body. The iteration takes the largest of them, since
/// the next record arrives while the lines run.
struct LoopBound {
  std::uint64_t lines = 0;        // of the loop body
  std::uint64_t line_clocks = 0;  // kClocksPerLine each
  std::uint64_t idp_clocks = 0;   // the records of all blocks through the input port
  std::uint64_t bm_clocks = 0;    // the BM port: words moved by the lines, and the arriving record
  std::uint64_t odp_clocks = 0;   // results that leave during the loop; 0 in a kernel of Type I

  [[nodiscard]] std::uint64_t clocks() const;
  /// The name of the bound: `lines`, `idp`, `bm` or `odp`; the first if several are equal.
  [[nodiscard]] std::string_view bound() const;
};

/// `idp_clocks_per_word`: clocks per long word through the input port, for boards whose description differs from the
/// chip's value. Throws gdr::Error for a word that decode() refuses.
[[nodiscard]] LoopBound loop_bound(const Program& program, unsigned idp_clocks_per_word = kIdpClocksPerWord);

}  // namespace gdr::isa
