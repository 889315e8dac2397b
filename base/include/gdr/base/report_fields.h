// Fields as the tables of shapes write them, and what shapes of several reports share.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/base/report.h"

namespace gdr::base {

[[nodiscard]] Field text_field(std::string key, std::string meaning);
[[nodiscard]] Field flag_field(std::string key, std::string meaning);
[[nodiscard]] Field whole_field(std::string key, std::string meaning, std::string unit = "1");
[[nodiscard]] Field number_field(std::string key, std::string unit, std::string meaning);
[[nodiscard]] Field any_field(std::string key, std::string meaning);
[[nodiscard]] Field list_field(std::string key, std::string meaning, std::vector<Field> of_entries = {},
                               std::string unit = "");
[[nodiscard]] Field object_field(std::string key, std::string meaning, std::vector<Field> members = {},
                                 std::string unit = "");
/// The field, which may also be null.
[[nodiscard]] Field or_null(Field field);
/// The field, which reports may lack.
[[nodiscard]] Field or_none(Field field);
/// Fields that all reports of a command may lack, since they are those of one kind of run.
[[nodiscard]] std::vector<Field> or_none(std::vector<Field> fields);
/// An object of seconds: keys and meanings.
[[nodiscard]] Field seconds_field(std::string key, std::string meaning,
                                  std::span<const std::pair<const char*, const char*>> parts);
/// All of these fields, in order.
[[nodiscard]] std::vector<Field> joined(std::initializer_list<std::vector<Field>> lists);

/// The shape of a report that is not about a run.
[[nodiscard]] ReportShape without_run(ReportShape shape);
/// The shapes with the forms of their texts. A line of `texts` with a colon at its begin names the commands, with a
/// comma and a blank between them, that have the form below it.
[[nodiscard]] std::vector<ReportShape> with_texts(std::vector<ReportShape> shapes, std::string_view texts);

}  // namespace gdr::base
