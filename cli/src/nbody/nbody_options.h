// The options of gdr nbody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/command.h"
#include "gdr/hostlib/nbody_run.h"
#include "runs/observe.h"

namespace gdr::cli {

struct NbodyOptions {
  BoardOptions board;
  ReportOptions report;
  ObserveOptions observe;
  hostlib::NbodySettings run;  // except for its start model and its paths, which are texts here
  std::size_t plummer = 0;
  std::string start;
  std::optional<std::size_t> particles;
  std::optional<std::uint64_t> seed;
  std::optional<double> w0;
  std::optional<double> separation;
  std::optional<double> pericentre;
  std::optional<double> eccentricity;
  std::string in;
  std::string units;
  std::string scale;
  std::string restart;
  std::string out;
  std::string log;
  std::string checkpoint;
  std::string page;
  std::string out_format;  // empty: the one that the ending of `out` tells
  std::string binaries = "plain";
  std::vector<std::uint64_t> orbits;
  std::string stop_file;
  std::optional<std::size_t> measured_n;
  std::string block_sizes;
  std::string from_block_sizes;
  std::string split;
  bool overlap = false;
  std::string cluster = "grape-dr-64";
  std::vector<Option> of_board;      // options that have no effect without a board
  std::vector<Option> of_timing;     // options that have an effect only with --timing-only
  std::vector<Option> of_measuring;  // with --timing-only: options that have an effect only on measured block sizes
  std::vector<Option> of_particles;  // options that have no effect with --timing-only
  std::optional<Command> command;

  /// With --timing-only: whether block sizes are measured, instead of read.
  [[nodiscard]] bool measures_block_sizes() const { return measured_n || !block_sizes.empty(); }
  /// Whether the particles are those of another model than the Plummer sphere.
  [[nodiscard]] bool draws_own_start() const { return !start.empty() && start != "plummer"; }
};

/// gdr nbody --timing-only: the emulated time of a run, which is not computed. Returns the exit status. Throws
/// UsageError for outputs that need particles, and for a restart.
int timed_nbody(const NbodyOptions& options, const hostlib::NbodySettings& settings);

}  // namespace gdr::cli
