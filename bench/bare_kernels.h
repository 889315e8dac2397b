// The engine's micro-operations without the engine: each of the loop body run many times by itself (R4).
#pragma once

#include <memory>

#include "gdr/emulator/host_isa.h"
#include "gravity_workload.h"

namespace gdr::bench {

/// One block with the workload's i-data and the schedule that the vector engine makes for it.
class BareKernels {
 public:
  BareKernels(const GravityWorkload& workload, emulator::HostIsa isa);
  ~BareKernels();

  /// Seconds of CPU time of one iteration: the sum over its micro-operations of the time that each takes when it is run
  /// `repetitions` times on the state that it meets, its results going aside so that every time is like the first.
  [[nodiscard]] double seconds_per_iteration(unsigned repetitions);

  /// Plays the whole stream in order, as the engine would; then the results must be the engine's.
  void run(const GravityWorkload& workload);
  [[nodiscard]] isa::LongWord result(unsigned pe, const emulator::PeWords& where, unsigned n) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gdr::bench
