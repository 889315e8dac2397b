// Operations on lines, one at a time, with whatever they need there: unit, ports, and for each value a place that every
// reader finds it in. Values get their places when their readers come, in lines that stand already.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bundles.h"
#include "free_values.h"

namespace gdr::assembler {

/// Where a reader finds a value.
enum class Way : std::uint8_t { none, t, gpr, lm };

/// What is decided of a value. `gpr` and `lm` tell whether it stands there from its line on; `*_until` is the last line
/// that reads it there.
struct PlacedValue {
  int line = -1;  // of its operation; -1: not placed
  int gpr = 0;
  int lm = 0;
  int t = 0;  // written to T
  int gpr_until = 0;
  int lm_until = 0;
  int readers_left = 0;
  int in_t_alone = 0;
};

struct PlacedOperation {
  int line = -1;
  std::array<int, 2> ways{};  // Way of each operand that is a value
};

/// How an operation prefers to find its operands.
enum class Preference : std::uint8_t { t_first, memory_first };

class Placement {
 public:
  /// `gpr_words`, `lm_words`: short words that values may take in a line.
  Placement(const FreeSection& section, const Bundles& bundles, unsigned gpr_words, unsigned lm_words);

  /// Clears everything; lines up to `limit` may be used.
  void restart(std::size_t limit);
  /// Before the first operation is placed in a line; lines ascend.
  void begin_line(std::size_t line);
  /// False, and nothing changed, if the bundle cannot stand there.
  bool place(const Bundle& bundle, std::size_t line, Preference preference);

  [[nodiscard]] const std::vector<PlacedOperation>& operations() const { return operations_; }
  [[nodiscard]] const std::vector<PlacedValue>& values() const { return values_; }

 private:
  /// What an operation takes in any line, as numbers that are equal where ports can be shared.
  struct Needs {
    int sequencer = 0;  // vector length and mask
    int units = 0;      // bits
    int works = 0;
    std::array<int, 2> gpr{-1, -1};
    int lm = -1;
    int bm = -1;
    int immediate = -1;
    int flag = 0;  // bit
  };
  struct LineUse {
    int sequencer = -1;
    int units = 0;
    std::array<int, 2> gpr_read{-1, -1};
    int lm_read = -1;
    int bm = -1;
    int immediate = -1;
    int flags = 0;
    int t_write = -1;  // operation
    int gpr_write = -1;
    int lm_write = -1;
    int t_holds = -1;  // tenancy, or value behind all tenancies, that T must hold when the line reads
    std::array<int, 4> results{-1, -1, -1, -1};  // values, by unit
  };

  /// What was there before a change: of a place, or of short words in use from one line to another.
  struct Change {
    int* place = nullptr;
    int before = 0;
    std::size_t lines = 0;  // from `place` on, in which `before` words came into use; 0: a place
  };

  void note_needs();
  void set(int& place, int value) {
    if (place == value) return;
    journal_.push_back({&place, place, 0});
    place = value;
  }
  void undo(std::size_t mark);

  bool place_operation(std::size_t number, std::size_t line, Preference preference);
  bool take_ports(std::size_t number, LineUse& use);
  bool take_t(std::size_t number, std::size_t line);
  bool take_writes(std::size_t number, LineUse& use);
  bool read_operands(std::size_t number, std::size_t line, std::size_t operand, Preference preference);
  bool read_value(std::size_t value, std::size_t line, Way way);
  bool read_in_t(std::size_t value, std::size_t line);
  bool read_in_memory(std::size_t value, std::size_t line, Way way);
  bool take_words(std::vector<int>& words, int more, unsigned most, std::size_t from, std::size_t until);
  bool add_result(std::size_t number, std::size_t line);
  [[nodiscard]] bool every_result_has_room(const LineUse& use) const;
  bool take_gpr_read(LineUse& use, int key);
  static bool shareable(int taken, int wanted) { return taken == -1 || taken == wanted; }
  [[nodiscard]] int in_t(std::size_t value) const { return static_cast<int>(section_.tenancies.size() + value); }

  const FreeSection& section_;
  unsigned gpr_words_;
  unsigned lm_words_;
  std::vector<Needs> needs_;
  std::vector<unsigned> offset_;
  std::vector<LineUse> lines_;
  // Short words that values take, by line.
  std::vector<int> gpr_words_used_;
  std::vector<int> lm_words_used_;
  std::vector<PlacedOperation> operations_;
  std::vector<PlacedValue> values_;
  int tenant_ = -1;  // what T must keep until all its accesses are placed
  int tenant_left_ = 0;
  std::vector<Change> journal_;
};

}  // namespace gdr::assembler
