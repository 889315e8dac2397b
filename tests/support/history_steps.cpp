// Prints the histories of tests/support/histories.h for tests in other languages: a line for each step, an empty one
// after each history.
//
//   history_steps SEED COUNT
#include <iostream>
#include <string>

#include "histories.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::uint64_t first = std::stoull(argv[1]);
  for (std::uint64_t seed = first; seed < first + std::stoull(argv[2]); ++seed) {
    for (const gdr::tests::HistoryStep& step : gdr::tests::history(seed)) {
      std::cout << gdr::tests::text_of(step) << '\n';
    }
    std::cout << '\n';
  }
}
