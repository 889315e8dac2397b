// Descriptions of networks load by name, and by no other kind's.
#include "gdr/interconnect/network.h"

#include <gtest/gtest.h>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

TEST(Network, EveryKindsDescriptionsLoadByName) {
  for (const base::DescriptionKind& kind : network_kinds()) {
    for (const std::string& name : base::description_names(std::span(&kind, 1))) {
      EXPECT_EQ(load_network(name, kind.name).kind, kind.name) << name;
    }
  }
}

TEST(Network, ABoardIsNoNetwork) { EXPECT_THROW(static_cast<void>(load_network("model1800", "optical-hub")), Error); }

}  // namespace
}  // namespace gdr::interconnect
