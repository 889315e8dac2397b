// Descriptions: files made to break their reader are refused like any other bad file.
#include "gdr/base/description.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "scratch_directory.h"

namespace gdr::base {
namespace {

using ::testing::ElementsAre;

const std::vector<DescriptionKind> kKinds{{"scale", {{"most", "kg", 1, 500, false}}}};

constexpr std::string_view kScale = R"(name = "shop"
title = "A scale: 0.1 kg steps, checked by ... nobody."
kind = "scale"
[parameters]
most = { value = 2.5, unit = "kg", origin = "O: as an example" }
)";

std::string key_of(std::size_t parts) {
  std::string key = "a";
  for (std::size_t part = 1; part < parts; ++part) key += ".a";
  return key;
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_description(text, "d.toml", kKinds));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Description, IsReadWithDotsInItsTexts) {
  EXPECT_EQ(parse_description(kScale, "d.toml", kKinds).value("most"), 2.5);
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kScale);
  return text.replace(text.find(from), from.size(), to);
}

TEST(Description, MayChooseAmongTheTextsOfItsKind) {
  const std::vector<DescriptionKind> kinds{{"scale", {{"most", "kg", 1, 500, false}}, {{"zero", {"left", "right"}}}}};
  const auto with = [&](std::string_view line) { return std::string(line) + std::string(kScale); };
  EXPECT_EQ(parse_description(kScale, "d.toml", kinds).choice("zero"), "");
  EXPECT_EQ(parse_description(with("zero = \"right\"\n"), "d.toml", kinds).choice("zero"), "right");
  EXPECT_THAT([&] { static_cast<void>(parse_description(with("zero = \"up\"\n"), "d.toml", kinds)); },
              ::testing::ThrowsMessage<Error>("d.toml:1: zero = 'up' is refused: it must be one of left, right"));
  EXPECT_NE(refusal(with("zero = \"right\"\n")), "");  // a kind without this choice
}

TEST(Description, TakesValuesUpToBothEndsOfTheirRange) {
  for (const std::string_view inside : {"1", "500"}) {
    EXPECT_EQ(refusal(replaced("2.5", inside)), "") << inside;
  }
  for (const std::string_view outside : {"0.999", "500.001", "nan", "-inf"}) {
    EXPECT_THAT(refusal(replaced("2.5", outside)), ::testing::HasSubstr("it must be a number from 1 to 500"));
  }
}

TEST(Description, NeedsAnOriginOfOneOfThreeKindsWithAText) {
  for (const std::string_view good : {"R:x", "D: derived", "O: ours"}) {
    EXPECT_EQ(refusal(replaced("O: as an example", good)), "") << good;
  }
  for (const std::string_view bad : {"O:", "X: as an example", "O as an example", "r: as an example", ":O:"}) {
    EXPECT_THAT(refusal(replaced("O: as an example", bad)), ::testing::HasSubstr("must begin with R:, D: or O:"))
        << bad;
  }
}

TEST(Description, IsRefusedWithoutWhatItsKindAsksFor) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal(replaced("kind = \"scale\"", "kind = \"ruler\"")),
              HasSubstr("d.toml:3: kind = 'ruler' is refused: it must be one of scale"));
  EXPECT_THAT(refusal(replaced("name = \"shop\"", "name = \"\"")),
              HasSubstr("'name' must be a text that is not empty"));
  EXPECT_THAT(refusal(replaced("name = \"shop\"", "name = 7")), HasSubstr("'name' must be a text"));
  EXPECT_THAT(refusal(replaced("[parameters]\nmost", "most")), HasSubstr("unknown key 'most'"));
  EXPECT_THAT(refusal("name = \"shop\"\ntitle = \"a\"\nkind = \"scale\"\n"),
              HasSubstr("table 'parameters' is missing"));
  EXPECT_THAT(refusal("name = \"shop\"\ntitle = \"a\"\nkind = \"scale\"\nparameters = 1\n"),
              HasSubstr("table 'parameters' is missing"));
  EXPECT_THAT(refusal(replaced("most = {", "least = {")), HasSubstr("unknown parameter 'least' (known: most)"));
  EXPECT_THAT(refusal(replaced("most = { value = 2.5, unit = \"kg\", origin = \"O: as an example\" }", "")),
              HasSubstr("parameter 'most' is missing"));
  EXPECT_THAT(refusal(replaced("{ value = 2.5, unit = \"kg\", origin = \"O: as an example\" }", "2.5")),
              HasSubstr("parameter 'most' must be a table of value, unit and origin"));
  EXPECT_THAT(refusal(replaced("value = 2.5, ", "")), HasSubstr("'most.value' must be a number"));
  EXPECT_THAT(refusal(replaced("\"kg\"", "\"lb\"")), HasSubstr("'most.unit' = 'lb' is refused: it must be 'kg'"));
  EXPECT_THAT(refusal(replaced("value = 2.5", "price = 1, value = 2.5")), HasSubstr("unknown key 'most.price'"));
  EXPECT_THAT(refusal(replaced("value = 2.5", "value = = 2.5")), HasSubstr("d.toml:5:"));
}

TEST(Description, OfWholeNumbersTakesNoOthers) {
  const std::vector<DescriptionKind> kinds{{"scale", {{"most", "kg", 1, 500, true}}}};
  const auto read = [&](std::string_view value) {
    return parse_description(replaced("2.5", value), "d.toml", kinds).value("most");
  };
  EXPECT_EQ(read("3"), 3);
  EXPECT_EQ(read("3.0"), 3);
  EXPECT_THROW((void)read("2.5"), Error);
}

TEST(Description, NamesTheLineTheValueAndTheAllowedOnesOfAChoice) {
  const std::vector<DescriptionKind> kinds{{"scale", {{"most", "kg", 1, 500, false}}, {{"colour", {"red", "blue"}}}},
                                           {"ruler", {{"most", "kg", 1, 500, false}}}};
  const auto refused = [&](std::string_view kind, std::string_view line) {
    try {
      const std::string text = replaced("kind = \"scale\"\n", fmt::format("kind = \"{}\"\n\n{}\n", kind, line));
      return parse_description(text, "d.toml", kinds).choice("colour");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refused("scale", "colour = \"blue\""), "blue");
  EXPECT_EQ(refused("scale", "colour = \"green\""),
            "d.toml:5: colour = 'green' is refused: it must be one of red, blue");
  EXPECT_EQ(refused("scale", "colour = \"\""), "d.toml:5: colour = '' is refused: it must be one of red, blue");
  EXPECT_EQ(refused("scale", "colour = 3 # red"), "d.toml:5: colour = 3 is refused: it must be one of red, blue");
  EXPECT_EQ(refused("scale", "colour = [\"red\"]"),
            "d.toml:5: colour = [\"red\"] is refused: it must be one of red, blue");
  EXPECT_EQ(refused("scale", "colour.x = 1"), "d.toml:5: colour = a table is refused: it must be one of red, blue");
  EXPECT_EQ(refused("ruler", "colour = \"red\""),
            "d.toml:5: colour = 'red' is refused: kind 'ruler' has no such choice; these have: scale (red, blue)");
  EXPECT_EQ(refused("ruler", "color = \"red\""),
            "d.toml:5: unknown key 'color' (known: kind, name, parameters, title)");
  EXPECT_THAT(refusal(replaced("name = \"shop\"", "\nname = 7")), ::testing::HasSubstr("d.toml:2: 'name' must be"));
}

TEST(Description, IsRefusedWithAKeyOfManyParts) {
  const std::string scale(kScale);
  EXPECT_EQ(refusal(scale + key_of(100000) + " = 1\n"), "d.toml:6: the line has more than 64 dots");
  EXPECT_EQ(refusal(scale + "[" + key_of(66) + "]\n"), "d.toml:6: the line has more than 64 dots");
  EXPECT_THAT(refusal(scale + "[" + key_of(65) + "]\n"), ::testing::HasSubstr("unknown key 'a'"));
}

TEST(Description, IsRefusedWithManyPartsOnEachOfManyLines) {
  std::string text = "x = ";
  for (std::size_t level = 0; level < 120; ++level) text += "{" + key_of(64) + " = [\n";
  EXPECT_THAT(refusal(text), ::testing::HasSubstr("d.toml:"));
}

TEST(Description, OfAFolderIsListedBesideOneWithAKeyOfManyParts) {
  const tests::ScratchDirectory scratch;
  const std::filesystem::path& data = scratch.path();
  std::filesystem::create_directories(data / "machines");
  write_file((data / "machines" / "shop.toml").string(), std::string(kScale));
  write_file((data / "machines" / "deep.toml").string(), key_of(100000) + " = 1\n");
  write_file((data / "machines" / "broken.toml").string(), "kind = \n");
  write_file((data / "machines" / "nothing.toml").string(), "name = \"no kind\"\n");
  write_file((data / "machines" / "notes.txt").string(), std::string(kScale));
  ASSERT_EQ(setenv("GDR_DATA_DIR", data.c_str(), 1), 0);
  EXPECT_THAT(description_names(kKinds), ElementsAre("shop"));
  EXPECT_EQ(load_description("shop", kKinds).value("most"), 2.5);
  EXPECT_EQ(load_description((data / "machines" / "shop.toml").string(), kKinds).value("most"), 2.5);
  try {
    static_cast<void>(load_description("deli", kKinds));
    ADD_FAILURE() << "a machine that there is not was found";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("no machine is called 'deli' (known: shop;"));
  }
  ASSERT_EQ(unsetenv("GDR_DATA_DIR"), 0);
}

TEST(DataFiles, AreLookedForInTheChosenFolderFirstAndNamedWithAllPlacesIfThereIsNone) {
  const tests::ScratchDirectory scratch;
  const std::filesystem::path& data = scratch.path();
  std::filesystem::create_directories(data / "machines");
  write_file((data / "machines" / "model1800.toml").string(), "ours\n");
  ASSERT_EQ(setenv("GDR_DATA_DIR", data.c_str(), 1), 0);
  EXPECT_EQ(data_file("machines/model1800.toml"), data / "machines" / "model1800.toml");
  EXPECT_EQ(data_file("kernels/gravity.vsm").filename(), "gravity.vsm") << "one that comes with gdr";
  try {
    static_cast<void>(data_file("machines/none.toml"));
    ADD_FAILURE() << "a file that there is not was found";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("machines/none.toml is not found (looked for " + data.string()));
  }
  EXPECT_EQ(find_data_file("machines"), std::nullopt) << "a folder is no file";
  ASSERT_EQ(unsetenv("GDR_DATA_DIR"), 0);
}

}  // namespace
}  // namespace gdr::base
