#include "simulator.h"

#include "simgrid/executors.h"

extern "C" __attribute__((visibility("default"))) const gdr::interconnect::Simulator* gdr_simulator_1() {
  using namespace gdr::interconnect;
  static constexpr Simulator kSimulator{simulate_on_s4u, simulate_on_s4u, simulate_on_smpi, simulate_program_on_smpi};
  return &kSimulator;
}
