// What gdr nbody says while a run goes on: its progress, and that it is in trouble.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "command/command.h"
#include "gdr/hostlib/nbody_run.h"

namespace gdr::cli {

/// Prints to standard error. What it measures depends on the host's time, and so does what it prints; the run does not.
class RunWatch {
 public:
  /// `checkpoint`: where the run's checkpoint goes, for advice; empty if nowhere.
  RunWatch(ProgressShown shown, std::string checkpoint);
  /// To be called after each block step.
  void look(const hostlib::NbodyRun& run);
  /// To be called at the end of a run, with its result: however short it was, a large energy error is told of.
  void finish(const hostlib::NbodyRun& run, const hostlib::Sample& result);
  /// Ends the line of progress.
  void end_progress() { progress_.reset(); }

 private:
  void show_progress(const hostlib::NbodyRun& run, double done);
  void measure_energy(const hostlib::NbodyRun& run);
  void tell_of_energy(const hostlib::NbodyRun& run, const hostlib::EnergyWatch& watch);
  void tell_of_short_steps(const hostlib::NbodyRun& run, double done);

  std::optional<Progress> progress_;
  std::string checkpoint_;
  Stopwatch clock_;
  std::optional<hostlib::EnergyWatch> latest_;
  double next_energy_;  // seconds after the start
  double next_steps_;   // likewise
  bool told_of_energy_ = false;
  bool told_of_short_steps_ = false;
  std::uint64_t steps_shown_ = 0;  // counters at the last line of progress
  std::uint64_t blocks_shown_ = 0;
  double seconds_shown_ = 0;
};

}  // namespace gdr::cli
