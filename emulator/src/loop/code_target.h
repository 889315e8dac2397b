// The instruction sets that bodies are compiled for, and how the code differs between them.
#pragma once

#include <optional>

#include "gdr/emulator/host_isa.h"
#include "gdr/isa/line.h"

namespace gdr::emulator::jit {

/// Most iterations of one call: values equal in all PEs are computed for all of them beforehand. The more iterations a
/// call has, the less time each spends on words taken over and left; but if one is refused, all are.
inline constexpr unsigned kTurns = 32;
/// The same for host doubles, which are hardly ever refused.
inline constexpr unsigned kTurnsOfDoubles = 128;

enum class CodeLanguage : unsigned char { llvm_ir, opencl_c };

struct CodeTarget {
  const char* cpu = "";  // LLVM's name for all processors with the instruction set; used for one architecture alone
  unsigned lanes = 0;    // in a host vector
  /// Each instruction can have its own rounding mode, in which it does not change MXCSR. MXCSR then tells whether all
  /// other instructions were exact. Without this, the code checks exactness by comparing.
  bool directed_rounding = false;
  CodeLanguage language = CodeLanguage::llvm_ir;
  /// The engine native: numbers are the host's doubles, and nothing has to be exact.
  bool host_doubles = false;
  /// The lanes of a vector hold PEs of several blocks, the same blocks in all vectors; otherwise PEs of one block.
  bool packed = false;
  /// Vector elements of a PE that may have words of their own. All elements after them take over the same words as the
  /// last of these. The function may be called only where that is true.
  unsigned own_elements = isa::kVectorElements;
  /// Iterations that stand side by side in the loop, to make up for a smaller number of elements. More than one only
  /// for LLVM IR and for bodies that store nothing.
  unsigned turns_at_once = 1;
  /// Work-items that compute the own parts of as many iterations of a PE at once (body_split.h), while the chains take
  /// the results in order. More than one only for OpenCL C and for bodies that split_body() divides.
  unsigned ways = 1;
  /// Instructions carry the number of their line, for debuggers. Only for LLVM IR.
  bool names_lines = false;

  /// True if the last iteration of a run, and iterations left over where several stand side by side, have a function of
  /// their own. Its text is as long as the loop's, and OpenCL's compilers take long for each.
  [[nodiscard]] constexpr bool last_turns_apart() const { return language == CodeLanguage::llvm_ir; }

  [[nodiscard]] constexpr unsigned turns() const { return host_doubles ? kTurnsOfDoubles : kTurns; }

  /// True if the first part of an iteration is computed beside the rest of the iteration before. An iteration is one
  /// long chain of operations, so the host sees too few operations at a time to begin the next iteration early. Host
  /// doubles gain by this if there are AVX-512's registers, with which exact forms lose. On hosts without directed
  /// rounding, quick exact forms gain 2 %, since their chains are longer; robust forms have enough other operations.
  /// Iterations side by side do not need it.
  [[nodiscard]] constexpr bool works_ahead() const {
    return language == CodeLanguage::llvm_ir && turns_at_once == 1 && directed_rounding == host_doubles;
  }

  /// Distance between two words of an iteration in the buffers of records and shared values. In between are the same
  /// word of the iterations that follow or, if packed, of the other blocks.
  [[nodiscard]] constexpr unsigned plane_words() const { return packed ? lanes : turns(); }
};

/// Most lanes of any target.
inline constexpr unsigned kMostLanes = 8;

/// Target for the instruction set; nothing if bodies are not compiled for it.
[[nodiscard]] constexpr std::optional<CodeTarget> code_target(HostIsa isa) {
  if (isa == HostIsa::avx512) return CodeTarget{"x86-64-v4", 8, true};
  if (isa == HostIsa::avx2) return CodeTarget{"x86-64-v3", 4, false};
  if (isa == HostIsa::neon) return CodeTarget{"generic", 4, false};
  return std::nullopt;
}

}  // namespace gdr::emulator::jit
