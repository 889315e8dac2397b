#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/network_mapping.h"
#include "gdr/interconnect/platform.h"

namespace gdr::interconnect {
namespace {

/// What stands behind "torus:" or "mesh:"; nothing for other names.
std::optional<std::string_view> extents_in(std::string_view name) {
  for (const std::string_view kind : {"torus:", "mesh:"}) {
    if (name.starts_with(kind)) return name.substr(kind.size());
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> axes_of(std::string_view name) {
  const auto extents = extents_in(name);
  if (!extents) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::count(*extents, 'x')) + 1;
}

Topology network_to_map(std::string_view name, std::string_view links) {
  const auto extents = extents_in(name);
  if (!extents) return load_platform(name).topology;
  const base::Description network = load_network(links, "grid");
  const Cable cable{network.value("bandwidth") * kGiga, network.value("latency") * kMicro};
  constexpr std::size_t kMostDigits = 7;
  std::vector<NodeId> dimensions;
  for (std::size_t begin = 0; begin <= extents->size();) {
    const std::size_t end = std::min(extents->find('x', begin), extents->size());
    const std::string text(extents->substr(begin, end - begin));
    const bool is_number =
        !text.empty() && text.size() <= kMostDigits && text.find_first_not_of("0123456789") == text.npos;
    if (!is_number) throw Error(fmt::format("'{}' is refused: it must be torus:AxBx... or mesh:AxBx...", name));
    dimensions.push_back(static_cast<NodeId>(std::stoul(text)));
    begin = end + 1;
  }
  return name.starts_with("mesh:") ? mesh(std::move(dimensions), cable) : torus(std::move(dimensions), cable);
}

}  // namespace gdr::interconnect
