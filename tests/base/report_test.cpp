#include "gdr/base/report.h"

#include <gtest/gtest.h>

namespace gdr::base {
namespace {

const ReportShape& shape() {
  static const ReportShape made{
      "net walk",
      3,
      {{"kernel", FieldKind::text, "", "kernel that computes"}, {"t", FieldKind::number, "1", "time", true}},
      {{"n", FieldKind::whole, "1", "particles"},
       {"seconds", FieldKind::number, "s", "emulated time"},
       {"parts", FieldKind::object, "s", "of it", false, {{"board", FieldKind::number, "s", "boards"}}},
       {"sum", FieldKind::number, "s", "of the text alone", false, {}, true},
       {"by", FieldKind::text, "", "what limits"}},
      {{"n", "N", "{:>6}"},
       {"seconds", "ms", "{:>8.4g}%", 1000},
       {"sum", "sum", "{:>5.1f}"},
       {"by", "bound by", " {}"}}};
  return made;
}

Report report() {
  Report made(shape());
  made.set("kernel", "gravity");
  made.set("t", nullptr);
  made.add_row(
      {{"n", 4}, {"seconds", 0.0125}, {"parts", Json{{"board", 0.5}}}, {"sum", 2.0}, {"by", "host, \"board\""}});
  return made;
}

TEST(Report, IsJsonWithoutWhatOnlyTheTextHas) {
  Json json{{"tool", "gdr"}};
  report().add_to(json);
  EXPECT_EQ(json.text(Json::kCompact),
            R"({"tool":"gdr","schema":"net-walk/3","kernel":"gravity","t":null,)"
            R"("rows":[{"n":4,"seconds":0.0125,"parts":{"board":0.5},"by":"host, \"board\""}]})");
}

TEST(Report, TitlesStandOverTheirColumns) {
  EXPECT_EQ(report().table(), "       N        ms   sum  bound by\n       4     12.5%   2.0  host, \"board\"\n");
}

TEST(Report, ObjectsAreColumnsOfTheirOwnInCsv) {
  EXPECT_EQ(report().csv(), "n,seconds,parts.board,by\n4,0.0125,0.5,\"host, \"\"board\"\"\"\n");
}

TEST(Report, TheOnlyRowGivesTheNumbersOfTheRun) {
  Report made = report();
  EXPECT_EQ(made.of_one_row("seconds").number(), 0.0125);
  made.add_row({{"n", 5}, {"seconds", 1.0}, {"parts", Json{{"board", 0.5}}}, {"sum", 2.0}, {"by", "host"}});
  EXPECT_TRUE(made.of_one_row("seconds").is_null());
}

TEST(Report, ItsSchemaKnowsEveryFieldAndRefusesOthers) {
  const std::string text = json_schema(shape(), {{"tool", FieldKind::text, "", "command"}}).text(Json::kCompact);
  EXPECT_NE(text.find(R"("schema":{"const":"net-walk/3"})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("t":{"type":["number","null"],"description":"time","x-unit":"1"})"), std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("required":["n","seconds","parts","by"])"), std::string::npos) << text;
  EXPECT_EQ(text.find("of the text alone"), std::string::npos);
  EXPECT_NE(markdown_table(shape().row).find("| `parts.board` | s | boards |\n"), std::string::npos);
}

TEST(ReportDeathTest, MistakesOfOursStop) {
  Report made(shape());
  EXPECT_DEATH(made.set("colour", "red"), "a field of a report");
  EXPECT_DEATH(made.set("kernel", 4), "a field of a report");
  EXPECT_DEATH(made.add_row({{"n", 4}}), "a row of a report");
}

}  // namespace
}  // namespace gdr::base
