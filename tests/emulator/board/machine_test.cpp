// Machine descriptions: what a good file gives, and how each kind of bad one is refused.
#include "gdr/emulator/machine.h"

#include <gtest/gtest.h>

#include <string>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/isa/isa.h"

namespace gdr::emulator {
namespace {

std::string model1800() {
  for (const auto& directory : base::data_directories()) {
    const auto file = directory / "machines" / "model1800.toml";
    if (std::filesystem::exists(file)) return base::read_file(file);
  }
  return {};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_machine(text, "m.toml"));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Machine, BothDescriptionsLoadByName) {
  const MachineDescription big = load_machine("model1800");
  EXPECT_EQ(big.chips, 4u);
  EXPECT_EQ(big.clock_mhz, 400);
  EXPECT_EQ(big.em_words, std::uint64_t{1} << 25);
  EXPECT_EQ(load_machine("model450").chips, 1u);
}

// A description may give other ports, to see what they would change; those of boards that were built are the chip's.
TEST(Machine, BoardsThatWereBuiltHaveTheChipsPorts) {
  for (const std::string name : {"model450", "model1800"}) {
    EXPECT_EQ(load_machine(name).idp_clocks, isa::kIdpClocksPerWord) << name;
    EXPECT_EQ(load_machine(name).odp_clocks, isa::kOdpClocksPerWord) << name;
  }
}

TEST(Machine, EveryParameterHasUnitAndOrigin) {
  for (const std::string& name : machine_names()) {
    for (const base::Parameter& parameter : load_machine(name).parameters) {
      EXPECT_FALSE(parameter.unit.empty()) << name << " " << parameter.key;
      EXPECT_GE(parameter.origin.size(), 3u) << name << " " << parameter.key;
    }
  }
}

TEST(Machine, UnknownNameIsRefusedWithTheKnownOnes) {
  try {
    static_cast<void>(load_machine("model9000"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("model1800"), std::string::npos) << error.what();
  }
}

TEST(Machine, UnknownKeyIsNamedWithItsLine) {
  const std::string why = refusal(replaced(model1800(), "tree_latency ", "tree_latensy "));
  EXPECT_NE(why.find("unknown parameter 'tree_latensy'"), std::string::npos) << why;
  EXPECT_EQ(why.find("m.toml:"), 0u) << why;
}

TEST(Machine, MissingKeyIsNamed) {
  std::string text = model1800();
  const std::size_t at = text.find("pio_rate");
  text.erase(at, text.find('\n', at) - at);
  EXPECT_NE(refusal(text).find("'pio_rate' is missing"), std::string::npos) << refusal(text);
}

TEST(Machine, SillyValuesAreRefusedWithTheAllowedRange) {
  const std::string chips = refusal(replaced(model1800(), "value = 4,", "value = 400,"));
  EXPECT_NE(chips.find("chips = 400 is refused: it must be a whole number from 1 to 16"), std::string::npos) << chips;
  const std::string fraction = refusal(replaced(model1800(), "value = 4,", "value = 2.5,"));
  EXPECT_NE(fraction.find("whole number"), std::string::npos) << fraction;
  const std::string negative = refusal(replaced(model1800(), "value = 400,", "value = -1,"));
  EXPECT_NE(negative.find("clock = -1 is refused"), std::string::npos) << negative;
  const std::string infinite = refusal(replaced(model1800(), "value = 400,", "value = inf,"));
  EXPECT_NE(infinite.find("clock = inf is refused"), std::string::npos) << infinite;
}

/// The description with another value of one parameter.
std::string with_value(const std::string& key, const std::string& value) {
  std::string text = model1800();
  const std::size_t line = text.find("\n" + key + " ");
  EXPECT_NE(line, std::string::npos) << key;
  const std::size_t begin = text.find("value = ", line) + std::string("value = ").size();
  return text.replace(begin, text.find(',', begin) - begin, value);
}

TEST(Machine, ValuesAreTakenUpToTheEndsOfTheirRanges) {
  struct Range {
    const char* key;
    const char* least;
    const char* below;
    const char* most;
    const char* above;
  };
  for (const Range& range :
       {Range{"chips", "1", "0", "16", "17"}, Range{"clock", "1", "0.5", "10000", "10001"},
        Range{"fpga_clock", "1", "0.5", "10000", "10001"}, Range{"idp_clocks", "1", "0", "64", "65"},
        Range{"odp_clocks", "1", "0", "64", "65"}, Range{"tree_latency", "0", "-1", "1024", "1025"},
        Range{"bm_line_first", "0", "-1", "1", "2"}, Range{"em_refresh_time", "0", "-1", "99", "99.5"}}) {
    EXPECT_EQ(refusal(with_value(range.key, range.least)), "accepted") << range.key;
    EXPECT_EQ(refusal(with_value(range.key, range.most)), "accepted") << range.key;
    for (const char* outside : {range.below, range.above}) {
      EXPECT_NE(refusal(with_value(range.key, outside)).find(std::string(range.key) + " = " + outside + " is refused"),
                std::string::npos)
          << range.key << " = " << outside;
    }
  }
}

TEST(Machine, WrongTypeIsRefused) {
  EXPECT_NE(refusal(replaced(model1800(), "value = 4,", "value = \"four\",")).find("'chips.value' must be a number"),
            std::string::npos);
}

TEST(Machine, ParameterWithoutOriginIsRefused) {
  EXPECT_NE(refusal(replaced(model1800(), "origin = \"R: Koike et al. 2009, section 2.3\"", "origin = \"\""))
                .find("chips.origin"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(model1800(), "origin = \"R: Koike", "origin = \"Koike")).find("must begin with R:"),
            std::string::npos);
}

TEST(Machine, AnotherUnitIsRefused) {
  const std::string why = refusal(replaced(model1800(), "unit = \"MHz\"", "unit = \"GHz\""));
  EXPECT_NE(why.find("'clock.unit' = 'GHz' is refused: it must be 'MHz'"), std::string::npos) << why;
}

TEST(Machine, NoTomlIsRefusedWithThePlace) {
  const std::string why = refusal("name = \n");
  EXPECT_EQ(why.find("m.toml:1:"), 0u) << why;
}

}  // namespace
}  // namespace gdr::emulator
