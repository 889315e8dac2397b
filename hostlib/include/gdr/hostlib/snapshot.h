// Snapshots of particles in the files that N-body codes exchange.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gdr/base/names.h"
#include "gdr/hostlib/particles.h"
#include "gdr/hostlib/units.h"

namespace gdr::hostlib {

enum class SnapshotFormat {
  phigrape,  // three header lines: step number, N, time; then N lines `index m x y z vx vy vz`
  plain,     // lines `m x y z vx vy vz`
  csv,       // columns id, m, x, y, z, vx, vy, vz under their names
  npy,       // NumPy's structured array of the same columns
  npz,    // NumPy's archive of arrays id, mass, position (n, 3), velocity (n, 3), time, step, as numpy.savez makes it
  nemo,   // NEMO's structured binary file: a SnapShot with Mass and PhaseSpace in double precision
  gadget  // Gadget's HDF5, all particles of type 1; needs a name in .hdf5 or .h5
};

/// The names of the formats, as `gdr nbody --out-format` takes them.
[[nodiscard]] const base::Names<SnapshotFormat>& snapshot_format_names();
/// The format that the ending of a file's name tells: .csv, .npy, .npz, .nemo, in letters of either size; phigrape for
/// all others.
[[nodiscard]] SnapshotFormat snapshot_format_for(const std::filesystem::path& file);
/// Throws gdr::Error if only one of name and `format` is of HDF5 (gadget) or, without a `format`, if the name ends as
/// those of a format that is not written, such as .csv.gz or .fits.
void require_snapshot_ending(const std::filesystem::path& file, const std::optional<SnapshotFormat>& format);

struct Snapshot {
  std::int64_t step = 0;
  double time = 0.0;
  Particles particles;

  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

/// The unit that a file states for a column.
struct StatedUnit {
  UnitOf of = UnitOf::mass;
  std::string column;        // m, x, y, z, vx, vy or vz; t for the time of the snapshot
  std::string word;          // as the file has it
  std::optional<Unit> unit;  // none for a word that is no known unit
  std::string place;         // FILE:LINE, or FILE
};

/// A snapshot with what its reader has to say.
struct LoadedSnapshot {
  Snapshot snapshot;
  std::vector<StatedUnit> units;   // of its numbers, if the file states them
  std::vector<std::string> notes;  // on what was left out or assumed
};

/// The kinds of files that load_snapshot() reads, for texts: "NEMO, Gadget 1, ...".
[[nodiscard]] std::string readable_snapshots();

/// Reads any of these, told by content: text in rows (phiGRAPE; seven columns; columns under names in CSV or behind
/// blanks, with the names in a first line or a comment, as McLuster and AMUSE write them; an index and seven columns;
/// PeTar; Phantom-GRAPE; treecodes; Tipsy's text), Starlab, NEMO, Gadget 1 and 2, Tipsy, unformatted Fortran records of
/// seven numbers, NumPy's arrays: structured with fields m, x, y, z, vx, vy, vz, or rows of these seven numbers, or an
/// archive with arrays mass, position and velocity. HDF5 is read_run_snapshot()'s.
///
/// A file that gzip compressed is read as what it holds.
///
/// In text, blank lines and lines that start with # are skipped, and Fortran's exponent letter D is read as E. Without
/// them in the file, step and time are 0, and ids 0, 1, ... in the file's order. Numbers are those of the file;
/// to_one_system() converts them.
///
/// Throws gdr::Error for a kind that is named but not read, with a way to convert it; and, with file, line or byte and
/// the refused value, for a wrong number of columns, a field that is not a number, NaN or infinity, a negative mass, an
/// index that occurs twice, fewer or more rows than the header says, or no particles.
[[nodiscard]] LoadedSnapshot load_snapshot(const std::filesystem::path& path);
/// A snapshot in one system of units with G = 1.
struct InOneSystem {
  std::optional<Units> units;      // none if nothing tells which they are
  std::vector<std::string> notes;  // on units that were converted, or could not be
};
/// Converts all numbers of `loaded` to `given` units of mass and length, or, without them, to those in which the file
/// states the first of its masses and lengths. Columns without a unit have that of the first of their kind (masses,
/// lengths, speeds), or the given one; a time without a unit stays. Nothing is converted if nothing states units and
/// none are given; if all are AMUSE's generic ones, they keep their numbers. Throws gdr::Error with place, column and
/// unit if some kinds have units and others none, none are given, or generic units are to become others.
[[nodiscard]] InOneSystem to_one_system(LoadedSnapshot& loaded, const std::optional<Units>& given);
/// The snapshot alone.
[[nodiscard]] Snapshot read_snapshot(const std::filesystem::path& path);

/// Writes the file atomically; reading it gives the same bits. Only phigrape and npz keep the step, only phigrape,
/// npz, nemo and gadget keep the time, and plain and nemo omit ids. Throws gdr::Error if the particles are invalid or
/// the file cannot be written.
void write_snapshot(const std::filesystem::path& path, const Snapshot& snapshot, SnapshotFormat format);

}  // namespace gdr::hostlib
