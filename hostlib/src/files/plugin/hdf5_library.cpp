// Run files in HDF5. A file is built in memory to be written as a whole, so that a run that is killed at any moment
// leaves no unreadable file. Particles take most of the bytes and are written only once: the run's own file, which
// grows with every output, holds the samples and links to the files of the snapshots.
//
// Snapshots are as AMUSE stores particle sets, by its source of 2025-12 (store_v1.py; store_v2.py is read, too): groups
// numbered from 1, units as Python expressions that it evaluates, the class of the set as a pickle.
#include "files/hdf5_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "hdf5_foreign.h"
#include "hdf5_objects.h"

namespace gdr::hostlib {
namespace {

constexpr std::int64_t kFormat = 2;  // 1 numbered the snapshots from 0
constexpr const char* kParticles = "particles";
constexpr const char* kData = "data";  // the same in files of AMUSE's version 2
/// pickle.dumps(amuse.datamodel.particles.Particles, protocol=0), which AMUSE unpickles to make a set.
constexpr std::string_view kClassOfParticles = "camuse.datamodel.particles\nParticles\np0\n.";
constexpr const char* kSeries = "series";

/// Attribute of a particle, with the name of AMUSE's particle sets.
struct Attribute {
  const char* name;
  const char* column;  // as in StatedUnit
  UnitOf of;
};
constexpr std::array<Attribute, 7> kAttributes{{{"mass", "m", UnitOf::mass},
                                                {"x", "x", UnitOf::length},
                                                {"y", "y", UnitOf::length},
                                                {"z", "z", UnitOf::length},
                                                {"vx", "vx", UnitOf::speed},
                                                {"vy", "vy", UnitOf::speed},
                                                {"vz", "vz", UnitOf::speed}}};

double& value_of(Particles& p, std::size_t attribute, std::size_t k) {
  const std::array<double*, 7> values{&p.mass[k],       &p.position[k].x, &p.position[k].y, &p.position[k].z,
                                      &p.velocity[k].x, &p.velocity[k].y, &p.velocity[k].z};
  return *values.at(attribute);
}

/// AMUSE takes the names of groups for places in a list, from 1 on, so that none may be left out.
std::string group_name(std::uint64_t place) { return fmt::format("{:010}", place + 1); }

void add_snapshot(hid_t particles_group, std::uint64_t place, const Snapshot& snapshot, const UnitTexts& units) {
  const auto text_for = [&](UnitOf of) { return units.at(static_cast<std::size_t>(of)); };
  Particles particles = snapshot.particles;
  const Handle group = group_in(particles_group, group_name(place));
  set_text(group, "type", "particles");
  set_opaque(group, "class_of_the_particles", kClassOfParticles);
  set_attribute(group, "number_of_particles", static_cast<std::int64_t>(particles.size()));
  set_attribute(group, "timestamp", snapshot.time);
  set_text(group, "timestamp_unit", text_for(UnitOf::time));
  set_attribute(group, "step", snapshot.step);
  const Handle keys = dataset_in(group, "keys", H5T_STD_I64LE, particles.size(), false);
  require(H5Dwrite(keys, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, particles.id.data()), "writing a dataset");
  const Handle attributes = group_in(group, "attributes");
  std::vector<double> values(particles.size());
  for (std::size_t n = 0; n < kAttributes.size(); ++n) {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = value_of(particles, n, k);
    const Handle dataset = dataset_in(attributes, kAttributes[n].name, H5T_IEEE_F64LE, values.size(), false);
    write_doubles(dataset, values);
    set_text(dataset, "units", text_for(kAttributes[n].of));
  }
}

void add_series(hid_t file, const std::vector<std::vector<double>>& samples, const std::vector<std::string>& columns) {
  const Handle group = group_in(file, kSeries);
  std::vector<double> values(samples.size());
  for (std::size_t n = 0; n < columns.size(); ++n) {
    for (std::size_t k = 0; k < samples.size(); ++k) values[k] = samples[k].at(n);
    write_doubles(dataset_in(group, columns[n].c_str(), H5T_IEEE_F64LE, values.size(), true), values);
  }
}

std::string image_of(const RunFile& content, const std::vector<std::string>& columns, const UnitTexts& units) {
  const SilentErrors silent;
  const Handle file = file_in_memory();
  set_attribute(file, "gdr_format", kFormat);
  for (const auto& [name, value] : content.attributes) {
    std::visit([&, &key = name](const auto& known) { set_attribute(file, key, known); }, value);
  }
  {
    const Handle particles = group_in(file, kParticles);
    std::uint64_t place = 0;
    for (const SnapshotFile& other : content.others) {
      require(H5Lcreate_external(other.name.c_str(), fmt::format("/{}/{}", kParticles, group_name(other.place)).c_str(),
                                 particles, group_name(place++).c_str(), H5P_DEFAULT, H5P_DEFAULT),
              "linking a snapshot");
    }
    if (content.snapshot) add_snapshot(particles, place, *content.snapshot, units);
  }
  if (!content.samples.empty()) add_series(file, content.samples, columns);
  return bytes_of(file);
}

/// The unit that an attribute states for a column; none for what AMUSE writes for a plain number.
void state_unit(LoadedSnapshot& loaded, hid_t object, const char* attribute, UnitOf of, const char* column) {
  std::optional<std::string> text = text_of(object, attribute);
  if (!text && H5Aexists(object, attribute) > 0) {
    throw Error(fmt::format("column {}: attribute {} is no single text of a usual length", column, attribute));
  }
  if (!text || text->empty() || *text == "none" || text->starts_with("no_system.get('none')")) return;
  loaded.units.push_back({of, column, *std::move(text), std::nullopt, {}});
}

std::vector<std::vector<double>> series_in(hid_t file, const std::vector<std::string>& columns) {
  std::vector<std::vector<double>> samples;
  if (H5Lexists(file, kSeries, H5P_DEFAULT) <= 0) return samples;
  const Handle group = group_of(file, kSeries);
  std::optional<std::size_t> rows;
  for (const std::string& column : columns) {
    const auto values = values_in<double>(group, column.c_str(), H5T_NATIVE_DOUBLE, rows);
    rows = values.size();
    samples.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) samples[k].push_back(values[k]);
  }
  return samples;
}

/// The place, from 0 on, of the group with this name.
std::optional<std::uint64_t> place_of(std::string_view name) {
  const auto number = base::number_in<std::uint64_t>(name);
  return number && *number > 0 ? std::optional(*number - 1) : std::nullopt;
}

/// The file of a linked snapshot, which stands in the same folder.
SnapshotFile snapshot_file(hid_t particles, const std::string& name) {
  H5L_info_t info;
  require(H5Lget_info(particles, name.c_str(), &info, H5P_DEFAULT), "reading a link");
  std::string value(info.u.val_size, '\0');
  require(H5Lget_val(particles, name.c_str(), value.data(), value.size(), H5P_DEFAULT), "reading a link");
  const char* file = nullptr;
  const char* group = nullptr;
  require(H5Lunpack_elink_val(value.data(), value.size(), nullptr, &file, &group), "reading a link");
  const std::string folder = fmt::format("/{}/", kParticles);
  const std::string_view target = group;
  const auto place = target.starts_with(folder) ? place_of(target.substr(folder.size())) : std::nullopt;
  if (std::filesystem::path(file).filename() != file || !place) {
    throw Error(fmt::format("particles/{} is a link that leads elsewhere, which is not followed", name));
  }
  return {file, *place};
}

void find_snapshots(hid_t file, RunFile& content) {
  const Handle group = group_of(file, kParticles);
  for (const std::string& name : names_in(group)) {
    if (link_in(group, name) == H5L_TYPE_EXTERNAL) {
      content.others.push_back(snapshot_file(group, name));
    } else {
      content.own_place = place_of(name);
    }
  }
}

RunFile content_of(const std::filesystem::path& path, const std::vector<std::string>& columns) {
  const SilentErrors silent;
  const Handle file = opened(path);
  RunFile content;
  content.samples = series_in(file, columns);
  find_snapshots(file, content);
  return content;
}

LoadedSnapshot snapshot_in(hid_t particles_group, const std::string& name) {
  const Handle group = group_of(particles_group, name);
  LoadedSnapshot loaded;
  Snapshot& snapshot = loaded.snapshot;
  if (H5Aexists(group, "timestamp") > 0) {
    snapshot.time = attribute_of<double>(group, "timestamp", H5T_NATIVE_DOUBLE);
    state_unit(loaded, group, "timestamp_unit", UnitOf::time, "t");
  }
  if (H5Aexists(group, "step") > 0) snapshot.step = attribute_of<std::int64_t>(group, "step", H5T_NATIVE_INT64);
  Particles& particles = snapshot.particles;
  particles.id = ids_in(group, "keys");
  const std::size_t n = particles.id.size();
  particles.mass.resize(n);
  particles.position.resize(n);
  particles.velocity.resize(n);
  const Handle attributes = group_of(group, "attributes");
  for (std::size_t column = 0; column < kAttributes.size(); ++column) {
    const auto& [name_of, short_name, of] = kAttributes[column];
    const auto values = values_in<double>(attributes, name_of, H5T_NATIVE_DOUBLE, n);
    const Handle dataset(H5Dopen2(attributes, name_of, H5P_DEFAULT), H5Dclose, "no memory");
    state_unit(loaded, dataset, "units", of, short_name);
    for (std::size_t k = 0; k < n; ++k) value_of(particles, column, k) = values[k];
  }
  return loaded;
}

LoadedSnapshot last_snapshot_of(const std::filesystem::path& path) {
  const SilentErrors silent;
  const Handle file = opened(path);
  if (is_gadget(file)) return gadget_snapshot(file);
  if (is_h5part(file)) return h5part_snapshot(file);
  const bool of_version_2 = link_in(file, kParticles) == H5L_TYPE_ERROR && link_in(file, kData) == H5L_TYPE_HARD;
  const char* const kind = of_version_2 ? kData : kParticles;
  const Handle all = group_of(file, kind);
  const std::vector<std::string> names = names_in(all);
  if (names.empty()) throw Error(fmt::format("the group {} holds no snapshot", kind));
  const std::string& last = names.back();
  if (link_in(all, last) != H5L_TYPE_EXTERNAL) return snapshot_in(all, last);
  const SnapshotFile other = snapshot_file(all, last);
  try {
    const Handle own = opened(path.parent_path() / other.name);
    return snapshot_in(group_of(own, kParticles), group_name(other.place));
  } catch (const Error& error) {
    throw Error(fmt::format("particles/{} cannot be read from {}: {}", last, other.name, error.what()));
  }
}

}  // namespace
}  // namespace gdr::hostlib

const gdr::hostlib::Hdf5Library* GDR_HDF5_LIBRARY() {
  using namespace gdr::hostlib;
  static constexpr Hdf5Library kLibrary{image_of, gadget_image, content_of, last_snapshot_of};
  return &kLibrary;
}
