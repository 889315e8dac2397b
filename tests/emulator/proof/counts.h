// Counts of pairs by form, and their comparison with a record: a form that covers fewer pairs than it did is found as
// well as a wrong result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gdr::proof {

/// A long word in two planes. The lower bits of a short word are zero.
struct Word {
  std::uint64_t high;
  std::uint64_t low;
  bool operator==(const Word&) const = default;
};

struct Count {
  std::string form;
  std::uint64_t covered = 0;
  std::uint64_t left_over = 0;
  std::uint64_t wrong = 0;
};

class Counts {
 public:
  /// Index of a form, which is added unless there is one of this name.
  std::size_t add(const std::string& form);
  [[nodiscard]] std::size_t size() const { return counts_.size(); }
  void add_pairs(std::size_t form, std::uint64_t covered, std::uint64_t left_over) {
    counts_[form].covered += covered;
    counts_[form].left_over += left_over;
  }
  /// A wrong result; the first few are printed.
  void wrong(std::size_t form, Word a, Word b, Word got, Word want);

  /// Prints the counts, headed by `what`. Compares them with those in the file unless it is "-", or writes the file if
  /// `writes`. Returns the status for main(): 0 if no result is wrong and the counts are those of the file.
  [[nodiscard]] int finish(const std::string& what, const std::string& file, bool writes) const;

 private:
  std::vector<Count> counts_;
  int shown_ = 0;
};

/// Calls run(argc, argv) if this host has the instructions that the program is compiled for. Else says so and returns
/// what CTest takes for a skipped test.
[[nodiscard]] int run_if_possible(int (*run)(int, char**), int argc, char** argv);

}  // namespace gdr::proof
