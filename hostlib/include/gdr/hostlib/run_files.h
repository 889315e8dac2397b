// Snapshots and the series of samples of a run in files of numbers, for programs that read more than text. NbodyRun
// writes them through an interface, because the one implementation, HDF5, is a library of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {

using RunAttribute = std::pair<std::string, std::variant<std::string, double, std::int64_t>>;

/// A snapshot in a file of its own beside the run's file.
struct SnapshotFile {
  std::uint64_t number = 0;  // of the output
  std::string name;          // of the file, without its folder

  friend bool operator==(const SnapshotFile&, const SnapshotFile&) = default;
};

/// What one file holds.
struct RunFile {
  std::vector<RunAttribute> attributes;      // provenance
  std::vector<std::vector<double>> samples;  // rows of sample_columns()
  std::vector<SnapshotFile> others;
  std::optional<Snapshot> snapshot;
  std::uint64_t number = 0;  // of the snapshot
};

class RunFiles {
 public:
  virtual ~RunFiles() = default;

  /// Replaces the file as base::write_file() does. The same content has the same bytes. Throws gdr::Error if the
  /// particles are invalid or the file cannot be written.
  virtual void write(const std::filesystem::path& path, const RunFile& file) const = 0;

  /// Samples and names of other files; neither attributes nor particles. Throws gdr::Error naming the file and what is
  /// wrong with it.
  [[nodiscard]] virtual RunFile read(const std::filesystem::path& path) const = 0;

  /// The snapshot with the highest number, in the file itself or in one that it names. Throws gdr::Error as read(), and
  /// for particles that validate() refuses.
  [[nodiscard]] virtual Snapshot read_snapshot(const std::filesystem::path& path) const = 0;

 protected:
  RunFiles() = default;
  RunFiles(const RunFiles&) = default;
  RunFiles& operator=(const RunFiles&) = default;
};

/// True for names that end in .h5 or .hdf5.
[[nodiscard]] inline bool is_hdf5(const std::filesystem::path& path) {
  return path.extension() == ".h5" || path.extension() == ".hdf5";
}

/// Files in HDF5; layout in docs/nbody.md. Part of the library gdr::hdf5. Throws gdr::Error if gdr was built without
/// HDF5.
[[nodiscard]] std::shared_ptr<const RunFiles> hdf5_run_files();

}  // namespace gdr::hostlib
