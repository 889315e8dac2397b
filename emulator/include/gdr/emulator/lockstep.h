// Two engines side by side on the same program: every run ends with a comparison, the first difference is traced to the
// line that made it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/session.h"

namespace gdr::emulator {

/// Where two engines first differ. The text names everything below, with the line's place in its source and its
/// assembly; `line` is empty if no line alone makes the difference when it is run again from the state before it.
class Divergence : public Error {
 public:
  struct Place {
    unsigned chip = 0;
    unsigned block = 0;
    isa::Section section = isa::Section::initialization;
    std::uint64_t iteration = 0;  // of the loop body
    std::optional<std::size_t> line;
    unsigned pe = 0;
    std::string destination;  // "$lr12", "$t[2]", "bm 40", "events"
    std::string expected;     // words in hexadecimal
    std::string found;
  };
  Divergence(const isa::Program& program, const Place& place);
  [[nodiscard]] const Place& place() const { return place_; }
  /// The same on this chip.
  [[nodiscard]] Divergence on_chip(unsigned chip) const;

 private:
  Divergence(const Place& place, std::string text);

  Place place_;
  std::string text_;  // without the chip
};

/// What the host sees is `expected`'s. Compared after each run: GPR, LM, T and flags of live PEs, BM, floating-point
/// events. Blocks run one after the other. Throws Divergence from whatever runs code; a Fault that both engines agree
/// on passes.
[[nodiscard]] std::unique_ptr<Chip> make_lockstep_chip(std::unique_ptr<Chip> expected, std::unique_ptr<Chip> found);

/// The same for any two engines, whatever their sessions run on; `lockstep:EXPECTED,FOUND` names it. Its sessions
/// return from run() and collect() when that is done, and throw from there. Compared after each piece: as above, and
/// the words that leave through the tree.
[[nodiscard]] std::unique_ptr<Engine> make_lockstep_engine(std::unique_ptr<Engine> expected,
                                                           std::unique_ptr<Engine> found);

}  // namespace gdr::emulator
