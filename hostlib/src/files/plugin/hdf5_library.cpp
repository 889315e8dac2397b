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
#include <charconv>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "gdr/base/error.h"
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

/// Attribute of a particle, with the name and unit of AMUSE's particle sets.
struct Attribute {
  const char* name;
  const char* units;
};
constexpr const char* kMass = "system.get('generic').base('mass')";
constexpr const char* kLength = "system.get('generic').base('length')";
constexpr const char* kTime = "system.get('generic').base('time')";
constexpr const char* kSpeed = "(system.get('generic').base('length') * (system.get('generic').base('time')**-1))";
constexpr std::array<Attribute, 7> kAttributes{
    {{"mass", kMass}, {"x", kLength}, {"y", kLength}, {"z", kLength}, {"vx", kSpeed}, {"vy", kSpeed}, {"vz", kSpeed}}};

double& value_of(Particles& p, std::size_t attribute, std::size_t k) {
  const std::array<double*, 7> values{&p.mass[k],       &p.position[k].x, &p.position[k].y, &p.position[k].z,
                                      &p.velocity[k].x, &p.velocity[k].y, &p.velocity[k].z};
  return *values.at(attribute);
}

/// AMUSE takes the names of groups for places in a list, from 1 on.
std::string group_name(std::uint64_t number) { return fmt::format("{:010}", number + 1); }

void add_snapshot(hid_t particles_group, std::uint64_t number, const Snapshot& snapshot) {
  Particles particles = snapshot.particles;
  const Handle group = group_in(particles_group, group_name(number));
  set_text(group, "type", "particles");
  set_opaque(group, "class_of_the_particles", kClassOfParticles);
  set_attribute(group, "number_of_particles", static_cast<std::int64_t>(particles.size()));
  set_attribute(group, "timestamp", snapshot.time);
  set_text(group, "timestamp_unit", kTime);
  set_attribute(group, "step", snapshot.step);
  const Handle keys = dataset_in(group, "keys", H5T_STD_I64LE, particles.size(), false);
  require(H5Dwrite(keys, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, particles.id.data()), "writing a dataset");
  const Handle attributes = group_in(group, "attributes");
  std::vector<double> values(particles.size());
  for (std::size_t n = 0; n < kAttributes.size(); ++n) {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = value_of(particles, n, k);
    const Handle dataset = dataset_in(attributes, kAttributes[n].name, H5T_IEEE_F64LE, values.size(), false);
    write_doubles(dataset, values);
    set_text(dataset, "units", kAttributes[n].units);
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

std::string image_of(const RunFile& content, const std::vector<std::string>& columns) {
  const SilentErrors silent;
  const Handle file = file_in_memory();
  set_attribute(file, "gdr_format", kFormat);
  for (const auto& [name, value] : content.attributes) {
    std::visit([&, &key = name](const auto& known) { set_attribute(file, key, known); }, value);
  }
  {
    const Handle particles = group_in(file, kParticles);
    for (const SnapshotFile& other : content.others) {
      const std::string group = group_name(other.number);
      require(H5Lcreate_external(other.name.c_str(), fmt::format("/{}/{}", kParticles, group).c_str(), particles,
                                 group.c_str(), H5P_DEFAULT, H5P_DEFAULT),
              "linking a snapshot");
    }
    if (content.snapshot) add_snapshot(particles, content.number, *content.snapshot);
  }
  if (!content.samples.empty()) add_series(file, content.samples, columns);
  return bytes_of(file);
}

/// A unit without what its writers may write or leave out.
std::string plain(std::string unit) {
  std::erase_if(unit, [](char c) { return c == ' ' || c == '(' || c == ')'; });
  std::ranges::replace(unit, '"', '\'');
  if (unit.ends_with("**-1.0")) unit.resize(unit.size() - 2);
  return unit;
}

/// Refuses a unit that is not `expected`, in AMUSE's words or in those of our first files.
void require_unit(hid_t object, const char* attribute, std::string_view what, const char* expected) {
  const std::optional<std::string> unit = text_of(object, attribute);
  if (!unit) return;
  std::string of_ours = plain(expected);
  for (const char* quantity : {"mass", "length", "time"}) {
    const std::string base = fmt::format("system.get'generic'.base'{}'", quantity);
    for (std::size_t at = 0; (at = of_ours.find(base, at)) != std::string::npos;) {
      of_ours.replace(at, base.size(), fmt::format("nbody_system.{}", quantity));
    }
  }
  const std::string found = plain(*unit);
  if (found == plain(expected) || found == of_ours) return;
  std::string shown = unit->substr(0, 100);
  std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  throw Error(
      fmt::format("{} is in the unit {}, not in one with G = 1: write the set in AMUSE's generic units "
                  "(nbody_system)",
                  what, shown));
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

/// The number of the output whose group has this name.
std::uint64_t number_of(const std::string& name) {
  std::uint64_t number = 0;
  const auto [end, reason] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (reason != std::errc{} || end != name.data() + name.size() || number == 0) {
    throw Error(fmt::format("particles/{} is no number of an output", name));
  }
  return number - 1;
}

/// The file of a snapshot of its own, which stands in the same folder.
SnapshotFile snapshot_file(hid_t particles, const std::string& name) {
  H5L_info_t info;
  require(H5Lget_info(particles, name.c_str(), &info, H5P_DEFAULT), "reading a link");
  std::string value(info.u.val_size, '\0');
  require(H5Lget_val(particles, name.c_str(), value.data(), value.size(), H5P_DEFAULT), "reading a link");
  const char* file = nullptr;
  const char* group = nullptr;
  require(H5Lunpack_elink_val(value.data(), value.size(), nullptr, &file, &group), "reading a link");
  if (std::filesystem::path(file).filename() != file || fmt::format("/{}/{}", kParticles, name) != group) {
    throw Error(fmt::format("particles/{} is a link that leads elsewhere, which is not followed", name));
  }
  return {number_of(name), file};
}

std::vector<SnapshotFile> links_in(hid_t file) {
  std::vector<SnapshotFile> others;
  const Handle group = group_of(file, kParticles);
  for (const std::string& name : names_in(group)) {
    if (link_in(group, name) == H5L_TYPE_EXTERNAL) others.push_back(snapshot_file(group, name));
  }
  return others;
}

RunFile content_of(const std::filesystem::path& path, const std::vector<std::string>& columns) {
  const SilentErrors silent;
  const Handle file = opened(path);
  RunFile content;
  content.samples = series_in(file, columns);
  content.others = links_in(file);
  return content;
}

Snapshot snapshot_in(hid_t particles_group, const std::string& name) {
  const Handle group = group_of(particles_group, name);
  Snapshot snapshot;
  if (H5Aexists(group, "timestamp") > 0) {
    snapshot.time = attribute_of<double>(group, "timestamp", H5T_NATIVE_DOUBLE);
    require_unit(group, "timestamp_unit", "attribute timestamp", kTime);
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
    const char* const name_of = kAttributes[column].name;
    const auto values = values_in<double>(attributes, name_of, H5T_NATIVE_DOUBLE, n);
    const Handle dataset(H5Dopen2(attributes, name_of, H5P_DEFAULT), H5Dclose, "no memory");
    require_unit(dataset, "units", fmt::format("dataset {}", name_of), kAttributes[column].units);
    for (std::size_t k = 0; k < n; ++k) value_of(particles, column, k) = values[k];
  }
  return snapshot;
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
  if (link_in(all, last) != H5L_TYPE_EXTERNAL) return {snapshot_in(all, last), {}, {}};
  const SnapshotFile other = snapshot_file(all, last);
  try {
    const Handle own = opened(path.parent_path() / other.name);
    return {snapshot_in(group_of(own, kParticles), last), {}, {}};
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
