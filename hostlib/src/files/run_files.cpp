// Hands run files to the library that has HDF5. What holds for every format of files stands here: valid particles,
// errors with the file's name, files that are replaced as a whole.
#include "gdr/hostlib/run_files.h"

#include <fmt/format.h>

#include <cmath>

#include "formats/endings.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/plugin.h"
#include "gdr/hostlib/diagnostics.h"
#include "hdf5_library.h"

namespace gdr::hostlib {
namespace {

const Hdf5Library& hdf5() {
  static const Hdf5Library* const found = [] {
    const auto get = GDR_PLUGIN_FUNCTION("libgdr_hdf5.so", GDR_HDF5_LIBRARY);
    return get == nullptr ? nullptr : get();
  }();
  if (found != nullptr) return *found;
  throw Error("HDF5 needs " + base::missing_plugin("libgdr_hdf5.so", "HDF5 1.10", "GDR_HDF5"));
}

/// Calls `work`, and puts the name of the file in front of what it throws.
template <class Work>
auto about(const std::filesystem::path& path, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace

bool is_hdf5(const std::filesystem::path& path) {
  return base::ending_of(path) == ".h5" || base::ending_of(path) == ".hdf5";
}
bool is_hdf5_input(const std::filesystem::path& path) { return is_hdf5(path) || base::ending_of(path) == ".h5part"; }

void require_hdf5(const std::filesystem::path& path) {
  about(path, [] { (void)hdf5(); });
}

void write_run_file(const std::filesystem::path& path, const RunFile& file) {
  base::write_file(path, about(path, [&] {
                     if (file.snapshot) validate(file.snapshot->particles);
                     UnitTexts units;
                     for (const UnitOf of : {UnitOf::mass, UnitOf::length, UnitOf::speed, UnitOf::time}) {
                       units.at(static_cast<std::size_t>(of)) = unit_text(of, file.units);
                     }
                     return hdf5().image(file, sample_columns(), units);
                   }));
}

RunFile read_run_file(const std::filesystem::path& path) {
  return about(path, [&] { return hdf5().read(path, sample_columns()); });
}

std::string gadget_image_of(const std::filesystem::path& path, const Snapshot& snapshot) {
  return about(path, [&] {
    require_snapshot_ending(path, SnapshotFormat::gadget);
    return hdf5().gadget_image(snapshot);
  });
}

LoadedSnapshot load_run_snapshot(const std::filesystem::path& path) {
  return about(path, [&] {
    LoadedSnapshot loaded = hdf5().read_snapshot(path);
    if (loaded.snapshot.particles.size() == 0) throw Error("the file holds no particles");
    for (StatedUnit& stated : loaded.units) {
      stated.place = path.string();
      try {
        stated.unit = unit_from(stated.of, stated.word);
      } catch (const Error& error) {
        throw Error(fmt::format("column {}: {}", stated.column, error.what()));
      }
    }
    if (!std::isfinite(loaded.snapshot.time)) throw Error("the time is not finite");
    validate(loaded.snapshot.particles);
    return loaded;
  });
}

Snapshot read_run_snapshot(const std::filesystem::path& path) { return load_run_snapshot(path).snapshot; }

}  // namespace gdr::hostlib
