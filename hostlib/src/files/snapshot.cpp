#include "gdr/hostlib/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"

namespace gdr::hostlib {
namespace {

constexpr std::array<std::string_view, 7> kColumns = {"m", "x", "y", "z", "vx", "vy", "vz"};
constexpr std::size_t kPhigrapeColumns = 1 + kColumns.size();

using Fields = std::vector<std::string_view>;

/// Reads lines as fields.
class SnapshotReader : public base::LineReader {
 public:
  using base::LineReader::LineReader;

  /// Fields of the next line that is not empty; none at the end of the file.
  std::optional<Fields> next_fields() {
    const std::optional<std::string_view> line = next();
    return line ? std::optional(base::blank_fields(*line)) : std::nullopt;
  }

  [[nodiscard]] double real(std::string_view field, std::string_view column) const {
    std::string digits(field);
    if (const std::size_t exponent = digits.find_first_of("dD"); exponent != std::string::npos) digits[exponent] = 'e';
    const auto [value, error] = base::read_number<double>(digits);
    if (error == std::errc::result_out_of_range) {
      refuse(fmt::format("column {}: '{}' is outside the range of a double", column, field));
    }
    if (error != std::errc()) refuse(fmt::format("column {}: '{}' is no number", column, field));
    if (!std::isfinite(value)) refuse(fmt::format("column {}: '{}' is not finite", column, field));
    return value;
  }

  [[nodiscard]] std::int64_t integer(std::string_view field, std::string_view column) const {
    const std::optional<std::int64_t> value = base::number_in<std::int64_t>(field);
    if (!value) refuse(fmt::format("column {}: '{}' is no 64-bit integer", column, field));
    return *value;
  }
};

void read_particle(const SnapshotReader& in, const Fields& fields, std::size_t first, std::int64_t id, Particles& out) {
  std::array<double, kColumns.size()> v{};
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = in.real(fields[first + k], kColumns[k]);
  if (v[0] < 0.0) in.refuse(fmt::format("column m: mass {} is negative", fields[first]));
  out.push_back(id, v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6]});
}

Fields header_line(SnapshotReader& in, const char* what) {
  const std::optional<Fields> fields = in.next_fields();
  if (!fields) in.refuse(fmt::format("the file ends before the header's {}", what));
  if (fields->size() != 1) in.refuse(fmt::format("header: expected {} alone, found {} columns", what, fields->size()));
  return *fields;
}

Snapshot read_phigrape(SnapshotReader& in, const Fields& first) {
  Snapshot snapshot;
  snapshot.step = in.integer(first.front(), "step");
  const std::int64_t n = in.integer(header_line(in, "particle number").front(), "N");
  if (n < 1) in.refuse(fmt::format("particle number {} is below 1", n));
  snapshot.time = in.real(header_line(in, "time").front(), "time");

  std::unordered_map<std::int64_t, std::size_t> line_of_id;
  while (const std::optional<Fields> fields = in.next_fields()) {
    if (fields->size() != kPhigrapeColumns) {
      in.refuse(
          fmt::format("expected {} columns (index m x y z vx vy vz), found {}", kPhigrapeColumns, fields->size()));
    }
    if (snapshot.particles.size() == static_cast<std::size_t>(n)) {
      in.refuse(fmt::format("more rows than the {} particles of the header", n));
    }
    const std::int64_t id = in.integer(fields->front(), "index");
    const auto [earlier, is_new] = line_of_id.emplace(id, in.line());
    if (!is_new) in.refuse(fmt::format("index {} occurs twice, first on line {}", id, earlier->second));
    read_particle(in, *fields, 1, id, snapshot.particles);
  }
  if (snapshot.particles.size() < static_cast<std::size_t>(n)) {
    in.refuse(fmt::format("the file ends after {} of {} particles", snapshot.particles.size(), n));
  }
  return snapshot;
}

Snapshot read_plain(SnapshotReader& in, const Fields& first) {
  Snapshot snapshot;
  for (std::optional<Fields> fields = first; fields; fields = in.next_fields()) {
    if (fields->size() != kColumns.size()) {
      in.refuse(fmt::format("expected {} columns (m x y z vx vy vz), found {}", kColumns.size(), fields->size()));
    }
    const auto id = static_cast<std::int64_t>(snapshot.particles.size());
    read_particle(in, *fields, 0, id, snapshot.particles);
  }
  return snapshot;
}

}  // namespace

Snapshot read_snapshot(const std::filesystem::path& path) {
  const std::string text = base::read_file(path);
  SnapshotReader in(text, path.string());
  const std::optional<Fields> first = in.next_fields();
  if (!first) in.refuse("the file holds no particles");
  if (first->size() == 1) return read_phigrape(in, *first);
  if (first->size() == kColumns.size()) return read_plain(in, *first);
  in.refuse(
      fmt::format("first line has {} columns; expected 1 (step number of a phiGRAPE file) or {} (m x y z vx vy vz)",
                  first->size(), kColumns.size()));
}

void write_snapshot(const std::filesystem::path& path, const Snapshot& snapshot, SnapshotFormat format) {
  const Particles& p = snapshot.particles;
  validate(p);
  std::string text;
  const bool with_header = format == SnapshotFormat::phigrape;
  if (with_header) text = fmt::format("{}\n{}\n{:.16e}\n", snapshot.step, p.size(), snapshot.time);
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (with_header) text += fmt::format("{:8} ", p.id[k]);
    const Vec3& x = p.position[k];
    const Vec3& v = p.velocity[k];
    text += fmt::format("{:.16e} {: .16e} {: .16e} {: .16e} {: .16e} {: .16e} {: .16e}\n", p.mass[k], x.x, x.y, x.z,
                        v.x, v.y, v.z);
  }
  base::write_file(path, text);
}

}  // namespace gdr::hostlib
