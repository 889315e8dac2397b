// What a run tells beside its numbers: its page, and what is odd about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/hostlib/nbody_run.h"
#include "gdr/hostlib/run_page.h"

namespace gdr::hostlib {

/// What a run has come to.
struct RunOutcome {
  Sample sample;
  std::string state_hash;
  std::optional<double> emulated_seconds;  // nothing without a board
  std::optional<double> emulated_gflops;
  std::string stopped;  // what ended it early; empty if nothing did
};
/// The run as a page of HTML. It has no data of the host, so a run in several parts gives the same page as one without
/// a break.
[[nodiscard]] std::string page_of(const NbodyRun& run, const RunOutcome& outcome);

/// Sentences on particles in one place, as of a row that is twice in a file, and on a snapshot that is hardly in the
/// units that the settings give, or, without them, in units with G = 1.
[[nodiscard]] std::vector<std::string> warnings_of_start(const NbodyRun& run);
/// A sentence if noise of the kernel chose many of the steps.
[[nodiscard]] std::optional<std::string> note_on_noise(const NbodyRun& run);

/// Sets the fields of a run of N-body, from `n` to `predicted_at_end`; `sample` and `state_hash` are of its end.
void add_nbody(base::Json& json, const NbodyRun& run, const Sample& sample, const std::string& state_hash);

}  // namespace gdr::hostlib
