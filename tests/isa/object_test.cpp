// Object files: what is written reads back, what is damaged is refused with a reason.
#include <elf.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "gdr/base/digest.h"
#include "gdr/base/error.h"
#include "gdr/isa/loop_bound.h"
#include "gdr/isa/program.h"
#include "scratch_directory.h"

namespace gdr::isa {
namespace {

using Bytes = std::vector<std::byte>;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Line sum_into(std::uint16_t address) {
  Line line;
  line.vlen = 4;
  line.gpr_a = {address, Width::long_word, true, false};
  line.adder.op = Op::FADD;
  line.adder.a = Source::gpr_a;
  line.adder.b = Source::t_long;
  line.adder.width = Width::long_word;
  line.gpr_write = {Unit::adder, address, true, false, {2, true, true}};
  return line;
}

Program every_kind_of_entry() {
  Program program;
  program.kernel = "sample";
  program.files = {"sample.vsm", "macros.vsm"};
  program.record_words = 3;
  program.flops = 38.5;
  program.sections[0] = {ProgramLine{encode(Line()), {0, 12, 3}}};
  program.sections[2] = {ProgramLine{encode(sum_into(8)), {0, 20, 1}}, ProgramLine{encode(sum_into(16)), {1, 4, 5}}};
  Variable x{"x", Memory::lm, 0, Width::long_word, true, 6, {2, 3}, false, Transfer::hlt, Conversion::FLT64TO72,
             {},  {0, 2, 5}};
  Variable m{"m", Memory::bm, 5, Width::short_word, false, 1, {}, true, Transfer::elt, Conversion::FIX64TO36,
             {},  {0, 3, 5}};
  m.integer = {12, false};
  Variable a{"a",           Memory::gpr,           8,        Width::long_word, true, 1, {}, false,
             Transfer::rrn, Conversion::FLT72TO64, Op::FMIN, {0, 4, 5}};
  Variable local{"local", Memory::bm, 20, Width::long_word, false, 1, {}, false, Transfer::none, {}, {}, {0, 5, 5}};
  program.variables = {x, m, a, local};
  program.parameters = {{"eps", 12, Width::short_word, Conversion::FLT64TO36, 0.1, {0, 6, 7}},
                        {"steps", 14, Width::long_word, Conversion::FIX64TO72, 3, {0, 6, 9}, {63, true}}};
  program.aliases = {{"dx", Memory::gpr, false, 16, Width::short_word, true, {0, 7, 1}},
                     {"last", Memory::bm, true, 4, Width::long_word, false, {1, 8, 1}},
                     {"kept", std::nullopt, false, 0, Width::long_word, true, {0, 9, 1}}};
  program.moved = {{Section::initialization, 0, {0, 13, 3}},
                   {Section::loop_body, 1, {1, 6, 5}},
                   {Section::loop_body, 1, {0, 22, 1}}};
  program.origins = {{"twice", "macro 'twice' is used here", {0, 9, 3}}, {"", "with k = 1", {0, 5, 3, 1}}};
  program.functions = {{"go", std::nullopt}, {"square", SourcePosition{1, 9, 8, 0, 1}}};
  program.moved[1].position.function = 2;
  program.moved[2].position = {0, 22, 1, 1, 1};
  program.moved[2].units = bit_of(Unit::multiplier);
  program.values = {{Section::loop_body, 0, Unit::adder, "distance"}, {Section::loop_body, 1, Unit::alu, "v", true}};
  program.expanded = {{{0, 6, 3, 2}, "fadd $lr8v x x"}};
  return program;
}

/// The text with which the bytes are refused; empty if they are not.
std::string refusal(const Bytes& bytes) {
  try {
    static_cast<void>(deserialize(bytes, "sample.gdro"));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string as_text(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// The file with `from` replaced by `to`, of equal length, and its checksum made right again.
Bytes forged(const Bytes& bytes, const std::string& from, const std::string& to) {
  EXPECT_EQ(from.size(), to.size());
  std::string text = as_text(bytes);
  const auto replace = [&](const std::string& old, const std::string& fresh) {
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    if (at != std::string::npos) text.replace(at, old.size(), fresh);
  };
  const auto digest_without = [&](std::string digest) {
    std::string zeroed = text;
    const std::size_t at = zeroed.find(digest);
    if (at != std::string::npos) zeroed.replace(at, digest.size(), std::string(digest.size(), '\0'));
    return base::sha256_hex(std::as_bytes(std::span(zeroed)));
  };
  // The checksum is the one run of 64 hexadecimal digits in the file.
  std::size_t begin = 0;
  const std::string digits = "0123456789abcdef";
  for (std::size_t run = 0, at = 0; at < text.size() && begin == 0; ++at) {
    run = digits.find(text[at]) == std::string::npos ? 0 : run + 1;
    if (run == 64) begin = at + 1 - run;
  }
  const std::string old_digest = text.substr(begin, 64);
  replace(from, to);
  replace(old_digest, digest_without(old_digest));
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

TEST(ObjectFile, ReadsBackWhatWasWritten) {
  const Program program = every_kind_of_entry();
  EXPECT_EQ(deserialize(serialize(program), "sample.gdro"), program);
  EXPECT_EQ(deserialize(serialize(Program()), "empty.gdro"), Program());
}

TEST(HostInteger, HasTheRangeAndTheNameOfItsBits) {
  struct Known {
    HostInteger integer;
    std::string name;
    std::int64_t least;
    std::int64_t most;
  };
  for (const auto& [integer, name, least, most] :
       {Known{{1, false}, "uint1", 0, 1}, Known{{1, true}, "int1", -1, 0}, Known{{8, true}, "int8", INT8_MIN, INT8_MAX},
        Known{{32, false}, "uint32", 0, UINT32_MAX}, Known{{32, true}, "int32", INT32_MIN, INT32_MAX},
        Known{{63, false}, "uint63", 0, INT64_MAX}}) {
    EXPECT_EQ(name_of(integer), name);
    EXPECT_EQ(host_integer_named(name), integer);
    EXPECT_EQ(integer.least(), least) << name;
    EXPECT_EQ(integer.most(), most) << name;
  }
  EXPECT_EQ(HostInteger().least(), INT64_MIN);
  EXPECT_EQ(HostInteger().most(), INT64_MAX);
  for (const char* name :
       {"", "int", "int0", "int64", "uint64", "uint256", "int08", "int8 ", "u", "uuint8", "Int8", "int-8"}) {
    EXPECT_FALSE(host_integer_named(name)) << name;
  }
}

TEST(ObjectFile, IsTheSameForTheSameProgram) {
  EXPECT_EQ(serialize(every_kind_of_entry()), serialize(every_kind_of_entry()));
}

TEST(ObjectFile, IsRefusedTruncatedAtAnyLength) {
  const Bytes whole = serialize(every_kind_of_entry());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    ASSERT_THAT(refusal(part), StartsWith("sample.gdro: refused as object file: ")) << length << " bytes";
  }
}

TEST(ObjectFile, IsRefusedWithABitFlippedInAnyByte) {
  const Bytes whole = serialize(every_kind_of_entry());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    Bytes damaged = whole;
    damaged[at] ^= std::byte{1} << (at % 8);
    ASSERT_THAT(refusal(damaged), StartsWith("sample.gdro: refused as object file: ")) << "byte " << at;
  }
}

TEST(ObjectFile, IsRefusedWithBytesBehindItsEnd) {
  Bytes longer = serialize(every_kind_of_entry());
  longer.push_back(std::byte{0});
  EXPECT_THAT(refusal(longer), HasSubstr("checksum does not match"));
}

TEST(ObjectFile, OfAnotherVersionIsRefusedWithBothNumbers) {
  const Bytes whole = serialize(every_kind_of_entry());
  EXPECT_THAT(refusal(forged(whole, "\"object_version\": 1", "\"object_version\": 7")),
              HasSubstr("object version 7, this program reads 1 and 2"));
  EXPECT_THAT(refusal(forged(whole, "\"isa_version\": 1", "\"isa_version\": 9")),
              HasSubstr("instruction set 9, this program knows 1"));
}

TEST(ObjectFile, WithARightChecksumButWrongContentIsRefused) {
  const Bytes whole = serialize(every_kind_of_entry());
  EXPECT_EQ(refusal(forged(whole, "\"sample\"", "\"simple\"")), "");
  EXPECT_THAT(refusal(forged(whole, "\"flt64to72\"", "\"flt99to72\"")), HasSubstr("'flt99to72' is no known name"));
  EXPECT_THAT(refusal(forged(whole, "\"memory\": \"gpr\"", "\"memory\": \"gpu\"")),
              HasSubstr("'gpu' is no known name"));
  EXPECT_THAT(refusal(forged(whole, "\"width\": \"short\"", "\"width\": \"shirt\"")),
              HasSubstr("'shirt' is no known name"));
  EXPECT_THAT(refusal(forged(whole, "\"record_words\"", "\"recird_words\"")), HasSubstr("malformed"));
  EXPECT_THAT(refusal(forged(whole, "\"record_words\": 3", "\"record_words\": {")), HasSubstr("malformed"));
}

/// The refusal of a well-formed file with one thing in the program changed.
template <class Change>
std::string refusal_after(Change change) {
  Program program = every_kind_of_entry();
  change(program);
  return refusal(serialize(program));
}

TEST(ObjectFile, IsRefusedWithVariablesOutsideTheirMemory) {
  const std::string start = "sample.gdro: refused as object file: ";
  const auto moved = [](std::size_t index, std::uint16_t address) {
    return refusal_after([=](Program& program) { program.variables[index].address = address; });
  };
  EXPECT_EQ(moved(1, 9), start + "variable 'm' takes short words 9 to 9 of the j-record, which has 6");
  EXPECT_EQ(moved(0, 466), start + "variable 'x' takes short words 466 to 513 of local memory, which has 512");
  EXPECT_EQ(moved(0, 464), "");
  EXPECT_EQ(moved(2, 58), start + "variable 'a' takes short words 58 to 65 of the GPR, which has 64");
  EXPECT_THAT(moved(3, 1792), HasSubstr("variable 'local' takes short words 1792 to 1793 of the programs' part"));
  EXPECT_EQ(moved(3, 1790), "");
  EXPECT_THAT(moved(2, 9), HasSubstr("variable 'a' has the odd address 9"));
}

TEST(ObjectFile, IsRefusedWithAliasesOutsideTheirMemory) {
  const auto address = [](std::size_t index, std::uint16_t value) {
    return refusal_after([=](Program& program) { program.aliases[index].address = value; });
  };
  EXPECT_EQ(address(0, 60), "");
  EXPECT_THAT(address(0, 61), HasSubstr("alias 'dx' takes short words 61 to 64; its memory has 64"));
  EXPECT_THAT(address(1, 6), HasSubstr("alias 'last' takes short words 6 to 7; its memory has 6"));
  EXPECT_THAT(address(1, 3), HasSubstr("a long word has an even address"));
  EXPECT_THAT(address(2, 2), HasSubstr("alias 'kept' has address 2 of T, which has none"));
  EXPECT_THAT(refusal_after([](Program& program) { program.aliases[0].record = true; }),
              HasSubstr("a j-record lies in broadcast memory"));
  EXPECT_THAT(refusal_after([](Program& program) { program.aliases[0].name = "x"; }),
              HasSubstr("'x' is declared twice"));
  EXPECT_THAT(refusal_after([](Program& program) { program.aliases[0].position.file = 2; }),
              HasSubstr("stands in file 2"));
}

TEST(ObjectFile, IsRefusedWithOperationsMovedToLinesThatThereAreNot) {
  EXPECT_THAT(refusal_after([](Program& program) { program.moved[2].line = 2; }),
              HasSubstr("moved to line 2 of 'loop body', which has 2"));
  EXPECT_THAT(refusal_after([](Program& program) { program.moved[2].line = 0; }), HasSubstr("stands out of order"));
  EXPECT_THAT(refusal_after([](Program& program) { program.moved[0].position.file = 2; }),
              HasSubstr("stands in file 2"));
}

TEST(ObjectFile, IsRefusedWithValuesThatNoOperationComputes) {
  EXPECT_THAT(refusal_after([](Program& program) { program.values[1].line = 2; }),
              HasSubstr("a value computed in line 2 of 'loop body', which has 2"));
  EXPECT_THAT(refusal_after([](Program& program) {
                program.values[0].line = 1;
                program.values[1].line = 0;
              }),
              HasSubstr("stands out of order"));
  EXPECT_THAT(refusal_after([](Program& program) { program.values[0].unit = static_cast<Unit>(5); }),
              HasSubstr("the value 'distance' comes from unit 5, not from 0 to 4"));
  EXPECT_THAT(refusal_after([](Program& program) { program.values[0].name = "a b\n"; }),
              HasSubstr("the name \"a b\\n\" of a computed value is refused"));
}

TEST(ObjectFile, IsRefusedWithOriginsThatLeadNowhere) {
  EXPECT_THAT(refusal_after([](Program& program) { program.aliases[0].position.origin = 3; }),
              HasSubstr("comes from origin 3, but there are 2"));
  EXPECT_THAT(refusal_after([](Program& program) { program.origins[1].position.origin = 2; }),
              HasSubstr("origin 2 comes from origin 2, which is not before it"));
  EXPECT_THAT(refusal_after([](Program& program) { program.expanded[0].position.file = 2; }),
              HasSubstr("stands in file 2"));
}

TEST(ObjectFile, IsRefusedWithFunctionsThatLeadNowhere) {
  EXPECT_THAT(refusal_after([](Program& program) { program.moved[1].position.function = 3; }),
              HasSubstr("stands in function 3, but there are 2 functions"));
  EXPECT_THAT(refusal_after([](Program& program) { program.functions[1].call->function = 2; }),
              HasSubstr("function 2 is called in function 2, which is not before it"));
  EXPECT_THAT(refusal_after([](Program& program) { program.functions[1].call->file = 2; }),
              HasSubstr("a call stands in file 2"));
}

TEST(Program, KnowsTheCallsThatLeadToAPlace) {
  const Program program = every_kind_of_entry();
  const auto frames = program.frames_of(program.moved[1].position);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].function, "square");
  EXPECT_EQ(frames[0].position, program.moved[1].position);
  EXPECT_EQ(frames[1].function, "go");
  EXPECT_EQ(frames[1].position, *program.functions[1].call);
  EXPECT_EQ(program.frames_of({0, 1, 1}).size(), 1u);
  EXPECT_EQ(program.frames_of({0, 1, 1}).front().function, "");
  // Its own line, those of its operations, and that of the call; each once.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;
  for (const SourcePosition& at : program.source_lines_of(Section::loop_body, 1)) lines.emplace_back(at.file, at.line);
  EXPECT_THAT(lines, testing::ElementsAre(std::pair(1u, 4u), std::pair(1u, 6u), std::pair(0u, 22u), std::pair(1u, 9u)));
}

TEST(Program, KnowsWhereAUnitsOperationStands) {
  const Program program = every_kind_of_entry();
  EXPECT_EQ(program.position_of(Section::loop_body, 1, Unit::multiplier), program.moved[2].position);
  EXPECT_EQ(program.position_of(Section::loop_body, 1, Unit::adder), (SourcePosition{1, 4, 5}));
  EXPECT_EQ(program.position_of(Section::loop_body, 0, Unit::multiplier), (SourcePosition{0, 20, 1}));
}

TEST(Program, KnowsTheUsesOfMacrosAroundAPlace) {
  const Program program = every_kind_of_entry();
  const auto uses = program.uses_around({0, 6, 3, 2});
  ASSERT_EQ(uses.size(), 1u);  // the turn of a repeat inside is none
  EXPECT_EQ(uses[0]->macro, "twice");
  ASSERT_NE(program.expanded_text({0, 6, 3, 2}), nullptr);
  EXPECT_EQ(*program.expanded_text({0, 6, 3, 2}), "fadd $lr8v x x");
  EXPECT_EQ(program.expanded_text({0, 6, 3, 1}), nullptr);
}

TEST(ObjectFile, IsRefusedWithAShapeThatDoesNotAddUp) {
  EXPECT_THAT(refusal_after([](Program& program) { program.variables[0].elements = 5; }),
              HasSubstr("variable 'x' has 5 elements; it must have the product of its dimensions"));
  EXPECT_THAT(refusal_after([](Program& program) {
                program.variables[3].elements = 0;
                program.variables[3].dimensions = {0};
              }),
              HasSubstr("variable 'local' has 0 elements"));
  EXPECT_THAT(refusal_after([](Program& program) { program.variables[0].packed = true; }),
              HasSubstr("variable 'x' is packed"));
  EXPECT_THAT(refusal_after([](Program& program) { program.record_words = 0; }), HasSubstr("j-record, which has 0"));
  EXPECT_THAT(refusal_after([](Program& program) { program.record_words = 4; }),
              HasSubstr("a j-record has 4 long words; its variables take 3"));
  EXPECT_THAT(refusal_after([](Program& program) {
                program.variables[1].elements = 900;
                program.variables[1].dimensions = {900};
                program.record_words = 453;
              }),
              HasSubstr("a j-record has 453 long words; its variables take 453, and 448 is the most"));
}

TEST(ObjectFile, IsRefusedWithATransferThatDoesNotFit) {
  const auto converted = [](std::size_t index, std::optional<Conversion> conversion) {
    return refusal_after([=](Program& program) { program.variables[index].conversion = conversion; });
  };
  EXPECT_THAT(converted(2, Conversion::FIX36TO64),
              HasSubstr("variable 'a': conversion 'fix36to64' does not convert a long word to the host"));
  EXPECT_THAT(converted(0, Conversion::FLT72TO64),
              HasSubstr("variable 'x': conversion 'flt72to64' does not convert a long word from the host"));
  EXPECT_THAT(converted(0, std::nullopt), HasSubstr("variable 'x' is transferred (hlt) without conversion"));
  EXPECT_EQ(converted(0, Conversion::NONE), "");
  EXPECT_THAT(refusal_after([](Program& program) { program.variables[0].memory = Memory::bm; }),
              HasSubstr("variable 'x': hlt data lives in the PE"));
  EXPECT_THAT(refusal_after([](Program& program) { program.variables[2].vector = false; }),
              HasSubstr("variable 'a': rrn data is a vector"));
  EXPECT_THAT(refusal_after([](Program& program) { program.variables[0].reduction = Op::FADD; }),
              HasSubstr("variable 'x': only results (rrn) have a reduction"));
}

TEST(ObjectFile, IsRefusedWithAReductionThatDoesNotFitTheConversion) {
  const auto reduced = [](Op reduction, Conversion conversion) {
    return refusal_after([=](Program& program) {
      program.variables[2].reduction = reduction;
      program.variables[2].conversion = conversion;
    });
  };
  EXPECT_THAT(reduced(Op::FSUB, Conversion::FLT72TO64),
              HasSubstr("variable 'a': 'fsub' is no reduction for conversion 'flt72to64'"));
  EXPECT_THAT(reduced(Op::UADD, Conversion::FLT72TO64), HasSubstr("'uadd' is no reduction"));
  EXPECT_THAT(reduced(Op::FADD, Conversion::FIX72TO64), HasSubstr("'fadd' is no reduction"));
  EXPECT_THAT(reduced(Op::UMAX, Conversion::NONE), HasSubstr("'umax' is no reduction"));
  EXPECT_THAT(reduced(Op::NOP, Conversion::NONE), HasSubstr("'nop' is no reduction"));
  for (const Op op : {Op::FADD, Op::FMAX, Op::FMIN}) EXPECT_EQ(reduced(op, Conversion::FLT72TO64), "");
  for (const Op op : {Op::UADD, Op::UAND, Op::UOR, Op::UXOR, Op::UMAX, Op::UMIN}) {
    EXPECT_EQ(reduced(op, Conversion::FIX72TO64), "");
  }
  for (const Op op : {Op::UAND, Op::UOR, Op::UXOR}) EXPECT_EQ(reduced(op, Conversion::NONE), "");
}

TEST(ObjectFile, IsRefusedWithParametersThatDoNotFit) {
  const auto changed = [](auto change) {
    return refusal_after([=](Program& program) { change(program.parameters[0]); });
  };
  EXPECT_THAT(changed([](Parameter& eps) { eps.address = 13; }),
              HasSubstr("parameter 'eps' has address 13; allowed are even ones in 0..1790"));
  EXPECT_THAT(changed([](Parameter& eps) { eps.address = 1792; }), HasSubstr("parameter 'eps' has address 1792"));
  EXPECT_THAT(changed([](Parameter& eps) { eps.conversion = Conversion::FLT64TO72; }),
              HasSubstr("parameter 'eps': conversion 'flt64to72' does not convert a short word from the host"));
  EXPECT_THAT(changed([](Parameter& eps) { eps.conversion = Conversion::FLT36TO64; }), HasSubstr("'flt36to64'"));
  EXPECT_THAT(changed([](Parameter& eps) { eps.integer = {8, true}; }),
              HasSubstr("parameter 'eps' is no whole number from the host, which 'int8' is for"));
}

TEST(ObjectFile, IsRefusedWithIntegersThatDoNotFitTheTransfer) {
  const auto with = [](std::size_t variable, const HostInteger& integer) {
    return refusal_after([=](Program& program) { program.variables[variable].integer = integer; });
  };
  const auto of_result = [](const HostInteger& integer, Conversion conversion) {
    return refusal_after([=](Program& program) {
      program.variables[2].reduction = Op::UAND;
      program.variables[2].conversion = conversion;
      program.variables[2].integer = integer;
    });
  };
  EXPECT_EQ(with(0, {28, false}), "");
  EXPECT_EQ(of_result({28, false}, Conversion::FIX72TO64), "");
  EXPECT_THAT(of_result({28, true}, Conversion::FIX72TO64),
              HasSubstr("variable 'a': 'int28' says which lower bits of an integer in the PE the host gets"));
  EXPECT_THAT(of_result({28, false}, Conversion::NONE), HasSubstr("'uint28' says which lower bits"));
}

TEST(ObjectFile, IsRefusedWithFilesThatItDoesNotName) {
  EXPECT_THAT(refusal_after([](Program& program) { program.variables[0].position.file = 2; }),
              HasSubstr("variable 'x' stands in file 2, but there are 2 files"));
  EXPECT_THAT(refusal_after([](Program& program) { program.parameters[0].position.file = 7; }),
              HasSubstr("parameter 'eps' stands in file 7"));
  EXPECT_THAT(
      refusal_after([](Program& program) { std::get<ProgramLine>(program.sections[2][1]).position.file = 4000000000; }),
      HasSubstr("step 1 of 'loop body' stands in file 4000000000"));
}

/// A kernel of Type II with its moves where they belong.
Program moves_its_own_data() {
  Program program = every_kind_of_entry();
  Variable& result = program.variables[2];
  result.memory = Memory::bm;
  result.address = 24;
  const SourcePosition here{0, 30, 3};
  program.sections[1] = {TransferStep{here}};
  program.sections[2].insert(program.sections[2].begin() + 1, TransferStep{here});
  program.sections[2].push_back(CollectStep{2, 0, 1, true, here});
  program.sections[3] = {CollectStep{2, 0, 1, false, here}};
  return program;
}

TEST(ObjectFile, OfAKernelOfTypeTwoReadsBack) {
  const Program program = moves_its_own_data();
  EXPECT_EQ(deserialize(serialize(program), "sample.gdro"), program);
}

TEST(ObjectFile, OfAKernelOfTypeTwoHoldsWhatOlderReadersKnow) {
  const std::string text = as_text(serialize(moves_its_own_data()));
  // The keys of the second transfer and the first collect, as object version 1 has had them from the start.
  EXPECT_THAT(text, HasSubstr(R"({
   "entries": 0,
   "first": 0,
   "line": 1,
   "move": "transfer",
   "not_first": false,
   "position": [
    0,
    30,
    3
   ],
   "section": "loop_body",
   "variable": 0
  },
  {
   "entries": 1,
   "first": 0,
   "line": 2,
   "move": "collect",
   "not_first": true,
)"));
}

/// The kernel of Type II with this choice of blocks in both collects.
Program keeps_blocks_apart(BlockChoice blocks) {
  Program program = moves_its_own_data();
  program.variables[2].reduction = std::nullopt;
  std::get<CollectStep>(program.sections[2].back()).blocks = blocks;
  std::get<CollectStep>(program.sections[3].back()).blocks = blocks;
  return program;
}

TEST(ObjectFile, ThatNamesBlocksHasItsOwnVersion) {
  const auto version_of = [](const Program& program) {
    const std::string text = as_text(serialize(program));
    const std::size_t at = text.find("\"object_version\": ");
    return text.substr(at, text.find(',', at) - at);
  };
  EXPECT_EQ(version_of(keeps_blocks_apart({})), "\"object_version\": 1");
  const Program each = keeps_blocks_apart({BlockChoice::Kind::each});
  EXPECT_EQ(version_of(each), "\"object_version\": 2");
  EXPECT_EQ(version_of(keeps_blocks_apart({BlockChoice::Kind::one, 0})), "\"object_version\": 2");
  Program selects = every_kind_of_entry();
  selects.variables[2].reduction = std::nullopt;
  EXPECT_EQ(version_of(selects), "\"object_version\": 1");
  selects.variables[2].block = 3;
  EXPECT_EQ(version_of(selects), "\"object_version\": 2");
  EXPECT_EQ(deserialize(serialize(selects), "sample.gdro"), selects);

  const Bytes whole = serialize(each);
  EXPECT_EQ(deserialize(whole, "sample.gdro"), each);
  EXPECT_THAT(refusal(forged(whole, "\"object_version\": 2", "\"object_version\": 1")),
              HasSubstr("it has object version 1, but its contents are of version 2"));
  EXPECT_THAT(refusal(forged(whole, "\"each\"", "\"some\"")), HasSubstr("'some' is no known choice of blocks"));
}

TEST(ObjectFile, IsRefusedWithBlocksThatNobodyCanRead) {
  const auto refused = [](const Program& program) { return refusal(serialize(program)); };
  EXPECT_THAT(refused(keeps_blocks_apart({BlockChoice::Kind::one, kBlocks})),
              HasSubstr("step 3 of 'loop body' collects block 16; allowed are 0..15"));
  Program reduced = keeps_blocks_apart({BlockChoice::Kind::each});
  reduced.variables[2].reduction = Op::FADD;
  EXPECT_THAT(refused(reduced), HasSubstr("names blocks of 'a', which has a reduction or a block of its own"));
  Program mixed = keeps_blocks_apart({BlockChoice::Kind::each});
  std::get<CollectStep>(mixed.sections[3].back()).blocks = {};
  EXPECT_THAT(refused(mixed), HasSubstr("names blocks of 'a', but another collect of it does not"));
  Program far = every_kind_of_entry();
  far.variables[2].reduction = std::nullopt;
  far.variables[2].block = kBlocks;
  EXPECT_THAT(refused(far), HasSubstr("variable 'a' is read from block 16; allowed are 0..15"));
  Program both = every_kind_of_entry();
  both.variables[2].reduction = Op::FADD;
  both.variables[2].block = 1;
  EXPECT_THAT(refused(both), HasSubstr("variable 'a': only results (rrn) without a reduction are read from one block"));
}

TEST(ObjectFile, IsRefusedWithStepsWhereNoneStand) {
  const auto with_step = [](Section section, const Step& step) {
    Program program = moves_its_own_data();
    program.steps(section).push_back(step);
    return refusal(serialize(program));
  };
  const SourcePosition here{0, 31, 3};
  // Nobody would have room for these words.
  EXPECT_THAT(with_step(Section::loop_initialization, CollectStep{2, 0, 1, false, here}),
              HasSubstr("step 1 of 'loop initialization' is a collect, which stands in 'loop termination' or"));
  EXPECT_THAT(with_step(Section::initialization, CollectStep{2, 0, 1, false, here}), HasSubstr("is a collect"));
  EXPECT_THAT(with_step(Section::initialization, TransferStep{here}), HasSubstr("is a transfer"));
  EXPECT_THAT(with_step(Section::loop_termination, TransferStep{here}), HasSubstr("is a transfer"));
  EXPECT_THAT(with_step(Section::loop_body, CollectStep{9, 0, 1, false, here}), HasSubstr("collects variable 9"));
  EXPECT_THAT(with_step(Section::loop_body, CollectStep{2, 0, 2, false, here}),
              HasSubstr("step 4 of 'loop body' collects entries 0 to 1 of 'a'"));
  EXPECT_THAT(with_step(Section::loop_body, TransferStep{{7, 1, 1}}),
              HasSubstr("step 4 of 'loop body' stands in file 7"));
}

TEST(ObjectFile, IsRefusedWithMovesBehindItsLines) {
  const Bytes whole = serialize(moves_its_own_data());
  EXPECT_THAT(refusal(forged(whole, "\"line\": 2", "\"line\": 3")),
              HasSubstr("a move stands at line 3 of 'loop body', which has 2 lines"));
  EXPECT_THAT(refusal(forged(whole, "\"line\": 2", "\"line\": 0")), HasSubstr("the move before it stands at 1"));
  EXPECT_THAT(refusal(forged(whole, "\"entries\": 0", "\"entries\": 1")), HasSubstr("a transfer names entries"));
}

TEST(Program, WithAWordThatDoesNotDecodeIsInvalid) {
  Program program = every_kind_of_entry();
  std::get<ProgramLine>(program.sections[2][1]).word.parts[4] = ~std::uint64_t{0};
  try {
    validate(program);
    FAIL() << "an undefined word was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("step 1 of 'loop body' is undefined: "));
  }
  EXPECT_THROW(static_cast<void>(loop_bound(program)), Error);
}

TEST(ObjectFile, IsRefusedWithNumbersThatAreNone) {
  EXPECT_THAT(refusal_after([](Program& program) { program.flops = -1; }),
              HasSubstr("flops is -1; it must be finite and at least 0"));
  // JSON has no word for them, so they do not reach the file as numbers.
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(refusal_after([=](Program& program) { program.flops = value; }), HasSubstr("malformed"));
    Program program = every_kind_of_entry();
    program.flops = value;
    EXPECT_THROW(validate(program), Error);
    program = every_kind_of_entry();
    program.parameters[0].default_value = value;
    EXPECT_THROW(validate(program), Error);
  }
}

TEST(ObjectFile, IsRefusedWithNumbersThatDoNotFitTheirFields) {
  const Bytes whole = serialize(every_kind_of_entry());
  EXPECT_THAT(refusal(forged(whole, "\"flops\": 38.5", "\"flops\": -3.5")), HasSubstr("flops is -3.5"));
  EXPECT_THAT(refusal(forged(whole, "\"record_words\": 3", "\"record_words\":-3")),
              HasSubstr("-3 stands where a whole number in 0..65535 belongs"));
}

TEST(ObjectFile, IsRefusedWithNamesThatAreNoIdentifiersOrAppearTwice) {
  const auto named = [](auto change) { return refusal_after(change); };
  EXPECT_THAT(named([](Program& program) { program.kernel = "../../x"; }),
              HasSubstr(R"(the kernel's name "../../x" is refused: it must be a letter or '_', then letters)"));
  EXPECT_THAT(named([](Program& program) { program.variables[0].name = "x\nend"; }),
              HasSubstr(R"(the variable's name "x\nend" is refused)"));
  EXPECT_THAT(named([](Program& program) { program.variables[2].name = ""; }), HasSubstr("the variable's name \"\""));
  EXPECT_THAT(named([](Program& program) { program.parameters[0].name = "2eps"; }),
              HasSubstr("the parameter's name \"2eps\""));
  EXPECT_THAT(named([](Program& program) { program.variables[0].name = "a"; }),
              HasSubstr("the name 'a' is declared twice"));
  EXPECT_THAT(named([](Program& program) { program.parameters[0].name = "m"; }),
              HasSubstr("the name 'm' is declared twice"));
  EXPECT_EQ(named([](Program& program) { program.variables[0].name = "_X9"; }), "");
}

TEST(ObjectFile, IsRefusedWithADescriptionDeeperThanTheStack) {
  constexpr std::size_t kLevels = 200000;
  Program program = every_kind_of_entry();
  program.kernel = std::string(2 * kLevels, 'k');
  const std::string versioned = "\"isa_version\": 1,\n \"kernel\": \"" + program.kernel + "\"";
  const std::string nested = "\"isa_version\": " + std::string(kLevels, '[') + std::string(kLevels, ']');
  const std::string filled = std::string(versioned.size() - nested.size(), ' ');
  EXPECT_THAT(refusal(forged(serialize(program), versioned, nested + filled)),
              HasSubstr("its description is malformed: it is more than 8 levels deep"));
}

TEST(ObjectFile, IsNoFileThatIsNoElf) {
  EXPECT_THAT(refusal({}), HasSubstr("no ELF file"));
  EXPECT_THAT(refusal(Bytes(1000, std::byte{'x'})), HasSubstr("no ELF file"));
}

TEST(ObjectFile, IsRefusedWithAHeaderOrSectionTableThatIsDamaged) {
  const Bytes whole = serialize(every_kind_of_entry());
  const auto with_header = [&](const std::function<void(Elf64_Ehdr&)>& change) {
    Bytes bytes = whole;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return refusal(bytes);
  };
  // The names' section stands in the first section header, which is not in the file.
  EXPECT_THAT(with_header([](Elf64_Ehdr& header) {
                header.e_shstrndx = SHN_XINDEX;
                header.e_shoff = ~Elf64_Off{0} - 8;
              }),
              HasSubstr("its ELF structure is damaged"));
  EXPECT_THAT(with_header([](Elf64_Ehdr& header) { header.e_shstrndx = 1; }),
              HasSubstr("its ELF section table is damaged"));
  EXPECT_THAT(with_header([](Elf64_Ehdr& header) { header.e_ident[EI_CLASS] = 7; }), HasSubstr("damaged"));
}

TEST(ObjectFile, OnDiskNamesItsPathWhenItCannotBeRead) {
  const tests::ScratchDirectory scratch;
  const std::filesystem::path path = scratch / "sample.gdro";
  write_object(every_kind_of_entry(), path);
  EXPECT_EQ(read_object(path), every_kind_of_entry());
  std::filesystem::remove(path);
  try {
    static_cast<void>(read_object(path));
    FAIL() << "a missing file was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith(path.string()));
  }
}

}  // namespace
}  // namespace gdr::isa
