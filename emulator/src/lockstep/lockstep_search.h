// The common part of lockstep for chips and for sessions: the comparison of blocks, and the search for the line that
// causes a difference.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gdr/emulator/lockstep.h"
#include "gdr/emulator/session.h"

namespace gdr::emulator::lockstep {

struct Difference {
  unsigned pe = 0;
  std::string destination;
  std::string expected;
  std::string found;
};
[[nodiscard]] Divergence::Place place_of(unsigned block, const Difference& differs);

/// All data of a block that are compared.
struct BlockView {
  BlockState state;
  FpEvents counted;
  FirstEvents first;
};
/// The first difference between two views of a block. PEs that are not live are ignored.
[[nodiscard]] std::optional<Difference> difference(const BlockView& expected, const BlockView& found,
                                                   unsigned live_pes);
/// The first difference in the words that a block collected.
[[nodiscard]] std::optional<Difference> difference(std::span<const LongWord> expected, std::span<const LongWord> found);

/// `invalid 0, overflow 1, underflow 0`.
[[nodiscard]] std::string text_of(const FpEvents& events);

/// Two engines whose blocks are in the same state. They can be copied, and the copies can continue to run.
class Pair {
 public:
  virtual ~Pair() = default;
  [[nodiscard]] virtual std::unique_ptr<Pair> clone() const = 0;
  /// Replaces the program and keeps the state. Throws Fault.
  virtual void patch(const isa::Program& program) = 0;
  virtual void write_bm(unsigned block, unsigned address, std::span<const LongWord> words) = 0;
  /// Runs the current program on one block. Returns the first difference in its state, events and collected words.
  [[nodiscard]] virtual std::optional<Difference> run_loop(unsigned block, const LoopRun& run) = 0;

 protected:
  Pair() = default;
  Pair(const Pair&) = default;
  Pair& operator=(const Pair&) = default;
};

/// Finds the line that makes two engines differ, by running more and more of the program from the state before the run.
/// `before` are the engines before the run; `place` has the block and the difference that was found after the run.
[[nodiscard]] Divergence::Place locate(const isa::Program& program, const LoopRun& run, const Pair& before,
                                       Divergence::Place place);

}  // namespace gdr::emulator::lockstep
