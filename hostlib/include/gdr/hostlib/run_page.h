// A run as one self-contained page of HTML: its curves, and the facts that are needed to run it again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gdr/hostlib/diagnostics.h"

namespace gdr::hostlib {

struct RunReport {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // provenance and results: name, value
  std::vector<std::vector<double>> samples;                // rows with the values of sample_columns()
  std::vector<BlockSizeBin> blocks;
};

/// Page with curves over time of energy error, Lagrangian radii and core radius, virial ratio, drift of the momenta and
/// pipe occupancy, with the sizes of the blocks, and with a table of the facts. Throws gdr::Error for rows that do not
/// fit sample_columns().
[[nodiscard]] std::string run_page(const RunReport& report);

}  // namespace gdr::hostlib
