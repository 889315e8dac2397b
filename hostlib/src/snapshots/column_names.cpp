#include "column_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "gdr/base/line_reader.h"
#include "gdr/hostlib/units.h"

namespace gdr::hostlib {
namespace {

/// The name of a column without unit or number, in small letters: "Mass_[Msun]" is "mass", "x(1)" is "x". A name such
/// as "Mass(t=0)" says which mass, and stays as it is.
std::string plain_name(std::string_view name) {
  const std::size_t bracket = name.find('(');
  const bool is_other = bracket != std::string_view::npos && name.find('=', bracket) != std::string_view::npos;
  std::string plain;
  for (const char letter : name) {
    if (letter == '[' || (letter == '(' && !is_other)) break;
    plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  while (!plain.empty() && (plain.back() == '_' || plain.back() == ' ')) plain.pop_back();
  return plain;
}

/// Removes `#` and the number of a column from before its name, as in "#2:y" and "2=y".
std::string_view without_number(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of("# "), name.size()));
  const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  const bool is_number =
      digits > 0 && digits < name.size() && std::string_view(":=)").find(name[digits]) != std::string_view::npos;
  return is_number ? base::trimmed(name.substr(digits + 1)) : name;
}

/// Names between bars or commas, which may hold blanks.
Fields names_between(std::string_view line, char separator) {
  Fields names;
  if (separator == ',') {
    names = base::comma_fields(line);
  } else {
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      names.push_back(base::trimmed(line.substr(at, end - at)));
      at = end + 1;
    }
    if (names.back().empty()) names.pop_back();  // bars may stand around the names, too
    if (!names.empty() && names.front().empty()) names.erase(names.begin());
  }
  for (std::string_view& name : names) name = without_number(name);
  if (!names.empty()) {
    const std::string_view first = names.front();
    names.front() = base::trimmed(first.substr(first.rfind(':') + 1));  // "columns: x"
  }
  return names;
}

/// Names between blanks, with their units, and without words before a colon.
Fields names_between_blanks(std::string_view line) {
  Fields names;
  for (std::string_view field : with_units(base::blank_fields(line))) {
    field = without_number(field);
    if (const std::size_t colon = field.substr(0, field.find_first_of("[(")).rfind(':');
        colon != std::string_view::npos) {
      names.clear();
      field.remove_prefix(colon + 1);
    }
    if (!field.empty()) names.push_back(field);
  }
  return names;
}

/// What stands behind one of `words` in a name if it is one digit: 1 of "pos[1]", "pos(1)", "pos_1" and "pos1".
std::optional<int> index_behind(const std::vector<std::string_view>& words, std::string_view name) {
  for (const std::string_view word : words) {
    std::string_view rest = name;
    bool fits = rest.size() > word.size();
    for (std::size_t k = 0; fits && k < word.size(); ++k) {
      fits = std::tolower(static_cast<unsigned char>(rest[k])) == word[k];
    }
    if (!fits) continue;
    rest.remove_prefix(word.size());
    if (rest.starts_with('_')) rest.remove_prefix(1);
    const char closing = rest.starts_with('[') ? ']' : rest.starts_with('(') ? ')' : '\0';
    if (closing != '\0') rest.remove_prefix(1);
    if (rest.empty() || std::isdigit(static_cast<unsigned char>(rest.front())) == 0) continue;
    const int index = rest.front() - '0';
    rest.remove_prefix(1);
    if (closing != '\0' && (rest.empty() || rest.front() != closing)) continue;
    if (closing != '\0') rest.remove_prefix(1);
    if (rest.empty() || std::string_view("_ [(").find(rest.front()) != std::string_view::npos) return index;
  }
  return std::nullopt;
}

/// The plain names of all columns, in which elements 0 to 2, or 1 to 3, of an array of positions or velocities have the
/// names of their axes. A single number behind a name may be that of its column, as in "x(2)".
std::vector<std::string> plain_names(const Fields& names) {
  struct Array {
    std::vector<std::string_view> words;
    std::array<std::string_view, 3> axes;
  };
  static const std::array<Array, 2> kArrays{
      {{{"position", "pos", "r", "x"}, {"x", "y", "z"}}, {{"velocity", "vel", "v"}, {"vx", "vy", "vz"}}}};
  std::vector<std::string> plain;
  for (const std::string_view name : names) plain.push_back(plain_name(name));
  for (const auto& [words, axes] : kArrays) {
    std::vector<std::pair<int, std::size_t>> elements;  // index, column
    for (std::size_t column = 0; column < names.size(); ++column) {
      if (const auto index = index_behind(words, names[column])) elements.emplace_back(*index, column);
    }
    std::ranges::sort(elements);
    if (elements.size() != axes.size() || elements.front().first > 1) continue;
    if (elements[1].first != elements[0].first + 1 || elements[2].first != elements[0].first + 2) continue;
    for (std::size_t k = 0; k < axes.size(); ++k) plain[elements[k].second] = axes.at(k);
  }
  return plain;
}

/// The words in brackets behind a name that may be units: "x [pc]" has pc. Numbers are none, as in "x(1)", nor are
/// times, as in "Mass(t=0)".
Fields bracketed(std::string_view name) {
  Fields words;
  for (std::size_t at = name.find_first_of("[("); at < name.size(); at = name.find_first_of("[(", at)) {
    const char closing = name[at++] == '[' ? ']' : ')';
    const std::size_t end = std::min(name.find(closing, at), name.size());
    const std::string_view word = base::trimmed(name.substr(at, end - at));
    const bool is_number = word.find_first_not_of("0123456789.+-") == std::string_view::npos;
    if (!is_number && word.find('=') == std::string_view::npos) words.push_back(word);
    at = end;
  }
  return words;
}

constexpr UnitOf unit_of(std::size_t column) {
  return column == 0 ? UnitOf::mass : column <= 3 ? UnitOf::length : UnitOf::speed;
}

/// The unit behind the name of one of the seven columns: the first word in brackets that is one, or else the first.
std::optional<StatedUnit> unit_behind(std::string_view name, std::size_t column, const std::string& place) {
  std::optional<StatedUnit> first;
  for (const std::string_view word : bracketed(name)) {
    StatedUnit stated = stated_unit(column, word, place);
    if (stated.unit) return stated;
    if (!first) first = std::move(stated);
  }
  return first;
}

}  // namespace

StatedUnit stated_unit(std::size_t column, std::string_view word, const std::string& place) {
  const UnitOf of = unit_of(column);
  return {of, std::string(kColumns.at(column)), std::string(word), known_unit(of, word), place};
}

Fields with_units(const Fields& fields) {
  Fields names;
  bool is_unit = false;
  for (const std::string_view field : fields) {
    is_unit = is_unit || field.front() == '[' || field.front() == '(';
    if (!is_unit) {
      names.push_back(field);
      continue;
    }
    if (!names.empty()) {
      const char* const begin = names.back().data();
      names.back() = {begin, static_cast<std::size_t>(field.data() + field.size() - begin)};
    }
    is_unit = field.back() != ']' && field.back() != ')';
  }
  return names;
}

Fields names_in(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
  for (const char separator : {'|', ','}) {
    if (line.find(separator) != std::string_view::npos) return names_between(line, separator);
  }
  return names_between_blanks(line);
}

NamedColumns columns_by_names(const Fields& names, const std::string& place) {
  static const std::array<std::vector<std::string_view>, kColumns.size()> kNames{
      {{"m", "mass"},
       {"x", "pos_x", "x_pos", "posx", "xpos", "rx"},
       {"y", "pos_y", "y_pos", "posy", "ypos", "ry"},
       {"z", "pos_z", "z_pos", "posz", "zpos", "rz"},
       {"vx", "vel_x", "v_x", "x_vel", "velx", "xvel"},
       {"vy", "vel_y", "v_y", "y_vel", "vely", "yvel"},
       {"vz", "vel_z", "v_z", "z_vel", "velz", "zvel"}}};
  static const std::vector<std::string_view> kIds{"id", "index", "key", "name"};
  RowPlaces places;
  places.columns = names.size();
  std::array<unsigned, kColumns.size()> found{};
  const std::vector<std::string> plain = plain_names(names);
  for (std::size_t column = 0; column < names.size(); ++column) {
    const std::string& name = plain[column];
    for (std::size_t k = 0; k < kNames.size(); ++k) {
      if (std::ranges::find(kNames.at(k), name) == kNames.at(k).end()) continue;
      places.of.at(k) = column;
      ++found.at(k);
      if (auto unit = unit_behind(names[column], k, place)) places.units.push_back(*std::move(unit));
    }
    if (std::ranges::find(kIds, name) != kIds.end() && !places.id) places.id = column;
  }
  NamedColumns named;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found.at(k) > 0) ++named.known;
    if (found.at(k) == 1 || !named.wrong.empty()) continue;
    named.wrong = fmt::format("column {} is {}: the columns are named {}", kColumns.at(k),
                              found.at(k) == 0 ? "missing" : "there twice", fmt::join(names, ", "));
  }
  if (named.wrong.empty()) named.places = places;
  return named;
}

}  // namespace gdr::hostlib
