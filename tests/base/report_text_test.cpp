#include <gtest/gtest.h>

#include "gdr/base/report.h"
#include "gdr/base/report_fields.h"

namespace gdr::base {
namespace {

Json walk_report() {
  return {{"n", 4},
          {"t", nullptr},
          {"seconds", 0.0125},
          {"boards", 1},
          {"overlap", true},
          {"split", Json(std::array{2, 4})},
          {"parts", Json{{"board", 2500000}}},
          {"rows", std::vector{Json{{"by", "host"}, {"n", 5}}, Json{{"by", "board"}, {"n", 6}}}},
          {"notes", std::vector<std::string>{"a", "b"}}};
}

std::string text_in(const std::string& form, const Json& words = {}) { return text_of(form, walk_report(), words); }

TEST(ReportText, FieldsAreInTheFormsThatAreGiven) {
  EXPECT_EQ(text_in("{n} of {seconds:.3f} s, {seconds*1e3:>8.4g} ms, {parts.board/1e6:.2f} MB, {n:.1f}, {split:<5}|"),
            "4 of 0.013 s,     12.5 ms, 2.50 MB, 4.0, 2,4  |\n");
}

TEST(ReportText, WordsThatTheReportLacksAreGivenBeside) {
  EXPECT_EQ(text_in("on {@title}", Json{{"title", "a board"}}), "on a board\n");
}

TEST(ReportText, LinesAndPartsWithoutAFieldAreLeftOut) {
  EXPECT_EQ(text_in("t = {t}\nn = {n}[ at {t}][, {boards:#board}]\nnothing {missing}"), "n = 4, 1 board\n");
}

TEST(ReportText, ConditionsGiveATextOrLeaveALineOut) {
  EXPECT_EQ(text_in("{overlap:?with}{t:?without}{t:!, none}\n{overlap:!}never\n{n:?}always"), "with, none\nalways\n");
}

TEST(ReportText, ALineIsRepeatedForEachEntryOfAList) {
  EXPECT_EQ(text_in("{*rows}  {by} {n} in {seconds}\n{*notes}  note: {.}\n{*missing}none"),
            "  host 5 in 0.0125\n  board 6 in 0.0125\n  note: a\n  note: b\n");
}

TEST(ReportText, ShortTimesHaveMoreDigits) {
  const auto in_text = [](double seconds) { return text_of("{s:time}", Json{{"s", seconds}}); };
  EXPECT_EQ(in_text(0.00123456), "0.001235\n");
  EXPECT_EQ(in_text(9.87654), "9.877\n");
  EXPECT_EQ(in_text(1234.5678), "1234.57\n");
}

TEST(ReportText, BytesHaveAUnitThatFits) {
  const auto in_text = [](double bytes) { return text_of("{b:bytes}", Json{{"b", bytes}}); };
  EXPECT_EQ(in_text(0), "0 B\n");
  EXPECT_EQ(in_text(12), "12 B\n");
  EXPECT_EQ(in_text(49152), "49.152 kB\n");
  EXPECT_EQ(in_text(999994), "999.99 kB\n");
  EXPECT_EQ(in_text(999996), "1 MB\n");
  EXPECT_EQ(in_text(120259084288.), "120.26 GB\n");
  EXPECT_EQ(in_text(3e18), "3000 PB\n");
  EXPECT_EQ(text_of("{b:bytes>10}|{b:bytes>2}", Json{{"b", 12}}), "      12 B|12 B\n");
}

TEST(ReportText, AListMayHaveBlanksBetweenItsEntries) {
  EXPECT_EQ(text_in("{notes:words}; {split:words}; {rows.0.by:words}."), "a b; 2 4; .\n");
}

TEST(ReportText, EachCommandHasTheFormBelowItsName) {
  const std::vector<ReportShape> shapes =
      with_texts({{.name = "net walk"}, {.name = "net run"}, {.name = "net"}, {.name = "walk"}},
                 ":net run, walk\n{n}\n  {t}\n:net walk\n{m}\n");
  EXPECT_EQ(shapes[0].text, "{m}\n");
  EXPECT_EQ(shapes[1].text, "{n}\n  {t}\n");
  EXPECT_EQ(shapes[2].text, "");
  EXPECT_EQ(shapes[3].text, shapes[1].text);
}

TEST(ReportText, ATextOfNoShapeIsAMistakeOfOurs) {
  EXPECT_DEATH(static_cast<void>(with_texts({{.name = "net walk"}}, ":walk\n{n}\n")), "text");
}

TEST(ReportText, AFieldThatTheShapeLacksIsAMistakeOfOurs) {
  const ReportShape shape{.name = "net walk",
                          .head = {{"n", FieldKind::whole, "1", "particles"}},
                          .row = {{"by", FieldKind::text, "", "what limits"}}};
  check_text("{n} {@any}\n{*rows}{by}", shape, {});
  for (const char* const wrong : {"{m}", "[{m:?}]", "{by}", "{*lines}{by}"}) {
    EXPECT_DEATH(check_text(wrong, shape, {}), "text") << wrong;
  }
}

}  // namespace
}  // namespace gdr::base
