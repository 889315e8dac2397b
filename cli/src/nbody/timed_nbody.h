// gdr nbody --timing-only: the emulated time of a run, which is not computed.
#pragma once

#include <optional>

#include "gdr/hostlib/start_model.h"
#include "nbody_options.h"

namespace gdr::cli {

/// Returns the exit status. Throws UsageError unless `start` is a Plummer sphere, and for outputs that need particles.
int timed_nbody(const NbodyOptions& options, const std::optional<hostlib::StartModel>& start);

}  // namespace gdr::cli
