// Traces and profiles of a run: options that run, force and nbody share, and what is written in the end.
#pragma once

#include "command.h"
#include "gdr/hostlib/trace.h"

namespace gdr::cli {

struct ObserveOptions {
  std::string trace;
  std::string profile;
  hostlib::TraceOptions what;
  double limit_mb = 8;

  /// Returns those that say what is observed.
  std::vector<Option> add_to(Command command);
  /// Before anything runs.
  void begin(Device& device) const;
  /// Writes what was asked for: the trace's size is told before it is written.
  void finish(const Device& device, const std::string& engine, const ReportOptions& report) const;
};

}  // namespace gdr::cli
