// What a valid program is, up to the last word that fits; and what bounds an iteration of its loop.
#include "gdr/isa/program.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "gdr/base/error.h"
#include "gdr/isa/loop_bound.h"

namespace gdr::isa {
namespace {

using ::testing::HasSubstr;

/// Why the program is refused; empty if it is not.
std::string refusal(const Program& program) {
  try {
    validate(program);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

Program empty_program() {
  Program program;
  program.kernel = "k";
  program.files = {"k.vsm"};
  return program;
}

Variable variable(Memory memory, std::uint16_t address, Width width = Width::long_word) {
  Variable chosen;
  chosen.name = "x";
  chosen.memory = memory;
  chosen.address = address;
  chosen.width = width;
  return chosen;
}

std::string refusal(const Variable& variable) {
  Program program = empty_program();
  program.variables = {variable};
  return refusal(program);
}

// Short words of broadcast memory in front of the 128 long words that transfers use.
constexpr std::uint16_t kProgramsPart = kBmShortWords - 2 * kTransferWindowWords;

TEST(Variables, MayStandInTheLastWordOfTheirMemory) {
  EXPECT_EQ(refusal(variable(Memory::gpr, kGprShortWords - 2)), "");
  EXPECT_EQ(refusal(variable(Memory::gpr, kGprShortWords - 1, Width::short_word)), "");
  EXPECT_EQ(refusal(variable(Memory::lm, kLmShortWords - 2)), "");
  EXPECT_EQ(refusal(variable(Memory::bm, kProgramsPart - 2)), "");
  Variable vector = variable(Memory::lm, kLmShortWords - 8);
  vector.vector = true;
  EXPECT_EQ(refusal(vector), "");
  vector.address += 2;
  EXPECT_THAT(refusal(vector), HasSubstr("takes short words 506 to 513 of local memory, which has 512"));
  EXPECT_THAT(refusal(variable(Memory::gpr, kGprShortWords, Width::short_word)), HasSubstr("of the GPR, which has 64"));
  EXPECT_THAT(refusal(variable(Memory::bm, kProgramsPart)), HasSubstr("the programs' part of broadcast memory"));
}

TEST(Variables, OfShortWordsTakeLongPlacesInBroadcastMemoryUnlessPacked) {
  Variable shorts = variable(Memory::bm, kProgramsPart - 2, Width::short_word);
  EXPECT_EQ(refusal(shorts), "");
  shorts.elements = 2;
  shorts.dimensions = {2};
  EXPECT_THAT(refusal(shorts), HasSubstr("which has 1792"));
  shorts.packed = true;
  EXPECT_EQ(refusal(shorts), "");
  shorts.address -= 1;
  EXPECT_EQ(refusal(shorts), "");
  shorts.packed = false;
  shorts.elements = 1;
  shorts.dimensions = {};
  EXPECT_THAT(refusal(shorts), HasSubstr("odd address"));
}

TEST(Variables, ArePackedAsShortsInBroadcastMemoryAlone) {
  const auto packed = [](Memory memory, Width width) {
    Variable made = variable(memory, 4, width);
    made.packed = true;
    return refusal(made);
  };
  const std::string text = "variable 'x' is packed, which only short variables in broadcast memory are";
  EXPECT_EQ(packed(Memory::bm, Width::short_word), "");
  EXPECT_EQ(packed(Memory::bm, Width::long_word), text);
  EXPECT_EQ(packed(Memory::lm, Width::short_word), text);
  EXPECT_EQ(packed(Memory::gpr, Width::short_word), text);
}

TEST(Variables, TravelFromWhereTheirTransferHasThem) {
  const auto travelling = [](Transfer transfer, Memory memory, bool vector) {
    Variable made = variable(memory, 0);
    made.transfer = transfer;
    made.vector = vector;
    made.conversion = transfer == Transfer::rrn ? Conversion::FLT72TO64 : Conversion::FLT64TO72;
    Program program = empty_program();
    program.variables = {made};
    program.record_words = transfer == Transfer::elt ? 1 : 0;
    return refusal(program);
  };
  EXPECT_EQ(travelling(Transfer::elt, Memory::bm, false), "");
  EXPECT_EQ(travelling(Transfer::elt, Memory::bm, true), "variable 'x': elt data is scalar");
  EXPECT_EQ(travelling(Transfer::elt, Memory::lm, false), "variable 'x': elt data lives in broadcast memory");
  EXPECT_EQ(travelling(Transfer::hlt, Memory::gpr, true), "");
  EXPECT_EQ(travelling(Transfer::hlt, Memory::lm, false), "variable 'x': hlt data is a vector");
  EXPECT_EQ(travelling(Transfer::hlt, Memory::bm, true), "variable 'x': hlt data lives in the PE");
  EXPECT_EQ(travelling(Transfer::rrn, Memory::lm, true), "");
}

TEST(Names, AreLettersDigitsAndUnderscores) {
  const auto named = [](const std::string& name) {
    Variable made = variable(Memory::lm, 0);
    made.name = name;
    return refusal(made);
  };
  for (const char* good : {"a", "z", "A", "Z", "_", "a0", "z9", "x_Y"}) EXPECT_EQ(named(good), "") << good;
  for (const char* bad : {"", "0a", "9", "a`", "a{", "a@", "a[", "a/", "a:", "a b", "a-b"}) {
    EXPECT_THAT(named(bad), HasSubstr("is refused")) << bad;
  }
}

TEST(Parameters, MayStandInTheLastWordOfTheProgramsPart) {
  Program program = empty_program();
  program.parameters = {{"eps", kProgramsPart - 2, Width::long_word, Conversion::FLT64TO72, 1, {}}};
  EXPECT_EQ(refusal(program), "");
  program.parameters[0].address = kProgramsPart;
  EXPECT_THAT(refusal(program), HasSubstr("allowed are even ones in 0..1790"));
}

TEST(Records, MayTakeHalfOfTheProgramsPart) {
  constexpr std::uint16_t kMost = kProgramsPart / 4;
  Program program = empty_program();
  Variable record = variable(Memory::bm, 0);
  record.transfer = Transfer::elt;
  record.conversion = Conversion::FLT64TO72;
  record.elements = kMost;
  record.dimensions = {kMost};
  program.variables = {record};
  program.record_words = kMost;
  EXPECT_EQ(refusal(program), "");
  program.variables[0].elements = program.variables[0].dimensions[0] = kMost + 1;
  program.record_words = kMost + 1;
  EXPECT_THAT(refusal(program), HasSubstr("448 is the most"));
}

/// A kernel that moves its own data: two entries of a result at BM word 20.
Program type_two() {
  Program program = empty_program();
  Variable result = variable(Memory::bm, 40);
  result.name = "c";
  result.vector = true;
  result.elements = 2;
  result.dimensions = {2};
  result.transfer = Transfer::rrn;
  result.conversion = Conversion::FLT72TO64;
  program.variables = {result};
  program.steps(Section::loop_body) = {CollectStep{0, 0, 2, false, {}}};
  return program;
}

TEST(TypeTwo, CollectsEntriesThatThereAre) {
  EXPECT_EQ(refusal(type_two()), "");
  const auto with = [](std::uint16_t first, std::uint16_t entries) {
    Program program = type_two();
    program.steps(Section::loop_body).push_back(CollectStep{0, first, entries, false, {}});
    return refusal(program);
  };
  EXPECT_EQ(with(1, 1), "");
  EXPECT_THAT(with(0, 0), HasSubstr("no words of a result"));
  EXPECT_THAT(with(1, 2), HasSubstr("collects entries 1 to 2 of 'c'"));
  EXPECT_THAT(with(2, 1), HasSubstr("collects entries 2 to 2 of 'c'"));
}

TEST(TypeTwo, CollectsResultsInBroadcastMemoryAlone) {
  Program program = type_two();
  Variable local = variable(Memory::bm, 60);
  local.vector = true;
  program.variables.push_back(local);
  program.steps(Section::loop_body).push_back(CollectStep{1, 0, 1, false, {}});
  EXPECT_THAT(refusal(program), HasSubstr("of 'x', which are no words of a result in broadcast memory"));
  std::get<CollectStep>(program.steps(Section::loop_body)[1]).variable = 2;
  EXPECT_THAT(refusal(program), HasSubstr("collects variable 2; there are 2"));
}

TEST(TypeTwo, HasLongResultsInBroadcastMemory) {
  Program program = type_two();
  program.variables[0].width = Width::short_word;
  program.variables[0].conversion = Conversion::FLT36TO64;
  EXPECT_EQ(refusal(program), "variable 'c': a result in broadcast memory is a long vector");
  program.variables[0].packed = true;
  EXPECT_EQ(refusal(program), "variable 'c': a result in broadcast memory is a long vector");
  program = type_two();
  program.variables.push_back(variable(Memory::lm, 0));
  program.variables[1].vector = true;
  program.variables[1].transfer = Transfer::hlt;
  program.variables[1].conversion = Conversion::FLT64TO72;
  program.steps(Section::loop_body).push_back(CollectStep{1, 0, 1, false, {}});
  EXPECT_THAT(refusal(program), HasSubstr("of 'x', which are no words of a result in broadcast memory"));
}

TEST(TypeTwo, IsAKernelAsAWhole) {
  Program program = type_two();
  program.steps(Section::loop_body).clear();
  EXPECT_THAT(refusal(program), HasSubstr("variable 'c': results live in the PE"));
  program = type_two();
  Variable in_pe = variable(Memory::lm, 0);
  in_pe.vector = true;
  in_pe.transfer = Transfer::rrn;
  in_pe.conversion = Conversion::FLT72TO64;
  program.variables.push_back(in_pe);
  EXPECT_THAT(refusal(program), HasSubstr("variable 'x': results live in broadcast memory"));
}

TEST(TypeTwo, WithRecordsFillsThemInItsLoopBody) {
  Program program = type_two();
  Variable record = variable(Memory::bm, 0);
  record.transfer = Transfer::elt;
  record.conversion = Conversion::FLT64TO72;
  program.variables.push_back(record);
  program.record_words = 1;
  program.steps(Section::loop_initialization) = {TransferStep{}};
  EXPECT_THAT(refusal(program), HasSubstr("its loop body has no transfer"));
  program.steps(Section::loop_body).push_back(TransferStep{});
  EXPECT_EQ(refusal(program), "");
}

TEST(TypeTwo, NamesWordsOfItsCollects) {
  const Program program = type_two();
  EXPECT_EQ(program.address_of(CollectStep{0, 0, 2, false, {}}), 40u);
  EXPECT_EQ(program.address_of(CollectStep{0, 1, 1, false, {}}), 48u) << "four long words an entry";
  EXPECT_EQ((CollectStep{0, 0, 2, false, {}}.words()), 8u);
}

ProgramLine access(BmMode mode, bool vector, std::uint8_t vlen) {
  Line line;
  line.vlen = vlen;
  line.bm.mode = mode;
  line.bm.vector = vector;
  if (mode == BmMode::read) {
    line.t_write.source = Unit::bm;
  } else {
    line.bm.one_pe = true;
    line.bm.store_source = Source::t_short;
  }
  return {encode(line), {}};
}

TEST(LoopBound, IsTheResourceThatNeedsMost) {
  Program program = type_two();
  const auto bound_of = [&](std::vector<Step> body, std::uint16_t record_words) {
    program.steps(Section::loop_body) = std::move(body);
    program.record_words = record_words;
    return loop_bound(program);
  };
  const ProgramLine nop{encode(Line()), {}};
  EXPECT_EQ(bound_of({nop, nop, nop}, 0).clocks(), 12u);
  EXPECT_EQ(bound_of({nop, nop, nop}, 0).bound(), "lines");
  EXPECT_EQ(bound_of({nop, nop, nop, nop}, 1).bound(), "lines") << "16 clocks each: the first";
  EXPECT_EQ(bound_of({nop, nop, nop}, 1).bound(), "idp");
  EXPECT_EQ(bound_of({nop}, 2).clocks(), 32u) << "two words for each of 16 blocks";
  EXPECT_EQ(loop_bound(program, 3).clocks(), 96u) << "at three clocks a word";
  const LoopBound collecting = bound_of({nop, CollectStep{0, 0, 2, false, {}}}, 0);
  EXPECT_EQ(collecting.bound(), "odp");
  EXPECT_EQ(collecting.clocks(), 16u) << "eight words, two clocks each";
  // Words through the port: four elements, one for all, three stored, the record's five.
  const LoopBound port =
      bound_of({access(BmMode::read, true, 4), access(BmMode::read, false, 4), access(BmMode::write, false, 3)}, 5);
  EXPECT_EQ(port.bm_clocks, 4u + 1u + 3u + 5u);
  EXPECT_EQ(port.line_clocks, 12u);
  const Step vector_read = access(BmMode::read, true, 4);
  const LoopBound full = bound_of({vector_read, vector_read, CollectStep{0, 0, 1, false, {}}, vector_read}, 0);
  EXPECT_EQ(full.bm_clocks, 16u);
  EXPECT_EQ(full.bound(), "bm");
}

}  // namespace
}  // namespace gdr::isa
