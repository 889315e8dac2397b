#include "counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace gdr::proof {
namespace {
constexpr int kMostShown = 12;
}

std::size_t Counts::add(const std::string& form) {
  const auto known = std::ranges::find(counts_, form, &Count::form);
  if (known == counts_.end()) counts_.push_back({form});
  return static_cast<std::size_t>(std::ranges::find(counts_, form, &Count::form) - counts_.begin());
}

void Counts::wrong(std::size_t form, Word a, Word b, Word got, Word want) {
  ++counts_[form].wrong;
  if (shown_++ >= kMostShown) return;
  fmt::print("wrong: {}: a {:x}.{:x}, b {:x}.{:x}: {:x}.{:x} instead of {:x}.{:x}\n", counts_[form].form, a.high, a.low,
             b.high, b.low, got.high, got.low, want.high, want.low);
}

int Counts::finish(const std::string& what, const std::string& file, bool writes) const {
  std::string record = fmt::format("# {}\n", what);
  std::uint64_t wrong = 0;
  for (const Count& count : counts_) {
    record += fmt::format("{:<44} {:>14} {:>14}\n", count.form, count.covered, count.left_over);
    wrong += count.wrong;
    if (count.wrong != 0) fmt::print("{}: {} wrong of {} pairs\n", count.form, count.wrong, count.covered);
  }
  if (wrong != 0) {
    fmt::print("{} results are wrong\n", wrong);
    return 1;
  }
  if (writes) {
    std::ofstream out(file);
    out << record;
    return out.good() ? 0 : 1;
  }
  if (file == "-") {
    fmt::print("{}", record);
    return 0;
  }
  std::ifstream in(file);
  const std::string known{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  fmt::print("{}", record);
  if (known == record) return 0;
  fmt::print(
      "The counts of covered and left-over pairs are not those of {}:\n{}If the forms have changed on purpose, write "
      "the file again with --write.\n",
      file, known);
  return 1;
}

int run_if_possible(int (*run)(int, char**), int argc, char** argv) {
#ifdef __x86_64__  // see CMakeLists.txt
  constexpr int kSkipped = 77;
  if (!__builtin_cpu_supports("avx2")) {
    fmt::print("this host has no AVX2\n");
    return kSkipped;
  }
#endif
  return run(argc, argv);
}

}  // namespace gdr::proof
