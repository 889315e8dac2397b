// gdr nbody --timing-only: the emulated time of a run, which is not computed.
#pragma once

#include "gdr/hostlib/nbody_run.h"
#include "nbody_options.h"

namespace gdr::cli {

/// Returns the exit status. Throws UsageError for outputs that need particles, and for a restart.
int timed_nbody(const NbodyOptions& options, const hostlib::NbodySettings& settings);

}  // namespace gdr::cli
