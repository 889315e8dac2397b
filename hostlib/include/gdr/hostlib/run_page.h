// A run as one page of HTML that stands alone: its curves, and what it takes to run it again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gdr/hostlib/diagnostics.h"

namespace gdr::hostlib {

struct RunReport {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // provenance and results: name, value
  std::vector<std::vector<double>> samples;                // rows of sample_columns()
  std::vector<BlockSizeBin> blocks;
};

/// Curves of energy error, Lagrangian radii and core radius, virial ratio, drift of the momenta and occupancy of the
/// pipes over time, the sizes of the blocks, and a table of the facts. Throws gdr::Error for rows that do not fit
/// sample_columns().
[[nodiscard]] std::string run_page(const RunReport& report);

}  // namespace gdr::hostlib
