// Run files in HDF5. A file is built in memory to be written as a whole, so that a run that is killed at any moment
// leaves no unreadable file. Particles take most of the bytes and are written only once: the run's own file, which
// grows with every output, holds the samples and links to the files of the snapshots.
#include "files/hdf5_library.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <type_traits>

#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr const char* kParticles = "particles";
constexpr const char* kSeries = "series";
constexpr hsize_t kRowsPerChunk = 64;

/// Attribute of a particle, with the name and unit of AMUSE's particle sets.
struct Attribute {
  const char* name;
  const char* units;
};
constexpr const char* kLength = "nbody_system.length";
constexpr const char* kSpeed = "nbody_system.length * nbody_system.time**-1";
constexpr std::array<Attribute, 7> kAttributes{{{"mass", "nbody_system.mass"},
                                                {"x", kLength},
                                                {"y", kLength},
                                                {"z", kLength},
                                                {"vx", kSpeed},
                                                {"vy", kSpeed},
                                                {"vz", kSpeed}}};

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

std::string group_name(std::uint64_t number) { return fmt::format("{:010}", number); }

void add_snapshot(hid_t particles_group, std::uint64_t number, const Snapshot& snapshot) {
  Particles particles = snapshot.particles;
  const Handle group = group_in(particles_group, group_name(number));
  set_attribute(group, "number_of_particles", static_cast<std::int64_t>(particles.size()));
  set_attribute(group, "timestamp", snapshot.time);
  set_text(group, "timestamp_unit", "nbody_system.time");
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
  if (reason != std::errc{} || end != name.data() + name.size()) {
    throw Error(fmt::format("particles/{} is no number of an output", name));
  }
  return number;
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
  snapshot.time = attribute_of<double>(group, "timestamp", H5T_NATIVE_DOUBLE);
  snapshot.step = attribute_of<std::int64_t>(group, "step", H5T_NATIVE_INT64);
  Particles& particles = snapshot.particles;
  particles.id = values_in<std::int64_t>(group, "keys", H5T_NATIVE_INT64, std::nullopt);
  const std::size_t n = particles.id.size();
  particles.mass.resize(n);
  particles.position.resize(n);
  particles.velocity.resize(n);
  const Handle attributes = group_of(group, "attributes");
  for (std::size_t column = 0; column < kAttributes.size(); ++column) {
    const auto values = values_in<double>(attributes, kAttributes[column].name, H5T_NATIVE_DOUBLE, n);
    for (std::size_t k = 0; k < n; ++k) value_of(particles, column, k) = values[k];
  }
  return snapshot;
}

Snapshot last_snapshot_of(const std::filesystem::path& path) {
  const SilentErrors silent;
  const Handle file = opened(path);
  const Handle all = group_of(file, kParticles);
  const std::vector<std::string> names = names_in(all);
  if (names.empty()) throw Error("the group particles holds no snapshot");
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
