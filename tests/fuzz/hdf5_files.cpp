// Any bytes as an HDF5 file of a run, of AMUSE, Gadget or NBODY6++GPU: refused by gdr::Error, or a snapshot of valid
// particles that is written and read back the same.
#include "fuzz.h"
#include "gdr/hostlib/run_files.h"

/// The HDF5 library loses some memory of its own when it gives up a damaged file.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
/// It also asks for as much memory as a damaged file declares, and gives the file up if there is none.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1:max_allocation_size_mb=1024"; }

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  using namespace gdr::hostlib;
  static const fuzz::ScratchFile file(".h5");
  file.write(fuzz::text_of(data, size));
  fuzz::refuses([&] { static_cast<void>(read_run_file(file.path())); });
  Snapshot snapshot;
  if (fuzz::refuses([&] { snapshot = read_run_snapshot(file.path()); })) return 0;
  validate(snapshot.particles);
  fuzz::refuses([&] {  // units that do not fit each other, numbers that do not fit the units
    LoadedSnapshot loaded = load_run_snapshot(file.path());
    RunFile with_units;
    with_units.units = to_one_system(loaded, std::nullopt).units;
    with_units.snapshot = loaded.snapshot;
    validate(loaded.snapshot.particles);
    static const fuzz::ScratchFile copy(".h5");
    write_run_file(copy.path(), with_units);
    FUZZ_HOLDS(read_run_snapshot(copy.path()) == loaded.snapshot);
  });
  RunFile again;
  again.snapshot = snapshot;
  write_run_file(file.path(), again);
  FUZZ_HOLDS(read_run_snapshot(file.path()) == snapshot);
  write_snapshot(file.path(), snapshot, SnapshotFormat::gadget);
  FUZZ_HOLDS(read_run_snapshot(file.path()).particles == snapshot.particles);
  return 0;
}
