// Translates lines to micro-operations, once per program.
//
// The order of the machine's reads and writes is resolved here, so that kernels simply run one after the other: writes
// to GPR, LM, flags and BM land after the next line has read its operands, writes to T after their own line. A write
// goes directly to its place if no other line can see the difference; otherwise it is held in a bank and committed
// later. Only this module knows the layouts of register pairs (one long word or two short ones) and the values that are
// equal in all PEs.
#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "decoded_program.h"
#include "line_facts.h"
#include "micro_op.h"

namespace gdr::emulator::simd {

/// Which pairs of register rows hold a long word, pair p being rows 2 p and 2 p + 1; the others hold two short words.
using PairLayouts = std::bitset<kTRow / 2>;

struct SectionCode {
  bool has_lines = false;
  unsigned fp_elements = 0;  // elements of floating-point operations
  std::vector<MicroOp> ops;
  std::size_t hook = 0;         // writes still pending from the previous section land before this operation; in a
                                // section without lines they stay pending for a later section
  std::vector<MicroOp> edge;    // completes the writes that this section leaves pending
  std::vector<MicroOp> spread;  // of a body: copies values that an iteration leaves equal in all PEs to each PE
};

struct Schedule {
  std::array<SectionCode, isa::kSections> sections;
  SectionCode body_without_record;  // the loop body where $jvalid is false
  PairLayouts long_pairs;           // between sections
  RowSet invariant;                 // rows that are equal in all PEs during the loop body; one word holds the value
  std::vector<isa::LongWord> constants;
  bool may_fault = false;  // indirect addresses are known only when they are used
};

/// The floating-point arithmetic of a schedule's kernels: the chip's or the host's.
enum class Arithmetic : std::uint8_t { chip, host };

/// The kernels to choose from.
struct KernelSet {
  HostIsa isa = HostIsa::portable;
  Arithmetic arithmetic = Arithmetic::chip;
};

/// May the loop body read values that loop initialization leaves equal in all PEs from the one word that holds them?
enum class EqualRows : std::uint8_t {
  in_one_word,
  in_their_own_words  // always right, also if somebody else has written the rows since
};

[[nodiscard]] Schedule make_schedule(const DecodedProgram& program, KernelSet kernels,
                                     EqualRows equal = EqualRows::in_one_word);

}  // namespace gdr::emulator::simd
