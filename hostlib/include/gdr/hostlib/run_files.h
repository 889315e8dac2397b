// Files in HDF5 with the snapshots and the series of samples of a run, for programs that read more than text;
// docs/nbody/nbody.md describes the layout. HDF5 itself is loaded for the first of them, with gdr's library
// libgdr_hdf5.so.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {

using RunAttribute = std::pair<std::string, std::variant<std::string, double, std::int64_t>>;

/// A snapshot in a separate file beside the file of the run.
struct SnapshotFile {
  std::string name;         // of the file, without its folder
  std::uint64_t place = 0;  // of the snapshot among those of the file, from 0 on

  friend bool operator==(const SnapshotFile&, const SnapshotFile&) = default;
};

/// Content of one file.
struct RunFile {
  std::vector<RunAttribute> attributes;      // provenance
  std::vector<std::vector<double>> samples;  // rows with the values of sample_columns()
  std::vector<SnapshotFile> others;
  std::optional<Snapshot> snapshot;        // written behind the others
  std::optional<std::uint64_t> own_place;  // of a snapshot that is in the file itself; only when it is read
  std::optional<Units> units;              // of the snapshot; none: AMUSE's generic ones
};

/// True for names that end in .h5 or .hdf5, in letters of either size.
[[nodiscard]] bool is_hdf5(const std::filesystem::path& path);

/// Throws gdr::Error with the file's name if libgdr_hdf5.so is not found or does not load, as in builds without HDF5
/// (-DGDR_HDF5=OFF). So do the functions below.
void require_hdf5(const std::filesystem::path& path);

/// Replaces the file as base::write_file() does. Equal contents give equal bytes. Throws gdr::Error if the particles
/// are invalid or the file cannot be written.
void write_run_file(const std::filesystem::path& path, const RunFile& file);

/// Reads the samples, the names of other files and own_place, but neither attributes nor particles. Throws gdr::Error
/// with the file and the reason if the file is not valid.
[[nodiscard]] RunFile read_run_file(const std::filesystem::path& path);

/// The bytes of a file at `path` in Gadget's HDF5, with all particles of type 1. Throws gdr::Error if its name is not
/// one of HDF5.
[[nodiscard]] std::string gadget_image_of(const std::filesystem::path& path, const Snapshot& snapshot);

/// True for names of files that read_run_snapshot() reads: those of is_hdf5(), and .h5part.
[[nodiscard]] bool is_hdf5_input(const std::filesystem::path& path);

/// Reads the snapshot with the highest number, from the file itself or from one that it names; also from files of
/// AMUSE, Gadget and NBODY6++GPU. Numbers are those of the file; to_one_system() converts them. Throws gdr::Error as
/// read_run_file() does, for a unit that unit_from() refuses, if there are no particles, and for
/// particles that validate() refuses.
[[nodiscard]] LoadedSnapshot load_run_snapshot(const std::filesystem::path& path);
/// The snapshot alone.
[[nodiscard]] Snapshot read_run_snapshot(const std::filesystem::path& path);

}  // namespace gdr::hostlib
