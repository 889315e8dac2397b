#include "gdr/base/report_fields.h"

#include <algorithm>
#include <utility>

#include "gdr/base/error.h"

namespace gdr::base {

Field text_field(std::string key, std::string meaning) {
  return {std::move(key), base::FieldKind::text, "", std::move(meaning)};
}
Field flag_field(std::string key, std::string meaning) {
  return {std::move(key), base::FieldKind::flag, "", std::move(meaning)};
}
Field whole_field(std::string key, std::string meaning, std::string unit) {
  return {std::move(key), base::FieldKind::whole, std::move(unit), std::move(meaning)};
}
Field number_field(std::string key, std::string unit, std::string meaning) {
  return {std::move(key), base::FieldKind::number, std::move(unit), std::move(meaning)};
}
Field any_field(std::string key, std::string meaning) {
  return {std::move(key), base::FieldKind::any, "", std::move(meaning)};
}
Field list_field(std::string key, std::string meaning, std::vector<Field> of_entries, std::string unit) {
  return {std::move(key), base::FieldKind::list, std::move(unit), std::move(meaning), false, std::move(of_entries)};
}
Field object_field(std::string key, std::string meaning, std::vector<Field> members, std::string unit) {
  return {std::move(key), base::FieldKind::object, std::move(unit), std::move(meaning), false, std::move(members)};
}

Field or_null(Field field) {
  field.may_be_null = true;
  return field;
}
Field or_none(Field field) {
  field.may_lack = true;
  return field;
}
std::vector<Field> or_none(std::vector<Field> fields) {
  for (Field& field : fields) field.may_lack = true;
  return fields;
}

Field seconds_field(std::string key, std::string meaning, std::span<const std::pair<const char*, const char*>> parts) {
  Field field = object_field(std::move(key), std::move(meaning), {}, "s");
  for (const auto& [name, what] : parts) field.members.push_back(number_field(name, "s", what));
  return field;
}

std::vector<Field> joined(std::initializer_list<std::vector<Field>> lists) {
  std::vector<Field> all;
  for (const std::vector<Field>& fields : lists) all.insert(all.end(), fields.begin(), fields.end());
  return all;
}

ReportShape without_run(ReportShape shape) {
  shape.is_of_a_run = false;
  return shape;
}

std::vector<ReportShape> with_texts(std::vector<ReportShape> shapes, std::string_view texts) {
  while (!texts.empty()) {
    std::string_view commands = texts.substr(1, texts.find('\n') - 1);
    const std::size_t begin = texts.find('\n') + 1;
    const std::size_t end = std::min(texts.find("\n:", begin), texts.size() - 1) + 1;
    while (!commands.empty()) {
      const std::string_view command = commands.substr(0, commands.find(','));
      commands.remove_prefix(std::min(commands.size(), command.size() + 2));
      const auto shape = std::ranges::find(shapes, command, &ReportShape::name);
      GDR_ASSERT(shape != shapes.end(), "a text is that of a report with a shape");
      shape->text = texts.substr(begin, end - begin);
    }
    texts.remove_prefix(end);
  }
  return shapes;
}

}  // namespace gdr::base
