#include "gdr/validation/row.h"

#include <fmt/format.h>

#include "names.h"

namespace gdr::validation {

bool RowId::belongs_to(std::string_view name) const {
  return text_ == name || (text_.size() > name.size() && text_.starts_with(name) && text_[name.size()] == '.');
}

RowId RowId::part(std::string_view name) const {
  return text_.empty() ? RowId(std::string(name)) : RowId(fmt::format("{}.{}", text_, name));
}

std::string_view name_of(Role role) { return kRoles[role]; }
std::string_view name_of(Bar::Kind kind) { return kBarKinds[kind]; }
std::string_view name_of(CaseField field) { return kCaseFields[field]; }

bool has_limit(Bar::Kind kind) {
  return kind == Bar::Kind::relative || kind == Bar::Kind::sigma || kind == Bar::Kind::at_least ||
         kind == Bar::Kind::at_most;
}

std::string text_of(const Bar& bar) {
  switch (bar.kind) {
    case Bar::Kind::relative:
      return fmt::format("{:g} %", 100 * bar.limit);
    case Bar::Kind::sigma:
      return fmt::format("{:g} sigma", bar.limit);
    case Bar::Kind::at_least:
      return fmt::format(">= {:g}", bar.limit);
    case Bar::Kind::at_most:
      return fmt::format("<= {:g}", bar.limit);
    case Bar::Kind::within:
      return fmt::format("{:g} to {:g}", bar.low, bar.high);
    case Bar::Kind::printed:
      return "all digits";
    case Bar::Kind::none:
    case Bar::Kind::holds:
    case Bar::Kind::exact:
      break;
  }
  return std::string(name_of(bar.kind));
}

std::vector<CaseField> fields_of(const Case& what) {
  std::vector<CaseField> fields;
  const auto take = [&](const auto& member, CaseField field) {
    if (member) fields.push_back(field);
  };
  take(what.kernel, CaseField::kernel);
  take(what.network, CaseField::network);
  take(what.algorithm, CaseField::algorithm);
  take(what.layout, CaseField::layout);
  take(what.system, CaseField::system);
  take(what.stage, CaseField::stage);
  take(what.graph, CaseField::graph);
  take(what.method, CaseField::method);
  take(what.side, CaseField::side);
  take(what.limit, CaseField::limit);
  take(what.bytes, CaseField::bytes);
  return fields;
}

}  // namespace gdr::validation
