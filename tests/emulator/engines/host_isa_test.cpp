// Which instruction set of the host the vector engine uses.
#include "gdr/emulator/host_isa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "gdr/base/error.h"
#include "gdr/emulator/chip.h"
#include "refusal.h"

namespace gdr::tests {
namespace {

using emulator::HostIsa;
using ::testing::HasSubstr;

constexpr std::array kAll{HostIsa::portable, HostIsa::sse4_2, HostIsa::neon, HostIsa::avx2, HostIsa::avx512};

TEST(HostIsas, HaveNamesOfTheirOwnAndThePortableOneIsEverywhere) {
  std::vector<std::string_view> names;
  for (const HostIsa isa : kAll) names.push_back(emulator::name_of(isa));
  EXPECT_THAT(names, ::testing::ElementsAre("portable", "sse4_2", "neon", "avx2", "avx512"));
  EXPECT_EQ(emulator::available_host_isas().front(), HostIsa::portable);
}

TEST(HostIsas, ThatTheHostLacksAreRefused) {
  const std::vector<HostIsa> available = emulator::available_host_isas();
  for (const HostIsa isa : kAll) {
    const std::string text = refusal([&] { (void)emulator::make_simd_chip(isa); });
    if (std::ranges::count(available, isa) != 0) {
      EXPECT_EQ(text, "");
    } else {
      EXPECT_THAT(text, HasSubstr("this host has no " + std::string(emulator::name_of(isa))));
    }
  }
}

TEST(HostIsas, AreChosenByTheEnvironment) {
  for (const HostIsa isa : emulator::available_host_isas()) {
    ASSERT_EQ(setenv("GDR_HOST_ISA", std::string(emulator::name_of(isa)).c_str(), 1), 0);
    EXPECT_EQ(refusal([] { (void)emulator::make_simd_chip(); }), "");
  }
  ASSERT_EQ(setenv("GDR_HOST_ISA", "abacus", 1), 0);
  EXPECT_THAT(refusal([] { (void)emulator::make_simd_chip(); }),
              HasSubstr("GDR_HOST_ISA: 'abacus' is refused: it must be one of portable"));
  ASSERT_EQ(unsetenv("GDR_HOST_ISA"), 0);
}

}  // namespace
}  // namespace gdr::tests
