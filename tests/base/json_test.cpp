// JSON that reports are written in: what stands in the text, and that a reader gets the same values.
#include "gdr/base/json.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace gdr::base {
namespace {

TEST(Json, KeepsTheOrderInWhichKeysWereSet) {
  Json json{{"z", 1}, {"a", true}};
  json["m"] = nullptr;
  json["z"] = "changed";
  EXPECT_EQ(json.text(Json::kCompact), R"({"z":"changed","a":true,"m":null})");
  json.sort_keys();
  EXPECT_EQ(json.text(Json::kCompact), R"({"a":true,"m":null,"z":"changed"})");
}

TEST(Json, SortsTheKeysOfAllThatIsInside) {
  Json json{{"list", std::vector<Json>{Json{{"b", 1}, {"a", 2}}}}};
  json.sort_keys();
  EXPECT_EQ(json.text(Json::kCompact), R"({"list":[{"a":2,"b":1}]})");
}

TEST(Json, IndentsEachLevel) {
  Json json{{"list", {1, 2}}, {"empty", Json::array()}, {"none", Json::object()}};
  EXPECT_EQ(json.text(), "{\n  \"list\": [\n    1,\n    2\n  ],\n  \"empty\": [],\n  \"none\": {}\n}");
  EXPECT_EQ(json.text(0), "{\n\"list\": [\n1,\n2\n],\n\"empty\": [],\n\"none\": {}\n}");
}

TEST(Json, TellsNumbersInFull) {
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).text(), "18446744073709551615");
  EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).text(), "-9223372036854775808");
  EXPECT_EQ(Json(0.1).text(), "0.1");
  EXPECT_EQ(std::stod(Json(0x1.fffffffffffffp-1).text()), 0x1.fffffffffffffp-1);
  EXPECT_EQ(Json(std::numeric_limits<double>::quiet_NaN()).text(), "null");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).text(), "null");
}

TEST(Json, EscapesTextsAndReplacesWhatIsNoUtf8) {
  EXPECT_EQ(Json("a\"b\\c\n\x01").text(), R"("a\"b\\c\n\u0001")");
  EXPECT_EQ(Json("caf\xe9").text(), "\"caf\xef\xbf\xbd\"");
  Json json;
  json["k\"\xff"] = 1;
  EXPECT_EQ(json.text(Json::kCompact), "{\"k\\\"\xef\xbf\xbd\":1}");
}

TEST(Json, TakesPairsOfTextAndValueForAnObjectAndAnyOtherBracesForAList) {
  EXPECT_EQ((Json{{"n", 4}, {"m", 5}}).text(Json::kCompact), R"({"n":4,"m":5})");
  EXPECT_EQ((Json{"n", 4, 5}).text(Json::kCompact), R"(["n",4,5])");
  EXPECT_EQ(Json(std::array<double, 2>{0.5, 2}).text(Json::kCompact), "[0.5,2.0]");
}

}  // namespace
}  // namespace gdr::base
