// Changes of a search's numbers, to be undone when an attempt fails.
#pragma once

#include <cstddef>
#include <vector>

namespace gdr::assembler {

/// Keeps what was there before each change. An attempt notes mark() and, if it fails, calls undo(mark). Pointers that
/// are handed to it must stay valid until clear().
class Journal {
 public:
  void set(int& place, int value) {
    if (place == value) return;
    changes_.push_back({&place, place, 0});
    place = value;
  }
  /// Adds to each of `count` numbers.
  void add(int* first, std::size_t count, int more) {
    for (std::size_t n = 0; n < count; ++n) first[n] += more;
    changes_.push_back({first, more, count});
  }

  [[nodiscard]] std::size_t mark() const { return changes_.size(); }
  void undo(std::size_t mark) {
    for (; changes_.size() > mark; changes_.pop_back()) {
      const Change& change = changes_.back();
      if (change.count == 0) *change.first = change.number;
      for (std::size_t n = 0; n < change.count; ++n) change.first[n] -= change.number;
    }
  }
  /// What was changed so far stays.
  void clear() { changes_.clear(); }

 private:
  struct Change {
    int* first = nullptr;
    int number = 0;         // what was there; with a count, what was added
    std::size_t count = 0;  // of numbers that something was added to; 0: one number was replaced
  };
  std::vector<Change> changes_;
};

}  // namespace gdr::assembler
