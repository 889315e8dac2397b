// What HET and OHT make of the host's fields, by each conversion and for each width, and where a record's words stand.
#include "board/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "gdr/base/error.h"
#include "refusal.h"

namespace gdr::tests {
namespace {

using emulator::ConversionEvents;
using emulator::Entry;
using isa::Conversion;
using isa::LongWord;
using isa::Width;
using ::testing::HasSubstr;

std::uint64_t real(double value) { return std::bit_cast<std::uint64_t>(value); }
std::uint64_t integer(std::int64_t value) { return std::bit_cast<std::uint64_t>(value); }

isa::Variable variable(Conversion conversion, Width width) {
  isa::Variable made;
  made.name = "x";
  made.width = width;
  made.conversion = conversion;
  return made;
}

/// Of the two widths a short word stands in the upper half.
LongWord sent(std::uint64_t value, Conversion conversion, Width width, ConversionEvents* counted = nullptr) {
  const isa::Variable to = variable(conversion, width);
  ConversionEvents events;
  const LongWord word = emulator::to_machine(value, Entry{&to, 0, "x", {}}, 7, events);
  if (counted != nullptr) *counted = events;
  return word;
}

std::uint64_t received(LongWord word, Conversion conversion, Width width, ConversionEvents* counted = nullptr) {
  ConversionEvents events;
  const std::uint64_t value = emulator::to_host(word, variable(conversion, width), events);
  if (counted != nullptr) *counted = events;
  return value;
}

TEST(Transfer, BringsFieldsToTheMachineByEachConversion) {
  EXPECT_EQ(sent(real(1.5), Conversion::FLT64TO72, Width::long_word), (LongWord{real(1.5), 0}));
  EXPECT_EQ(sent(real(-0.0), Conversion::FLT64TO72, Width::long_word), LongWord{}) << "zero has no sign";
  EXPECT_EQ(sent(real(1.5), Conversion::FLT64TO36, Width::short_word), (LongWord{real(1.5), 0}));
  EXPECT_EQ(sent(integer(-2), Conversion::FIX64TO72, Width::long_word), (LongWord{~std::uint64_t{0}, 0xfe}));
  EXPECT_EQ(sent(integer(-2), Conversion::FIX64TO36, Width::short_word), isa::widen({isa::kShortMask - 1}));
  EXPECT_EQ(sent(0x123456789abcdef0, Conversion::NONE, Width::long_word), LongWord::from_bits(0x123456789abcdef0));
  EXPECT_EQ(sent(0xabcdef012, Conversion::NONE, Width::short_word), isa::widen({0xabcdef012}));
}

TEST(Transfer, BringsWordsToTheHostByEachConversion) {
  EXPECT_EQ(received({real(1.5), 0}, Conversion::FLT72TO64, Width::long_word), real(1.5));
  EXPECT_EQ(received({0x000fedcba9876543, 0x21}, Conversion::FLT72TO64, Width::long_word), real(0))
      << "with an exponent of 0 it is zero, whatever the fraction";
  EXPECT_EQ(received({real(1.5), 0x12}, Conversion::FLT36TO64, Width::short_word), real(1.5)) << "the upper half";
  EXPECT_EQ(received({~std::uint64_t{0}, 0xfe}, Conversion::FIX72TO64, Width::long_word), integer(-2));
  EXPECT_EQ(received(isa::widen({isa::kShortMask - 1}), Conversion::FIX36TO64, Width::short_word), integer(-2));
  EXPECT_EQ(received(LongWord::from_bits(0x123456789abcdef0), Conversion::NONE, Width::long_word), 0x123456789abcdef0);
  EXPECT_EQ(received(isa::widen({0xabcdef012}), Conversion::NONE, Width::short_word), 0xabcdef012);
}

TEST(Transfer, CountsWhatAConversionGivesUp) {
  ConversionEvents events;
  sent(real(std::numeric_limits<double>::denorm_min()), Conversion::FLT64TO72, Width::long_word, &events);
  EXPECT_EQ(events, (ConversionEvents{0, 1, 0}));
  sent(real(std::numeric_limits<double>::max()), Conversion::FLT64TO36, Width::short_word, &events);
  EXPECT_EQ(events, (ConversionEvents{1, 0, 0}));
  sent(real(std::numeric_limits<double>::infinity()), Conversion::FLT64TO72, Width::long_word, &events);
  EXPECT_EQ(events, ConversionEvents()) << "an infinity is one";
  received({0x7fefffffffffffff, 0xff}, Conversion::FLT72TO64, Width::long_word, &events);
  EXPECT_EQ(events, (ConversionEvents{1, 0, 0}));
  received({0x7fffffffffffffff, 0}, Conversion::FIX72TO64, Width::long_word, &events);
  EXPECT_EQ(events, (ConversionEvents{0, 0, 1}));
}

TEST(Transfer, NamesFieldAndRecordOfWhatItRefuses) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal([&] { sent(real(nan), Conversion::FLT64TO72, Width::long_word); }), HasSubstr("x[7]"));
  EXPECT_THAT(refusal([&] { sent(integer(std::int64_t{1} << 35), Conversion::FIX64TO36, Width::short_word); }),
              HasSubstr("x[7]"));
  EXPECT_THAT(refusal([&] { sent(std::uint64_t{1} << 36, Conversion::NONE, Width::short_word); }), HasSubstr("x[7]"));
  EXPECT_THAT(refusal([&] { sent(0, Conversion::FLT72TO64, Width::long_word); }),
              HasSubstr("x: conversion flt72to64 does not lead from the host to the machine"));
  EXPECT_THAT(refusal([&] { (void)received({}, Conversion::FIX64TO36, Width::short_word); }),
              HasSubstr("x: conversion fix64to36 does not lead from the machine to the host"));
}

TEST(Transfer, TakesParametersAsNumbersByEveryConversion) {
  const auto word_of = [](Conversion conversion, Width width, double value) {
    ConversionEvents events;
    return emulator::parameter_word({"p", 0, width, conversion, 0, {}}, value, events);
  };
  EXPECT_EQ(word_of(Conversion::FLT64TO72, Width::long_word, 0.1), (LongWord{real(0.1), 0}));
  EXPECT_EQ(word_of(Conversion::FIX64TO72, Width::long_word, -3), (LongWord{~std::uint64_t{0}, 0xfd}));
  EXPECT_EQ(word_of(Conversion::NONE, Width::short_word, 5), isa::widen({5}));
  EXPECT_EQ(word_of(Conversion::FIX64TO72, Width::long_word, 0x1p53 - 1),
            LongWord::from_bits((std::uint64_t{1} << 53) - 1));
  const std::string text = "takes whole numbers below 2^53";
  EXPECT_THAT(refusal([&] { word_of(Conversion::FIX64TO72, Width::long_word, 0.5); }),
              HasSubstr("parameter p = 0.5 is refused: its conversion fix64to72 " + text));
  // 2^53 + 1 is 2^53 as a double.
  EXPECT_THAT(refusal([&] { word_of(Conversion::FIX64TO72, Width::long_word, 0x1p53); }), HasSubstr(text));
  EXPECT_THAT(refusal([&] { word_of(Conversion::FIX64TO72, Width::long_word, -0x1p53); }), HasSubstr(text));
  EXPECT_THAT(refusal([&] { word_of(Conversion::FIX64TO72, Width::long_word, -0x1p60); }), HasSubstr(text));
  EXPECT_THAT(refusal([&] { word_of(Conversion::NONE, Width::long_word, std::numeric_limits<double>::quiet_NaN()); }),
              HasSubstr(text));
}

TEST(Transfer, PutsPackedShortsTwoToALongWord) {
  isa::Program program;
  program.record_words = 3;
  const auto declare = [&](std::string name, std::uint16_t address, bool packed, std::uint16_t elements) {
    isa::Variable made = variable(Conversion::FLT64TO36, Width::short_word);
    made.name = std::move(name);
    made.memory = isa::Memory::bm;
    made.transfer = isa::Transfer::elt;
    made.address = address;
    made.packed = packed;
    made.elements = elements;
    program.variables.push_back(made);
  };
  declare("alone", 0, false, 1);
  declare("packed", 3, true, 3);  // the lower half of word 1, both halves of word 2
  const std::vector<Entry> entries = emulator::entries_of(program, isa::Transfer::elt);
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[0].name, "alone");
  EXPECT_EQ(entries[2].name, "packed[1]");
  std::vector<LongWord> words(1, LongWord{1, 1});
  ConversionEvents events;
  const std::vector<std::uint64_t> fields{real(1), real(2), real(3), real(4)};
  emulator::append_record(program, entries, fields, 0, words, events);
  const auto half = [](double value) { return isa::ShortWord{real(value) >> 28}; };
  EXPECT_THAT(words, ::testing::ElementsAre(LongWord{1, 1}, isa::widen(half(1)), isa::join({}, half(2)),
                                            isa::join(half(3), half(4))));
}

TEST(Transfer, FindsEntriesOfVectorsInPes) {
  isa::Program program;
  isa::Variable made = variable(Conversion::FLT64TO36, Width::short_word);
  made.transfer = isa::Transfer::hlt;
  made.vector = true;
  made.elements = 2;
  made.address = 10;
  program.variables = {made};
  made.name = "y";
  made.width = Width::long_word;
  made.vector = false;
  made.address = 20;
  program.variables.push_back(made);
  const std::vector<Entry> entries = emulator::entries_of(program, isa::Transfer::hlt);
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[1].where.address, 14) << "four short words further";
  EXPECT_EQ(entries[1].where.count, 4);
  EXPECT_EQ(entries[3].where.address, 22) << "a long word further";
  EXPECT_EQ(entries[3].where.count, 1);
}

}  // namespace
}  // namespace gdr::tests
