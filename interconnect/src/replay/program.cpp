#include "gdr/interconnect/program.h"

#include <fmt/format.h>

#include <limits>

#include "gdr/base/error.h"

namespace gdr::interconnect {

OperationId RankProgram::add(const Operation& operation, std::span<const Before> before) {
  constexpr std::size_t kMost = std::numeric_limits<OperationId>::max();
  if (operations_.size() == kMost) throw Error(fmt::format("{}: more than {} operations of a rank", file, kMost));
  operations_.push_back(operation);
  before_.insert(before_.end(), before.begin(), before.end());
  begin_.push_back(before_.size());
  return static_cast<OperationId>(operations_.size() - 1);
}

}  // namespace gdr::interconnect
