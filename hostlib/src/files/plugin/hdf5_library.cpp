// Run files in HDF5. A file is built in memory to be written as a whole, so that a run that is killed at any moment
// leaves no unreadable file. Particles take most of the bytes and are written only once: the run's own file, which
// grows with every output, holds the samples and links to the files of the snapshots.
//
// Snapshots are as AMUSE stores particle sets, by its source of 2025-12 (store_v1.py; store_v2.py is read, too): groups
// numbered from 1, units as Python expressions that it evaluates, the class of the set as a pickle.
#include "files/hdf5_library.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

constexpr std::int64_t kFormat = 2;  // 1 numbered the snapshots from 0
constexpr const char* kParticles = "particles";
constexpr const char* kData = "data";  // the same in files of AMUSE's version 2
/// pickle.dumps(amuse.datamodel.particles.Particles, protocol=0), which AMUSE unpickles to make a set.
constexpr std::string_view kClassOfParticles = "camuse.datamodel.particles\nParticles\np0\n.";
/// Largest key that can be a particle's id on every engine.
constexpr std::uint64_t kLargestId = (std::uint64_t{1} << 35) - 1;
constexpr const char* kSeries = "series";
constexpr hsize_t kRowsPerChunk = 64;

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

/// Turns off HDF5's printing of errors, and at the end restores the setting of the calling program.
class SilentErrors {
 public:
  SilentErrors() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~SilentErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  SilentErrors(const SilentErrors&) = delete;
  SilentErrors& operator=(const SilentErrors&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// An HDF5 identifier, closed at the end. Throws gdr::Error if the identifier is not valid.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), std::string_view what) : id_(id), close_(close) {
    if (id < 0) throw Error(std::string(what));
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): for HDF5's functions

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void require(herr_t status, std::string_view what) {
  if (status < 0) throw Error(fmt::format("{} failed", what));
}

/// Objects do not store their time of creation, so that equal contents give equal bytes.
Handle group_in(hid_t parent, const std::string& name) {
  const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "no memory");
  require(H5Pset_obj_track_times(properties, false), "a property");
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose, "cannot make a group"};
}

void set_text(hid_t object, const std::string& name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "no memory");
  require(H5Tset_size(type, H5T_VARIABLE), "the size of a text");
  require(H5Tset_cset(type, H5T_CSET_UTF8), "the characters of a text");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "no memory");
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "cannot make an attribute");
  const char* characters = text.c_str();
  require(H5Awrite(attribute, type, &characters), "writing an attribute");
}

template <class Number>
void set_number(hid_t object, const std::string& name, Number value, hid_t stored, hid_t memory) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "no memory");
  const Handle attribute(H5Acreate2(object, name.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "cannot make an attribute");
  require(H5Awrite(attribute, memory, &value), "writing an attribute");
}
void set_attribute(hid_t object, const std::string& name, std::int64_t value) {
  set_number(object, name, value, H5T_STD_I64LE, H5T_NATIVE_INT64);
}
void set_attribute(hid_t object, const std::string& name, double value) {
  set_number(object, name, value, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
}
void set_attribute(hid_t object, const std::string& name, const std::string& value) { set_text(object, name, value); }

/// A new dataset of one dimension, which can grow if `grows`.
Handle dataset_in(hid_t parent, const char* name, hid_t stored, std::size_t rows, bool grows) {
  const hsize_t size = rows;
  const hsize_t most = grows ? H5S_UNLIMITED : size;
  const Handle space(H5Screate_simple(1, &size, &most), H5Sclose, "no memory");
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "no memory");
  require(H5Pset_obj_track_times(properties, false), "a property");
  if (grows) require(H5Pset_chunk(properties, 1, &kRowsPerChunk), "a property");
  return {H5Dcreate2(parent, name, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
          "cannot make a dataset"};
}

void write_doubles(hid_t dataset, const std::vector<double>& values) {
  require(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "writing a dataset");
}

/// AMUSE takes the names of groups for places in a list, from 1 on.
std::string group_name(std::uint64_t number) { return fmt::format("{:010}", number + 1); }

void set_opaque(hid_t object, const std::string& name, std::string_view bytes) {
  const Handle type(H5Tcreate(H5T_OPAQUE, bytes.size()), H5Tclose, "no memory");
  require(H5Tset_tag(type, ""), "the tag of bytes");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "no memory");
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "cannot make an attribute");
  require(H5Awrite(attribute, type, bytes.data()), "writing an attribute");
}

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
  constexpr std::size_t kGrowth = std::size_t{1} << 20;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no memory");
  require(H5Pset_fapl_core(access, kGrowth, false), "a file in memory");
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "no memory");
  require(H5Pset_obj_track_times(creation, false), "a property");
  const Handle file(H5Fcreate("run.h5", H5F_ACC_TRUNC, creation, access), H5Fclose, "cannot make a file in memory");
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
  require(H5Fflush(file, H5F_SCOPE_GLOBAL), "a file in memory");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  std::string image(static_cast<std::size_t>(std::max<ssize_t>(size, 0)), '\0');
  if (size < 0 || H5Fget_file_image(file, image.data(), image.size()) != size) throw Error("a file in memory failed");
  return image;
}

Handle opened(const std::filesystem::path& path) {
  std::error_code none;
  // HDF5 would wait for the writer of a pipe.
  if (!std::filesystem::exists(path, none)) throw Error("there is no such file");
  if (!std::filesystem::is_regular_file(path, none)) throw Error("it is no regular file");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "it is no HDF5 file"};
}

// A file may come from anybody. Nothing that it names leads out of it, except to the files of its own snapshots, and
// what it says of types and sizes is compared with what it holds before memory is taken.

H5L_type_t link_in(hid_t group, const std::string& name) {
  H5L_info_t info;
  if (H5Lexists(group, name.c_str(), H5P_DEFAULT) <= 0 || H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) < 0) {
    return H5L_TYPE_ERROR;
  }
  return info.type;
}

void require_in_file(hid_t group, const std::string& name, std::string_view kind) {
  const H5L_type_t type = link_in(group, name);
  if (type == H5L_TYPE_ERROR) throw Error(fmt::format("there is no {} {}", kind, name));
  if (type != H5L_TYPE_HARD)
    throw Error(fmt::format("{} {} is a link that leads elsewhere, which is not followed", kind, name));
}

Handle group_of(hid_t parent, const std::string& name) {
  require_in_file(parent, name, "group");
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose, fmt::format("{} is no group", name)};
}

template <class Number>
[[nodiscard]] bool holds(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_INTEGER || (kind == H5T_FLOAT && std::is_floating_point_v<Number>);
}

/// Names of the links in a group, sorted.
std::vector<std::string> names_in(hid_t group) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* into) -> herr_t {
    static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    return 0;
  };
  require(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "listing a group");
  return names;
}

hsize_t file_size(hid_t object) {
  const Handle file(H5Iget_file_id(object), H5Fclose, "no memory");
  hsize_t size = 0;
  require(H5Fget_filesize(file, &size), "reading the size of a file");
  return size;
}

/// The values of a dataset of one dimension. `rows`, if given, is the number of values that it must have.
template <class Number>
std::vector<Number> values_in(hid_t group, const char* name, hid_t memory, std::optional<std::size_t> rows) {
  require_in_file(group, name, "dataset");
  const Handle dataset(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose, fmt::format("{} is no dataset", name));
  const Handle space(H5Dget_space(dataset), H5Sclose, "no memory");
  const Handle type(H5Dget_type(dataset), H5Tclose, "no memory");
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose, "no memory");
  const hssize_t size = H5Sget_simple_extent_npoints(space);
  if (H5Sget_simple_extent_ndims(space) != 1 || size < 0 || (rows && static_cast<std::size_t>(size) != *rows)) {
    throw Error(rows ? fmt::format("dataset {} is no row of {} numbers", name, *rows)
                     : fmt::format("dataset {} is no row of numbers", name));
  }
  if (!holds<Number>(type)) {
    throw Error(fmt::format("dataset {} holds no {}", name, std::is_integral_v<Number> ? "integers" : "numbers"));
  }
  if (H5Pget_external_count(properties) != 0) {
    throw Error(fmt::format("dataset {} is in another file, which is not read", name));
  }
  if (H5Pget_nfilters(properties) != 0) {
    throw Error(fmt::format("dataset {} is compressed: write it without filters, as h5repack -f NONE does", name));
  }
  const hsize_t bytes = H5Dget_storage_size(dataset);
  if (static_cast<hsize_t>(size) > bytes / H5Tget_size(type) || bytes > file_size(dataset)) {
    throw Error(fmt::format("dataset {} has {} rows, but the file holds no such data", name, size));
  }
  std::vector<Number> values(static_cast<std::size_t>(size));
  if (H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    throw Error(fmt::format("dataset {} cannot be read", name));
  }
  return values;
}

/// The text of an attribute; nothing if there is no such attribute or it is no single text.
std::optional<std::string> text_of(hid_t object, const char* name) {
  constexpr std::size_t kMost = 4096;  // bytes
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, fmt::format("there is no attribute {}", name));
  const Handle space(H5Aget_space(attribute), H5Sclose, "no memory");
  const Handle type(H5Aget_type(attribute), H5Tclose, "no memory");
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return std::nullopt;
  if (H5Tis_variable_str(type) > 0) {
    char* found = nullptr;
    if (H5Aread(attribute, type, static_cast<void*>(&found)) < 0 || found == nullptr) return std::nullopt;
    std::string text(found, strnlen(found, kMost));
    H5free_memory(found);
    return text;
  }
  if (H5Tget_size(type) > kMost) return std::nullopt;
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return std::nullopt;
  text.resize(strnlen(text.data(), text.size()));
  return text;
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

template <class Number>
Number attribute_of(hid_t object, const char* name, hid_t memory) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, fmt::format("there is no attribute {}", name));
  const Handle space(H5Aget_space(attribute), H5Sclose, "no memory");
  const Handle type(H5Aget_type(attribute), H5Tclose, "no memory");
  Number value{};
  if (H5Sget_simple_extent_npoints(space) != 1 || !holds<Number>(type) || H5Aread(attribute, memory, &value) < 0) {
    throw Error(fmt::format("attribute {} is no single {}", name, std::is_integral_v<Number> ? "integer" : "number"));
  }
  return value;
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

/// AMUSE's keys are random numbers of 64 bits without a sign. Those that are no ids count the particles from 0 on.
std::vector<std::int64_t> ids_in(hid_t group) {
  require_in_file(group, "keys", "dataset");
  bool has_sign = true;
  {
    const Handle dataset(H5Dopen2(group, "keys", H5P_DEFAULT), H5Dclose, "keys is no dataset");
    const Handle type(H5Dget_type(dataset), H5Tclose, "no memory");
    has_sign = H5Tget_class(type) != H5T_INTEGER || H5Tget_sign(type) != H5T_SGN_NONE;
  }
  if (has_sign) return values_in<std::int64_t>(group, "keys", H5T_NATIVE_INT64, std::nullopt);
  const auto keys = values_in<std::uint64_t>(group, "keys", H5T_NATIVE_UINT64, std::nullopt);
  const bool are_ids = std::ranges::all_of(keys, [](std::uint64_t key) { return key <= kLargestId; });
  std::vector<std::int64_t> ids(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) ids[k] = static_cast<std::int64_t>(are_ids ? keys[k] : k);
  return ids;
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
  particles.id = ids_in(group);
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

Snapshot last_snapshot_of(const std::filesystem::path& path) {
  const SilentErrors silent;
  const Handle file = opened(path);
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
    return snapshot_in(group_of(own, kParticles), last);
  } catch (const Error& error) {
    throw Error(fmt::format("particles/{} cannot be read from {}: {}", last, other.name, error.what()));
  }
}

}  // namespace
}  // namespace gdr::hostlib

const gdr::hostlib::Hdf5Library* GDR_HDF5_LIBRARY() {
  using namespace gdr::hostlib;
  static constexpr Hdf5Library kLibrary{image_of, content_of, last_snapshot_of};
  return &kLibrary;
}
