#include "simulation/simulator.h"

#include "executors.h"

const gdr::interconnect::Simulator* GDR_SIMULATOR() {
  using namespace gdr::interconnect;
  static constexpr Simulator kSimulator{simulate_on_s4u, simulate_on_s4u, simulate_on_smpi, simulate_program_on_smpi,
                                        tables_of_platform};
  return &kSimulator;
}
