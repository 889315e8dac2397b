// Fields as the tables of shapes write them, and those that several commands share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gdr/base/report.h"

namespace gdr::cli {

using base::Field;
using base::ReportShape;

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

/// `kernel_sha256` and `machine_sha256`.
[[nodiscard]] std::vector<Field> digest_fields();
/// What add_device_results() adds beside the fields of all reports.
[[nodiscard]] std::vector<Field> device_fields();
[[nodiscard]] Field transfer_field();
[[nodiscard]] Field clock_field();
[[nodiscard]] Field boards_field();
/// `compiled`: how a kernel's source was compiled.
[[nodiscard]] Field compiled_field();
/// `counters` of all chips.
[[nodiscard]] Field counters_field();

// The shapes of each file.
[[nodiscard]] std::span<const ReportShape> shapes_of_runs();
[[nodiscard]] std::span<const ReportShape> shapes_of_kernels();
[[nodiscard]] std::span<const ReportShape> shapes_of_networks();
[[nodiscard]] std::span<const ReportShape> shapes_of_linear_algebra();
[[nodiscard]] std::span<const ReportShape> shapes_of_tools();

}  // namespace gdr::cli
