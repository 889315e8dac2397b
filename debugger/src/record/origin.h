// Finds where a word comes from: the line that wrote it last, and so on back to the data.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gdr/debugger/debugger.h"
#include "gdr/isa/unit_work.h"
#include "timeline.h"

namespace gdr::debugger {

/// A word of the block, or of one of its PEs, with all pending writes done.
[[nodiscard]] isa::LongWord read_word(const emulator::BlockStepper& block, const WordPlace& place, unsigned pe);

/// Lines that may write a word according to their operands; whether they do is known only when they are executed.
[[nodiscard]] std::vector<Clock::Line> writers(const isa::Program& program, const WordPlace& place);

/// A word that the host wrote, and the moment since which it is there.
struct HostWrite {
  Moment since = 0;
  std::string text;
};
using HostWriter = std::function<std::optional<HostWrite>(const WordPlace& place, Moment before, unsigned pe)>;

/// Searches for origins. It moves the timeline; the caller must restore its position.
class OriginSearch {
 public:
  OriginSearch(const Recording& recording, const Clock& clock, const Symbols& symbols, Timeline& timeline, unsigned pe,
               HostWriter host)
      : program_(recording.program),
        clock_(clock),
        symbols_(symbols),
        timeline_(timeline),
        focus_pe_(pe),
        pe_(pe),
        host_(std::move(host)) {}

  /// Origin of the word as it is at moment `before`.
  [[nodiscard]] Origin find(const WordPlace& place, bool floating, Moment before, unsigned depth);

 private:
  /// When a word was written, and where the line took its operands.
  struct Written {
    Moment moment = 0;
    unsigned pe = 0;
    unsigned element = 0;
  };
  [[nodiscard]] std::string name_of(const WordPlace& place) const;
  [[nodiscard]] std::optional<Written> last_write(const WordPlace& place, Moment before, Moment since, Origin& origin);
  [[nodiscard]] std::optional<Written> write_at(const WordPlace& place, Moment moment);
  /// An operand whose own origin is still to be found.
  struct Operand {
    std::size_t index = 0;  // into Origin::operands
    WordPlace place;
    bool floating = true;
  };
  void add_operands(const WordPlace& place, const Written& written, unsigned depth, Origin& origin);
  [[nodiscard]] std::vector<Operand> words_of(const isa::UnitWork& writer, const emulator::BlockStepper& block,
                                              unsigned element) const;
  void add_gate(const isa::Predicate& gate, const emulator::BlockStepper& block, unsigned element,
                Origin& origin) const;
  static void add_constant(const isa::UnitWork& writer, const isa::UnitOperand& operand, Origin& origin);

  const isa::Program& program_;
  const Clock& clock_;
  const Symbols& symbols_;
  Timeline& timeline_;
  unsigned focus_pe_;
  unsigned pe_;  // whose words are read now
  HostWriter host_;
  unsigned followed_ = 0;
};

}  // namespace gdr::debugger
