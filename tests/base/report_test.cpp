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

const ReportShape& nested() {
  static const ReportShape made{
      "as",
      1,
      {},
      {{"n", FieldKind::whole, "1", "particles"},
       {"value", FieldKind::any, "", "number or text"},
       {"names", FieldKind::list, "", "names"},
       {"bar", FieldKind::object, "", "limits", true, {{"low", FieldKind::number, "1", "least"}}},
       {"fixes", FieldKind::list, "", "changes", false, {{"title", FieldKind::text, "", "title"}}, false, true}},
      {},
      "lines",
      true,
      false};
  return made;
}

TEST(Report, CsvHasEmptyCellsForWhatIsNullOrMissing) {
  Json report;
  report["lines"].push_back(
      {{"n", 4}, {"value", "a,b"}, {"names", Json(std::vector<std::string>{"x", "y"})}, {"bar", Json{{"low", 0.5}}}});
  report["lines"].push_back({{"n", 5}, {"value", true}, {"names", Json::array()}, {"bar", nullptr}});
  EXPECT_EQ(csv_of(nested(), report),
            "n,value,names,bar.low,fixes\n4,\"a,b\",\"[\"\"x\"\",\"\"y\"\"]\",0.5,\n5,true,[],,\n");
  EXPECT_EQ(csv_of(nested(), Json::object()), "n,value,names,bar.low,fixes\n");
}

TEST(Report, SchemasTellEntriesOfListsAndFieldsThatMayLack) {
  const std::vector<Field> common{{"tool", FieldKind::text, "", "command"},
                                  {"clocks", FieldKind::whole, "1", "clocks"}};
  const std::string text = json_schema(nested(), common).text(Json::kCompact);
  EXPECT_NE(text.find(R"("value":{"description":"number or text"})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("items":{"type":"object","properties":{"title":)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("required":["n","value","names","bar"])"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("lines":{"type":"array")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("required":["tool","schema"])"), std::string::npos) << "not of a run: without clocks " << text;
  EXPECT_NE(markdown_table(nested().row).find("| `fixes[].title` |  | title |\n"), std::string::npos);
}

TEST(ReportDeathTest, MistakesOfOursStop) {
  Report made(shape());
  EXPECT_DEATH(made.set("colour", "red"), "a field of a report");
  EXPECT_DEATH(made.set("kernel", 4), "a field of a report");
  EXPECT_DEATH(made.add_row({{"n", 4}}), "a row of a report");
}

}  // namespace
}  // namespace gdr::base
