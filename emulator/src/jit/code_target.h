// The instruction sets that bodies are compiled for, and what the code does differently on them.
#pragma once

#include <optional>

#include "gdr/emulator/host_isa.h"
#include "gdr/isa/line.h"

namespace gdr::emulator::jit {

/// Most turns of one call: what is equal in all PEs is worked out for so many turns beforehand. The more, the less is
/// taken and given for each; but where one is refused, all are.
inline constexpr unsigned kTurns = 32;
/// Of host doubles, which are refused for next to nothing.
inline constexpr unsigned kTurnsOfDoubles = 128;

enum class CodeLanguage : unsigned char { llvm_ir, opencl_c };

struct CodeTarget {
  const char* cpu = "";  // as LLVM knows all processors that have the instruction set; of one architecture alone
  unsigned lanes = 0;    // of a host vector
  /// Each instruction may have a rounding of its own, which leaves no trace in MXCSR. MXCSR then tells whether the
  /// others were exact; else the code compares.
  bool directed_rounding = false;
  CodeLanguage language = CodeLanguage::llvm_ir;
  /// The engine native: numbers are the host's doubles and nothing has to be exact.
  bool host_doubles = false;
  /// The lanes of a vector are PEs of several blocks, the same blocks in all vectors; else of one.
  bool packed = false;
  /// Elements of a vector that may have words of their own. What the others take over from a turn is what the last of
  /// these takes over: the function may be called where that is so alone.
  unsigned own_elements = isa::kVectorElements;
  /// Turns that are written side by side in the loop, to make up for elements that there are fewer of. Of LLVM IR, and
  /// of bodies that store nothing.
  unsigned turns_at_once = 1;
  /// Instructions name the line that they come from, for debuggers. Of LLVM IR.
  bool names_lines = false;

  /// The last turn of a run, and turns that several at once leave, have a function of their own, whose text is as long
  /// as the loop's. OpenCL's compilers take long for each.
  [[nodiscard]] constexpr bool last_turns_apart() const { return language == CodeLanguage::llvm_ir; }

  [[nodiscard]] constexpr unsigned turns() const { return host_doubles ? kTurnsOfDoubles : kTurns; }

  /// The first part of a turn is done beside the rest of the turn before: a turn is one long chain, and the host sees
  /// too few operations at a time to begin the next one early. Doubles gain by it where there are AVX-512's registers.
  /// Exact forms lose by it there, but quick ones gain 2 % where their chains are the longer ones of hosts without
  /// directed rounding; robust ones have enough to do beside them. Turns side by side have no need of it.
  [[nodiscard]] constexpr bool works_ahead() const {
    return language == CodeLanguage::llvm_ir && turns_at_once == 1 && directed_rounding == host_doubles;
  }

  /// From one word of a turn to the next one in what is worked out beforehand: there stand the same word of the turns
  /// that follow, or, packed, of the other blocks.
  [[nodiscard]] constexpr unsigned plane_words() const { return packed ? lanes : turns(); }
};

/// Most lanes of any.
inline constexpr unsigned kMostLanes = 8;

/// None: bodies are not compiled for it.
[[nodiscard]] constexpr std::optional<CodeTarget> code_target(HostIsa isa) {
  if (isa == HostIsa::avx512) return CodeTarget{"x86-64-v4", 8, true};
  if (isa == HostIsa::avx2) return CodeTarget{"x86-64-v3", 4, false};
  if (isa == HostIsa::neon) return CodeTarget{"generic", 4, false};
  return std::nullopt;
}

}  // namespace gdr::emulator::jit
