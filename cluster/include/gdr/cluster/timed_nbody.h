// The emulated time of an N-body run on the boards of one host, which is not computed: the fields of its report and the
// words of its text.
#pragma once

#include <string>
#include <string_view>

#include "gdr/base/json.h"
#include "gdr/cluster/nbody_cost.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/timed_run.h"

namespace gdr::cluster {

struct TimedNbody {
  hostlib::TimedRun run;
  hostlib::RunBlocks blocks;
  NbodyCost cost;
  double watts = 0;  // of the host and its boards
};

/// The time of `run` with these blocks on `device`, which has loaded the kernel. `cluster` names the description that
/// says what power a host and a board take. Throws gdr::Error if the particles do not fit the boards, and as
/// load_cluster().
[[nodiscard]] TimedNbody timed_nbody(hostlib::TimedRun run, hostlib::RunBlocks blocks, const Device& device,
                                     const std::string& cluster);

/// Throws gdr::Error if j-particles do not fit the external memory.
void require_j_capacity(const Device& device, std::size_t particles);

/// Sets the fields of the report.
void add_timed(base::Json& json, const TimedNbody& timed, const hostlib::NbodySettings& settings, const Device& device);
/// Words of the text; `cluster` is the name of the description.
[[nodiscard]] base::Json words_of(const TimedNbody& timed, const hostlib::NbodySettings& settings, const Device& device,
                                  const std::string& cluster);

}  // namespace gdr::cluster
