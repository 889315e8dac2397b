// JSON as it is read: values by kind, and what is refused.
#include "gdr/base/json_value.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "gdr/base/error.h"

namespace gdr::base {
namespace {

using ::testing::HasSubstr;

template <class Body>
std::string refusal(Body body) {
  try {
    body();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string refusal_of(const std::string& text) {
  return refusal([&] { static_cast<void>(parse_json(text)); });
}

TEST(JsonValue, HoldsWhatTheTextSays) {
  const JsonValue value = parse_json(R"({"a": [1, -2, 2.5, "x", true, []], "b": {"c": {}}, "d": null})");
  EXPECT_EQ(value.at("a").list().size(), 6U);
  EXPECT_EQ(value.at("a").at(0).whole<std::uint16_t>(), 1);
  EXPECT_EQ(value.at("a").at(0).number(), 1);
  EXPECT_EQ(value.at("a").at(1).number(), -2);
  EXPECT_EQ(value.at("a").at(2).number(), 2.5);
  EXPECT_EQ(value.at("a").at(3).text(), "x");
  EXPECT_TRUE(value.at("a").at(4).boolean());
  EXPECT_TRUE(value.at("a").at(5).list().empty());
  EXPECT_TRUE(value.at("b").contains("c"));
  EXPECT_FALSE(value.at("b").at("c").contains("c"));
  EXPECT_FALSE(value.contains("e"));
  EXPECT_FALSE(value.at("d").contains("e"));
  EXPECT_TRUE(value.at("d").is_null());
  EXPECT_FALSE(value.at("b").is_null());
  EXPECT_EQ(parse_json("18446744073709551615").whole<std::uint64_t>(), 18446744073709551615U);
  EXPECT_EQ(parse_json("-9223372036854775808").whole<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_json("9223372036854775807").whole<std::int64_t>(), std::numeric_limits<std::int64_t>::max());
}

TEST(JsonValue, RefusesAnotherKindThanIsAskedForAndNamesIt) {
  const JsonValue value = parse_json(R"({"n": 65536, "m": -1, "r": 1.5, "t": "x", "l": [1], "o": {}})");
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("n").whole<std::uint16_t>()); }),
              HasSubstr("65536 stands where a whole number in 0..65535 belongs"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("m").whole<std::uint16_t>()); }), HasSubstr("-1 stands"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("n").whole<std::int16_t>()); }),
              HasSubstr("65536 stands where a whole number in -32768..32767 belongs"));
  EXPECT_THAT(refusal([] { static_cast<void>(parse_json("-129").whole<std::int8_t>()); }), HasSubstr("-128..127"));
  EXPECT_THAT(refusal([] { static_cast<void>(parse_json("9223372036854775808").whole<std::int64_t>()); }),
              HasSubstr("..9223372036854775807"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("r").whole<std::int16_t>()); }), HasSubstr("1.5 stands"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("r").whole<std::uint16_t>()); }), HasSubstr("1.5 stands"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("t").number()); }), HasSubstr("'x' stands where a number"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("l").text()); }), HasSubstr("a list stands where a text"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("o").list()); }), HasSubstr("an object stands where a list"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("o").boolean()); }), HasSubstr("true or false"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("none")); }), HasSubstr("key 'none' is not found"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("l").at("none")); }), HasSubstr("is not found in a list"));
  EXPECT_THAT(refusal([&] { static_cast<void>(value.at("l").at(1)); }), HasSubstr("number 1 is missing"));
}

TEST(JsonValue, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "[1,", "[1,]", "{\"a\" 1}", "nul", "[1] 2", "\"\xff\"", "1e999", "{\"a\": }"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("json.exception")) << text;
  }
}

TEST(JsonValue, RefusesListsAndObjectsNestedMoreThanEightDeep) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(refusal_of(nested(8)), "");
  EXPECT_THAT(refusal_of(nested(9)), HasSubstr("more than 8 levels deep"));
  EXPECT_THAT(refusal_of(std::string(100000, '[')), HasSubstr("more than 8 levels deep"));
}

TEST(JsonValue, RefusesObjectsOfTooManyKeysOrWithOneTwice) {
  const auto with_keys = [](int count) {
    std::string text = "{";
    for (int key = 0; key < count; ++key) text += (key == 0 ? "\"" : ", \"") + std::to_string(key) + "\": 1";
    return text + "}";
  };
  EXPECT_EQ(refusal_of(with_keys(64)), "");
  EXPECT_THAT(refusal_of(with_keys(65)), HasSubstr("more than 64 keys"));
  EXPECT_THAT(refusal_of(R"({"a": 1, "b": 2, "a": 3})"), HasSubstr("key 'a' is there twice"));
}

}  // namespace
}  // namespace gdr::base
