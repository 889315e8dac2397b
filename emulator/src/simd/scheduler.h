// From lines to micro-operations, once per program.
//
// The order of the machine is settled here, so that kernels just run one after the other: writes to GPR, LM, flags and
// BM land after the next line has read, T after its own line. A write goes straight to its place where nobody can tell
// the difference; where somebody can, it is held in a bank and committed later. Layouts of register pairs (one long
// word or two short ones) and values equal in all PEs are known here and nowhere else.
#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "decoded_program.h"
#include "line_facts.h"
#include "micro_op.h"

namespace gdr::emulator::simd {

/// Which pairs of register rows hold a long word, pair p being rows 2 p and 2 p + 1; the others hold two short words.
using PairForms = std::bitset<kTRow / 2>;

struct SectionCode {
  bool has_lines = false;
  unsigned fp_elements = 0;  // elements of floating-point operations
  std::vector<MicroOp> ops;
  std::size_t hook = 0;         // writes still pending from the previous section land before this operation; without
                                // lines behind the last one, in a later section
  std::vector<MicroOp> edge;    // lands what this section leaves over
  std::vector<MicroOp> spread;  // of a body: makes values per PE that an iteration leaves equal in all, for other code
};

struct Schedule {
  std::array<SectionCode, isa::kSections> sections;
  SectionCode body_without_record;  // the loop body where $jvalid is false
  PairForms long_pairs;             // between sections
  RowSet invariant;                 // in the loop body; equal in all PEs, whose one word holds the value
  std::vector<isa::LongWord> constants;
  bool may_fault = false;  // indirect addresses are known when they are used
};

/// Whose floating point a schedule's kernels compute.
enum class Arithmetic : std::uint8_t { chip, host };

/// The kernels to choose from.
struct KernelSet {
  HostIsa isa = HostIsa::portable;
  Arithmetic arithmetic = Arithmetic::chip;
};

[[nodiscard]] Schedule make_schedule(const DecodedProgram& program, KernelSet kernels);

}  // namespace gdr::emulator::simd
