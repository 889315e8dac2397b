// A run as one self-contained page of HTML: its curves, and the facts that are needed to run it again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gdr/hostlib/diagnostics.h"

namespace gdr::hostlib {

/// Places of one particle at the outputs of a run.
struct Orbit {
  std::int64_t id = 0;
  std::vector<Vec3> places;
};

struct RunReport {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // provenance and results: name, value
  std::vector<std::vector<double>> samples;                // rows with the values of sample_columns()
  std::vector<BlockSizeBin> blocks;
  std::optional<Particles> particles;  // at the end
  std::vector<Orbit> orbits;
};

/// Page with curves over time of energy error, Lagrangian radii and core radius, virial ratio, drift of the momenta and
/// pipe occupancy, with the sizes of the blocks, places of the particles and orbits in the x, y plane, and with a table
/// of the facts. What has no values is left out. Throws gdr::Error for rows that do not fit sample_columns().
[[nodiscard]] std::string run_page(const RunReport& report);

}  // namespace gdr::hostlib
