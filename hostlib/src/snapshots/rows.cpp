// Text in rows, as many N-body codes write it. The first lines tell the form.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "column_names.h"
#include "gdr/base/counted.h"
#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/quoted.h"
#include "gdr/hostlib/units.h"
#include "kinds.h"

namespace gdr::hostlib {
namespace {

constexpr std::size_t kPhigrapeColumns = 1 + kColumns.size();

/// Whether semicolons separate the fields: as many of them as blanks, or more.
bool are_between_semicolons(std::string_view line) {
  const auto semicolons = static_cast<std::size_t>(std::ranges::count(line, ';'));
  return semicolons > 0 && base::blank_fields(line).size() <= semicolons + 1;
}

/// Reads lines as fields.
class SnapshotReader : public base::LineReader {
 public:
  using base::LineReader::LineReader;

  /// Fields of the next line that is not empty; none at the end of the file. If the first line has commas, commas
  /// separate fields in all lines.
  std::optional<Fields> next_fields() {
    const std::optional<std::string_view> line = next();
    if (!line) return std::nullopt;
    if (!has_commas_ && are_between_semicolons(*line)) {
      refuse("semicolons are between the fields, where commas or blanks must be");
    }
    if (!has_commas_) has_commas_ = line->find(',') != std::string_view::npos;
    return *has_commas_ ? base::comma_fields(*line) : base::blank_fields(*line);
  }

  /// Whether commas separate the fields of the lines so far.
  [[nodiscard]] bool has_commas() const { return has_commas_.value_or(false); }

  [[nodiscard]] double real(std::string_view field, std::string_view column) const {
    std::string digits(field);
    if (const std::size_t exponent = digits.find_first_of("dD"); exponent != std::string::npos) digits[exponent] = 'e';
    const auto [value, error] = base::read_number<double>(digits);
    if (error == std::errc::result_out_of_range) {
      refuse(fmt::format("column {}: '{}' is outside the range of a double", column, field));
    }
    if (error != std::errc()) refuse(fmt::format("column {}: '{}' is no number", column, base::on_one_line(field)));
    if (!std::isfinite(value)) refuse(fmt::format("column {}: '{}' is not finite", column, field));
    return value;
  }

  [[nodiscard]] std::int64_t integer(std::string_view field, std::string_view column) const {
    const std::optional<std::int64_t> value = base::number_in<std::int64_t>(field);
    if (!value) refuse(fmt::format("column {}: '{}' is no 64-bit integer", column, base::on_one_line(field)));
    return *value;
  }

 private:
  std::optional<bool> has_commas_;
};

void read_particle(const SnapshotReader& in, const Fields& fields, const RowPlaces& places, std::int64_t id,
                   Particles& out) {
  std::array<double, kColumns.size()> v{};
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = in.real(fields[places.of[k]], kColumns[k]);
  if (v[0] < 0.0) in.refuse(fmt::format("column m: mass {} is negative", fields[places.of[0]]));
  out.push_back(id, v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6]});
}

/// The seven columns one after the other, in a row of `columns`.
RowPlaces seven_from(std::size_t first, std::size_t columns) {
  RowPlaces places;
  places.columns = columns;
  for (std::size_t k = 0; k < kColumns.size(); ++k) places.of[k] = first + k;
  return places;
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

  const RowPlaces places = seven_from(1, kPhigrapeColumns);
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
    read_particle(in, *fields, places, id, snapshot.particles);
  }
  if (snapshot.particles.size() < static_cast<std::size_t>(n)) {
    in.refuse(fmt::format("the file ends after {} of {} particles", snapshot.particles.size(), n));
  }
  return snapshot;
}

bool is_number(std::string_view field) { return base::read_number<double>(field).error == std::errc(); }

/// Why a line that must be one of names gives no places; empty for rows of numbers and for lines of other words.
std::string wrong_names(const Fields& names, NamedColumns named) {
  return named.known == 0 || std::ranges::any_of(names, is_number) ? std::string() : std::move(named.wrong);
}

/// What the comments before the first row say of the columns.
struct CommentedColumns {
  std::optional<RowPlaces> places;
  std::vector<std::string> unused;  // names that do not tell the places
  std::vector<std::string> unread;  // units that belong to no columns
};

bool is_usual_order(const RowPlaces& places) {
  for (std::size_t k = 1; k < places.of.size(); ++k) {
    if (places.of.at(k) != places.of.at(0) + k) return false;
  }
  return true;
}

/// The line without blanks beside signs of products and quotients: "km / s" is one word.
std::string with_whole_products(std::string_view line) {
  const auto is_sign = [](char letter) { return letter == '*' || letter == '/'; };
  const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t'; };
  std::string joined;
  for (const char letter : line) {
    while (is_sign(letter) && !joined.empty() && is_blank(joined.back())) joined.pop_back();
    if (!is_blank(letter) || joined.empty() || !is_sign(joined.back())) joined += letter;
  }
  return joined;
}

/// Units in the comment behind that of the names, where AMUSE writes them: a word for each column, none of which is a
/// name. `content` begins with the names; `place` is that of the line behind them. Other words among which are units
/// go into `unread`.
std::vector<StatedUnit> units_behind(std::string_view content, const RowPlaces& places, const std::string& place,
                                     std::vector<std::string>& unread) {
  content.remove_prefix(std::min(content.find('\n'), content.size() - 1) + 1);
  const std::string_view line = base::trimmed(content.substr(0, content.find('\n')));
  if (line.empty() || line.front() != '#') return {};
  std::string bare = with_whole_products(line);
  std::erase_if(bare, [](char letter) { return letter == '[' || letter == ']'; });
  const Fields words = names_in(bare);
  std::vector<StatedUnit> units;
  if (words.size() == places.columns) {
    for (std::size_t k = 0; k < kColumns.size(); ++k) units.push_back(stated_unit(k, words[places.of.at(k)], place));
    // A metre is written as the name of the masses.
    if (std::ranges::all_of(units, [](const StatedUnit& one) { return one.unit.has_value(); })) return units;
  }
  if (columns_by_names(words, place).known != 0) return {};
  if (words.size() != places.columns) {
    const auto is_unit = [](std::string_view word) {
      return word.size() > 1 &&
             (known_unit(UnitOf::mass, word) || known_unit(UnitOf::length, word) || known_unit(UnitOf::speed, word));
    };
    if (std::ranges::any_of(words, is_unit)) unread.assign(words.begin(), words.end());
    return {};
  }
  return units;
}

/// Whether a name says that its column is one of velocities: `vel_1`, `v0`, `Vr`, but no other word with a v.
bool says_velocity(std::string_view name) {
  std::string small;
  for (const char letter : name) small += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  constexpr std::size_t kShortest = 3;
  return small.starts_with("vel") || (small.starts_with('v') && small.size() <= kShortest);
}

/// Looks in the comments before the first row, which has this many `columns`, for names, as McLuster and AMUSE write
/// them. Units may stand in a comment behind. Throws gdr::Error for a comment that names most of the seven, but does
/// not fit the rows.
CommentedColumns columns_in_comments(const SnapshotReader& in, std::string_view content, const std::string& file,
                                     std::size_t columns) {
  CommentedColumns found;
  constexpr std::ptrdiff_t kLastPosition = 3;  // of seven columns, or eight
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  for (std::size_t number = 1;; ++number) {
    const std::string_view line = base::trimmed(content.substr(0, content.find('\n')));
    if (!line.empty() && line.front() != '#') break;
    if (!line.empty()) {
      Fields names = names_in(line);
      // "# Columns x y z" has a word before the names.
      if (names.size() == columns + 1 && columns_by_names({names.front()}, "").known == 0) names.erase(names.begin());
      NamedColumns named = columns_by_names(names, base::place_in(file, number));
      const bool is_most = 2 * named.known > kColumns.size();
      if (named.places && names.size() == columns) {
        const std::vector<StatedUnit> behind =
            units_behind(content, *named.places, base::place_in(file, number + 1), found.unread);
        named.places->units.insert(named.places->units.end(), behind.begin(), behind.end());
        return {std::move(named.places), {}, std::move(found.unread)};
      }
      if (named.places && !is_usual_order(*named.places)) {
        in.refuse(fmt::format("a comment names {} ({}), and the row has {}", base::counted(names.size(), "column"),
                              fmt::join(names, ", "), columns));
      }
      if (is_most && names.size() == columns) in.refuse(named.wrong);
      const bool are_words = named.known == 0 || std::ranges::any_of(names, is_number);
      if (!named.places && (is_most || (!are_words && (names.size() == columns || names.size() == 1)))) {
        for (const std::string_view name : names) found.unused.emplace_back(name);
        const auto velocity = std::ranges::find_if(names, says_velocity);
        if (names.size() == columns && velocity != names.end() && velocity - names.begin() <= kLastPosition) {
          in.refuse(
              fmt::format("a comment names column {} {}, and by their number it would be one of positions: name "
                          "the columns as in # m vx vy vz x y z",
                          velocity - names.begin() + 1, base::on_one_line(*velocity)));
        }
      }
    }
    const std::size_t end = content.find('\n');
    if (end == std::string_view::npos) break;
    content.remove_prefix(end + 1);
  }
  return found;
}

/// Tells of names in comments that were not used.
LoadedSnapshot with_note_of(const CommentedColumns& commented, LoadedSnapshot loaded) {
  if (!commented.unused.empty()) {
    loaded.notes.push_back(fmt::format(
        "comments name columns ({}) in a form that is not understood: the columns are taken by their number, "
        "as m x y z vx vy vz",
        base::on_one_line(fmt::format("{}", fmt::join(commented.unused, ", ")))));
  }
  if (!commented.unread.empty()) {
    loaded.notes.push_back(fmt::format(
        "a comment has words for units ({}) that are not one for each column: numbers are taken as they are, or in "
        "those of --units",
        base::on_one_line(fmt::format("{}", fmt::join(commented.unread, " ")))));
  }
  return loaded;
}

bool is_whole(std::string_view field) {
  const auto [value, error] = base::read_number<double>(field);
  return error == std::errc() && value == std::floor(value) && field.find_first_of("eEdD") == std::string_view::npos;
}

/// Whether a file says where its ids stand, or the place was guessed from its first row.
enum class Ids { told, guessed };

/// Rows whose columns stand at these places, from the one that was read on. Ids that are there are taken if they are
/// whole numbers of 64 bits, each once; else particles are numbered or, if the place was guessed, the file is refused:
/// the numbers may be masses.
LoadedSnapshot read_columns(SnapshotReader& in, const RowPlaces& places, std::optional<Fields> fields,
                            Ids ids_are = Ids::told) {
  LoadedSnapshot loaded;
  loaded.units = places.units;
  std::vector<std::int64_t> ids;
  bool are_ids = places.id.has_value();
  for (; fields; fields = in.next_fields()) {
    if (fields->size() != places.columns) {
      in.refuse(fmt::format("expected {} columns ({}), found {}", places.columns,
                            places.columns == kColumns.size() ? "m x y z vx vy vz" : "as before", fields->size()));
    }
    const auto number = static_cast<std::int64_t>(loaded.snapshot.particles.size());
    read_particle(in, *fields, places, number, loaded.snapshot.particles);
    if (!are_ids) continue;
    const auto id = base::number_in<std::int64_t>((*fields)[*places.id]);
    are_ids = id.has_value();
    if (id) ids.push_back(*id);
  }
  if (are_ids) {
    std::vector<std::int64_t> sorted = ids;
    std::ranges::sort(sorted);
    are_ids = std::ranges::adjacent_find(sorted) == sorted.end();
  }
  if (!are_ids && ids_are == Ids::guessed) {
    in.refuse(
        fmt::format("8 columns: the {} one is no index, whose numbers are whole and all different; name the "
                    "columns in a first line, such as # m x y z vx vy vz potential",
                    places.id == std::size_t{0} ? "first" : "last"));
  }
  if (are_ids) loaded.snapshot.particles.id = std::move(ids);
  if (!are_ids && places.id) {
    loaded.notes.emplace_back("the file's ids are no different whole numbers of 64 bits; particles are numbered");
  }
  if (places.columns > kColumns.size() + (places.id ? 1 : 0)) {
    loaded.notes.push_back(fmt::format("of {} columns, mass, position and velocity are taken", places.columns));
  }
  return loaded;
}

/// Eight columns without names: an index stands first or last.
RowPlaces places_of_eight(const SnapshotReader& in, const Fields& first) {
  const bool first_is_whole = is_whole(first.front());
  if (first_is_whole == is_whole(first.back())) {
    in.refuse(
        "8 columns: nothing tells if an index stands first or last; name the columns in a first line, such as "
        "# id m x y z vx vy vz");
  }
  RowPlaces places = seven_from(first_is_whole ? 1 : 0, first.size());
  places.id = first_is_whole ? 0 : kColumns.size();
  return places;
}

/// PeTar: `id N time`, where further numbers may stand, then N rows that begin with the seven columns.
LoadedSnapshot read_petar(SnapshotReader& in, const Fields& header) {
  const std::int64_t n = in.integer(header[1], "N");
  const double time = in.real(header[2], "time");
  std::optional<Fields> first = in.next_fields();
  if (!first || first->size() < kColumns.size())
    in.refuse("a header `id N time` needs rows m x y z vx vy vz behind it");
  const std::size_t columns = first->size();
  LoadedSnapshot loaded = read_columns(in, seven_from(0, columns), std::move(first));
  if (static_cast<std::int64_t>(loaded.snapshot.particles.size()) != n) {
    in.refuse(fmt::format("the header has {}, the file {}", base::counted(static_cast<std::size_t>(n), "particle"),
                          base::counted(loaded.snapshot.particles.size(), "row")));
  }
  loaded.snapshot.time = time;
  return loaded;
}

/// Every number of a text, in order, whatever the lines.
class NumberStream {
 public:
  explicit NumberStream(SnapshotReader& in) : in_(in) {}
  double next(std::string_view what) {
    while (at_ == fields_.size()) {
      std::optional<Fields> fields = in_.next_fields();
      if (!fields) in_.refuse(fmt::format("the file ends before the {}", what));
      fields_ = *std::move(fields);
      at_ = 0;
    }
    return in_.real(fields_[at_++], what);
  }
  Vec3 vector(std::string_view what) {
    const double x = next(what);
    const double y = next(what);
    return {x, y, next(what)};
  }
  void end() {
    if (at_ < fields_.size() || in_.next()) in_.refuse("more numbers than the header's N particles have");
  }

 private:
  SnapshotReader& in_;
  Fields fields_;
  std::size_t at_ = 0;
};

/// Treecodes [Barnes and Hut]: N, 3, time, then all masses, all positions, all velocities.
LoadedSnapshot read_treecode(SnapshotReader& in, std::size_t n, double time) {
  NumberStream numbers(in);
  LoadedSnapshot loaded;
  loaded.snapshot.time = time;
  Particles& p = loaded.snapshot.particles;
  for (std::size_t i = 0; i < n; ++i) p.push_back(static_cast<std::int64_t>(i), numbers.next("masses"), {}, {});
  for (Vec3& x : p.position) x = numbers.vector("positions");
  for (Vec3& v : p.velocity) v = numbers.vector("velocities");
  numbers.end();
  return loaded;
}

/// Phantom-GRAPE's samples: time, N, then for each particle its index, mass, position and velocity on four lines.
LoadedSnapshot read_phantom(SnapshotReader& in, std::size_t n, double time) {
  NumberStream numbers(in);
  LoadedSnapshot loaded;
  loaded.snapshot.time = time;
  for (std::size_t i = 0; i < n; ++i) {
    (void)numbers.next("indices");
    const double mass = numbers.next("masses");
    const Vec3 x = numbers.vector("positions");
    loaded.snapshot.particles.push_back(static_cast<std::int64_t>(i), mass, x, numbers.vector("velocities"));
  }
  numbers.end();
  return loaded;
}

/// Tipsy's text: `N gas stars`, 3, time, then all masses, all x, all y, ..., all vz, and what we do not take.
LoadedSnapshot read_tipsy_text(SnapshotReader& in, std::size_t n) {
  NumberStream numbers(in);
  LoadedSnapshot loaded;
  (void)numbers.next("dimensions");
  loaded.snapshot.time = numbers.next("time");
  Particles& p = loaded.snapshot.particles;
  for (std::size_t i = 0; i < n; ++i) p.push_back(static_cast<std::int64_t>(i), numbers.next("masses"), {}, {});
  for (double Vec3::* axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
    for (Vec3& x : p.position) x.*axis = numbers.next("positions");
  }
  for (double Vec3::* axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
    for (Vec3& v : p.velocity) v.*axis = numbers.next("velocities");
  }
  return loaded;
}

std::optional<std::size_t> count_in(const Fields& fields, std::size_t most) {
  const auto n = base::number_in<std::int64_t>(fields.front());
  if (!n || *n < 1 || static_cast<std::uint64_t>(*n) > most) return std::nullopt;
  return static_cast<std::size_t>(*n);
}

/// A file that begins with a line of one number: phiGRAPE, a treecode, or Phantom-GRAPE. Their numbers of lines tell.
LoadedSnapshot read_one_by_one(std::string_view content, SnapshotReader& in, const Fields& first) {
  SnapshotReader ahead = in;
  std::vector<Fields> heads{first};
  std::size_t lines = 1;
  while (const std::optional<Fields> fields = ahead.next_fields()) {
    ++lines;
    constexpr std::size_t kHeads = 4;
    if (heads.size() < kHeads) heads.push_back(*fields);
  }
  if (heads.size() == 4 && heads[3].size() == 1) {
    const std::optional<std::size_t> of_tree = count_in(heads[0], content.size());
    const std::optional<std::size_t> of_phantom = count_in(heads[1], content.size());
    if (of_tree && lines == 3 * *of_tree + 3 && heads[1].front() == "3") {
      (void)in.next_fields();
      const std::optional<Fields> time = in.next_fields();
      return read_treecode(in, *of_tree, in.real(time->front(), "time"));
    }
    if (of_phantom && lines == 4 * *of_phantom + 2) {
      const double time = in.real(first.front(), "time");
      (void)in.next_fields();
      return read_phantom(in, *of_phantom, time);
    }
  }
  LoadedSnapshot loaded;
  loaded.snapshot = read_phigrape(in, first);
  return loaded;
}

}  // namespace

LoadedSnapshot read_rows(std::string_view content, const std::string& file) {
  SnapshotReader in(content, file);
  const std::optional<Fields> first = in.next_fields();
  if (!first) in.refuse("the file holds no particles");
  const Fields names = in.has_commas() ? *first : with_units(*first);
  const NamedColumns named = columns_by_names(names, in.where());
  if (named.places) return read_columns(in, *named.places, in.next_fields());
  if (const std::string wrong = wrong_names(names, named); names.size() > 1 && !wrong.empty()) in.refuse(wrong);
  const CommentedColumns commented = columns_in_comments(in, content, file, first->size());
  if (commented.places) return with_note_of(commented, read_columns(in, *commented.places, first));
  if (first->size() == 1) return read_one_by_one(content, in, *first);
  if (first->size() == kColumns.size()) {
    return with_note_of(commented, read_columns(in, seven_from(0, first->size()), first));
  }
  if (first->size() == kPhigrapeColumns) {
    return with_note_of(commented, read_columns(in, places_of_eight(in, *first), first, Ids::guessed));
  }
  constexpr std::size_t kHeader = 3;
  if (first->size() >= kHeader && base::number_in<std::int64_t>((*first)[1])) {
    SnapshotReader ahead = in;
    const std::optional<Fields> second = ahead.next_fields();
    const std::optional<std::size_t> n = count_in(*first, content.size());
    if (first->size() == kHeader && n && second && second->size() == 1 && second->front() == "3") {
      return read_tipsy_text(in, *n);
    }
    if (second && second->size() >= kColumns.size()) return read_petar(in, *first);
  }
  in.refuse(
      fmt::format("first line has {} columns; expected 1 (step number of a phiGRAPE file), {} (m x y z vx vy vz), "
                  "or a line with the names of columns",
                  first->size(), kColumns.size()));
}

}  // namespace gdr::hostlib
