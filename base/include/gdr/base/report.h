// Results that print themselves: a report of typed fields, as text, JSON, CSV and HTML. A shape says once what a field
// is; JSON Schemas and pages come from it, too.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gdr/base/json.h"

namespace gdr::base {

/// `any`: the kind depends on the report, as that of a published value does, which may be a number or a text.
enum class FieldKind : std::uint8_t { text, number, whole, flag, list, object, any };

/// A field of a report.
struct Field {
  std::string key;
  FieldKind kind = FieldKind::number;
  std::string unit;  // "s", "Gflops"; empty: none
  std::string meaning;
  bool may_be_null = false;
  /// Of an object: its fields. Of a list: the fields of its entries, which are objects then. None: any.
  std::vector<Field> members = {};
  /// For the text alone, such as a sum of other fields: not in JSON and CSV.
  bool text_only = false;
  /// Reports without it fit the shape, too.
  bool may_lack = false;
};

/// A column of the table of rows.
struct Column {
  std::string key;
  std::string title;
  std::string form;  // of a cell, for fmt: "{:>11.4g}"; the title has the same width and side
  double factor = 1;
};

struct ReportShape {
  std::string name;              // of the command: "cluster nbody"
  unsigned version = 1;          // grows when a field changes its meaning or goes
  std::vector<Field> head = {};  // beside the fields of all reports
  std::vector<Field> row = {};   // of each of the rows; none: the report has no rows
  std::vector<Column> table = {};
  std::string rows = "rows";   // key of the list of rows
  bool rows_may_lack = false;  // reports without this list fit the shape, too
  bool is_of_a_run = true;     // it has all fields that are common to reports; else those that name command and version
  std::string_view text = {};  // form of the text, for text_of(); empty: the command writes its text by itself

  /// What the field `schema` of a report says: "cluster-nbody/1".
  [[nodiscard]] std::string schema_name() const;
};

/// A value of a field: null, a flag, a whole number, a number, a text; a list or an object as Json.
class ReportValue {
 public:
  using Of = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Json>;
  ReportValue(std::nullptr_t) {}
  ReportValue(bool value) : of_(value) {}
  template <std::integral Whole>
  ReportValue(Whole value) : of_(static_cast<std::int64_t>(value)) {}
  ReportValue(double value) : of_(value) {}
  ReportValue(std::string value) : of_(std::move(value)) {}
  ReportValue(std::string_view value) : of_(std::string(value)) {}
  ReportValue(const char* value) : of_(std::string(value)) {}
  ReportValue(Json value) : of_(std::move(value)) {}

  [[nodiscard]] const Of& of() const { return of_; }
  [[nodiscard]] Json json() const;

 private:
  Of of_;
};

/// A report under construction. Keys that the shape does not know, values of another kind and rows with other keys are
/// mistakes of ours: GDR_ASSERT.
class Report {
 public:
  using Entry = std::pair<std::string_view, ReportValue>;

  /// `shape` must outlive the report.
  explicit Report(const ReportShape& shape) : shape_(&shape) {}

  void set(std::string_view key, ReportValue value);
  /// A row; its entries are in the order of the shape.
  void add_row(std::initializer_list<Entry> entries);
  [[nodiscard]] const std::string& name() const { return shape_->name; }
  /// The value of the only row; null if there are more or none.
  [[nodiscard]] Json of_one_row(std::string_view key) const;

  /// Adds the fields to `json`: `schema`, those of the head in the order in which they were set, and `rows`.
  void add_to(Json& json) const;
  /// The rows with a line of titles, two blanks before each line.
  [[nodiscard]] std::string table() const;
  /// As csv_of() writes them.
  [[nodiscard]] std::string csv() const;

 private:
  const ReportShape* shape_;
  std::vector<std::pair<std::string, ReportValue>> head_;
  std::vector<std::vector<ReportValue>> rows_;
};

/// The rows of a report of this shape, a line each, with a line of keys. Fields of objects are columns of their own:
/// parts.board. A list is written as JSON; a field that is null or missing gives an empty cell.
[[nodiscard]] std::string csv_of(const ReportShape& shape, const Json& report);

/// The report as text in this form. A field stands in braces, with its place in objects and lists, a factor
/// and a form of fmt: `{seconds}`, `{natural_order.bytes/1e6:.4f}`. Words that are not in the report follow an `@`:
/// `{@title}`. Forms beside those of fmt: `{seconds:time}` gives more digits to short times, `{boards:#board}` is a
/// count with its noun, `{size:bytes}` and `{size:bytes>10}` take a unit that fits, `{links:words}` has blanks between
/// the entries of a list, `{overlap:?text}` the text if the field holds something, `{overlap:!text}` if it does not.
/// What stands in `[]` is left out if a field in it is missing or null, and so is a line; without a text, `?` and `!`
/// leave it out, too. `{*rows}` before a line repeats it for each entry of the list, whose fields may then be named;
/// `{.}` is the entry itself.
[[nodiscard]] std::string text_of(std::string_view form, const Json& report, const Json& words = {});
/// GDR_ASSERT that the form of a text names only fields of the shape, or of `common`.
void check_text(std::string_view form, const ReportShape& shape, const std::vector<Field>& common);

/// The report as tables of HTML: its fields with units and meanings, its rows, and a table for each list of entries
/// with fields. Numbers show six digits, and have all of them as `value` of their element. `common` are the fields of
/// all reports.
[[nodiscard]] std::string html_of(const ReportShape& shape, const std::vector<Field>& common, const Json& report);
/// The same as a page of its own, which loads nothing, with `text`, as text_of() gives it, before the tables.
[[nodiscard]] std::string html_page_of(const ReportShape& shape, const std::vector<Field>& common, const Json& report,
                                       std::string_view text = {});

/// JSON Schema (draft 2020-12) of the reports of this shape, which also have the fields `common`.
[[nodiscard]] Json json_schema(const ReportShape& shape, const std::vector<Field>& common);
/// The fields as a table in Markdown: key, unit, meaning. Members of objects follow as `parts.board`, those of the
/// entries of lists as `edits[].line`.
[[nodiscard]] std::string markdown_table(const std::vector<Field>& fields);

}  // namespace gdr::base
