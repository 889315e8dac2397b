#include "gdr/interconnect/flow_factors.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/interconnect/network.h"

namespace gdr::interconnect {

FlowFactors::Class FlowFactors::of(std::uint64_t bytes) const {
  const auto above = std::ranges::upper_bound(classes, bytes, {}, &Class::from_bytes);
  return above == classes.begin() ? Class{} : *(above - 1);
}

FlowFactors load_flow_factors(std::string_view name_or_file) {
  const base::Description description = load_network(name_or_file, "flow-factors");
  FlowFactors factors{.name = description.name, .classes = {}, .weight_s = description.value("weight_s")};
  for (unsigned number = 0; number < kFlowClasses; ++number) {
    const auto value = [&](std::string_view key) { return description.value(fmt::format("{}_{}", key, number)); };
    const auto from = static_cast<std::uint64_t>(value("from"));
    if (number == 0 ? from != 0 : from <= factors.classes.back().from_bytes) {
      throw Error(fmt::format("{}: from_{} = {} is refused: sizes must ascend from 0", description.name, number, from));
    }
    factors.classes.push_back({from, value("latency"), value("rate_cap")});
  }
  return factors;
}

}  // namespace gdr::interconnect
