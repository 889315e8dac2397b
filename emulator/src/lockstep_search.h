// What lockstep has in common for chips and for sessions: what counts as a difference, and the search for the line that
// made it.
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

/// All that a block shows.
struct BlockView {
  BlockState state;
  FpEvents counted;
  FirstEvents first;
};
/// The first difference in what a block shows; PEs that are not live do not count.
[[nodiscard]] std::optional<Difference> difference(const BlockView& expected, const BlockView& found,
                                                   unsigned live_pes);
/// The first difference in what a block collected.
[[nodiscard]] std::optional<Difference> difference(std::span<const LongWord> expected, std::span<const LongWord> found);

/// `invalid 0, overflow 1, underflow 0`.
[[nodiscard]] std::string text_of(const FpEvents& events);

/// Two engines whose blocks are in the same state, which can be copied and run on.
class Pair {
 public:
  virtual ~Pair() = default;
  [[nodiscard]] virtual std::unique_ptr<Pair> clone() const = 0;
  /// Other code for the state as it is. Throws Fault.
  virtual void patch(const isa::Program& program) = 0;
  virtual void write_bm(unsigned block, unsigned address, std::span<const LongWord> words) = 0;
  /// Runs one block of the program last given. Returns the first difference in what it shows and collects.
  [[nodiscard]] virtual std::optional<Difference> run_loop(unsigned block, const LoopRun& run) = 0;

 protected:
  Pair() = default;
  Pair(const Pair&) = default;
  Pair& operator=(const Pair&) = default;
};

/// Looks for the line that makes two engines differ, by running ever more of the program from the state before the run.
/// `before`: the engines before the run; `place` has the block and what differed in the end.
[[nodiscard]] Divergence::Place locate(const isa::Program& program, const LoopRun& run, const Pair& before,
                                       Divergence::Place place);

}  // namespace gdr::emulator::lockstep
