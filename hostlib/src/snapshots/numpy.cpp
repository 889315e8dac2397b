// Snapshots as NumPy's arrays: structured, seven columns, or several arrays by name in an archive.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <optional>

#include "formats/table_format.h"
#include "formats/zip.h"
#include "gdr/base/error.h"
#include "gdr/base/quoted.h"
#include "kinds.h"

namespace gdr::hostlib {
namespace {

constexpr std::array<std::string_view, 7> kSevenNames{"m", "x", "y", "z", "vx", "vy", "vz"};

using Reals = std::vector<double>;

/// Messages begin with `where`.
Reals npy_reals(const NpyArray& array, const std::string& where) {
  if (const auto* reals = std::get_if<Reals>(&array.numbers)) return *reals;
  Reals reals;
  for (const std::int64_t integer : std::get<std::vector<std::int64_t>>(array.numbers)) {
    const std::optional<double> value = exact_double(integer);
    if (!value) {
      throw Error(fmt::format("{}: number {} is {}, an integer that no double holds", where, reals.size(), integer));
    }
    reals.push_back(*value);
  }
  return reals;
}

LoadedSnapshot of_structured(std::string_view content, const std::string& file) {
  std::vector<ColumnType> expected;
  for (const std::string_view name : kSevenNames) expected.push_back({std::string(name), NumberType::real});
  const bool has_ids = npy_has_field(content, file, "id");
  if (has_ids) expected.push_back({"id", NumberType::integer});
  const Table table = read_npy(content, file, expected, {true, {}});
  LoadedSnapshot loaded;
  std::array<const Reals*, kSevenNames.size()> columns{};
  for (std::size_t k = 0; k < columns.size(); ++k) columns.at(k) = &std::get<Reals>(table.columns().at(k).numbers);
  const auto& [m, x, y, z, vx, vy, vz] = columns;
  const auto* ids = has_ids ? &std::get<std::vector<std::int64_t>>(table.columns().back().numbers) : nullptr;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    loaded.snapshot.particles.push_back(ids == nullptr ? static_cast<std::int64_t>(i) : (*ids)[i], (*m)[i],
                                        {(*x)[i], (*y)[i], (*z)[i]}, {(*vx)[i], (*vy)[i], (*vz)[i]});
  }
  return loaded;
}

LoadedSnapshot of_seven_columns(const NpyArray& array, const std::string& file) {
  if (array.shape.size() != 2 || array.shape[1] != kSevenNames.size()) {
    throw Error(
        fmt::format("{}: the array has shape ({}): it must have rows of seven numbers, m x y z vx vy vz, or "
                    "fields with these names",
                    file, fmt::join(array.shape, ", ")));
  }
  const Reals v = npy_reals(array, file);
  LoadedSnapshot loaded;
  for (std::size_t i = 0; i < array.shape[0]; ++i) {
    const double* row = v.data() + i * kSevenNames.size();
    loaded.snapshot.particles.push_back(static_cast<std::int64_t>(i), row[0], {row[1], row[2], row[3]},
                                        {row[4], row[5], row[6]});
  }
  return loaded;
}

/// The arrays of an archive by name.
class NpzArrays {
 public:
  NpzArrays(std::string_view content, const std::string& file) : file_(file) {
    for (auto& [member, bytes] : zip_members(content, file)) {
      constexpr std::string_view kEnd = ".npy";
      if (!member.ends_with(kEnd)) refuse(fmt::format("member {} is no NumPy array", member));
      const std::string name = member.substr(0, member.size() - kEnd.size());
      if (!arrays_.emplace(name, std::move(bytes)).second) refuse(fmt::format("array {} is there twice", name));
    }
  }

  [[nodiscard]] std::size_t particles() { return length_; }

  /// The masses, which decide how many particles there are.
  Reals masses() {
    const std::optional<NpyArray> array = take("mass", "m");
    if (!array) refuse("there is no array mass (or m)");
    if (array->shape.size() != 1) refuse_shape("mass", *array, "(n)");
    length_ = array->shape[0];
    return npy_reals(*array, fmt::format("{}: array mass", file_));
  }

  /// `together` with shape (n, 3), or an array of each of `names`.
  std::vector<Vec3> vectors(const std::string& together, const std::array<std::string, 3>& names) {
    std::vector<Vec3> vectors(length_);
    if (const std::optional<NpyArray> array = take(together, together)) {
      if (array->shape != std::vector<std::size_t>{length_, 3}) {
        refuse_shape(together, *array, fmt::format("({}, 3)", length_));
      }
      const Reals values = npy_reals(*array, fmt::format("{}: array {}", file_, together));
      for (std::size_t i = 0; i < length_; ++i) vectors[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
      return vectors;
    }
    constexpr std::array kAxes{&Vec3::x, &Vec3::y, &Vec3::z};
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      const std::optional<NpyArray> array = take(names.at(axis), names.at(axis));
      if (!array) refuse(fmt::format("there is no array {} of shape (n, 3), nor {}", together, fmt::join(names, ", ")));
      check_length(names.at(axis), *array);
      const Reals values = npy_reals(*array, fmt::format("{}: array {}", file_, names.at(axis)));
      for (std::size_t i = 0; i < length_; ++i) vectors[i].*kAxes.at(axis) = values[i];
    }
    return vectors;
  }

  /// The ids, 0, 1, ... if there are none.
  std::vector<std::int64_t> ids() {
    std::vector<std::int64_t> ids(length_);
    for (std::size_t i = 0; i < length_; ++i) ids[i] = static_cast<std::int64_t>(i);
    const std::optional<NpyArray> array = take("id", "id");
    if (!array) return ids;
    check_length("id", *array);
    const auto* integers = std::get_if<std::vector<std::int64_t>>(&array->numbers);
    if (integers == nullptr) refuse("array id holds floating-point numbers, not integers");
    return *integers;
  }

  /// A single number; 0 if there is none.
  Numbers number(const std::string& name) {
    const std::optional<NpyArray> array = take(name, name);
    if (!array) return Reals{0};
    const bool is_one = array->shape.empty() || array->shape == std::vector<std::size_t>{1};
    if (!is_one) refuse_shape(name, *array, "()");
    return array->numbers;
  }

  /// What nobody has taken.
  [[nodiscard]] std::vector<std::string> others() const {
    std::vector<std::string> names;
    for (const auto& [name, array] : arrays_) names.push_back(base::on_one_line(name));
    return names;
  }

  [[noreturn]] void refuse(const std::string& why) const { throw Error(fmt::format("{}: {}", file_, why)); }

 private:
  std::optional<NpyArray> take(const std::string& name, const std::string& other) {
    for (const std::string& one : {name, other}) {
      const auto node = arrays_.extract(one);
      if (!node) continue;
      std::optional<NpyArray> array = read_npy_array(node.mapped(), fmt::format("{}: {}.npy", file_, one));
      if (!array) refuse(fmt::format("array {} is structured", one));
      return array;
    }
    return std::nullopt;
  }
  void check_length(const std::string& name, const NpyArray& array) const {
    if (array.shape != std::vector<std::size_t>{length_}) refuse_shape(name, array, fmt::format("({})", length_));
  }
  [[noreturn]] void refuse_shape(const std::string& name, const NpyArray& array, const std::string& expected) const {
    refuse(fmt::format("array {} has shape ({}): it must be {}", name, fmt::join(array.shape, ", "), expected));
  }

  std::string file_;
  std::map<std::string, std::string> arrays_;  // their files, read once they are taken: others may hold anything
  std::size_t length_ = 0;
};

NpyArray npy_of(const std::vector<Vec3>& vectors) {
  Reals values;
  for (const Vec3& v : vectors) values.insert(values.end(), {v.x, v.y, v.z});
  return {{vectors.size(), 3}, values};
}

}  // namespace

LoadedSnapshot read_npy_snapshot(std::string_view content, const std::string& file) {
  const std::optional<NpyArray> array = read_npy_array(content, file);
  return array ? of_seven_columns(*array, file) : of_structured(content, file);
}

LoadedSnapshot read_npz_snapshot(std::string_view content, const std::string& file) {
  NpzArrays arrays(content, file);
  LoadedSnapshot loaded;
  Particles& particles = loaded.snapshot.particles;
  particles.mass = arrays.masses();
  particles.position = arrays.vectors("position", {"x", "y", "z"});
  particles.velocity = arrays.vectors("velocity", {"vx", "vy", "vz"});
  particles.id = arrays.ids();
  loaded.snapshot.time = npy_reals({{}, arrays.number("time")}, fmt::format("{}: array time", file)).front();
  const Numbers step = arrays.number("step");
  const auto* steps = std::get_if<std::vector<std::int64_t>>(&step);
  if (steps != nullptr) {
    loaded.snapshot.step = steps->front();
  } else if (std::get<Reals>(step).front() != 0) {
    arrays.refuse("array step holds a floating-point number, not an integer");
  }
  if (const std::vector<std::string> others = arrays.others(); !others.empty()) {
    loaded.notes.push_back(fmt::format("left out: {}", fmt::join(others, ", ")));
  }
  return loaded;
}

std::string npz_image(const Snapshot& snapshot) {
  const Particles& p = snapshot.particles;
  const std::size_t n = p.size();
  const std::vector<std::pair<std::string_view, NpyArray>> arrays{
      {"id", {{n}, p.id}},
      {"mass", {{n}, p.mass}},
      {"position", npy_of(p.position)},
      {"velocity", npy_of(p.velocity)},
      {"time", {{}, Reals{snapshot.time}}},
      {"step", {{}, std::vector<std::int64_t>{snapshot.step}}},
  };
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [name, array] : arrays) members.emplace_back(fmt::format("{}.npy", name), to_npy(array));
  return zip_of(members);
}

}  // namespace gdr::hostlib
