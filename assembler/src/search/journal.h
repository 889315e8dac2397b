// Changes of a search's numbers, to be undone when an attempt fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gdr::assembler {

/// Keeps what was there before each change. An attempt notes mark() and, if it fails, calls undo(mark). Pointers that
/// are handed to it must stay valid until clear().
class Journal {
 public:
  void set(int& place, int value) {
    if (place == value) return;
    note(&place, place, 0);
    place = value;
  }
  /// Adds to each of `count` numbers.
  void add(int* first, std::size_t count, int more) {
    for (std::size_t n = 0; n < count; ++n) first[n] += more;
    note(first, more, count);
  }

  [[nodiscard]] std::size_t mark() const { return size_; }
  void undo(std::size_t mark) {
    while (size_ > mark) {
      const Change& change = changes_[--size_];
      if (change.count == 0) *change.first = change.number;
      for (std::uint32_t n = 0; n < change.count; ++n) change.first[n] -= change.number;
    }
  }
  /// What was changed so far stays.
  void clear() { size_ = 0; }

 private:
  struct Change {
    int* first = nullptr;
    int number = 0;           // what was there; with a count, what was added
    std::uint32_t count = 0;  // of numbers that something was added to; 0: one number was replaced
  };

  // A search notes some 10^8 changes. Each is written member by member where it stays: a copy of one that has just been
  // made waits for the members to arrive in memory, which took a third of the search's time.
  void note(int* first, int number, std::size_t count) {
    if (size_ == changes_.size()) changes_.resize(2 * size_ + kFirst);
    Change& change = changes_[size_++];
    change.first = first;
    change.number = number;
    change.count = static_cast<std::uint32_t>(count);
  }

  static constexpr std::size_t kFirst = 256;
  std::vector<Change> changes_;  // those from size_ on are undone or cleared
  std::size_t size_ = 0;
};

}  // namespace gdr::assembler
