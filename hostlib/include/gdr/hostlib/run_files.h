// Binary files with the snapshots and the series of samples of a run, for programs that read more than text. NbodyRun
// writes them through an interface, because the only implementation, with HDF5, is in a separate library.
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

/// A snapshot in a separate file beside the file of the run.
struct SnapshotFile {
  std::uint64_t number = 0;  // of the output
  std::string name;          // of the file, without its folder

  friend bool operator==(const SnapshotFile&, const SnapshotFile&) = default;
};

/// Content of one file.
struct RunFile {
  std::vector<RunAttribute> attributes;      // provenance
  std::vector<std::vector<double>> samples;  // rows with the values of sample_columns()
  std::vector<SnapshotFile> others;
  std::optional<Snapshot> snapshot;
  std::uint64_t number = 0;  // of the snapshot
};

class RunFiles {
 public:
  virtual ~RunFiles() = default;

  /// Replaces the file as base::write_file() does. Equal contents give equal bytes. Throws gdr::Error if the particles
  /// are invalid or the file cannot be written.
  virtual void write(const std::filesystem::path& path, const RunFile& file) const = 0;

  /// Reads the samples and the names of other files, but neither attributes nor particles. Throws gdr::Error with the
  /// file and the reason if the file is not valid.
  [[nodiscard]] virtual RunFile read(const std::filesystem::path& path) const = 0;

  /// Reads the snapshot with the highest number, from the file itself or from one that it names. Throws gdr::Error as
  /// read() does, and for particles that validate() refuses.
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

/// The implementation with HDF5, in the library gdr::hdf5; docs/nbody.md describes the layout. Throws gdr::Error if gdr
/// was built without HDF5.
[[nodiscard]] std::shared_ptr<const RunFiles> hdf5_run_files();

}  // namespace gdr::hostlib
