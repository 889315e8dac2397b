// Snapshots of particles in text files, in the two formats that N-body codes exchange.
#pragma once

#include <cstdint>
#include <filesystem>

#include "gdr/hostlib/particles.h"

namespace gdr::hostlib {

enum class SnapshotFormat {
  phigrape,  // three header lines: step number, N, time; then N lines `index m x y z vx vy vz`
  plain,     // lines `m x y z vx vy vz`
};

struct Snapshot {
  std::int64_t step = 0;
  double time = 0.0;
  Particles particles;

  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

/// Reads either format; the number of columns in the first line tells which it is. Blank lines and lines starting with
/// # are skipped. Fortran's exponent letter D is read as E. A plain file gives step 0, time 0 and ids 0, 1, ... in the
/// file's order. Throws gdr::Error `FILE:LINE: ...` with the refused value for a wrong number of columns, a field that
/// is not a number, NaN or infinity, a negative mass, an index that occurs twice, fewer or more rows than the header
/// says, or no particles.
[[nodiscard]] Snapshot read_snapshot(const std::filesystem::path& path);

/// Writes the file atomically, with 17 significant digits, so that reading it gives the same bits. The plain format
/// omits step, time and ids. Throws gdr::Error if the particles are invalid or the file cannot be written.
void write_snapshot(const std::filesystem::path& path, const Snapshot& snapshot, SnapshotFormat format);

}  // namespace gdr::hostlib
