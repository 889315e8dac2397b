// Sums of loops whose iterations are split over ranks: rounded once, or added in the serial program's order.
#pragma once

#include <mpi.h>

#include <array>
#include <map>
#include <vector>

#include "gdr/base/exact_sum.h"

namespace gdr::interconnect {

/// Invariant: while `merges`, `terms` or `exact` hold all that loops added to the variable since it was `before`.
class XmpSums {
 public:
  /// Adds as the serial program does, term by term, instead of exactly.
  void add_in_serial_order() { serial_ = true; }

  void begin(int sum, double before, bool single);
  void term(int sum, double term, bool single, const std::array<long, 4>& counters) {
    Sum& of = sums_[static_cast<std::size_t>(sum)];
    if (serial_) {
      of.terms.push_back({term, single ? 1L : 0L, {of.loop, counters[0], counters[1], counters[2], counters[3]}});
    } else {
      of.exact.add(term);
    }
  }
  /// The variable's value behind the loop of this rank; ranks may add up its terms behind it.
  [[nodiscard]] double end(int sum);
  /// The same over the ranks of `among`, which all held the same before the loop.
  [[nodiscard]] double end_among(int sum, MPI_Comm among);
  /// The sum of a variable over ranks. `sum` is -1 if no loop sums it.
  [[nodiscard]] double merge(int sum, double value, bool single);
  /// True if the latest merge() added a loop's terms.
  [[nodiscard]] bool merged_loop() const { return merged_loop_; }

 private:
  /// MPI sends it as bytes.
  struct Term {
    double value;
    long single;
    std::array<long, 5> counters;  // the loop's number comes first
  };
  struct Sum {
    base::ExactSum exact;
    std::vector<Term> terms;
    double before = 0;
    double left = 0;
    bool single = false;
    long loop = 0;        // number of the latest loop
    bool merges = false;  // the loop left `left`, which ranks may add up
  };

  [[nodiscard]] static double round(const base::ExactSum& sum, bool single);
  [[nodiscard]] static double over_ranks(base::ExactSum sum, bool single, MPI_Comm among);
  [[nodiscard]] static double in_order(double start, const std::vector<Term>& terms, bool single);
  [[nodiscard]] static std::vector<Term> of_ranks(const std::vector<Term>& terms, MPI_Comm among);

  std::vector<Sum> sums_;
  bool serial_ = false;
  bool merged_loop_ = false;
};

}  // namespace gdr::interconnect
