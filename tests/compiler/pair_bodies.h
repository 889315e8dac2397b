// Bodies of pair functions on the same records and data, on the board and by the host's compiler.
#pragma once

#include <string>
#include <vector>

namespace gdr::compiler_testing {

/// What every source begins with: records I (`x`, `n`, `u`, `t`), J (`y`, `k`, `l`, `v`, `t`) and F (`s`, `c`, `most`,
/// `least`), and some tables.
extern const char* const kPairRecords;

struct PairBody {
  const char* name;
  const char* text;  // of the function's body
};

/// The function, and its address for the host.
[[nodiscard]] std::string pair_source(const PairBody& body);

/// Expects that all are taken, have at most `most_lines` lines in the loop, and give the host's results exactly.
void expect_exact(const std::vector<PairBody>& bodies, unsigned most_lines);

}  // namespace gdr::compiler_testing
