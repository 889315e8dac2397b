// What is said while an N-body run goes on: its progress, and that it is in trouble.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gdr/hostlib/nbody_run.h"

namespace gdr::hostlib {

/// What it measures depends on the host's time, and so does what it says; the run does not.
class RunWatch {
 public:
  /// Receivers of what is said.
  struct Faces {
    std::function<void(const std::string& sentence)> warn;
    /// Whether progress would be shown now, 0 to 1, and what shows it.
    std::function<bool(double done)> is_due;
    std::function<void(double done, const std::string& detail)> show;
  };
  /// `checkpoint`: where the run's checkpoint goes, for advice; empty if nowhere.
  RunWatch(Faces faces, std::string checkpoint);
  /// To be called after each block step.
  void look(const NbodyRun& run);
  /// To be called at the end of a run, with its result: however short it was, a large energy error is told of.
  void finish(const NbodyRun& run, const Sample& result);

 private:
  void show_progress(const NbodyRun& run, double done);
  void measure_energy(const NbodyRun& run);
  void tell_of_energy(const NbodyRun& run, const EnergyWatch& watch);
  bool tell_of_large_error(const NbodyRun& run, const EnergyWatch& watch, const std::string& checkpoint) const;
  void tell_of_short_steps(const NbodyRun& run, double done);

  /// Since it was made.
  [[nodiscard]] double seconds() const;

  Faces faces_;
  std::string checkpoint_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<EnergyWatch> latest_;
  double next_energy_;  // seconds after the start
  double next_steps_;   // likewise
  bool told_of_energy_ = false;
  bool told_of_short_steps_ = false;
  std::uint64_t steps_shown_ = 0;  // counters at the last line of progress
  std::uint64_t blocks_shown_ = 0;
  double seconds_shown_ = 0;
};

}  // namespace gdr::hostlib
