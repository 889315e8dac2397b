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

Json as_json(const Report& report) {
  Json json{{"tool", "gdr net walk"}, {"options", Json{{"n", 4}, {"graph", "<b>.csv"}}}};
  report.add_to(json);
  return json;
}

const std::vector<Field>& common() {
  static const std::vector<Field> fields{{"tool", FieldKind::text, "", "command"},
                                         {"options", FieldKind::object, "", "what was given"}};
  return fields;
}

TEST(Report, IsAPageWithUnitsAndMeanings) {
  const std::string page = html_page_of(shape(), common(), as_json(report()), "4 < 5\n");
  EXPECT_TRUE(page.starts_with("<!doctype html>")) << page;
  EXPECT_NE(page.find("Content-Security-Policy"), std::string::npos);
  EXPECT_NE(page.find("<h1>gdr net walk</h1>\n<pre>4 &lt; 5\n</pre>"), std::string::npos) << page;
  EXPECT_NE(page.find("<tr><th>kernel</th><td>gravity</td><td class=\"unit\"></td><td>kernel that computes</td></tr>"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("<tr><th>t</th><td><span class=\"none\">none</span></td>"), std::string::npos) << page;
  EXPECT_NE(page.find("title=\"emulated time\">seconds<span class=\"unit\">s</span></th>"), std::string::npos) << page;
  EXPECT_NE(page.find("<tr><td class=\"n\">4</td><td class=\"n\">0.0125</td><td class=\"n\">0.5</td>"
                      "<td>host, &quot;board&quot;</td></tr>"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("<tr><th>graph</th><td>&lt;b&gt;.csv</td></tr>"), std::string::npos) << page;
  EXPECT_EQ(page.find("of the text alone"), std::string::npos) << page;
}

TEST(Report, NumbersOfAPageShowSixDigitsAndHaveAll) {
  Json json{{"kernel", "gravity"}};
  for (const auto& [t, shown] : {std::pair{0.1234567891, "<data value=\"0.1234567891\">0.123457</data>"},
                                 std::pair{12345678.5, "<data value=\"12345678.5\">12345678</data>"},
                                 std::pair{1.5e300, "1.5e+300"}, std::pair{0.25, "<td>0.25</td>"}}) {
    json["t"] = t;
    EXPECT_NE(html_of(shape(), common(), json).find(shown), std::string::npos) << html_of(shape(), common(), json);
  }
}

TEST(Report, ListsOfEntriesAreTablesOfAPage) {
  const ReportShape shape{
      "net walk",
      1,
      {{"ways",
        FieldKind::list,
        "",
        "ways `A` takes",
        false,
        {{"hops", FieldKind::whole, "1", "links"}, {"by", FieldKind::text, "", "rule", false, {}, false, true}}},
       {"pairs", FieldKind::list, "", "pairs"}}};
  Json json;
  json["ways"] = Json::array();
  json["ways"].push_back(Json{{"hops", 3}});
  json["pairs"] = Json::array();
  json["pairs"].push_back(Json(std::vector<int>{1, 2}));
  json["pairs"].push_back(Json(std::vector<int>{3, 4}));
  const std::string page = html_of(shape, common(), json);
  EXPECT_NE(page.find("<h2>ways</h2>\n<p>ways <code>A</code> takes</p>"), std::string::npos) << page;
  EXPECT_NE(page.find("<tr><td class=\"n\">3</td></tr>"), std::string::npos)
      << "no column that nothing fills: " << page;
  EXPECT_NE(page.find("<td>(1, 2), (3, 4)</td>"), std::string::npos) << page;
}

TEST(ReportDeathTest, MistakesOfOursStop) {
  Report made(shape());
  EXPECT_DEATH(made.set("colour", "red"), "a field of a report");
  EXPECT_DEATH(made.set("kernel", 4), "a field of a report");
  EXPECT_DEATH(made.add_row({{"n", 4}}), "a row of a report");
}

}  // namespace
}  // namespace gdr::base
