// Objects of HDF5 as the readers and writers of this library use them.
#pragma once

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "formats/unpack.h"
#include "gdr/base/error.h"

namespace gdr::hostlib {

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

inline void require(herr_t status, std::string_view what) {
  if (status < 0) throw Error(fmt::format("{} failed", what));
}

/// Objects do not store their time of creation, so that equal contents give equal bytes.
inline Handle group_in(hid_t parent, const std::string& name) {
  const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "no memory");
  require(H5Pset_obj_track_times(properties, false), "a property");
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose, "cannot make a group"};
}

inline void set_text(hid_t object, const std::string& name, const std::string& text) {
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
inline void set_attribute(hid_t object, const std::string& name, std::int64_t value) {
  set_number(object, name, value, H5T_STD_I64LE, H5T_NATIVE_INT64);
}
inline void set_attribute(hid_t object, const std::string& name, double value) {
  set_number(object, name, value, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
}
inline void set_attribute(hid_t object, const std::string& name, const std::string& value) {
  set_text(object, name, value);
}

/// A new dataset of one dimension, which can grow if `grows`.
inline Handle dataset_in(hid_t parent, const char* name, hid_t stored, std::size_t rows, bool grows) {
  constexpr hsize_t kRowsPerChunk = 64;
  const hsize_t size = rows;
  const hsize_t most = grows ? H5S_UNLIMITED : size;
  const Handle space(H5Screate_simple(1, &size, &most), H5Sclose, "no memory");
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "no memory");
  require(H5Pset_obj_track_times(properties, false), "a property");
  if (grows) require(H5Pset_chunk(properties, 1, &kRowsPerChunk), "a property");
  return {H5Dcreate2(parent, name, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
          "cannot make a dataset"};
}

inline void write_doubles(hid_t dataset, const std::vector<double>& values) {
  require(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "writing a dataset");
}

inline void set_opaque(hid_t object, const std::string& name, std::string_view bytes) {
  const Handle type(H5Tcreate(H5T_OPAQUE, bytes.size()), H5Tclose, "no memory");
  require(H5Tset_tag(type, ""), "the tag of bytes");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "no memory");
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "cannot make an attribute");
  require(H5Awrite(attribute, type, bytes.data()), "writing an attribute");
}

/// A new file that is not on the disk.
inline Handle file_in_memory() {
  constexpr std::size_t kGrowth = std::size_t{1} << 20;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no memory");
  require(H5Pset_fapl_core(access, kGrowth, false), "a file in memory");
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "no memory");
  require(H5Pset_obj_track_times(creation, false), "a property");
  return {H5Fcreate("run.h5", H5F_ACC_TRUNC, creation, access), H5Fclose, "cannot make a file in memory"};
}

/// What would be on the disk.
inline std::string bytes_of(hid_t file) {
  require(H5Fflush(file, H5F_SCOPE_GLOBAL), "a file in memory");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  std::string image(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  if (size < 0 || H5Fget_file_image(file, image.data(), image.size()) != size) throw Error("a file in memory failed");
  return image;
}

inline Handle opened(const std::filesystem::path& path) {
  std::error_code none;
  // HDF5 would wait for the writer of a pipe.
  if (!std::filesystem::exists(path, none)) throw Error("there is no such file");
  if (!std::filesystem::is_regular_file(path, none)) throw Error("it is no regular file");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "it is no HDF5 file"};
}

// A file may come from anybody. Nothing that it names leads out of it, except to the files of its own snapshots, and
// what it says of types and sizes is compared with what it holds before memory is taken.

inline H5L_type_t link_in(hid_t group, const std::string& name) {
  H5L_info_t info;
  if (H5Lexists(group, name.c_str(), H5P_DEFAULT) <= 0 || H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) < 0) {
    return H5L_TYPE_ERROR;
  }
  return info.type;
}

inline void require_in_file(hid_t group, const std::string& name, std::string_view kind) {
  const H5L_type_t type = link_in(group, name);
  if (type == H5L_TYPE_ERROR) throw Error(fmt::format("there is no {} {}", kind, name));
  if (type != H5L_TYPE_HARD)
    throw Error(fmt::format("{} {} is a link that leads elsewhere, which is not followed", kind, name));
}

inline Handle group_of(hid_t parent, const std::string& name) {
  require_in_file(parent, name, "group");
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose, fmt::format("{} is no group", name)};
}

template <class Number>
[[nodiscard]] bool holds(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_INTEGER || (kind == H5T_FLOAT && std::is_floating_point_v<Number>);
}

/// Names of the links in a group, sorted.
inline std::vector<std::string> names_in(hid_t group) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* into) -> herr_t {
    static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    return 0;
  };
  require(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "listing a group");
  return names;
}

inline hsize_t file_size(hid_t object) {
  const Handle file(H5Iget_file_id(object), H5Fclose, "no memory");
  hsize_t size = 0;
  require(H5Fget_filesize(file, &size), "reading the size of a file");
  return size;
}

/// How the chunks of a dataset with filters are packed.
struct PackedChunks {
  std::array<hsize_t, 2> chunk{1, 1};  // rows and columns
  std::vector<H5Z_filter_t> filters;   // in the order in which they were used
};

/// None for a dataset without filters. Throws gdr::Error for filters other than those that h5py and AMUSE use.
inline std::optional<PackedChunks> packed_chunks(hid_t properties, const char* name) {
  const int filters = H5Pget_nfilters(properties);
  if (filters == 0) return std::nullopt;
  PackedChunks packed;
  for (int n = 0; n < filters; ++n) {
    unsigned flags = 0;
    unsigned configuration = 0;
    std::size_t values = 0;
    std::array<char, 64> called{};
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(n), &flags, &values, nullptr,
                                               called.size(), called.data(), &configuration);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE) {
      std::string shown(called.data(), strnlen(called.data(), called.size()));
      std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
      throw Error(
          fmt::format("dataset {} has filter {} ({}), of which only deflate (gzip) and shuffle are read: write "
                      "it without filters, as h5repack -f NONE does",
                      name, static_cast<int>(filter), shown));
    }
    packed.filters.push_back(filter);
  }
  if (H5Pget_layout(properties) != H5D_CHUNKED ||
      H5Pget_chunk(properties, static_cast<int>(packed.chunk.size()), packed.chunk.data()) < 1) {
    throw Error(fmt::format("dataset {} has filters, but no chunks", name));
  }
  return packed;
}

/// The bytes of HDF5's shuffle filter in order: it puts the first bytes of all numbers before the second ones.
inline std::string unshuffled(const std::string& shuffled, std::size_t bytes_of_number) {
  const std::size_t count = shuffled.size() / bytes_of_number;
  std::string bytes(shuffled.size(), '\0');
  for (std::size_t byte = 0; byte < bytes_of_number; ++byte) {
    for (std::size_t k = 0; k < count; ++k) bytes[k * bytes_of_number + byte] = shuffled[byte * count + k];
  }
  return bytes;
}

/// The bytes of the chunk whose first element is at `offset`, unpacked. HDF5 does not unpack them itself, because a
/// chunk of a damaged file may make fewer bytes than its readers expect.
inline std::string chunk_of(hid_t dataset, const char* name, const PackedChunks& packed,
                            const std::array<hsize_t, 2>& offset, std::size_t bytes_of_number) {
  const std::string where = fmt::format("dataset {}: the chunk at row {}", name, offset[0]);
  hsize_t stored = 0;
  if (H5Dget_chunk_storage_size(dataset, offset.data(), &stored) < 0 || stored == 0 || stored > file_size(dataset)) {
    throw Error(where + " is not in the file");
  }
  const hsize_t size = packed.chunk[0] * packed.chunk[1] * bytes_of_number;
  std::string bytes(static_cast<std::size_t>(stored), '\0');
  std::uint32_t left_out = 0;  // a bit for each filter that did not pack this chunk
  if (H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(), &left_out, bytes.data()) < 0) {
    throw Error(where + " cannot be read");
  }
  for (std::size_t n = packed.filters.size(); n-- > 0;) {
    if ((left_out >> n & 1) != 0) continue;
    bytes = packed.filters[n] == H5Z_FILTER_DEFLATE ? unpacked(bytes, Wrapping::zlib, size, where)
                                                    : unshuffled(bytes, bytes_of_number);
  }
  if (bytes.size() != size) throw Error(fmt::format("{} has {} bytes instead of {}", where, bytes.size(), size));
  return bytes;
}

/// The values of a dataset of this extent, whose chunks are packed.
template <class Number>
std::vector<Number> unpacked_values(hid_t dataset, const char* name, hid_t memory, const PackedChunks& packed,
                                    const std::array<hsize_t, 2>& extent) {
  const Handle type(H5Dget_type(dataset), H5Tclose, "no memory");
  const std::size_t bytes_of_number = H5Tget_size(type);
  const auto& [rows, columns] = packed.chunk;
  // Chunks may reach beyond the extent, and a short file may name many of them.
  const hsize_t bytes = most_unpacked(H5Dget_storage_size(dataset));
  const auto chunks_of = [](hsize_t size, hsize_t of_chunk) {
    return size / of_chunk + (size % of_chunk != 0 ? 1 : 0);
  };
  const hsize_t chunks = chunks_of(extent[0], rows) * chunks_of(extent[1], columns);
  if (rows * columns > bytes / bytes_of_number / std::max<hsize_t>(chunks, 1)) {
    throw Error(fmt::format("dataset {} has {} chunks of {} numbers, but the file holds no such data", name, chunks,
                            rows * columns));
  }
  std::vector<Number> values(static_cast<std::size_t>(extent[0] * extent[1]));
  for (hsize_t row = 0; row < extent[0]; row += rows) {
    for (hsize_t column = 0; column < extent[1]; column += columns) {
      std::string chunk = chunk_of(dataset, name, packed, {row, column}, bytes_of_number);
      const std::size_t count = chunk.size() / bytes_of_number;
      // In place: the numbers in memory may be longer than those of the file.
      chunk.resize(count * std::max(bytes_of_number, sizeof(Number)));
      require(H5Tconvert(type, memory, count, chunk.data(), nullptr, H5P_DEFAULT), "converting numbers");
      for (hsize_t i = 0; i < std::min(rows, extent[0] - row); ++i) {
        for (hsize_t j = 0; j < std::min(columns, extent[1] - column); ++j) {
          std::memcpy(&values[(row + i) * extent[1] + column + j], &chunk[(i * columns + j) * sizeof(Number)],
                      sizeof(Number));
        }
      }
    }
  }
  return values;
}

/// The values of a dataset of one dimension, or, with several `columns`, of two, row by row. `rows`, if given, is the
/// number of rows that it must have.
template <class Number>
std::vector<Number> values_in(hid_t group, const char* name, hid_t memory, std::optional<std::size_t> rows,
                              std::size_t columns = 1) {
  require_in_file(group, name, "dataset");
  const Handle dataset(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose, fmt::format("{} is no dataset", name));
  const Handle space(H5Dget_space(dataset), H5Sclose, "no memory");
  const Handle type(H5Dget_type(dataset), H5Tclose, "no memory");
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose, "no memory");
  const hssize_t size = H5Sget_simple_extent_npoints(space);
  const int dimensions = columns == 1 ? 1 : 2;
  std::array<hsize_t, 2> extent{0, 1};
  const bool fits = H5Sget_simple_extent_ndims(space) == dimensions && size >= 0 &&
                    H5Sget_simple_extent_dims(space, extent.data(), nullptr) == dimensions && extent[1] == columns &&
                    (!rows || extent[0] == *rows);
  if (!fits && columns > 1)
    throw Error(fmt::format("dataset {} is no table of {} columns{}", name, columns,
                            rows ? fmt::format(" and {} rows", *rows) : ""));
  if (!fits) {
    throw Error(rows ? fmt::format("dataset {} is no row of {} numbers", name, *rows)
                     : fmt::format("dataset {} is no row of numbers", name));
  }
  if (!holds<Number>(type)) {
    throw Error(fmt::format("dataset {} holds no {}", name, std::is_integral_v<Number> ? "integers" : "numbers"));
  }
  if (H5Pget_external_count(properties) != 0) {
    throw Error(fmt::format("dataset {} is in another file, which is not read", name));
  }
  const std::optional<PackedChunks> packed = packed_chunks(properties, name);
  const hsize_t stored = H5Dget_storage_size(dataset);
  const hsize_t bytes = packed ? most_unpacked(stored) : stored;
  if (static_cast<hsize_t>(size) > bytes / H5Tget_size(type) || stored > file_size(dataset)) {
    throw Error(fmt::format("dataset {} has {} rows, but the file holds no such data", name, size));
  }
  if (packed) return unpacked_values<Number>(dataset, name, memory, *packed, extent);
  std::vector<Number> values(static_cast<std::size_t>(size));
  if (H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    throw Error(fmt::format("dataset {} cannot be read", name));
  }
  return values;
}

/// The text of an attribute; nothing if there is no such attribute or it is no single text.
inline std::optional<std::string> text_of(hid_t object, const char* name) {
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

/// An attribute of one to `most` numbers.
template <class Number>
std::vector<Number> numbers_of(hid_t object, const char* name, hid_t memory, std::size_t most) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, fmt::format("there is no attribute {}", name));
  const Handle space(H5Aget_space(attribute), H5Sclose, "no memory");
  const Handle type(H5Aget_type(attribute), H5Tclose, "no memory");
  const hssize_t size = H5Sget_simple_extent_npoints(space);
  if (size < 1 || static_cast<std::size_t>(size) > most || !holds<Number>(type)) {
    throw Error(fmt::format("attribute {} has no 1 to {} numbers", name, most));
  }
  std::vector<Number> values(static_cast<std::size_t>(size));
  if (H5Aread(attribute, memory, values.data()) < 0) throw Error(fmt::format("attribute {} cannot be read", name));
  return values;
}

}  // namespace gdr::hostlib
