// What the library libgdr_hdf5.so offers. HDF5 and what it brings take longer to load than most commands of gdr run, so
// that it is loaded for the first file in HDF5.
#pragma once

#include <array>
#include <string>

#include "gdr/hostlib/run_files.h"

#define GDR_HDF5_LIBRARY gdr_hdf5_library_3

namespace gdr::hostlib {

/// As AMUSE evaluates units, in the order of UnitOf.
using UnitTexts = std::array<std::string, kKindsOfUnits>;

/// All of them throw gdr::Error with the reason alone. `columns` are the names of the values in a row of samples.
struct Hdf5Library {
  /// The bytes of a file with this content. Its particles are valid; their units are in `units`.
  std::string (*image)(const RunFile& content, const std::vector<std::string>& columns, const UnitTexts& units);
  /// The bytes of a snapshot in Gadget's HDF5. Its particles are valid.
  std::string (*gadget_image)(const Snapshot& snapshot);
  /// Neither attributes nor particles are read.
  RunFile (*read)(const std::filesystem::path&, const std::vector<std::string>& columns);
  /// The particles are as in the file, valid or not, and its units are words.
  LoadedSnapshot (*read_snapshot)(const std::filesystem::path&);
};

}  // namespace gdr::hostlib

extern "C" __attribute__((visibility("default"))) const gdr::hostlib::Hdf5Library* GDR_HDF5_LIBRARY();
