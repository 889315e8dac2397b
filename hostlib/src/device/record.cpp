#include "gdr/hostlib/record.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"

namespace gdr::hostlib {

std::size_t RecordLayout::field(std::string_view name, std::size_t elements) const {
  std::size_t field = 0;
  for (const isa::Variable* variable : program_.variables_by(transfer_)) {
    if (variable->name == name && variable->elements == elements) return field;
    field += variable->elements;
  }
  throw Error(fmt::format("kernel {} has no {} variable {} of {} elements", program_.kernel, isa::name_of(transfer_),
                          name, elements));
}

bool RecordLayout::has(std::string_view name) const {
  const auto& variables = program_.variables_by(transfer_);
  return std::ranges::any_of(variables, [name](const isa::Variable* variable) { return variable->name == name; });
}

}  // namespace gdr::hostlib
