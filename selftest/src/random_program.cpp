// Random drafts of lines are made freely; those that the engines reject are discarded.
#include "gdr/selftest/random_program.h"

#include <algorithm>

#include "gdr/emulator/chip.h"
#include "gdr/isa/line.h"
#include "gdr/isa/operand_width.h"

namespace gdr::selftest {
namespace {

using isa::BmMode;
using isa::Line;
using isa::LongWord;
using isa::Op;
using isa::Section;
using isa::Slot;
using isa::Source;
using isa::Unit;
using isa::Width;

constexpr Section kSectionsInOrder[] = {Section::initialization, Section::loop_initialization, Section::loop_body,
                                        Section::loop_termination};

unsigned stride_of(Width width) { return width == Width::long_word ? 2 : 1; }

/// Resets unused fields to their defaults, as the encoder requires.
void clear_unused(Line& line) {
  if (!reads(line, Source::gpr_a)) line.gpr_a = {};
  if (!reads(line, Source::gpr_b)) line.gpr_b = {};
  if (!reads(line, Source::lm)) line.lm_read = {};
  if (!reads(line, Source::immediate)) line.immediate = {};
}

bool decodes(const std::vector<Line>& lines, Section section, const ProgramShape& shape) {
  isa::Program program;
  program.record_words = static_cast<std::uint16_t>(shape.record_words);
  program.sections[static_cast<std::size_t>(section)] = code_of(lines);
  try {
    static_cast<void>(emulator::make_reference_chip()->lower(program));
  } catch (const emulator::Fault&) {
    return false;
  }
  return true;
}

}  // namespace

std::vector<isa::Step> code_of(const std::vector<Line>& lines) {
  std::vector<isa::Step> code;
  for (const Line& line : lines) code.emplace_back(isa::ProgramLine{isa::encode(line), {}});
  return code;
}

std::string text_of(const isa::Program& program) {
  std::string text;
  for (const Section section : kSectionsInOrder) {
    text += std::string(isa::name_of(section)) + "\n";
    const isa::Visitor print{[](const isa::ProgramLine& line) { return isa::print(isa::decoded(line.word)); },
                             [](const isa::TransferStep& transfer) { return std::string(transfer.kName); },
                             [&](const isa::CollectStep& collect) {
                               return std::string(collect.kName) + " " + std::to_string(collect.words()) +
                                      " words at " + std::to_string(program.address_of(collect)) +
                                      (collect.not_first ? " not_first" : "");
                             }};
    for (const isa::Step& step : program.steps(section)) text += "  " + std::visit(print, step) + "\n";
  }
  return text;
}

std::vector<isa::Program> programs_without_a_step(const isa::Program& program) {
  std::vector<isa::Program> smaller;
  for (const Section section : kSectionsInOrder) {
    for (std::size_t first = 0; first < program.steps(section).size(); ++first) {
      for (const std::size_t count : {std::size_t{1}, std::size_t{2}}) {
        if (first + count > program.steps(section).size()) continue;
        std::vector<isa::Step>& steps = smaller.emplace_back(program).steps(section);
        const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(first);
        steps.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
      }
    }
  }
  return smaller;
}

isa::Program RandomPrograms::next(const ProgramShape& shape, unsigned most_lines) {
  isa::Program program;
  program.record_words = static_cast<std::uint16_t>(shape.record_words);
  for (const Section section : kSectionsInOrder) {
    std::vector<Line> lines;
    const std::uint64_t wanted = below(most_lines + 1);
    while (lines.size() < wanted) {
      const auto operation = isa::operations()[below(isa::operations().size())].op;
      const std::vector<Line> added = lines_with(operation, section, shape);
      // Results that arrive between fmulh and fmull must not change their operands: engines reject such pairs.
      if (added.front().multiplier.op == Op::FMULH) lines.emplace_back();
      lines.insert(lines.end(), added.begin(), added.end());
    }
    program.steps(section) = code_of(lines);
  }
  if (shape.moves) add_moves(program, shape);
  return program;
}

void RandomPrograms::add_moves(isa::Program& program, const ProgramShape& shape) {
  constexpr std::uint16_t kEntries = 3;
  isa::Variable sums;
  sums.name = "sums";
  sums.memory = isa::Memory::bm;
  sums.vector = true;
  sums.elements = kEntries;
  sums.dimensions = {kEntries};
  sums.transfer = isa::Transfer::rrn;
  sums.conversion = isa::Conversion::FLT72TO64;
  sums.reduction = Op::FADD;
  sums.address = static_cast<std::uint16_t>(below(4 * shape.record_words + 16) & ~std::uint64_t{1});
  program.variables = {sums};
  const auto add = [&](Section section, const isa::Step& step) {
    std::vector<isa::Step>& steps = program.steps(section);
    steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(below(steps.size() + 1)), step);
  };
  for (const Section section : {Section::loop_initialization, Section::loop_body}) {
    if (!one_in(3)) add(section, isa::TransferStep{});
  }
  for (const Section section : {Section::loop_body, Section::loop_termination}) {
    for (std::uint64_t n = below(4); n > 0; --n) {
      const auto first = static_cast<std::uint16_t>(below(kEntries));
      const auto entries = static_cast<std::uint16_t>(1 + below(kEntries - first));
      add(section, isa::CollectStep{0, first, entries, one_in(4), {}});
    }
  }
}

std::vector<Line> RandomPrograms::lines_with(Op op, Section section, const ProgramShape& shape) {
  for (;;) {
    if (op == Op::FMULH) op = Op::FMULL;
    Line line = draft(section, shape, op);
    std::vector<Line> lines{line};
    if (op == Op::FMULL) {  // its fmulh goes on a line with the same operands and perhaps further operations
      Line high = line;
      high.multiplier.op = Op::FMULH;
      high.multiplier.flag = {};
      high.multiplier.width = Width::short_word;
      for (isa::WritePort* port : {&high.t_write, &high.gpr_write, &high.lm_write}) {
        if (port->source == Unit::multiplier) *port = {};
      }
      if (one_in(2)) high.adder = slot(Unit::adder, Op::FADD, line);
      if (high.gpr_write.source == Unit::none && high.adder.op != Op::NOP) {
        high.gpr_write = {Unit::adder, address(shape.registers, high.adder.width, false, 1), false, false, predicate()};
      }
      lines.insert(lines.begin(), high);
    }
    for (Line& each : lines) clear_unused(each);
    const bool same = std::all_of(lines.begin(), lines.end(), [](const Line& each) {
      const isa::DecodeResult decoded = isa::decode(isa::encode(each));
      return decoded.line && *decoded.line == each;
    });
    if (same && decodes(lines, section, shape)) return lines;
  }
}

Line RandomPrograms::draft(Section section, const ProgramShape& shape, std::optional<Op> wanted) {
  Line line;
  line.vlen = static_cast<std::uint8_t>(1 + below(4));
  if (one_in(3)) line.mask = {static_cast<std::uint8_t>(1 + below(4)), one_in(2)};
  choose_ports(line, shape);
  choose_bm(line, section, shape);
  const Unit of_wanted = isa::info_of(*wanted).unit;
  const auto fill = [&](Unit unit, std::vector<Op> operations, unsigned chances) {
    if (of_wanted == unit) {
      isa::slot_of(line, unit) = slot(unit, *wanted, line);
    } else if (one_in(chances)) {
      isa::slot_of(line, unit) = slot(unit, operations[below(operations.size())], line);
    }
  };
  if (*wanted != Op::FMULL) {
    fill(Unit::adder, {Op::FADD, Op::FADD, Op::FSUB, Op::FPASSA, Op::FMAX, Op::FMIN}, 2);
  }
  fill(Unit::multiplier, {Op::FMUL}, 2);
  fill(Unit::alu, {Op::UADD, Op::USUB, Op::UAND, Op::UXOR, Op::ULSR, Op::UPASSA, Op::UMAX}, 3);
  choose_targets(line, shape);
  const bool moved =
      line.t_write.source == Unit::bm || line.gpr_write.source == Unit::bm || line.lm_write.source == Unit::bm;
  if (line.bm.mode == BmMode::read && !moved && !reads(line, Source::bm)) line.bm = {};
  return line;
}

void RandomPrograms::choose_ports(Line& line, const ProgramShape& shape) {
  const auto port = [&] {
    isa::ReadPort chosen;
    chosen.width = width();
    chosen.vector = !one_in(3);
    chosen.address = address(shape.registers, chosen.width, chosen.vector, line.vlen);
    return chosen;
  };
  line.gpr_a = port();
  line.gpr_b = port();
  line.lm_read = port();
  if (shape.indirect && one_in(2)) line.lm_read.indirect = true;
  line.immediate.width = width();
  line.immediate.value = number(line.immediate.width);
}

void RandomPrograms::choose_bm(Line& line, Section section, const ProgramShape& shape) {
  if (one_in(2)) return;
  isa::BmPort& bm = line.bm;
  bm.mode = one_in(4) ? BmMode::write : BmMode::read;
  bm.width = width();
  bm.vector = one_in(2);
  bm.record = section == Section::loop_body && shape.record_words > 0 && !one_in(3);
  const unsigned words = bm.record ? 2 * shape.record_words : 4 * shape.record_words + 16;
  bm.address = address(words, bm.width, bm.vector, line.vlen);
  bm.one_pe = bm.mode == BmMode::write || one_in(5);
  if (bm.one_pe) bm.pe = static_cast<std::uint8_t>(below(one_in(2) ? 32 : 4));
  if (bm.mode == BmMode::write) {
    constexpr Source kStored[] = {Source::gpr_a,  Source::gpr_b,     Source::lm,    Source::t_short,
                                  Source::t_long, Source::immediate, Source::pe_id, Source::bb_id};
    bm.store_source = kStored[below(std::size(kStored))];
  }
}

Slot RandomPrograms::slot(Unit unit, Op op, const Line& line) {
  constexpr Source kSources[] = {Source::gpr_a,  Source::gpr_b,     Source::lm,    Source::bm,   Source::t_short,
                                 Source::t_long, Source::immediate, Source::pe_id, Source::bb_id};
  const bool alu = unit == Unit::alu;
  Slot slot;
  slot.op = op;
  slot.width = width();
  const auto width_of = [&](Source source) { return isa::operand_width(line, source, slot.width); };
  const auto source = [&](std::optional<Width> wanted) {
    for (;;) {
      const Source chosen = kSources[below(std::size(kSources))];
      const bool identifier = chosen == Source::pe_id || chosen == Source::bb_id;
      if (identifier && (!alu || !one_in(4))) continue;
      if (chosen == Source::bm && line.bm.mode != BmMode::read) continue;
      if (!wanted || width_of(chosen) == *wanted) return chosen;
    }
  };
  const std::optional<Width> of_alu = alu ? std::optional(slot.width) : std::nullopt;
  const isa::OperationInfo& info = isa::info_of(op);
  slot.a = source(of_alu);
  if (info.sources == 2) slot.b = source(info.second_source_is_short ? std::optional(Width::short_word) : of_alu);
  if (!alu) {
    slot.negate_a = one_in(4);
    slot.negate_b = info.sources == 2 && one_in(4);
  }
  if (info.has_destination && one_in(4)) {
    slot.flag.flag = static_cast<std::uint8_t>(1 + below(4));
    slot.flag.condition = static_cast<isa::Condition>(below(info.writes_carry ? 3 : 2));
    slot.flag.predicate = predicate();
  }
  return slot;
}

void RandomPrograms::choose_targets(Line& line, const ProgramShape& shape) {
  std::vector<Unit> offers;
  for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu}) {
    const Op op = isa::slot_of(line, unit).op;
    if (op != Op::NOP && isa::info_of(op).has_destination) offers.push_back(unit);
  }
  if (line.bm.mode == BmMode::read) offers.push_back(Unit::bm);
  if (offers.empty()) return;
  const auto choose = [&](isa::WritePort& port, bool addressed) {
    port.source = offers[below(offers.size())];
    port.predicate = predicate();
    if (!addressed) return;
    const Width width = isa::result_width(line, port.source);
    port.vector = !one_in(3);
    port.address = address(shape.registers, width, port.vector, line.vlen);
  };
  if (one_in(2)) choose(line.t_write, false);
  if (!one_in(3)) choose(line.gpr_write, true);
  if (one_in(2)) choose(line.lm_write, true);
  if (shape.indirect) {
    if (line.lm_write.source != Unit::none && one_in(2)) line.lm_write.indirect = true;
    // T holds addresses, so only low bits of a number are written to it.
    if (line.t_write.source == Unit::none || one_in(40)) return;
    if (line.t_write.source != Unit::alu) {
      line.t_write = {};
    } else if (line.alu.b != Source::none) {
      line.alu.op = Op::UAND;
      line.alu.b = Source::immediate;
      line.alu.flag = {};
      line.immediate.width = line.alu.width;
      const std::uint64_t mask = 0x1e;
      line.immediate.value =
          line.alu.width == Width::long_word ? LongWord::from_bits(mask) : isa::widen(isa::ShortWord{mask});
    }
  }
}

isa::Predicate RandomPrograms::predicate() {
  isa::Predicate chosen;
  if (one_in(4)) {
    chosen.flag = static_cast<std::uint8_t>(1 + below(4));
    chosen.inverted = one_in(2);
  }
  chosen.jvalid = one_in(5);
  return chosen;
}

std::uint16_t RandomPrograms::address(unsigned words, Width width, bool vector, unsigned vlen) {
  const unsigned extent = stride_of(width) * (vector ? vlen : 1);
  if (extent > words) return 0;
  const auto chosen = static_cast<unsigned>(below(words - extent + 1));
  return static_cast<std::uint16_t>(width == Width::long_word ? chosen & ~1u : chosen);
}

LongWord RandomPrograms::number(Width width) {
  const LongWord chosen = word();
  return width == Width::long_word ? chosen : isa::widen(chosen.upper());
}

LongWord RandomPrograms::word() {
  const std::uint64_t fraction = random_() >> 4;
  const auto floating = [&](std::uint64_t exponent) {
    return LongWord::from_bits((isa::uint128{below(2)} << 71) | (isa::uint128{exponent} << 60) | fraction);
  };
  switch (below(12)) {
    case 0:
      return {};
    case 1:
      return floating(below(2048));
    case 2:
      return floating(below(2) == 0 ? below(200) : 2047 - below(60));
    case 3:
      return LongWord::from_bits(below(80));
    case 4:
      return isa::widen(isa::ShortWord{below(80)});
    case 5: {
      // Drawn first, so that the order of evaluation does not depend on the compiler.
      const isa::uint128 high = random_();
      return LongWord::from_bits((high << 40) ^ random_());
    }
    case 6:
      return floating(1023 + below(64));
    case 7:
      return isa::widen(floating(1015 + below(16)).upper());
    default:
      return floating(1013 + below(20));
  }
}

}  // namespace gdr::selftest
