// Any bytes as a snapshot: refused by gdr::Error, or valid particles that are written and read back the same, and that
// the integrator takes: continued from its state it takes the same steps.
#include "gdr/hostlib/snapshot.h"

#include "fuzz.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/hermite.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  using namespace gdr::hostlib;
  static const fuzz::ScratchFile file(".txt");
  file.write(fuzz::text_of(data, size));
  Snapshot snapshot;
  if (fuzz::refuses([&] { snapshot = read_snapshot(file.path()); })) return 0;
  validate(snapshot.particles);
  for (const char* const given : {"", "msun,pc,km/s"}) {
    fuzz::refuses([&] {  // units that do not fit each other
      LoadedSnapshot loaded = load_snapshot(file.path());
      const std::string units = given;
      (void)to_one_system(loaded, units.empty() ? std::nullopt : std::optional(units_named(units)));
      validate(loaded.snapshot.particles);
    });
  }
  write_snapshot(file.path(), snapshot, SnapshotFormat::phigrape);
  FUZZ_HOLDS(read_snapshot(file.path()) == snapshot);
  write_snapshot(file.path(), snapshot, SnapshotFormat::npz);
  FUZZ_HOLDS(read_snapshot(file.path()) == snapshot);
  constexpr std::size_t kMostBodies = 8;
  if (snapshot.particles.size() > kMostBodies) return 0;
  fuzz::refuses([&] {  // numbers so large that forces are not finite
    DirectForce force;
    HermiteIntegrator integrator(force, snapshot.particles, {0.1, 0.01});
    for (int step = 0; step < 4; ++step) integrator.step();
    DirectForce same_force;
    HermiteIntegrator continued(same_force, integrator.state());
    for (int step = 0; step < 2; ++step) integrator.step(), continued.step();
    FUZZ_HOLDS(integrator.state() == continued.state());
  });
  return 0;
}
