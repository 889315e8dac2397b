// For each record of the instruction set: a line encodes, decodes, prints, and the print assembles to the same word.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <map>

#include "assembled_lines.h"
#include "testing.h"

namespace gdr::assembler {
namespace {

using isa::BmMode;
using isa::Line;
using isa::Op;
using isa::OperationInfo;
using isa::Source;
using isa::Unit;
using isa::Width;
using tests::kFirstFreeBmWord;

/// Words that assembling `lines` gives, in the loop body.
std::vector<isa::InstructionWord> assembled_words(const std::string& lines) {
  const AssembleResult result = tests::assemble_lines(lines);
  if (!result.program) {
    ADD_FAILURE() << format_diagnostics(result);
    return {};
  }
  std::vector<isa::InstructionWord> words;
  for (const isa::ProgramLine& line : result.program->lines(isa::Section::loop_body)) words.push_back(line.word);
  return words;
}

/// Collects lines and brings them through the assembler in one go.
class Batch {
 public:
  void add(const Line& line) {
    const isa::InstructionWord word = isa::encode(line);
    const isa::DecodeResult decoded = isa::decode(word);
    ASSERT_TRUE(decoded.line) << decoded.error;
    ASSERT_EQ(*decoded.line, line) << isa::print(line);
    expected_.push_back(word);
    text_ += fmt::format("  {}\n", isa::print(line));
  }
  void add_pair(const Line& first, const Line& second) {
    add(first);
    add(second);
    separate();
  }
  void add_alone(const Line& line) {
    add(line);
    separate();
  }
  void check() {
    const std::vector<isa::InstructionWord> words = assembled_words(text_);
    ASSERT_EQ(words.size(), expected_.size());
    for (std::size_t index = 0; index < words.size(); ++index) {
      ASSERT_EQ(words[index], expected_[index]) << isa::print(*isa::decode(expected_[index]).line) << "\nbecame\n"
                                                << isa::print(*isa::decode(words[index]).line);
    }
  }

 private:
  /// Nothing is read too early, and T holds a short word, so that either view of it is legal in the next line.
  void separate() {
    Line line;
    line.vlen = 4;
    line.alu = {Op::UXOR, Source::t_short, Source::t_short, false, false, Width::short_word, {}};
    line.t_write.source = Unit::alu;
    add(line);
  }
  std::vector<isa::InstructionWord> expected_;
  std::string text_;
};

using SetSource = std::function<void(Line&)>;
struct Operand {
  Source source;
  SetSource set;
};

/// Every way to read a word of this width; `second` chooses the second GPR port.
std::vector<Operand> operands(Width width, bool second, bool integer) {
  const bool is_long = width == Width::long_word;
  std::vector<Operand> all;
  const Source gpr = second ? Source::gpr_b : Source::gpr_a;
  for (const bool vector : {false, true}) {
    const auto gpr_address = static_cast<std::uint16_t>(second ? 16 : 24);
    all.push_back({gpr, [=](Line& line) { (second ? line.gpr_b : line.gpr_a) = {gpr_address, width, vector, false}; }});
    for (const bool indirect : {false, true}) {
      all.push_back({Source::lm, [=](Line& line) { line.lm_read = {40, width, vector, indirect}; }});
    }
    for (const bool record : {false, true}) {
      all.push_back({Source::bm, [=](Line& line) {
                       line.bm = {BmMode::read, static_cast<std::uint16_t>(record ? 4 : kFirstFreeBmWord),
                                  width,        vector,
                                  record,       Source::none,
                                  false,        0};
                     }});
    }
  }
  all.push_back({is_long ? Source::t_long : Source::t_short, [](Line&) {}});
  const isa::LongWord bits = is_long ? isa::LongWord{0x123456789abcdef0, 0x5a} : isa::widen({0xfedcba987});
  all.push_back({Source::immediate, [=](Line& line) { line.immediate = {width, bits}; }});
  if (integer) {
    all.push_back({Source::pe_id, [](Line&) {}});
    all.push_back({Source::bb_id, [](Line&) {}});
  }
  return all;
}

/// Sets destinations by the bits of `chosen`: T, GPR, LM.
void set_destinations(Line& line, Unit unit, unsigned chosen, const isa::Predicate& predicate, bool indirect = false) {
  if ((chosen & 1) != 0) line.t_write = {unit, 0, false, false, predicate};
  if ((chosen & 2) != 0) line.gpr_write = {unit, 32, true, false, predicate};
  if ((chosen & 4) != 0) line.lm_write = {unit, 64, true, indirect, predicate};
}

constexpr std::array<isa::Predicate, 5> kPredicates{
    {{0, false, false}, {1, false, false}, {3, true, false}, {0, false, true}, {4, true, true}}};

bool takes(const OperationInfo& info, unsigned operand, Width width) {
  if (info.second_source_is_short && operand == 1) return width == Width::short_word;
  const bool long_product = info.op == Op::FMULH || info.op == Op::FMULL;
  return !long_product || width == Width::long_word;
}

/// Adds a line, with the other half of a product where the operation is one half.
void add_complete(Batch& batch, const Line& line) {
  Line other = line;
  if (line.multiplier.op == Op::FMULH) {
    other.multiplier.op = Op::FMULL;
    other.t_write.source = Unit::multiplier;
    batch.add_pair(line, other);
  } else if (line.multiplier.op == Op::FMULL) {
    other.multiplier.op = Op::FMULH;
    other.multiplier.width = Width::short_word;
    other.multiplier.flag = {};
    other.t_write = other.gpr_write = other.lm_write = {};
    batch.add_pair(other, line);
  } else {
    batch.add_alone(line);
  }
}

Line with_operands(const OperationInfo& info, const Operand& a, const Operand* b, Width width) {
  Line line;
  line.vlen = 4;
  isa::Slot& slot = isa::slot_of(line, info.unit);
  slot.op = info.op;
  slot.width = info.has_destination ? width : Width::short_word;
  slot.a = a.source;
  a.set(line);
  if (b != nullptr) {
    slot.b = b->source;
    b->set(line);
  }
  return line;
}

/// True if the two operands fit one line: one LM, one BM access and one immediate are shared only if they are equal,
/// and the first GPR operand takes the first port.
bool together(const OperationInfo& info, const Operand& a, const Operand& b, Width width) {
  if (b.source == Source::gpr_b && a.source != Source::gpr_a) return false;
  const Line one = with_operands(info, a, &b, width);
  const Line other = with_operands(info, b, &a, width);
  return one.lm_read == other.lm_read && one.bm == other.bm && one.immediate == other.immediate;
}

void operand_round_trip(const OperationInfo& info, Batch& batch) {
  const bool integer = info.kind != isa::NumberKind::floating_point;
  for (const Width first : {Width::long_word, Width::short_word}) {
    for (const Width second : {Width::long_word, Width::short_word}) {
      if (!takes(info, 0, first) || (info.sources == 2 && !takes(info, 1, second))) continue;
      if (integer && first != second) continue;
      for (const Operand& a : operands(first, false, integer)) {
        if (info.sources == 1) {
          Line line = with_operands(info, a, nullptr, first);
          if (info.has_destination) set_destinations(line, info.unit, 1, {});
          add_complete(batch, line);
          continue;
        }
        for (const Operand& b : operands(second, true, integer)) {
          if (!together(info, a, b, first)) continue;
          Line line = with_operands(info, a, &b, first);
          if (info.has_destination) set_destinations(line, info.unit, 1, {});
          add_complete(batch, line);
        }
      }
    }
  }
}

/// Destinations, predicates, flags, lengths, masks and signs around one choice of operands.
void destination_round_trip(const OperationInfo& info, Batch& batch) {
  const bool floating = info.kind == isa::NumberKind::floating_point;
  for (const Width width : {Width::long_word, Width::short_word}) {
    const Width source_width = takes(info, 0, width) ? width : Width::long_word;
    const Source t = source_width == Width::long_word ? Source::t_long : Source::t_short;
    const Operand a{Source::gpr_a, [=](Line& line) { line.gpr_a = {0, source_width, true, false}; }};
    const Width second_width = takes(info, 1, source_width) ? source_width : Width::short_word;
    Operand b{second_width == source_width ? t : Source::t_short, [](Line&) {}};
    if (info.op == Op::FMULH || info.op == Op::FMULL) {
      b = {Source::gpr_b, [](Line& line) { line.gpr_b = {48, Width::long_word, true, false}; }};
    }
    const Line base = with_operands(info, a, info.sources == 2 ? &b : nullptr, width);
    for (std::uint8_t elements = 1; elements <= isa::kVectorElements; ++elements) {
      for (const isa::Mask mask : {isa::Mask{0, false}, isa::Mask{2, false}, isa::Mask{4, true}}) {
        Line line = base;
        line.vlen = elements;
        line.mask = mask;
        if (info.has_destination) set_destinations(line, info.unit, 2, {});
        add_complete(batch, line);
      }
    }
    for (const unsigned signs : {1u, 2u, 3u}) {
      if (!floating || (info.sources == 1 && signs != 1)) continue;
      Line line = base;
      isa::slot_of(line, info.unit).negate_a = (signs & 1) != 0;
      isa::slot_of(line, info.unit).negate_b = (signs & 2) != 0;
      if (info.has_destination) set_destinations(line, info.unit, 2, {});
      add_complete(batch, line);
    }
    if (!info.has_destination) continue;
    for (unsigned chosen = 0; chosen < 8; ++chosen) {
      for (const isa::Predicate& predicate : kPredicates) {
        for (std::uint8_t flag = 0; flag <= isa::kFlags; ++flag) {
          for (const isa::ConditionInfo& condition : isa::conditions()) {
            if (flag == 0 && (chosen == 0 || condition.condition != isa::Condition::negative)) continue;
            if (condition.condition == isa::Condition::carry && !info.writes_carry) continue;
            Line line = base;
            set_destinations(line, info.unit, chosen, predicate, flag == 1);
            if (flag != 0) isa::slot_of(line, info.unit).flag = {flag, condition.condition, predicate};
            add_complete(batch, line);
          }
        }
      }
    }
  }
}

void bm_round_trip(Batch& batch) {
  for (const Width width : {Width::long_word, Width::short_word}) {
    for (const bool vector : {false, true}) {
      for (const bool one_pe : {false, true}) {
        for (unsigned chosen = 1; chosen < 8; ++chosen) {
          for (const isa::Predicate& predicate : kPredicates) {
            for (const bool record : {false, true}) {
              Line line;
              line.vlen = 3;
              line.bm = {BmMode::read, static_cast<std::uint16_t>(record ? 2 : kFirstFreeBmWord + 2),
                         width,        vector,
                         record,       Source::none,
                         one_pe,       static_cast<std::uint8_t>(one_pe ? 31 : 0)};
              set_destinations(line, Unit::bm, chosen, predicate);
              batch.add_alone(line);
            }
          }
        }
      }
      for (const Operand& stored : operands(width, false, true)) {
        if (stored.source == Source::bm) continue;
        Line line;
        line.vlen = 2;
        stored.set(line);
        line.bm = {BmMode::write, kFirstFreeBmWord + 8, width, vector, false, stored.source, true, 17};
        batch.add_alone(line);
      }
    }
  }
}

void round_trip(Op op) {
  const OperationInfo& info = isa::info_of(op);
  Batch batch;
  if (info.unit == Unit::bm) {
    bm_round_trip(batch);
  } else {
    operand_round_trip(info, batch);
    destination_round_trip(info, batch);
  }
  batch.check();
}

/// A line that uses the part of the word which `member` belongs to, so that its bits may be set.
Line line_that_uses(std::string_view member) {
  Line line;
  line.vlen = 4;
  line.mask = {1, false};
  line.gpr_a = {0, Width::short_word, false, false};
  line.gpr_b = {2, Width::short_word, false, false};
  line.adder = {Op::FADD,
                Source::gpr_a,
                Source::gpr_b,
                false,
                false,
                Width::short_word,
                {1, isa::Condition::zero, {1, false, false}}};
  line.t_write = {Unit::adder, 0, false, false, {1, false, false}};
  if (member.starts_with("multiplier") || member.starts_with("lm_read")) {
    line.multiplier = {Op::FMUL,
                       Source::lm,
                       Source::gpr_b,
                       false,
                       false,
                       Width::short_word,
                       {2, isa::Condition::zero, {1, false, false}}};
  }
  // Numbers of PE and block come in any width, and the adder takes operands of any: so the fields of widths may change
  // alone.
  if (member.starts_with("alu")) {
    line.alu = {Op::UADD,
                Source::pe_id,
                Source::bb_id,
                false,
                false,
                Width::short_word,
                {3, isa::Condition::zero, {1, false, false}}};
  }
  if (member.starts_with("immediate")) {
    line.adder.b = Source::immediate;
    line.gpr_b = {};
    line.immediate.width = Width::long_word;
  }
  if (member.starts_with("gpr_write")) line.gpr_write = {Unit::adder, 2, false, false, {1, false, false}};
  if (member.starts_with("lm_write")) line.lm_write = {Unit::adder, 2, false, false, {1, false, false}};
  if (member.starts_with("bm")) {
    line.bm = {BmMode::write, 0, Width::short_word, false, false, Source::pe_id, true, 0};
  }
  return line;
}

std::uint64_t bits_at(const isa::InstructionWord& word, unsigned msb, unsigned lsb) {
  const std::uint64_t part = word.parts[lsb / 64] >> (lsb % 64);
  return msb - lsb == 63 ? part : part & ((std::uint64_t{1} << (msb - lsb + 1)) - 1);
}

/// Lines that differ from line_that_uses() in fields which cannot change alone.
std::vector<Line> other_lines() {
  Line idle;
  idle.vlen = 1;
  Line load;
  load.vlen = 1;
  load.bm = {BmMode::read, 2, Width::short_word, true, false, Source::none, false, 0};
  set_destinations(load, Unit::bm, 7, {});
  Line one_source;
  one_source.vlen = 1;
  one_source.adder = {Op::FPASSA, Source::t_long, Source::none, false, false, Width::long_word, {}};
  set_destinations(one_source, Unit::adder, 7, {});
  Line product;
  product.vlen = 1;
  product.multiplier = {Op::FMULL, Source::t_long, Source::t_long, false, false, Width::long_word, {}};
  set_destinations(product, Unit::multiplier, 7, {});
  return {idle, load, one_source, product};
}

/// Every code of a narrow field, and every single bit of a wide one, is either decoded into a line that encodes to the
/// same word, or refused with a reason. At least two codes must be accepted, and be read as different lines.
void field_round_trip(std::string_view member, unsigned msb, unsigned lsb) {
  const isa::InstructionWord base = isa::encode(line_that_uses(member));
  ASSERT_TRUE(isa::decode(base).line) << isa::decode(base).error;
  const unsigned width = msb - lsb + 1;
  std::vector<isa::InstructionWord> words;
  const auto add_code = [&](std::uint64_t code) {
    isa::InstructionWord word = base;
    word.parts[lsb / 64] ^= (bits_at(base, msb, lsb) ^ code) << (lsb % 64);
    ASSERT_EQ(bits_at(word, msb, lsb), code);
    words.push_back(word);
  };
  if (width <= 6) {
    for (std::uint64_t code = 0; code < (std::uint64_t{1} << width); ++code) add_code(code);
  } else {
    for (unsigned bit = 0; bit < width; ++bit) add_code(std::uint64_t{1} << bit);
  }
  for (const Line& line : other_lines()) {
    words.push_back(isa::encode(line));
    ASSERT_EQ(isa::decode(words.back()).line, line);
  }
  std::map<std::uint64_t, Line> accepted;
  for (const isa::InstructionWord& word : words) {
    const isa::DecodeResult decoded = isa::decode(word);
    ASSERT_NE(decoded.line.has_value(), !decoded.error.empty()) << member << " = " << bits_at(word, msb, lsb);
    if (!decoded.line) continue;
    ASSERT_EQ(isa::encode(*decoded.line), word) << member << " = " << bits_at(word, msb, lsb);
    for (const auto& [code, line] : accepted) {
      EXPECT_EQ(line == *decoded.line, isa::encode(line) == word) << member << " does not read its bits";
    }
    accepted.emplace(bits_at(word, msb, lsb), *decoded.line);
  }
  EXPECT_GT(accepted.size(), 1u) << member;
}

TEST(ReadPorts, OfTheGprKeepTheirPlacesWhateverTheyRead) {
  Batch batch;
  for (const std::uint16_t second_address : {std::uint16_t{24}, std::uint16_t{32}}) {
    for (unsigned chosen = 0; chosen < 16; ++chosen) {
      const auto port = [&](unsigned source) { return (chosen >> source & 1) != 0 ? Source::gpr_b : Source::gpr_a; };
      Line line;
      line.vlen = 4;
      line.adder = {Op::FADD, port(0), port(1), false, false, Width::long_word, {}};
      line.alu = {Op::UADD, port(2), port(3), false, false, Width::long_word, {}};
      line.t_write.source = Unit::adder;
      line.lm_write = {Unit::alu, 64, true, false, {}};
      if (chosen != 15) line.gpr_a = {24, Width::long_word, true, false};
      if (chosen != 0) line.gpr_b = {second_address, Width::long_word, true, false};
      batch.add_alone(line);
    }
  }
  for (const Source stored : {Source::gpr_a, Source::gpr_b}) {
    Line line;
    line.vlen = 4;
    line.adder = {Op::FPASSA, Source::gpr_b, Source::none, false, false, Width::long_word, {}};
    line.t_write.source = Unit::adder;
    line.gpr_b = {24, Width::long_word, true, false};
    if (stored == Source::gpr_a) line.gpr_a = line.gpr_b;
    line.bm = {BmMode::write, kFirstFreeBmWord + 8, Width::long_word, true, false, stored, true, 17};
    batch.add_alone(line);
  }
  batch.check();
}

TEST(ReadPorts, AreNamedOnlyWhereTheAssemblerWouldChooseOthers) {
  Line line;
  line.vlen = 4;
  line.adder = {Op::FADD, Source::gpr_a, Source::gpr_b, false, false, Width::long_word, {}};
  line.t_write.source = Unit::adder;
  line.gpr_a = {24, Width::long_word, true, false};
  line.gpr_b = {32, Width::long_word, true, false};
  EXPECT_EQ(isa::print(line), "vlen 4; fadd $lr24v $lr32v $lt");
  std::swap(line.adder.a, line.adder.b);
  EXPECT_EQ(isa::print(line), "vlen 4; fadd $lr32v.b $lr24v.a $lt");
}

TEST(ReservedBits, AreRefusedEachOnItsOwn) {
  std::array<std::uint64_t, isa::kInstructionBits / 64> used{};
  for (const isa::FieldInfo& field : isa::fields()) {
    for (unsigned bit = field.lsb; bit <= field.msb; ++bit) used[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  for (unsigned bit = 0; bit < isa::kInstructionBits; ++bit) {
    if ((used[bit / 64] >> (bit % 64) & 1) != 0) continue;
    isa::InstructionWord word = isa::encode(Line());
    word.parts[bit / 64] |= std::uint64_t{1} << (bit % 64);
    EXPECT_THAT(isa::decode(word).error, ::testing::HasSubstr("reserved bit")) << bit;
  }
}

TEST(UndefinedCodes, AreRefusedWithTheFieldsName) {
  for (const isa::FieldInfo& field : isa::fields()) {
    const bool is_opcode = field.member.ends_with(".op");
    if (!is_opcode) continue;
    isa::InstructionWord word = isa::encode(Line());
    const std::uint64_t all_ones = (std::uint64_t{1} << (field.msb - field.lsb + 1)) - 1;
    const Unit unit = field.member.starts_with("adder") ? Unit::adder
                      : field.member.starts_with("alu") ? Unit::alu
                                                        : Unit::multiplier;
    if (isa::op_from(unit, all_ones)) continue;
    word.parts[field.lsb / 64] |= all_ones << (field.lsb % 64);
    EXPECT_THAT(isa::decode(word).error, ::testing::HasSubstr(std::string(field.member)));
  }
}

#include "isa_round_trip_tests.inc"

}  // namespace
}  // namespace gdr::assembler
