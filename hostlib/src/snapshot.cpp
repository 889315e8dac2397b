#include "gdr/hostlib/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/file.h"

namespace gdr::hostlib {
namespace {

constexpr std::array<std::string_view, 7> kColumns = {"m", "x", "y", "z", "vx", "vy", "vz"};
constexpr std::size_t kPhigrapeColumns = 1 + kColumns.size();
constexpr std::string_view kBlanks = " \t\r\v\f";

using Fields = std::vector<std::string_view>;

Fields split(std::string_view line) {
  Fields fields;
  for (std::size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
  return fields;
}

// Walks over the lines that hold something and knows where it is.
class LineReader {
 public:
  LineReader(const std::filesystem::path& path, std::string_view text) : name_(path.string()), rest_(text) {}

  // Fields of the next line that is neither blank nor a comment; nothing at the end of the file.
  std::optional<Fields> next() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      const std::string_view line = rest_.substr(0, end);
      rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
      ++line_;
      Fields fields = split(line);
      if (!fields.empty() && fields.front().front() != '#') return fields;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::size_t line() const { return line_; }

  [[noreturn]] void refuse(const std::string& text) const { throw Error(fmt::format("{}:{}: {}", name_, line_, text)); }

  [[nodiscard]] double real(std::string_view field, std::string_view column) const {
    std::string digits(field.front() == '+' ? field.substr(1) : field);
    if (const std::size_t exponent = digits.find_first_of("dD"); exponent != std::string::npos) digits[exponent] = 'e';
    double value = 0.0;
    const auto [end, reason] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (reason == std::errc::result_out_of_range) {
      refuse(fmt::format("column {}: '{}' is outside the range of a double", column, field));
    }
    if (reason != std::errc{} || end != digits.data() + digits.size()) {
      refuse(fmt::format("column {}: '{}' is no number", column, field));
    }
    if (!std::isfinite(value)) refuse(fmt::format("column {}: '{}' is not finite", column, field));
    return value;
  }

  [[nodiscard]] std::int64_t integer(std::string_view field, std::string_view column) const {
    std::int64_t value = 0;
    const auto [end, reason] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (reason != std::errc{} || end != field.data() + field.size()) {
      refuse(fmt::format("column {}: '{}' is no 64-bit integer", column, field));
    }
    return value;
  }

 private:
  std::string name_;
  std::string_view rest_;
  std::size_t line_ = 0;
};

void read_particle(const LineReader& in, const Fields& fields, std::size_t first, std::int64_t id, Particles& out) {
  std::array<double, kColumns.size()> v{};
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = in.real(fields[first + k], kColumns[k]);
  if (v[0] < 0.0) in.refuse(fmt::format("column m: mass {} is negative", fields[first]));
  out.push_back(id, v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6]});
}

Fields header_line(LineReader& in, const char* what) {
  const std::optional<Fields> fields = in.next();
  if (!fields) in.refuse(fmt::format("the file ends before the header's {}", what));
  if (fields->size() != 1) in.refuse(fmt::format("header: expected {} alone, found {} columns", what, fields->size()));
  return *fields;
}

Snapshot read_phigrape(LineReader& in, const Fields& first) {
  Snapshot snapshot;
  snapshot.step = in.integer(first.front(), "step");
  const std::int64_t n = in.integer(header_line(in, "particle number").front(), "N");
  if (n < 1) in.refuse(fmt::format("particle number {} is below 1", n));
  snapshot.time = in.real(header_line(in, "time").front(), "time");

  std::unordered_map<std::int64_t, std::size_t> line_of_id;
  while (const std::optional<Fields> fields = in.next()) {
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

Snapshot read_plain(LineReader& in, const Fields& first) {
  Snapshot snapshot;
  for (std::optional<Fields> fields = first; fields; fields = in.next()) {
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
  LineReader in(path, text);
  const std::optional<Fields> first = in.next();
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
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  const bool with_header = format == SnapshotFormat::phigrape;
  if (with_header) fmt::format_to(out, "{}\n{}\n{:.16e}\n", snapshot.step, p.size(), snapshot.time);
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (with_header) fmt::format_to(out, "{:8} ", p.id[k]);
    const Vec3& x = p.position[k];
    const Vec3& v = p.velocity[k];
    fmt::format_to(out, "{:.16e} {: .16e} {: .16e} {: .16e} {: .16e} {: .16e} {: .16e}\n", p.mass[k], x.x, x.y, x.z,
                   v.x, v.y, v.z);
  }
  base::write_file(path, {text.data(), text.size()});
}

}  // namespace gdr::hostlib
