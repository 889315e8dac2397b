// What gdr nbody reports of a run: as JSON, as text and as a page.
#pragma once

#include <string>
#include <vector>

#include "gdr/cluster/nbody_ranks.h"
#include "gdr/hostlib/nbody_run.h"
#include "nbody_options.h"

namespace gdr::cli {

/// Quantities measured at the end of a run.
struct NbodyResult {
  hostlib::Sample sample;
  std::string state_hash;
  std::vector<cluster::RankSeconds> ranks;  // empty: the run was not distributed
  std::string cluster;                      // that describes the network between the ranks
};

/// The run's report for --json, without `stopped` and what add_ranks() adds. Without a board, its fields are null.
[[nodiscard]] Json json_of(const hostlib::NbodyRun& run, const NbodyOptions& options, const NbodyResult& result);
/// Adds the emulated time of a run on several ranks, in place of that of its own board.
void add_ranks(Json& json, const hostlib::NbodyRun& run, const NbodyOptions& options, const NbodyResult& result);

/// Words of the text, which the report has in other forms or lacks.
[[nodiscard]] Json words_of(const hostlib::NbodyRun& run, const NbodyOptions& options, const NbodyResult& result);
/// Prints warnings of the start and notes on it to standard error, so that they are also seen with `--json -`.
void tell_of_start(const hostlib::NbodyRun& run);

}  // namespace gdr::cli
