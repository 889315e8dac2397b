// Integrates a Plummer sphere of 64 particles on an emulated board, and shows its energy at every output.
#include <gdr/hostlib/kernel_program.h>
#include <gdr/hostlib/nbody_run.h>

#include <cstddef>
#include <cstdio>

int main() {
  using gdr::hostlib::NbodyRun;
  gdr::hostlib::NbodySettings settings;
  settings.start = gdr::hostlib::StartModel{.kind = gdr::hostlib::StartKind::plummer, .particles = 64, .seed = 1};
  settings.hermite = {.eta = 0.1, .eps = 0.01};
  settings.t_end = 0.5;  // Henon units: G = 1, total mass 1, energy -1/4
  settings.every = 0.125;

  NbodyRun run(settings, gdr::Device(), gdr::hostlib::kernel_program(settings.kernel));
  const auto go_on = [](const NbodyRun&) { return true; };  // called after every block step; false ends the run
  for (bool more = true; more;) {
    more = run.integrate_to_output(go_on);
    const gdr::hostlib::Sample now = run.sample(*run.last_output());
    std::printf("t %.3f  energy %.6f  relative error %8.1e  virial ratio %.3f\n", now.t, now.energy.total(),
                now.energy_error.value_or(0), now.energy.virial_ratio());
  }
  const gdr::hostlib::HermiteCounters& counters = run.counters();
  std::printf("%s: %zu steps in %zu blocks\n", run.start().c_str(), std::size_t{counters.steps},
              std::size_t{counters.block_steps});
  std::printf("emulated time %.1f ms\n", run.device().emulated().seconds().total() * 1e3);
}
