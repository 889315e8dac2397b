#include "gdr/base/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "gdr/base/report_page.h"

namespace gdr::base {
namespace {

/// The types of JSON Schema.
constexpr Names<FieldKind> kTypes({{FieldKind::text, "string"},
                                   {FieldKind::number, "number"},
                                   {FieldKind::whole, "integer"},
                                   {FieldKind::flag, "boolean"},
                                   {FieldKind::list, "array"},
                                   {FieldKind::object, "object"},
                                   {FieldKind::any, "any"}});

bool fits(const Field& field, const ReportValue& value) {
  const FieldKind kind = field.kind;
  const struct {
    bool null;
    FieldKind kind;
    [[nodiscard]] bool is(FieldKind one) const { return kind == one || kind == FieldKind::any; }
    bool operator()(std::nullptr_t) const { return null || kind == FieldKind::any; }
    bool operator()(bool) const { return is(FieldKind::flag); }
    bool operator()(std::int64_t) const { return is(FieldKind::whole) || is(FieldKind::number); }
    bool operator()(double) const { return is(FieldKind::number); }
    bool operator()(const std::string&) const { return is(FieldKind::text); }
    bool operator()(const Json&) const { return is(FieldKind::list) || is(FieldKind::object); }
  } fitting{field.may_be_null, kind};
  return std::visit(fitting, value.of());
}

/// A form for fmt, taken apart: what stands around the braces, the side and the width.
struct Form {
  std::string before;
  std::string after;
  bool left = true;
  std::size_t width = 0;
};

Form form_of(std::string_view form) {
  const std::size_t open = form.find('{');
  const std::size_t close = form.find('}');
  Form parts{std::string(form.substr(0, open)), std::string(form.substr(close + 1)), true, 0};
  std::string_view spec = form.substr(open + 1, close - open - 1);
  if (!spec.starts_with(':')) return parts;
  spec.remove_prefix(1);
  if (spec.starts_with('>')) parts.left = false;
  if (spec.starts_with('>') || spec.starts_with('<')) spec.remove_prefix(1);
  for (; !spec.empty() && spec.front() >= '0' && spec.front() <= '9'; spec.remove_prefix(1)) {
    parts.width = 10 * parts.width + static_cast<std::size_t>(spec.front() - '0');
  }
  return parts;
}

std::string title_of(const Column& column) {
  const Form form = form_of(column.form);
  const std::size_t width = form.width == 0 ? 0 : form.width + form.after.size();
  return form.before +
         (form.left ? fmt::format("{:<{}}", column.title, width) : fmt::format("{:>{}}", column.title, width));
}

std::string cell(const Column& column, const ReportValue& value) {
  const auto printed = [&](const auto& scalar) { return fmt::format(fmt::runtime(column.form), scalar); };
  if (const auto* const text = std::get_if<std::string>(&value.of())) return printed(*text);
  if (const auto* const number = std::get_if<double>(&value.of())) return printed(column.factor * *number);
  if (const auto* const whole = std::get_if<std::int64_t>(&value.of())) {
    return column.factor == 1 ? printed(*whole) : printed(column.factor * static_cast<double>(*whole));
  }
  return value.json().text(Json::kCompact);
}

std::string trimmed_right(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

Json schema_of(const std::vector<Field>& fields);

Json type_of(const Field& field) {
  if (!field.may_be_null) return kTypes[field.kind];
  Json types = Json::array();
  types.push_back(kTypes[field.kind]);
  types.push_back("null");
  return types;
}

Json schema_of(const Field& field) {
  Json schema = Json::object();
  if (field.kind != FieldKind::any) schema["type"] = type_of(field);
  schema["description"] = field.meaning;
  if (!field.unit.empty()) schema["x-unit"] = field.unit;
  if (field.members.empty()) return schema;
  const Json members = schema_of(field.members);
  Json& of_members = field.kind == FieldKind::list ? schema["items"] = Json{{"type", "object"}} : schema;
  of_members["properties"] = members["properties"];
  of_members["required"] = members["required"];
  of_members["additionalProperties"] = false;
  return schema;
}

Json schema_of(const std::vector<Field>& fields) {
  Json schema{{"type", "object"}};
  Json& properties = schema["properties"] = Json::object();
  for (const Field& field : fields) {
    if (!field.text_only) properties[field.key] = schema_of(field);
  }
  Json required = Json::array();
  for (const Field& field : fields) {
    if (!field.text_only && !field.may_lack) required.push_back(field.key);
  }
  schema["required"] = required;
  return schema;
}

std::string note_of(const Field& field) {
  return std::string(field.may_be_null ? "; may be null" : "") + (field.may_lack ? "; not in all reports" : "");
}

void add_lines(std::string& page, const std::vector<Field>& fields, const std::string& before) {
  for (const Field& field : fields) {
    if (field.text_only) continue;
    page += fmt::format("| `{}{}` | {} | {}{} |\n", before, field.key, field.unit, field.meaning, note_of(field));
    add_lines(page, field.members, before + field.key + (field.kind == FieldKind::list ? "[]." : "."));
  }
}

/// In quotes if a comma, a quote or a line feed is inside.
std::string csv_cell(const Json* value) {
  if (value == nullptr || value->is_null()) return "";
  const std::string* const of_text = value->string();
  const std::string text = of_text != nullptr ? *of_text : value->text(Json::kCompact);
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + "\"";
}

/// The columns of the fields of an object: a name each, and the cell of an object that may lack it.
struct CsvColumns {
  std::vector<std::string> names;
  std::vector<std::string> cells;

  void add(const std::vector<Field>& fields, const std::string& before, const Json* object) {
    for (const Field& field : fields) {
      if (field.text_only) continue;
      const Json* const value = object == nullptr ? nullptr : object->find(field.key);
      if (field.kind == FieldKind::object && !field.members.empty()) {
        add(field.members, before + field.key + ".", value);
        continue;
      }
      names.push_back(before + field.key);
      cells.push_back(csv_cell(value));
    }
  }
};

}  // namespace

Json ReportValue::json() const {
  return std::visit([](const auto& value) { return Json(value); }, of_);
}

std::string ReportShape::schema_name() const {
  std::string dashed = name;
  std::ranges::replace(dashed, ' ', '-');
  return fmt::format("{}/{}", dashed, version);
}

void Report::set(std::string_view key, ReportValue value) {
  const auto field = std::ranges::find(shape_->head, key, &Field::key);
  GDR_ASSERT(field != shape_->head.end() && fits(*field, value), "a field of a report is one of its shape");
  head_.emplace_back(key, std::move(value));
}

void Report::add_row(std::initializer_list<Entry> entries) {
  GDR_ASSERT(entries.size() == shape_->row.size(), "a row of a report has the fields of its shape");
  std::vector<ReportValue> row;
  for (const auto& [key, value] : entries) {
    const Field& field = shape_->row[row.size()];
    GDR_ASSERT(field.key == key && fits(field, value), "a row of a report has the fields of its shape");
    row.push_back(value);
  }
  rows_.push_back(std::move(row));
}

Json Report::of_one_row(std::string_view key) const {
  if (rows_.size() != 1) return nullptr;
  const auto field = std::ranges::find(shape_->row, key, &Field::key);
  return rows_.front()[static_cast<std::size_t>(field - shape_->row.begin())].json();
}

void Report::add_to(Json& json) const {
  json["schema"] = shape_->schema_name();
  for (const auto& [key, value] : head_) json[key] = value.json();
  if (shape_->row.empty()) return;
  Json& rows = json[shape_->rows] = Json::array();
  for (const std::vector<ReportValue>& row : rows_) {
    Json object = Json::object();
    for (std::size_t n = 0; n < row.size(); ++n) {
      if (!shape_->row[n].text_only) object[shape_->row[n].key] = row[n].json();
    }
    rows.push_back(std::move(object));
  }
}

std::string Report::table() const {
  std::string line = " ";
  for (const Column& column : shape_->table) line += " " + title_of(column);
  std::string text = trimmed_right(line) + "\n";
  for (const std::vector<ReportValue>& row : rows_) {
    line = " ";
    for (const Column& column : shape_->table) {
      const auto field = std::ranges::find(shape_->row, column.key, &Field::key);
      line += " " + cell(column, row[static_cast<std::size_t>(field - shape_->row.begin())]);
    }
    text += line + "\n";
  }
  return text;
}

std::string Report::csv() const {
  Json json = Json::object();
  add_to(json);
  return csv_of(*shape_, json);
}

std::string csv_of(const ReportShape& shape, const Json& report) {
  CsvColumns titles;
  titles.add(shape.row, "", nullptr);
  std::string text = fmt::format("{}\n", fmt::join(titles.names, ","));
  const Json* const rows = report.find(shape.rows);
  if (rows == nullptr || rows->list() == nullptr) return text;
  for (const Json& row : *rows->list()) {
    CsvColumns columns;
    columns.add(shape.row, "", &row);
    text += fmt::format("{}\n", fmt::join(columns.cells, ","));
  }
  return text;
}

Json json_schema(const ReportShape& shape, const std::vector<Field>& common) {
  std::vector<Field> fields;
  for (const Field& field : common) {
    const bool names = field.key == "tool" || field.key == "version" || field.key == "options";
    if (shape.is_of_a_run || names) fields.push_back(field);
  }
  fields.insert(fields.end(), shape.head.begin(), shape.head.end());
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "gdr " + shape.name}};
  const Json object = schema_of(fields);
  schema["type"] = "object";
  schema["properties"] = object["properties"];
  schema["properties"]["schema"] = Json{{"const", shape.schema_name()}};
  Json required = object["required"];
  required.push_back("schema");
  if (!shape.row.empty()) {
    Json row = schema_of(shape.row);
    row["additionalProperties"] = false;
    schema["properties"][shape.rows] = Json{{"type", "array"}, {"items", row}};
    if (!shape.rows_may_lack) required.push_back(shape.rows);
  }
  schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

std::string markdown_table(const std::vector<Field>& fields) {
  std::string page = "| field | unit | meaning |\n|---|---|---|\n";
  add_lines(page, fields, "");
  return page;
}

std::string fields_page(const std::vector<const ReportShape*>& shapes, const std::vector<Field>& common) {
  std::string text = fmt::format("## All reports\n\n{}", markdown_table(common));
  for (const ReportShape* const shape : shapes) {
    text += fmt::format("\n## `{}`\n", shape->name);
    if (!shape->head.empty()) text += "\n" + markdown_table(shape->head);
    if (shape->row.empty()) continue;
    text += fmt::format("\nEach of `{}`{}:\n\n{}", shape->rows, shape->rows_may_lack ? " (not in all reports)" : "",
                        markdown_table(shape->row));
  }
  return text;
}

}  // namespace gdr::base
