// Snapshots in the forms that other codes read.
#include <fmt/format.h>

#include <array>

#include "formats/endings.h"
#include "formats/table_format.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/hostlib/run_files.h"
#include "kinds.h"

namespace gdr::hostlib {
namespace {

constexpr base::Names<SnapshotFormat> kFormatNames({{SnapshotFormat::phigrape, "phigrape"},
                                                    {SnapshotFormat::plain, "plain"},
                                                    {SnapshotFormat::csv, "csv"},
                                                    {SnapshotFormat::npy, "npy"},
                                                    {SnapshotFormat::npz, "npz"},
                                                    {SnapshotFormat::nemo, "nemo"},
                                                    {SnapshotFormat::gadget, "gadget"}});

std::string rows_of(const Snapshot& snapshot, bool with_header) {
  const Particles& p = snapshot.particles;
  std::string text;
  if (with_header) text = fmt::format("{}\n{}\n{:.16e}\n", snapshot.step, p.size(), snapshot.time);
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (with_header) text += fmt::format("{:8} ", p.id[k]);
    const Vec3& x = p.position[k];
    const Vec3& v = p.velocity[k];
    text += fmt::format("{:.16e} {: .16e} {: .16e} {: .16e} {: .16e} {: .16e} {: .16e}\n", p.mass[k], x.x, x.y, x.z,
                        v.x, v.y, v.z);
  }
  return text;
}

Table table_of(const Particles& p) {
  const auto axis = [](const std::vector<Vec3>& vectors, double Vec3::* of) {
    std::vector<double> values;
    for (const Vec3& vector : vectors) values.push_back(vector.*of);
    return values;
  };
  Table table;
  table.add("id", p.id);
  table.add("m", p.mass);
  table.add("x", axis(p.position, &Vec3::x));
  table.add("y", axis(p.position, &Vec3::y));
  table.add("z", axis(p.position, &Vec3::z));
  table.add("vx", axis(p.velocity, &Vec3::x));
  table.add("vy", axis(p.velocity, &Vec3::y));
  table.add("vz", axis(p.velocity, &Vec3::z));
  return table;
}

std::string image_of(const std::filesystem::path& path, const Snapshot& snapshot, SnapshotFormat format) {
  switch (format) {
    case SnapshotFormat::phigrape:
      return rows_of(snapshot, true);
    case SnapshotFormat::plain:
      return rows_of(snapshot, false);
    case SnapshotFormat::csv:
      return to_csv(table_of(snapshot.particles));
    case SnapshotFormat::npy:
      return to_npy(table_of(snapshot.particles));
    case SnapshotFormat::npz:
      return npz_image(snapshot);
    case SnapshotFormat::nemo:
      return nemo_image(snapshot);
    case SnapshotFormat::gadget:
      return gadget_image_of(path, snapshot);
  }
  throw Error("a form of snapshots is refused: it is none of SnapshotFormat");
}

}  // namespace

const base::Names<SnapshotFormat>& snapshot_format_names() { return kFormatNames; }

SnapshotFormat snapshot_format_for(const std::filesystem::path& file) {
  constexpr std::array kByEnding{SnapshotFormat::csv, SnapshotFormat::npy, SnapshotFormat::npz, SnapshotFormat::nemo};
  const std::string ending = base::ending_of(file);
  for (const SnapshotFormat format : kByEnding) {
    if (ending == fmt::format(".{}", kFormatNames[format])) return format;
  }
  return SnapshotFormat::phigrape;
}

void require_snapshot_ending(const std::filesystem::path& file, const std::optional<SnapshotFormat>& format) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("{} is refused: {}", file.string(), why));
  };
  if (format && (format == SnapshotFormat::gadget) != is_hdf5(file)) {
    refuse(*format == SnapshotFormat::gadget
               ? "gadget is HDF5, and the name must end in .hdf5 or .h5"
               : fmt::format("a name that ends in .hdf5 or .h5 is one of HDF5, not of {}", kFormatNames[*format]));
  }
  if (format || !is_of_other_format(file)) return;
  refuse(
      fmt::format("a snapshot is written as CSV, NPY, NPZ, NEMO or HDF5 if its name ends in .csv, .npy, .npz, .nemo, "
                  ".hdf5 or .h5, else as text of phiGRAPE, not as {}",
                  base::ending_of(file)));
}

void write_snapshot(const std::filesystem::path& path, const Snapshot& snapshot, SnapshotFormat format) {
  validate(snapshot.particles);
  base::write_file(path, image_of(path, snapshot, format));
}

}  // namespace gdr::hostlib
