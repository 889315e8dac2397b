// What an N-body run on a board, or on ranks with a board each, has come to: the fields of its report and the words of
// its text.
#pragma once

#include <string>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/cluster/nbody_ranks.h"
#include "gdr/hostlib/nbody_run.h"

namespace gdr::cluster {

/// Quantities measured at the end of a run.
struct NbodyResult {
  hostlib::Sample sample;
  std::string state_hash;
  std::vector<RankSeconds> ranks;  // empty: the run was not distributed
  Split split;                     // how it was
  std::string cluster;             // that describes the network between the ranks
};

/// Sets the fields of the run, except `stopped`: without a board null those of a board, on several ranks the emulated
/// time of all in place of that of its own board.
void add_nbody(base::Json& json, const hostlib::NbodyRun& run, const NbodyResult& result);

/// Words of the text, which the report has in other forms or lacks. `arithmetic`: "engine simd (bit exact)".
[[nodiscard]] base::Json words_of(const hostlib::NbodyRun& run, const NbodyResult& result,
                                  const std::string& arithmetic);

/// Why a run ended early, and how it goes on. `stopped`: what ended it, such as "memory" or "SIGINT".
[[nodiscard]] std::string text_of_end(const hostlib::NbodyRun& run, const std::string& stopped);

}  // namespace gdr::cluster
