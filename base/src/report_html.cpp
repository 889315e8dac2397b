// Reports as HTML: fields and rows as tables, with their units and meanings.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "gdr/base/html.h"
#include "gdr/base/report.h"

namespace gdr::base {
namespace {

// Colours are those of the browser, light or dark, and greys that are seen on both.
constexpr std::string_view kReportStyle =
    R"(:root{color-scheme:light dark;--line:#8885;--soft:#8881;--grey:#777}
body{font:15px/1.45 system-ui,sans-serif;margin:1.5em auto;max-width:84em;padding:0 1em}
h1{font-size:1.4em;margin:0 0 .6em}h2{font-size:1.1em;margin:1.6em 0 .4em}h2+p{margin:0 0 .5em}
pre{background:var(--soft);border-radius:6px;padding:.7em 1em;overflow-x:auto;font:13px/1.4 ui-monospace,monospace}
code{font:.92em ui-monospace,monospace}.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}tbody tr:nth-child(even){background:var(--soft)}
td,th{padding:.2em .7em;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{font-weight:600}tbody th,.key{font:13px/1.6 ui-monospace,monospace}thead th{vertical-align:bottom;border-bottom:2px solid var(--line)}
td{white-space:pre-wrap;overflow-wrap:anywhere}.rows td{white-space:pre;overflow-wrap:normal}td.n,th.n{text-align:right}
.fields td{min-width:10em}.fields .unit{min-width:0}
.unit,.none{color:var(--grey);font-weight:400}thead .unit{display:block}details{margin:.5em 0}td table{font-size:.92em}
@media(prefers-color-scheme:dark){:root{--grey:#999}})";

/// A meaning, whose words of programs stand between grave accents.
std::string marked(std::string_view meaning) {
  std::string out;
  bool inside = false;
  for (const char c : html(meaning)) {
    if (c != '`') {
      out += c;
      continue;
    }
    inside = !inside;
    out += inside ? "<code>" : "</code>";
  }
  return out;
}

bool is_number(const Json& value) {
  if (value.is_null() || value.string() != nullptr || value.list() != nullptr || value.members() != nullptr)
    return false;
  const std::string text = value.text(Json::kCompact);
  return text != "true" && text != "false" && text != "null";
}

constexpr std::string_view kNoValue = "<span class=\"none\">none</span>";

/// Six digits of a number, or all those before the point of a large one; the element has all of them.
std::string number_html(const Json& value) {
  const std::string all = value.text(Json::kCompact);
  std::string few = value.printed(".6g");
  constexpr std::size_t kLongest = 16;  // a digit more, and a double does not hold all of them
  if (const std::string whole = value.printed(".0f"); few.find("e+") != few.npos && whole.size() <= kLongest)
    few = whole;
  if (all == few || all.find_first_of(".e") == std::string::npos) return all;
  return fmt::format("<data value=\"{}\">{}</data>", all, few);
}

std::string value_html(const Json& value);

/// The keys of all entries, in the order in which they first occur.
std::vector<std::string> keys_of(const std::vector<Json>& entries) {
  std::vector<std::string> keys;
  for (const Json& entry : entries) {
    if (entry.members() == nullptr) continue;
    for (const auto& [key, value] : *entry.members()) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

std::string cell_html(const Json* value) {
  if (value == nullptr) return "<td></td>";
  return fmt::format("<td{}>{}</td>", is_number(*value) ? " class=\"n\"" : "", value_html(*value));
}

std::string list_html(const std::vector<Json>& entries) {
  const std::vector<std::string> keys = keys_of(entries);
  std::string text;
  if (keys.empty()) {
    for (const Json& entry : entries) {
      const std::string one = entry.list() != nullptr ? "(" + value_html(entry) + ")" : value_html(entry);
      text += (text.empty() ? "" : ", ") + one;
    }
    return text;
  }
  text = "<table><thead><tr>";
  for (const std::string& key : keys) text += fmt::format("<th>{}</th>", html(key));
  text += "</tr></thead><tbody>";
  for (const Json& entry : entries) {
    text += "<tr>";
    for (const std::string& key : keys) text += cell_html(entry.find(key));
    text += "</tr>";
  }
  return text + "</tbody></table>";
}

/// A value of which no fields are known, too.
std::string value_html(const Json& value) {
  if (const std::string* const text = value.string()) return text->empty() ? std::string(kNoValue) : html(*text);
  if (const auto* const list = value.list()) return list->empty() ? std::string(kNoValue) : list_html(*list);
  if (const auto* const members = value.members()) {
    if (members->empty()) return std::string(kNoValue);
    std::string text;
    for (const auto& [key, member] : *members) {
      text +=
          fmt::format("{}<span class=\"key\">{}</span> {}", text.empty() ? "" : "\n", html(key), value_html(member));
    }
    return text;
  }
  if (is_number(value)) return number_html(value);
  const std::string word = value.text(Json::kCompact);
  return word == "true" ? "yes" : word == "false" ? "no" : std::string(kNoValue);
}

/// The columns of entries with these fields; those of objects are columns of their own.
struct HtmlColumns {
  struct Of {
    std::string name;
    const Field* field;
    std::vector<std::string> path;
  };
  std::vector<Of> all;

  void add(const std::vector<Field>& fields, const std::vector<std::string>& before) {
    for (const Field& field : fields) {
      if (field.text_only) continue;
      std::vector<std::string> path = before;
      path.push_back(field.key);
      if (field.kind == FieldKind::object && !field.members.empty()) {
        add(field.members, path);
        continue;
      }
      std::string name;
      for (const std::string& key : path) name += (name.empty() ? "" : ".") + key;
      all.push_back({std::move(name), &field, std::move(path)});
    }
  }

  static const Json* value_in(const Json& entry, const std::vector<std::string>& path) {
    const Json* value = &entry;
    for (const std::string& key : path) {
      value = value->find(key);
      if (value == nullptr) return nullptr;
    }
    return value;
  }
};

/// A unit of 1 is none for a person.
std::string unit_of(const Field& field) { return field.unit == "1" ? "" : html(field.unit); }

std::string heading_html(std::string_view key, std::string_view meaning) {
  std::string words(key);
  std::ranges::replace(words, '_', ' ');
  return fmt::format("<h2>{}</h2>\n{}", html(words),
                     meaning.empty() ? "" : fmt::format("<p>{}</p>\n", marked(meaning)));
}

/// Entries with known fields: a line each, and below what the columns are.
std::string rows_html(const std::vector<Field>& fields, const std::vector<Json>& entries) {
  HtmlColumns columns;
  columns.add(fields, {});
  // A column that no entry has is one of another kind of run.
  std::erase_if(columns.all, [&](const HtmlColumns::Of& column) {
    return column.field->may_lack && std::ranges::none_of(entries, [&](const Json& e) {
             return HtmlColumns::value_in(e, column.path) != nullptr;
           });
  });
  std::string text = "<div class=\"wide\"><table class=\"rows\"><thead><tr>";
  std::string meanings;
  for (const auto& [name, field, path] : columns.all) {
    const bool numbers = field->kind == FieldKind::number || field->kind == FieldKind::whole;
    text += fmt::format("<th{} title=\"{}\">{}<span class=\"unit\">{}</span></th>", numbers ? " class=\"n\"" : "",
                        html(field->meaning), html(name), unit_of(*field));
    meanings += fmt::format("<tr><th>{}</th><td>{}</td><td>{}</td></tr>\n", html(name), unit_of(*field),
                            marked(field->meaning));
  }
  text += "</tr></thead><tbody>\n";
  for (const Json& entry : entries) {
    text += "<tr>";
    for (const HtmlColumns::Of& column : columns.all) text += cell_html(HtmlColumns::value_in(entry, column.path));
    text += "</tr>\n";
  }
  return text +
         "</tbody></table></div>\n<details><summary>What the columns are</summary><table><thead><tr>"
         "<th>column</th><th>unit</th><th>meaning</th></tr></thead><tbody>\n" +
         meanings + "</tbody></table></details>\n";
}

/// A table of fields, and behind it one for each list of entries with known fields.
class FieldTable {
 public:
  void add(const std::vector<Field>& fields, const Json& object, const std::string& before = "") {
    for (const Field& field : fields) {
      const Json* const value = object.find(field.key);
      if (value == nullptr || field.text_only) continue;
      const std::string name = before + field.key;
      if (field.kind == FieldKind::list && !field.members.empty() && value->holds_something()) {
        lists_ += heading_html(name, field.meaning) + rows_html(field.members, *value->list());
      } else if (field.kind == FieldKind::object && !field.members.empty() && value->members() != nullptr) {
        line(name, "", field);
        add(field.members, *value, name + ".");
      } else {
        line(name, value_html(*value), field);
      }
    }
  }
  [[nodiscard]] std::string html_under(std::string_view heading) const {
    if (lines_.empty()) return lists_;
    return heading_html(heading, "") +
           "<div "
           "class=\"wide\"><table "
           "class=\"fields\"><thead><tr><th>field</th><th>value</th><th>unit</th><th>meaning</th></tr></thead>"
           "<tbody>\n" +
           lines_ + "</tbody></table></div>\n" + lists_;
  }

 private:
  void line(const std::string& name, const std::string& value, const Field& field) {
    lines_ += fmt::format("<tr><th>{}</th><td>{}</td><td class=\"unit\">{}</td><td>{}</td></tr>\n", html(name), value,
                          value.empty() ? "" : unit_of(field), marked(field.meaning));
  }
  std::string lines_;
  std::string lists_;
};

/// Options as they were given.
std::string options_html(const Json& report) {
  const Json* const options = report.find("options");
  if (options == nullptr || options->members() == nullptr || options->members()->empty()) return "";
  std::string text = heading_html("options and arguments", "") + "<table><tbody>\n";
  for (const auto& [name, value] : *options->members()) {
    text += fmt::format("<tr><th>{}</th>{}</tr>\n", html(name), cell_html(&value));
  }
  return text + "</tbody></table>\n";
}

}  // namespace

std::string html_of(const ReportShape& shape, const std::vector<Field>& common, const Json& report) {
  FieldTable own;
  own.add(shape.head, report);
  std::string text = own.html_under("result");
  const Json* const rows = report.find(shape.rows);
  if (!shape.row.empty() && rows != nullptr && rows->list() != nullptr && !rows->list()->empty()) {
    text += heading_html(shape.rows, "") + rows_html(shape.row, *rows->list());
  }
  FieldTable of_all;
  std::vector<Field> fields = common;
  std::erase_if(fields, [](const Field& field) { return field.key == "options"; });
  of_all.add(fields, report);
  return text + options_html(report) + of_all.html_under("run");
}

std::string html_page_of(const ReportShape& shape, const std::vector<Field>& common, const Json& report,
                         std::string_view text) {
  const Json* const tool = report.find("tool");
  const std::string name = html(tool != nullptr && tool->string() != nullptr ? *tool->string() : shape.name);
  return fmt::format(
             "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">{}<meta name=\"viewport\" "
             "content=\"width=device-width\"><title>{}</title><style>\n{}\n</style></head><body>\n<h1>{}</h1>\n",
             content_policy(), name, kReportStyle, name) +
         (text.empty() ? "" : fmt::format("<pre>{}</pre>\n", html(text))) + html_of(shape, common, report) +
         "</body></html>\n";
}

}  // namespace gdr::base
