// The two word formats: halves, and their hexadecimal forms.
#include "gdr/isa/word.h"

#include <gtest/gtest.h>

namespace gdr::isa {
namespace {

constexpr LongWord kLong{0x0123456789abcdef, 0x5a};
constexpr ShortWord kShort{0xfedcba987};

TEST(Words, HaveHexadecimalFormsOfAllTheirDigits) {
  EXPECT_EQ(to_hex(kLong), "0123456789abcdef5a");
  EXPECT_EQ(to_hex(kShort), "fedcba987");
  EXPECT_EQ(to_hex(LongWord{0, 1}), "000000000000000001");
}

TEST(Words, AreReadFromTheirHexadecimalForms) {
  EXPECT_EQ(parse_long("0123456789abcdef5a"), kLong);
  EXPECT_EQ(parse_long("0123456789ABCDEF5A"), kLong);
  EXPECT_EQ(parse_short("fedcba987"), kShort);
  for (const char* const other : {"", "fedcba98", "fedcba9876", "fedcba98g", "fedcba98/", "fedcba98:", "fedcba98@",
                                  "fedcba98`", "fedcba98G", " fedcba98", "0xfedcba9"}) {
    EXPECT_EQ(parse_short(other), std::nullopt) << other;
  }
  EXPECT_EQ(parse_long("fedcba987"), std::nullopt);
}

TEST(Words, HaveAnUpperAndALowerHalf) {
  EXPECT_EQ(kLong.upper(), ShortWord{0x012345678});
  EXPECT_EQ(kLong.lower(), ShortWord{0x9abcdef5a});
  EXPECT_EQ(join(kLong.upper(), kLong.lower()), kLong);
  EXPECT_EQ(LongWord::from_bits(kLong.bits()), kLong);
  EXPECT_EQ(widen(kShort), (LongWord{0xfedcba9870000000, 0}));
  EXPECT_EQ(bits_of(Width::long_word), 72);
  EXPECT_EQ(bits_of(Width::short_word), 36);
}

}  // namespace
}  // namespace gdr::isa
