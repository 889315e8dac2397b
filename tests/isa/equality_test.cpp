// Equality tells lines and programs apart in every field, and no field is lost in an instruction word or an object
// file.
#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "gdr/isa/effects.h"
#include "gdr/isa/program.h"

namespace gdr::isa {
namespace {

template <class Whole>
struct Change {
  std::string what;
  std::function<void(Whole&)> apply;
};

/// `changed` in each of these ways, the whole itself first.
template <class Whole>
std::vector<Whole> variants(const Whole& whole, const std::vector<Change<Whole>>& changes) {
  std::vector<Whole> all{whole};
  for (const Change<Whole>& change : changes) {
    all.push_back(whole);
    change.apply(all.back());
  }
  return all;
}

/// No two of them are equal, and each is equal to its copy.
template <class Whole>
void expect_all_different(const std::vector<Whole>& all, const std::vector<Change<Whole>>& changes) {
  const auto name = [&](std::size_t n) { return n == 0 ? std::string("unchanged") : changes[n - 1].what; };
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < all.size(); ++b) EXPECT_EQ(all[a] == all[b], a == b) << name(a) << ", " << name(b);
  }
}

std::vector<Change<Line>> changes_of_ports() {
  std::vector<Change<Line>> changes;
  const auto of_read = [&](const std::string& name, ReadPort Line::* port) {
    changes.push_back({name + " address", [=](Line& line) { (line.*port).address = 6; }});
    changes.push_back({name + " width", [=](Line& line) { (line.*port).width = Width::long_word; }});
    changes.push_back({name + " vector", [=](Line& line) { (line.*port).vector = true; }});
  };
  of_read("gpr_a", &Line::gpr_a);
  of_read("gpr_b", &Line::gpr_b);
  of_read("lm_read", &Line::lm_read);
  changes.push_back({"lm_read indirect", [](Line& line) { line.lm_read.indirect = true; }});
  const auto of_write = [&](const std::string& name, WritePort Line::* port) {
    changes.push_back({name + " source", [=](Line& line) { (line.*port).source = Unit::alu; }});
    changes.push_back({name + " flag", [=](Line& line) { (line.*port).predicate.flag = 3; }});
    changes.push_back({name + " inverted", [=](Line& line) { (line.*port).predicate.inverted = true; }});
    changes.push_back({name + " jvalid", [=](Line& line) { (line.*port).predicate.jvalid = true; }});
  };
  of_write("t_write", &Line::t_write);
  of_write("gpr_write", &Line::gpr_write);
  of_write("lm_write", &Line::lm_write);
  for (WritePort Line::* port : {&Line::gpr_write, &Line::lm_write}) {
    const std::string name = port == &Line::gpr_write ? "gpr_write" : "lm_write";
    changes.push_back({name + " address", [=](Line& line) { (line.*port).address = 6; }});
    changes.push_back({name + " vector", [=](Line& line) { (line.*port).vector = true; }});
  }
  changes.push_back({"lm_write indirect", [](Line& line) { line.lm_write.indirect = true; }});
  return changes;
}

std::vector<Change<Line>> changes_of_slots() {
  std::vector<Change<Line>> changes;
  const auto of_slot = [&](const std::string& name, Slot Line::* slot, Op op) {
    changes.push_back({name + " op", [=](Line& line) { (line.*slot).op = op; }});
    changes.push_back({name + " a", [=](Line& line) { (line.*slot).a = Source::t_long; }});
    changes.push_back({name + " b", [=](Line& line) { (line.*slot).b = Source::t_long; }});
    changes.push_back({name + " width", [=](Line& line) { (line.*slot).width = Width::long_word; }});
    changes.push_back({name + " flag", [=](Line& line) { (line.*slot).flag.flag = 2; }});
    changes.push_back({name + " condition", [=](Line& line) { (line.*slot).flag.condition = Condition::zero; }});
    changes.push_back({name + " flag's flag", [=](Line& line) { (line.*slot).flag.predicate.flag = 4; }});
    changes.push_back({name + " flag's inversion", [=](Line& line) { (line.*slot).flag.predicate.inverted = true; }});
    changes.push_back({name + " flag's jvalid", [=](Line& line) { (line.*slot).flag.predicate.jvalid = true; }});
    if (slot == &Line::alu) return;  // integers are not negated
    changes.push_back({name + " negate_a", [=](Line& line) { (line.*slot).negate_a = true; }});
    changes.push_back({name + " negate_b", [=](Line& line) { (line.*slot).negate_b = true; }});
  };
  of_slot("adder", &Line::adder, Op::FSUB);
  of_slot("multiplier", &Line::multiplier, Op::FMUL);
  of_slot("alu", &Line::alu, Op::USUB);
  return changes;
}

std::vector<Change<Line>> changes_of_lines() {
  std::vector<Change<Line>> changes = changes_of_ports();
  for (Change<Line>& change : changes_of_slots()) changes.push_back(std::move(change));
  changes.push_back({"vlen", [](Line& line) { line.vlen = 3; }});
  changes.push_back({"mask", [](Line& line) { line.mask.flag = 1; }});
  changes.push_back({"mask inverted", [](Line& line) { line.mask.inverted = true; }});
  changes.push_back({"bm mode", [](Line& line) { line.bm.mode = BmMode::read; }});
  changes.push_back({"bm address", [](Line& line) { line.bm.address = 6; }});
  changes.push_back({"bm width", [](Line& line) { line.bm.width = Width::long_word; }});
  changes.push_back({"bm vector", [](Line& line) { line.bm.vector = true; }});
  changes.push_back({"bm record", [](Line& line) { line.bm.record = true; }});
  changes.push_back({"bm store_source", [](Line& line) { line.bm.store_source = Source::gpr_a; }});
  changes.push_back({"bm one_pe", [](Line& line) { line.bm.one_pe = true; }});
  changes.push_back({"bm pe", [](Line& line) { line.bm.pe = 6; }});
  changes.push_back({"immediate width", [](Line& line) { line.immediate.width = Width::long_word; }});
  changes.push_back({"immediate high", [](Line& line) { line.immediate.value.high = std::uint64_t{1} << 60; }});
  changes.push_back({"immediate low", [](Line& line) { line.immediate.value.low = 1; }});
  return changes;
}

TEST(Lines, ThatDifferInOneFieldDifferAndSoDoTheirWords) {
  const std::vector<Change<Line>> changes = changes_of_lines();
  const std::vector<Line> lines = variants(Line(), changes);
  expect_all_different(lines, changes);
  std::vector<InstructionWord> words;
  for (const Line& line : lines) words.push_back(encode(line));
  for (std::size_t a = 0; a < words.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_FALSE(words[a] == words[b]) << changes[a - 1].what << ", " << (b == 0 ? "unchanged" : changes[b - 1].what);
    }
  }
}

// ---- accesses ------------------------------------------------------------------------------------------------------

TEST(Accesses, ThatDifferInOneFieldDiffer) {
  const std::vector<Change<Access>> changes{
      {"storage", [](Access& access) { access.storage = Storage::lm; }},
      {"role", [](Access& access) { access.role = Role::a; }},
      {"purpose", [](Access& access) { access.purpose = Purpose::index; }},
      {"unit", [](Access& access) { access.unit = Unit::alu; }},
      {"width", [](Access& access) { access.width = Width::long_word; }},
      {"write", [](Access& access) { access.write = true; }},
      {"indirect", [](Access& access) { access.indirect = true; }},
      {"one_pe", [](Access& access) { access.one_pe = true; }},
      {"floating", [](Access& access) { access.floating = true; }},
      {"defines", [](Access& access) { access.defines = true; }},
      {"predicate", [](Access& access) { access.predicate.jvalid = true; }},
      {"step", [](Access& access) { access.step = 2; }},
      {"latency", [](Access& access) { access.latency = 2; }},
      {"address", [](Access& access) { access.address = 2; }},
  };
  expect_all_different(variants(Access(), changes), changes);
}

TEST(WordRanges, AreEqualWithBothEndsOnly) {
  EXPECT_EQ((WordRange{2, 4}), (WordRange{2, 4}));
  EXPECT_FALSE((WordRange{2, 4}) == (WordRange{1, 4}));
  EXPECT_FALSE((WordRange{2, 4}) == (WordRange{2, 5}));
}

// ---- programs ------------------------------------------------------------------------------------------------------

constexpr SourcePosition kHere{0, 30, 3};

/// A kernel of Type II with a variable of each kind, all of whose fields can change alone.
Program sample() {
  Program program;
  program.kernel = "sample";
  program.files = {"sample.vsm", "macros.vsm"};
  program.record_words = 2;
  program.flops = 38;
  Variable record;
  record.name = "m";
  record.memory = Memory::bm;
  record.address = 2;
  record.width = Width::short_word;
  record.transfer = Transfer::elt;
  record.conversion = Conversion::FLT64TO36;
  Variable result;
  result.name = "c";
  result.memory = Memory::bm;
  result.address = 40;
  result.vector = true;
  result.elements = 4;
  result.dimensions = {4};
  result.transfer = Transfer::rrn;
  result.conversion = Conversion::FLT72TO64;
  result.reduction = Op::FADD;
  Variable local;
  local.name = "local";
  local.elements = 4;
  local.dimensions = {4};
  program.variables = {record, result, local};
  program.parameters = {{"eps", 200, Width::long_word, Conversion::FLT64TO72, 0.5, kHere},
                        {"none", 202, Width::long_word, Conversion::NONE, 0, kHere}};
  Line nop;
  program.steps(Section::loop_initialization) = {TransferStep{kHere}, ProgramLine{encode(nop), kHere}};
  program.steps(Section::loop_body) = {TransferStep{kHere}, CollectStep{1, 0, 2, false, kHere}};
  return program;
}

std::vector<Change<Program>> changes_of_programs() {
  const auto of_local = [](const std::string& what, void (*change)(Variable&)) {
    return Change<Program>{"variable " + what, [=](Program& program) { change(program.variables[2]); }};
  };
  const auto of_result = [](const std::string& what, void (*change)(Variable&)) {
    return Change<Program>{"result " + what, [=](Program& program) { change(program.variables[1]); }};
  };
  const auto of_parameter = [](const std::string& what, void (*change)(Parameter&)) {
    return Change<Program>{"parameter " + what, [=](Program& program) { change(program.parameters[1]); }};
  };
  const auto of_collect = [](const std::string& what, void (*change)(CollectStep&)) {
    return Change<Program>{"collect " + what, [=](Program& program) {
                             change(std::get<CollectStep>(program.steps(Section::loop_body)[1]));
                           }};
  };
  const auto of_blocks = [](const std::string& what, BlockChoice blocks) {
    return Change<Program>{what, [=](Program& program) {
                             program.variables[1].reduction = std::nullopt;
                             std::get<CollectStep>(program.steps(Section::loop_body)[1]).blocks = blocks;
                           }};
  };
  const auto of_position = [](const std::string& what, std::uint32_t SourcePosition::* part, std::uint32_t value) {
    return Change<Program>{what, [=](Program& program) {
                             std::get<ProgramLine>(program.steps(Section::loop_initialization)[1]).position.*part =
                                 value;
                           }};
  };
  return {
      {"kernel", [](Program& program) { program.kernel = "simple"; }},
      {"files", [](Program& program) { program.files[1] = "other.vsm"; }},
      {"flops", [](Program& program) { program.flops = 39; }},
      {"steps",
       [](Program& program) { program.steps(Section::initialization) = {ProgramLine{encode(Line()), kHere}}; }},
      {"word",
       [](Program& program) {
         Line line;
         line.vlen = 2;
         std::get<ProgramLine>(program.steps(Section::loop_initialization)[1]).word = encode(line);
       }},
      of_position("file", &SourcePosition::file, 1),
      of_position("line", &SourcePosition::line, 31),
      of_position("column", &SourcePosition::column, 4),
      of_position("the largest column", &SourcePosition::column, ~std::uint32_t{0}),
      {"transfer's position",
       [](Program& program) { std::get<TransferStep>(program.steps(Section::loop_body)[0]).position.line = 31; }},
      {"a record more",
       [](Program& program) {
         program.record_words = 3;
         program.variables[0].address = 4;
       }},
      of_local("name", [](Variable& variable) { variable.name = "other"; }),
      of_local("memory", [](Variable& variable) { variable.memory = Memory::gpr; }),
      of_local("address", [](Variable& variable) { variable.address = 2; }),
      of_local("width", [](Variable& variable) { variable.width = Width::short_word; }),
      of_local("vector", [](Variable& variable) { variable.vector = true; }),
      of_local("elements",
               [](Variable& variable) {
                 variable.elements = 5;
                 variable.dimensions = {5};
               }),
      of_local("dimensions", [](Variable& variable) { variable.dimensions = {2, 2}; }),
      of_local("position", [](Variable& variable) { variable.position = kHere; }),
      of_local("packed",
               [](Variable& variable) {
                 variable.memory = Memory::bm;
                 variable.width = Width::short_word;
                 variable.packed = true;
               }),
      of_result("transfer and conversion",
                [](Variable& variable) {
                  variable.conversion = Conversion::FIX72TO64;
                  variable.reduction = Op::UADD;
                }),
      of_result("reduction", [](Variable& variable) { variable.reduction = Op::FMIN; }),
      of_result("no reduction", [](Variable& variable) { variable.reduction = std::nullopt; }),
      of_result("block",
                [](Variable& variable) {
                  variable.reduction = std::nullopt;
                  variable.block = 15;
                }),
      of_blocks("block 0", {BlockChoice::Kind::one, 0}),
      of_blocks("block 15", {BlockChoice::Kind::one, 15}),
      of_blocks("each block", {BlockChoice::Kind::each}),
      of_parameter("name", [](Parameter& parameter) { parameter.name = "two"; }),
      of_parameter("address", [](Parameter& parameter) { parameter.address = 204; }),
      of_parameter("width", [](Parameter& parameter) { parameter.width = Width::short_word; }),
      of_parameter("conversion", [](Parameter& parameter) { parameter.conversion = Conversion::FIX64TO72; }),
      of_parameter("default", [](Parameter& parameter) { parameter.default_value = 2; }),
      of_parameter("position", [](Parameter& parameter) { parameter.position.line = 31; }),
      of_collect("first", [](CollectStep& collect) { collect.first = 1; }),
      of_collect("entries", [](CollectStep& collect) { collect.entries = 1; }),
      of_collect("not_first", [](CollectStep& collect) { collect.not_first = true; }),
      of_collect("position", [](CollectStep& collect) { collect.position.column = 4; }),
  };
}

TEST(Programs, ThatDifferInOneFieldDifferAndReadBackAsTheyWere) {
  const std::vector<Change<Program>> changes = changes_of_programs();
  const std::vector<Program> programs = variants(sample(), changes);
  expect_all_different(programs, changes);
  for (std::size_t n = 0; n < programs.size(); ++n) {
    EXPECT_EQ(deserialize(serialize(programs[n]), "sample.gdro"), programs[n])
        << (n == 0 ? "unchanged" : changes[n - 1].what);
  }
}

/// Fields that cannot change alone in a valid program.
TEST(Programs, AreToldApartByFieldsThatDependOnOthers) {
  Variable one;
  one.conversion = Conversion::FLT72TO64;
  Variable other = one;
  other.conversion = std::nullopt;
  EXPECT_FALSE(one == other);
  other = one;
  other.transfer = Transfer::rrn;
  EXPECT_FALSE(one == other);
  other = one;
  other.packed = true;
  EXPECT_FALSE(one == other);
  other = one;
  other.elements = 2;
  EXPECT_FALSE(one == other);
  Program longer = sample();
  longer.record_words = 3;
  EXPECT_FALSE(longer == sample());
  CollectStep collect{1, 0, 2, false, kHere};
  collect.variable = 0;
  EXPECT_FALSE(collect == (CollectStep{1, 0, 2, false, kHere}));
}

// ---- words ---------------------------------------------------------------------------------------------------------

TEST(HexadecimalWords, TakeDigitsOfBothCasesAndNothingElse) {
  EXPECT_EQ(parse_short("0123789af"), (ShortWord{0x0123789af}));
  EXPECT_EQ(parse_short("FEDCBA987"), (ShortWord{0xfedcba987}));
  EXPECT_EQ(parse_long("000000000000000A0f"), (LongWord{0xa, 0x0f}));
  for (const char* around : {"/", ":", "@", "G", "`", "g", " ", "-"}) {  // beside the digits' ranges
    EXPECT_EQ(parse_short(std::string(8, '0') + around), std::nullopt) << around;
    EXPECT_EQ(parse_long(around + std::string(17, '0')), std::nullopt) << around;
  }
  EXPECT_EQ(parse_short("00000000"), std::nullopt);
  EXPECT_EQ(parse_short("0000000000"), std::nullopt);
  EXPECT_EQ(parse_long(""), std::nullopt);
  EXPECT_EQ(parse_long(std::string(19, '0')), std::nullopt);
}

}  // namespace
}  // namespace gdr::isa
