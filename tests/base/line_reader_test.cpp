// Lines and fields of text files, as all readers of numbers see them.
#include "gdr/base/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "gdr/base/error.h"

namespace gdr::base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string message_of(LineReader& lines) {
  try {
    while (lines.next()) {
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(LineReader, PassesOverWhatHoldsNothingAndKnowsItsLine) {
  LineReader lines("\xEF\xBB\xBF# title\n\n  1,2 \t# two\r\n\v\f\n3\n# end", "table.csv");
  EXPECT_EQ(lines.next(), "1,2");
  EXPECT_EQ(lines.line(), 3U);
  EXPECT_EQ(lines.where(), "table.csv:3");
  EXPECT_EQ(lines.next(), "3");
  EXPECT_EQ(lines.line(), 5U);
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(LineReader, RefusesALastLineThatMayBeCutOff) {
  LineReader whole("1\n2.75\n", "a");
  EXPECT_EQ(message_of(whole), "nothing was refused");
  for (const char* cut : {"1\n2.75", "1\n2.7", "1\n2"}) {
    LineReader lines(cut, "a");
    EXPECT_EQ(message_of(lines), "a:2: the last line has no line feed: the file may be cut off");
  }
}

TEST(LineReader, AnEmptyFileHasNoLine) {
  EXPECT_EQ(LineReader("", "empty.csv").where(), "empty.csv");
  LineReader one("1\n", "a.csv");
  static_cast<void>(one.next());
  EXPECT_EQ(one.where(), "a.csv:1");
}

TEST(LineReader, SaysThatAFileIsNoText) {
  LineReader lines(std::string_view("ab\x01\x00\x7f", 5), "a");
  EXPECT_EQ(message_of(lines), "a:1: this is no text: the file is binary, of a kind that is not known here");
}

TEST(LineReader, RefusesAZeroByteInAnyLine) {
  LineReader lines(std::string_view("from,to\n1,2\n3\0,4\n5,6\n", 20), "a");
  EXPECT_EQ(lines.next(), "from,to");
  EXPECT_EQ(lines.next(), "1,2");
  EXPECT_EQ(message_of(lines), "a:3: a zero byte in this line: the file is damaged, or no text");
}

TEST(LineReader, SaysWhichKindAFileIsThatIsNoText) {
  using std::string_view_literals::operator""sv;
  LineReader utf16("\xff\xfex\0i\0\n\0"sv, "a");
  EXPECT_EQ(message_of(utf16), "a:1: this is UTF-16 text: save it as UTF-8");
  LineReader swapped("\xfe\xff\0x\0i\0\n"sv, "a");
  EXPECT_EQ(message_of(swapped), "a:1: this is UTF-16 text: save it as UTF-8");
  LineReader packed("\xfd\x37zXZ\0\n"sv, "a");
  EXPECT_EQ(message_of(packed), "a:1: this is a file compressed by xz: unpack it with unxz");
  LineReader hdf5("\x89HDF\r\n\x1a\n"sv, "a");
  EXPECT_EQ(message_of(hdf5), "a:1: this is an HDF5 file: text is expected here");
  LineReader text("BZh\n", "a");
  EXPECT_EQ(text.next(), "BZh");
}

TEST(LineReader, DividesByCommasOutsideOfQuotesAndByBlanks) {
  EXPECT_THAT(comma_fields(" a , \"b, c\",,\" d \""), ElementsAre("a", "b, c", "", "d"));
  EXPECT_THAT(comma_fields("1,"), ElementsAre("1", ""));
  EXPECT_THAT(comma_fields("\"a\"b, c\"d\""), ElementsAre("\"a\"b", "c\"d\"")) << "quotes in the middle stay";
  EXPECT_THAT(blank_fields(" 1\t2  3 "), ElementsAre("1", "2", "3"));
  EXPECT_THAT(blank_fields("  "), IsEmpty());
}

TEST(LineReader, ReadsAFieldAsANumberOnlyIfAllOfItIsOne) {
  EXPECT_EQ(number_in<double>("+1.5e3"), 1500.0);
  EXPECT_EQ(number_in<int>("-7"), -7);
  for (const char* field : {"", "+", "+-1", "1x", "1 ", "0x10", "1,2"})
    EXPECT_EQ(number_in<int>(field), std::nullopt) << field;
  EXPECT_EQ(number_in<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(number_in<unsigned>("+7"), 7U);
  EXPECT_EQ(number_in<unsigned>("+-7"), std::nullopt);
  EXPECT_EQ(number_in<unsigned>(""), std::nullopt);
  EXPECT_EQ(number_in<double>("+-1"), std::nullopt);
  EXPECT_EQ(number_in<double>("x"), std::nullopt);
  EXPECT_EQ(read_number<std::uint8_t>("+25").value, 25);
  EXPECT_EQ(read_number<std::uint8_t>("+-1").error, std::errc::invalid_argument);
  EXPECT_EQ(read_number<std::uint8_t>("256").error, std::errc::result_out_of_range);
  EXPECT_EQ(read_number<double>("1e999").error, std::errc::result_out_of_range);
  EXPECT_EQ(read_number<double>("1e999x").error, std::errc::invalid_argument);
}

}  // namespace
}  // namespace gdr::base
