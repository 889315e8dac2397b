// Rows of a data file: what parts inherit, and what is refused at which line.
#include "gdr/validation/data.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "gdr/base/error.h"
#include "testing.h"

namespace gdr::validation {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRow = R"([[row]]
id = "A"
section = "first"
source = "book"
place = "table 1"
quantity = "width"
published = 3
unit = "m"
role = "prediction"
bar = { kind = "exact" }
model = "doubled"
)";

std::string refusal(const std::string& rows) {
  try {
    static_cast<void>(parse(rows));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

/// The row with one text in place of another.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = kRow;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// Line of the file at which a text of the row stands.
std::string line_of(const std::string& text) {
  const std::string file = kHead + kRow;
  const auto at = file.begin() + static_cast<std::ptrdiff_t>(file.find(text));
  return "rows.toml:" + std::to_string(1 + std::count(file.begin(), at, '\n')) + ":";
}

TEST(ValidationData, RowHasTypedRoleBarAndModel) {
  const Row row = parse(kRow).rows.at(0);
  EXPECT_EQ(row.id, RowId("A"));
  EXPECT_EQ(row.role, Role::prediction);
  EXPECT_EQ(row.bar.kind, Bar::Kind::exact);
  EXPECT_EQ(row.model, "doubled");
  EXPECT_EQ(row.citation, "Book 1999, table 1");
  EXPECT_EQ(row.published, 3);
}

TEST(ValidationData, CaseOfAPartIsThatOfTheWholeWithWhatItGivesItself) {
  const Models models(std::vector<Model>{
      {"cell", {CaseField::network, CaseField::algorithm, CaseField::layout}, [](const Row&) -> Ours { return 1.0; }}});
  const Data data = parse_data(kHead + R"([[row]]
id = "T"
section = "first"
source = "book"
quantity = "speed"
role = "target"
bar = { kind = "at_least", limit = 1 }
model = "cell"
case = { network = "ring", layout = "2d" }
parts = [
  { id = "a", case = { algorithm = "CA1" } },
  { id = "b", case = { algorithm = "CA3", layout = "2.5d" }, role = "identity" },
]
)",
                               "rows.toml", models);
  ASSERT_EQ(data.rows.size(), 2U);
  EXPECT_EQ(data.rows[0].id.text(), "T.a");
  EXPECT_EQ(data.rows[0].what.network, "ring");
  EXPECT_EQ(data.rows[0].what.algorithm, interconnect::SummaAlgorithm::ca1);
  EXPECT_EQ(data.rows[0].what.layout, interconnect::SummaLayout::square);
  EXPECT_EQ(data.rows[1].what.network, "ring");
  EXPECT_EQ(data.rows[1].what.algorithm, interconnect::SummaAlgorithm::ca3);
  EXPECT_EQ(data.rows[1].what.layout, interconnect::SummaLayout::cube);
  EXPECT_EQ(data.rows[0].role, Role::target);
  EXPECT_EQ(data.rows[1].role, Role::identity);
}

TEST(ValidationData, PublishedFitIsTakenAtN) {
  const Data data = parse(changed("published = 3", "fit = [1, 2, 0.5]\nn = 4"));
  EXPECT_EQ(data.rows.at(0).published, 1 + 2 * 4 + 0.5 * 16);
  EXPECT_EQ(data.rows.at(0).quantity, "width, N = 4");
}

TEST(ValidationData, StandardErrorOfAFitIsThatOfIndependentCoefficients) {
  const std::string fit = "fit = [1, 2]\nn = 4\nfit_sigma = [3, 1]";
  const Data data = parse(changed("published = 3", fit));
  EXPECT_DOUBLE_EQ(data.rows.at(0).sigma.value(), 5);  // of 3 and of 1 x 4
  EXPECT_THAT(refusal(changed("bar = { kind = \"exact\" }", "bar = { kind = \"sigma\", limit = 2 }")),
              HasSubstr("row A: a bar in sigma needs 'fit' and 'fit_sigma'"));
  EXPECT_THAT(refusal(changed("published = 3", "fit = [1, 2]\nn = 4\nfit_sigma = [3]")),
              HasSubstr("row A: 'fit_sigma' has 1 numbers and 'fit' 2"));
}

TEST(ValidationData, DerivedNumberNeedsANote) {
  EXPECT_THAT(refusal(std::string(kRow) + "derived = true\n"), HasSubstr("row A: a derived number needs a note"));
  EXPECT_TRUE(parse(std::string(kRow) + "derived = true\nnote = \"From 6.\"\n").rows.at(0).derived);
}

TEST(ValidationData, NumbersThatNoRowComparesHaveASourceAndAReason) {
  const std::string entry = R"([[not_compared]]
source = "book"
place = "table 2"
printed = "7 m"
because = "the door is lost"
)";
  const NotCompared read = parse(kRow + entry).not_compared.at(0);
  EXPECT_EQ(read.citation, "Book 1999, table 2");
  EXPECT_EQ(read.printed, "7 m");
  EXPECT_EQ(read.because, "the door is lost");
  const auto without = [&](const std::string& line) {
    std::string text = entry;
    return refusal(kRow + text.erase(text.find(line), line.size()));
  };
  EXPECT_THAT(without("because = \"the door is lost\"\n"), HasSubstr("not_compared: 7 m: no reason"));
  EXPECT_THAT(without("printed = \"7 m\"\n"), HasSubstr("not_compared: 'printed' must name the numbers"));
  EXPECT_THAT(without("source = \"book\"\n"), HasSubstr("not_compared: unknown source ''"));
}

TEST(ValidationData, ModelMustBeOneThatThereIs) {
  EXPECT_THAT(refusal(changed("\"doubled\"", "\"tripled\"")), HasSubstr("row A: unknown model 'tripled'"));
}

TEST(ValidationData, CaseSaysNoLessAndNoMoreThanTheModelTakes) {
  EXPECT_THAT(refusal(changed("\"doubled\"", "\"size\"")), HasSubstr("row A: model 'size' needs 'side'"));
  EXPECT_THAT(refusal(changed("\"doubled\"", "\"doubled\"\ncase = { side = 4 }")),
              HasSubstr("row A: model 'doubled' takes no 'side'"));
  EXPECT_EQ(refusal(changed("\"doubled\"", "\"size\"\ncase = { side = 4 }")), "");
}

TEST(ValidationData, NamesThatAreNoneAreRefusedWithThoseThatAre) {
  EXPECT_THAT(refusal(changed("\"prediction\"", "\"guess\"")),
              AllOf(HasSubstr(line_of("role = ")), HasSubstr("unknown role 'guess'"), HasSubstr("calibration, ")));
  EXPECT_THAT(refusal(changed("\"exact\"", "\"near\"")), HasSubstr("unknown kind 'near'"));
  EXPECT_THAT(refusal(changed("\"first\"", "\"middle\"")), HasSubstr("unknown section 'middle'"));
  EXPECT_THAT(refusal(changed("\"book\"", "\"hearsay\"")), HasSubstr("unknown source 'hearsay'"));
  for (const char* wrong : {"algorithm = \"CA5\"", "layout = \"3d\"", "graph = \"lu\"", "method = \"best\"",
                            "system = \"gpu\"", "stage = \"end\"", "colour = \"red\"", "side = 2.5", "side = 0"}) {
    EXPECT_THAT(refusal(changed("\"doubled\"", std::string("\"doubled\"\ncase = { ") + wrong + " }")),
                HasSubstr("rows.toml:"))
        << wrong;
  }
}

TEST(ValidationData, EveryRoleIsExplained) {
  std::string text = kHead;
  text.erase(text.find("reading"), text.find("target") - text.find("reading"));
  try {
    static_cast<void>(parse_data(text + kRow, "rows.toml", simple_models()));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("role 'reading' is not explained"));
  }
}

TEST(ValidationData, WhatMakesNoRowIsRefused) {
  EXPECT_THAT(refusal(std::string(kRow) + kRow), HasSubstr("row A is there twice"));
  EXPECT_THAT(refusal(changed("published = 3", "")), HasSubstr("nothing published to compare with"));
  EXPECT_THAT(refusal(changed("bar = { kind = \"exact\" }", "")), HasSubstr("no bar or quantity"));
  EXPECT_THAT(refusal(changed("role = \"prediction\"", "")), HasSubstr("no role"));
  EXPECT_THAT(refusal(changed("published", "publisht")), HasSubstr(line_of("published") + " unknown key 'publisht'"));
}

TEST(ValidationData, IdsAreNamesInLevels) {
  const RowId id("G5.ip.2048");
  EXPECT_EQ(id.whole(), "G5");
  EXPECT_TRUE(id.belongs_to("G5"));
  EXPECT_TRUE(id.belongs_to("G5.ip"));
  EXPECT_TRUE(id.belongs_to("G5.ip.2048"));
  EXPECT_FALSE(id.belongs_to("G5.i"));
  EXPECT_FALSE(id.belongs_to("G"));
  EXPECT_FALSE(RowId("G14").belongs_to("G1"));
  EXPECT_EQ(RowId("G5").part("ip"), RowId("G5.ip"));
}

}  // namespace
}  // namespace gdr::validation
