// Traces and profiles of a run: options shared by run, force and nbody, and their output at the end.
#pragma once

#include "command/command.h"
#include "gdr/hostlib/trace.h"

namespace gdr::cli {

struct ObserveOptions {
  std::string trace;
  std::string profile;
  hostlib::TraceOptions what;
  double limit_mb = 8;

  /// Returns the options that select what is observed.
  std::vector<Option> add_to(Command command);
  /// Call it before anything runs.
  void begin(Device& device) const;
  /// Writes the requested files. The size of a trace is printed before it is written.
  void finish(const Device& device, const std::string& engine, const ReportOptions& report) const;
};

}  // namespace gdr::cli
