#include "gdr/interconnect/network.h"

#include <algorithm>

#include "gdr/base/error.h"

namespace gdr::interconnect {

const std::vector<base::DescriptionKind>& network_kinds() {
  static const std::vector<base::DescriptionKind> kinds{
      {"optical-hub",
       {{"nodes", "1", 1, 65536, true},
        {"bandwidth", "GB/s per node", 1e-6, 1e6, false},
        {"latency", "us", 0, 1e6, false}}},
  };
  return kinds;
}

base::Description load_network(std::string_view name_or_file, std::string_view kind) {
  const auto known = std::ranges::find(network_kinds(), kind, &base::DescriptionKind::name);
  GDR_ASSERT(known != network_kinds().end(), "a kind of network is one of network_kinds()");
  return base::load_description(name_or_file, std::span(&*known, 1));
}

}  // namespace gdr::interconnect
