// Runs two engines side by side on the same program. They are compared after every run, and the first difference is
// traced to the line that caused it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/session.h"

namespace gdr::emulator {

/// The first difference between two engines. The message names all members of Place, and the line's source position and
/// assembly. `line` is empty if no single line causes the difference when it is run again from the state before it.
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
  /// The same difference with this chip in its place.
  [[nodiscard]] Divergence on_chip(unsigned chip) const;

 private:
  Divergence(const Place& place, std::string text);

  Place place_;
  std::string text_;  // message without the chip
};

/// A chip that runs both engines and returns the data of `expected`. It compares GPR, LM, T and flags of live PEs, BM
/// and floating-point events after each run. Blocks run one after the other. Calls that run code throw Divergence where
/// the engines differ. If both engines have the same Fault, it is thrown as it is.
[[nodiscard]] std::unique_ptr<Chip> make_lockstep_chip(std::unique_ptr<Chip> expected, std::unique_ptr<Chip> found);

/// The same for any two engines, whatever hardware they run on; its name is `lockstep:EXPECTED,FOUND`. run() and
/// collect() of its sessions return when the work is done, and throw Divergence themselves. After each piece they
/// compare the data listed above and the words that leave through the tree.
[[nodiscard]] std::unique_ptr<Engine> make_lockstep_engine(std::unique_ptr<Engine> expected,
                                                           std::unique_ptr<Engine> found);

}  // namespace gdr::emulator
