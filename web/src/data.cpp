#include "data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/hostlib/plummer.h"

namespace gdr::web {
namespace {

using hostlib::ColumnType;
using hostlib::NumberType;
using hostlib::Particles;
using hostlib::Vec3;

constexpr std::array kZeros = {std::string_view("t"),      std::string_view("aby2"),     std::string_view("a1by6"),
                               std::string_view("a2by18"), std::string_view("reserved"), std::string_view("reserved_")};

/// Random numbers in (0, 1], as make_plummer() draws them.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

Particles random_particles(std::size_t n, std::uint64_t seed) {
  Uniform uniform(seed);
  const auto component = [&] { return 2 * uniform() - 1; };
  const auto vector = [&] {
    const double x = component();
    const double y = component();
    const double z = component();
    return Vec3{x, y, z};
  };
  Particles particles;
  particles.reserve(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 position = vector();
    const Vec3 velocity = vector();
    particles.push_back(static_cast<std::int64_t>(k), 1.0 / static_cast<double>(n), position, velocity);
  }
  return particles;
}

/// The parts of a column's name: `xj[2]` is `x` and 2.
struct ColumnName {
  std::string base;
  std::size_t element = 0;
};

ColumnName taken_apart(const std::string& name) {
  const std::size_t bracket = std::min(name.find('['), name.size());
  ColumnName parts{name.substr(0, bracket)};
  if (bracket < name.size()) {
    std::from_chars(name.data() + bracket + 1, name.data() + name.size(), parts.element);
  }
  if (parts.base.size() > 1 && (parts.base.back() == 'i' || parts.base.back() == 'j')) parts.base.pop_back();
  return parts;
}

/// FNV-1a [Fowler, Noll, Vo]: gives each column a seed of its own.
std::uint64_t seed_of(const std::string& name, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

class Columns {
 public:
  Columns(const Particles& particles, const DataOptions& options) : particles_(particles), options_(options) {}

  [[nodiscard]] hostlib::Table table(const std::vector<ColumnType>& types, std::size_t rows) const {
    hostlib::Table table;
    for (const ColumnType& type : types) table.add(type.name, numbers(type, rows));
    return table;
  }

 private:
  [[nodiscard]] hostlib::Numbers numbers(const ColumnType& type, std::size_t rows) const {
    const std::vector<double> values = reals(type, rows);
    if (type.type == NumberType::real) return values;
    std::vector<std::int64_t> wholes;
    for (const double value : values) wholes.push_back(static_cast<std::int64_t>(value));
    return wholes;
  }

  [[nodiscard]] std::vector<double> reals(const ColumnType& type, std::size_t rows) const {
    const auto [base, element] = taken_apart(type.name);
    std::vector<double> values(rows);
    Uniform uniform(seed_of(type.name, options_.seed));
    const auto random = [&] {
      const double value = uniform();
      return type.type == NumberType::integer ? std::min(std::floor(16 * value), 15.0) : value;
    };
    for (std::size_t row = 0; row < rows; ++row) {
      values[row] = known(base, element, row).value_or(random());
    }
    return values;
  }

  [[nodiscard]] std::optional<double> known(std::string_view base, std::size_t element, std::size_t row) const {
    // If there are more i-particles than particles, they repeat from the first one.
    const std::size_t particle = row % particles_.size();
    if (base == "x" && element < 3) return component(particles_.position[particle], element);
    if (base == "v" && element < 3) return component(particles_.velocity[particle], element);
    if (base == "m") return particles_.mass[particle];
    if (base == "eps2") return options_.eps2;
    if (base == "index" || base == "slot") return static_cast<double>(particle);
    if (base == "tag") return static_cast<double>(particle % 8);
    if (std::find(kZeros.begin(), kZeros.end(), base) != kZeros.end()) return 0.0;
    return std::nullopt;
  }

  static double component(const Vec3& vector, std::size_t element) {
    return element == 0 ? vector.x : element == 1 ? vector.y : vector.z;
  }

  const Particles& particles_;
  const DataOptions& options_;
};

/// Own particles in the place of those of the model.
void take_own(const std::string& csv, const std::string& file, const std::vector<ColumnType>& columns,
              std::uint64_t most, hostlib::Table& table, std::uint64_t& rows) {
  if (csv.empty()) return;
  if (columns.empty()) throw Error(fmt::format("{} is refused: the kernel takes no such data", file));
  hostlib::TableReadOptions options;
  options.ignore_extra = true;  // as in the files of N-body programs, of which a kernel takes what it names
  options.limit = {static_cast<std::size_t>(most), "the playground"};
  table = hostlib::read_csv(csv, file, columns, options);
  rows = table.rows();
}

void require(std::string_view name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value < least || value > most) {
    throw Error(fmt::format("{}: {} is refused: it must be {} to {}", name, value, least, most));
  }
}

}  // namespace

Model model_named(const std::string& name) {
  if (name == "plummer") return Model::plummer;
  if (name == "random") return Model::random;
  throw Error(fmt::format("model: '{}' is refused: it must be plummer or random", name));
}

Data make_data(const isa::Program& program, const DataOptions& options) {
  require("i-particles", options.ni, 1, kMostParticles);
  require("j-particles", options.nj, 2, kMostRecords);
  if (!(options.eps2 >= 0 && options.eps2 <= 1e6)) {
    throw Error(fmt::format("softening squared: {} is refused: it must be 0 to 1e6", options.eps2));
  }
  const auto ni = static_cast<std::size_t>(options.ni);
  const auto nj = static_cast<std::size_t>(options.nj);
  const Particles particles =
      options.model == Model::plummer ? hostlib::make_plummer(nj, options.seed) : random_particles(nj, options.seed);
  const Columns columns(particles, options);
  const auto of_i = hostlib::columns_of(program, isa::Transfer::hlt);
  const auto of_j = hostlib::columns_of(program, isa::Transfer::elt);
  Data data{columns.table(of_i, ni), columns.table(of_j, nj), options.ni, options.nj};
  take_own(options.own_i, "i.csv", of_i, kMostParticles, data.i, data.ni);
  take_own(options.own_j, "j.csv", of_j, kMostRecords, data.j, data.nj);
  return data;
}

}  // namespace gdr::web
