// Reports as text, by the forms of their shapes.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "gdr/base/counted.h"
#include "gdr/base/error.h"
#include "gdr/base/report.h"

namespace gdr::base {
namespace {

/// What stands between braces.
struct Place {
  std::string_view path;
  double factor = 1;
  std::string_view form;
};

Place place_of(std::string_view text) {
  Place place;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    place.form = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  const std::size_t sign = text.find_first_of("*/", 1);
  place.path = text.substr(0, sign);
  if (sign == std::string_view::npos) return place;
  const std::string_view digits = text.substr(sign + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), place.factor);
  if (text[sign] == '/') place.factor = 1 / place.factor;
  return place;
}

/// The part up to the next dot, which is taken off `path`.
std::string_view next_key(std::string_view& path) {
  const std::string_view key = path.substr(0, path.find('.'));
  path.remove_prefix(std::min(path.size(), key.size() + 1));
  return key;
}

const Json* value_at(const Json& report, std::string_view path) {
  const Json* value = &report;
  while (value != nullptr && !path.empty()) {
    const std::string_view key = next_key(path);
    const std::vector<Json>* const list = value->list();
    if (list == nullptr) {
      value = value->find(key);
      continue;
    }
    std::size_t index = 0;
    std::from_chars(key.data(), key.data() + key.size(), index);
    value = index < list->size() ? &(*list)[index] : nullptr;
  }
  return value;
}

/// Seconds with enough digits for short times.
std::string time_of(const Json& value, double factor) {
  const std::string exact = value.printed(".17g", factor);
  double seconds = 0;
  std::from_chars(exact.data(), exact.data() + exact.size(), seconds);
  return value.printed(seconds >= 10 ? ".2f" : ".4g", factor);
}

/// Bytes in the largest unit in which they are at least 1.
std::string bytes_of(const Json& value, double factor) {
  const std::string exact = value.printed(".17g", factor);
  double bytes = 0;
  std::from_chars(exact.data(), exact.data() + exact.size(), bytes);
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  // 999,995 bytes and more would print as 1000 kB with five digits.
  constexpr double kNext = 999.995;
  for (; unit + 1 < kUnits.size() && bytes >= kNext; ++unit) {
    bytes /= 1e3;
    factor /= 1e3;
  }
  return value.printed(".5g", factor) + " " + kUnits[unit];
}

std::string joined_by_blanks(const Json& list) {
  std::string text;
  if (list.list() == nullptr) return text;
  for (const Json& entry : *list.list()) text += (text.empty() ? "" : " ") + entry.printed("");
  return text;
}

/// Calls `place` with what stands in braces and `part` with what stands in brackets, `plain` with all between.
template <class Plain, class PlaceDo, class Part>
void walk(std::string_view form, Plain plain, PlaceDo place, Part part) {
  while (!form.empty()) {
    const std::size_t sign = std::min(form.find_first_of("{["), form.size());
    plain(form.substr(0, sign));
    form.remove_prefix(sign);
    if (form.empty()) return;
    const bool is_part = form.front() == '[';
    std::size_t depth = 0;
    std::size_t end = 0;
    do {
      GDR_ASSERT(end < form.size(), "every bracket in the form of a text is closed");
      depth += form[end] == (is_part ? '[' : '{') ? 1 : 0;
      depth -= form[end] == (is_part ? ']' : '}') ? 1 : 0;
      ++end;
    } while (depth > 0);
    const std::string_view inside = form.substr(1, end - 2);
    is_part ? part(inside) : place(inside);
    form.remove_prefix(end);
  }
}

/// Calls `with` for each line: the list that it is repeated for, if there is one, and its form.
template <class With>
void for_each_line(std::string_view form, With with) {
  while (!form.empty()) {
    std::string_view line = form.substr(0, form.find('\n'));
    form.remove_prefix(std::min(form.size(), line.size() + 1));
    std::optional<std::string_view> list;
    if (line.starts_with("{*")) {
      const std::size_t end = line.find('}');
      list = line.substr(2, end - 2);
      line.remove_prefix(end + 1);
    }
    with(list, line);
  }
}

class TextWriter {
 public:
  TextWriter(const Json& report, const Json& words) : report_(report), words_(words) {}

  [[nodiscard]] std::string text(std::string_view form) {
    std::string all;
    const auto add = [&](std::string_view line) {
      const auto made = segment(line);
      if (made) all += *made;
      if (made && !made->ends_with('\n')) all += '\n';  // words may be several lines
    };
    for_each_line(form, [&](std::optional<std::string_view> list, std::string_view line) {
      if (!list) return add(line);
      const Json* const entries = found(*list);
      if (entries == nullptr || entries->list() == nullptr) return;
      for (const Json& entry : *entries->list()) {
        entry_ = &entry;
        add(line);
      }
      entry_ = nullptr;
    });
    return all;
  }

 private:
  [[nodiscard]] const Json* found(std::string_view path) const {
    if (path == ".") return entry_;
    if (path.starts_with('@')) return value_at(words_, path.substr(1));
    if (entry_ != nullptr) {
      if (const Json* const value = value_at(*entry_, path)) return value;
    }
    return value_at(report_, path);
  }

  /// Nothing if a field is missing.
  [[nodiscard]] std::optional<std::string> segment(std::string_view form) const {
    std::string text;
    bool whole = true;
    walk(
        form, [&](std::string_view plain) { text += plain; },
        [&](std::string_view inside) {
          const auto value = printed(place_of(inside));
          whole = whole && value;
          if (value) text += *value;
        },
        [&](std::string_view part) { text += segment(part).value_or(""); });
    return whole ? std::optional(text) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> printed(const Place& place) const {
    const Json* const value = found(place.path);
    const std::string_view form = place.form;
    if (form.starts_with('?') || form.starts_with('!')) {
      const bool holds = value != nullptr && value->holds_something();
      if (holds == form.starts_with('?')) return std::string(form.substr(1));
      return form.size() > 1 ? std::optional(std::string()) : std::nullopt;
    }
    // Numbers that are not finite are null in JSON, too.
    if (value == nullptr || value->text(Json::kCompact) == "null") return std::nullopt;
    if (form == "time") return time_of(*value, place.factor);
    if (form == "words") return joined_by_blanks(*value);
    if (form.starts_with("bytes")) {
      const std::string bytes = bytes_of(*value, place.factor);
      std::size_t width = 0;  // of {size:bytes>10}
      if (form.size() > 6) std::from_chars(form.data() + 6, form.data() + form.size(), width);
      return std::string(width - std::min(width, bytes.size()), ' ') + bytes;
    }
    if (form.starts_with('#')) {
      const std::string count = value->printed("");
      return count + " " + std::string(form.substr(1)) + (count == "1" ? "" : "s");
    }
    return value->printed(form, place.factor);
  }

  const Json& report_;
  const Json& words_;
  const Json* entry_ = nullptr;
};

/// The field at `path`, or nullptr. Objects without members have any.
bool is_known(const std::vector<Field>& fields, std::string_view path) {
  const std::string_view key = next_key(path);
  const auto field = std::ranges::find(fields, key, &Field::key);
  if (field == fields.end()) return false;
  return path.empty() || field->members.empty() || is_known(field->members, path);
}

}  // namespace

std::string text_of(std::string_view form, const Json& report, const Json& words) {
  return TextWriter(report, words).text(form);
}

void check_text(std::string_view form, const ReportShape& shape, const std::vector<Field>& common) {
  std::vector<Field> fields = common;
  fields.insert(fields.end(), shape.head.begin(), shape.head.end());
  fields.push_back({shape.rows, FieldKind::list, "", "", false, shape.row});
  for_each_line(form, [&](std::optional<std::string_view> list, std::string_view line) {
    if (list && list->starts_with('@')) return;
    std::vector<Field> known = fields;
    if (list) {
      GDR_ASSERT(is_known(fields, *list), "a text repeats a line for a list of its report");
      const auto of_list = std::ranges::find(fields, *list, &Field::key);
      if (of_list != fields.end()) known.insert(known.end(), of_list->members.begin(), of_list->members.end());
    }
    const auto check = [&](const auto& self, std::string_view part_form) -> void {
      walk(
          part_form, [](std::string_view) {},
          [&](std::string_view inside) {
            const std::string_view path = place_of(inside).path;
            GDR_ASSERT(path == "." || path.starts_with('@') || is_known(known, path),
                       "a text names fields of its report");
          },
          [&](std::string_view part) { self(self, part); });
    };
    check(check, line);
  });
}

}  // namespace gdr::base
