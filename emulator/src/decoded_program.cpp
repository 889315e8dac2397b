// What can be refused before the first clock.
#include "decoded_program.h"

#include <fmt/format.h>

namespace gdr::emulator {
namespace {

using isa::BmMode;
using isa::Line;
using isa::Op;
using isa::ReadPort;
using isa::Section;
using isa::Slot;
using isa::Source;
using isa::Unit;
using isa::WritePort;

class Checker {
 public:
  Checker(const isa::Program& program, Section section) : program_(program), section_(section) {}

  std::vector<DecodedStep> run() {
    std::vector<DecodedStep> steps;
    steps.reserve(program_.steps(section_).size());
    at_ = 0;
    const isa::Visitor decode{[&](const isa::ProgramLine& coded) {
                                isa::DecodeResult decoded = isa::decode(coded.word);
                                if (!decoded.line) fail(FaultKind::undefined, decoded.error);
                                steps.emplace_back(*decoded.line);
                                ++at_;
                              },
                              [&](const isa::TransferStep& transfer) { steps.emplace_back(transfer); },
                              [&](const isa::CollectStep& collect) { steps.emplace_back(collect); }};
    for (const isa::Step& step : program_.steps(section_)) std::visit(decode, step);
    const std::vector<const Line*> lines = lines_of(steps);
    for (at_ = 0; at_ < lines.size(); ++at_) {
      const Line* before = at_ > 0 ? lines[at_ - 1] : nullptr;
      check_addresses(*lines[at_]);
      check_operands(*lines[at_]);
      check_product(before, *lines[at_], at_ + 1 < lines.size() ? lines[at_ + 1] : nullptr);
      if (before != nullptr && lines[at_]->multiplier.op == Op::FMULH) check_landing(*before, *lines[at_]);
    }
    return steps;
  }

 private:
  [[noreturn]] void fail(FaultKind kind, const std::string& why) const {
    throw Fault(kind, program_, section_, at_, why);
  }

  void check_extent(std::string_view memory, unsigned address, Width width, bool vector, unsigned vlen,
                    unsigned short_words) const {
    const unsigned words = vector ? vlen : 1;
    const unsigned end = address + words * stride_of(width);
    if (end > short_words) {
      fail(FaultKind::address, fmt::format("{} address {} is outside 0..{}", memory, end - 1, short_words - 1));
    }
  }

  void check_addresses(const Line& line) const {
    const auto read = [&](std::string_view memory, Source source, const ReadPort& port, unsigned size) {
      if (isa::reads(line, source) && !port.indirect) {
        check_extent(memory, port.address, port.width, port.vector, line.vlen, size);
      }
    };
    read("GPR", Source::gpr_a, line.gpr_a, isa::kGprShortWords);
    read("GPR", Source::gpr_b, line.gpr_b, isa::kGprShortWords);
    read("local memory", Source::lm, line.lm_read, isa::kLmShortWords);
    const auto write = [&](std::string_view memory, const WritePort& port, unsigned size) {
      if (port.source != Unit::none && !port.indirect) {
        check_extent(memory, port.address, isa::result_width(line, port.source), port.vector, line.vlen, size);
      }
    };
    write("GPR", line.gpr_write, isa::kGprShortWords);
    write("local memory", line.lm_write, isa::kLmShortWords);
    if (line.bm.mode == BmMode::none) return;
    if (line.bm.record && section_ != Section::loop_body) {
      fail(FaultKind::undefined, "a j-record is accessed outside the loop body, where there is none");
    }
    check_extent(line.bm.record ? "j-record" : "BM", line.bm.address, line.bm.width, line.bm.vector, line.vlen,
                 line.bm.record ? 2u * program_.record_words : isa::kBmShortWords);
  }

  /// Width in which the line offers a source; identifiers take whatever is asked for.
  static Width width_of(const Line& line, Source source, Width asked) {
    switch (source) {
      case Source::gpr_a:
        return line.gpr_a.width;
      case Source::gpr_b:
        return line.gpr_b.width;
      case Source::lm:
        return line.lm_read.width;
      case Source::bm:
        return line.bm.width;
      case Source::t_short:
        return Width::short_word;
      case Source::t_long:
        return Width::long_word;
      case Source::immediate:
        return line.immediate.width;
      default:
        return asked;
    }
  }

  void check_operands(const Line& line) const {
    for (const Unit unit : {Unit::adder, Unit::multiplier}) {
      const Slot& slot = isa::slot_of(line, unit);
      for (const Source source : {slot.a, slot.b}) {
        if (source == Source::pe_id || source == Source::bb_id) {
          fail(FaultKind::undefined,
               fmt::format("{} is an integer, no operand of the {}", isa::name_of(source), isa::name_of(unit)));
        }
      }
    }
    if (isa::info_of(line.multiplier.op).second_source_is_short &&
        width_of(line, line.multiplier.b, Width::short_word) != Width::short_word) {
      fail(FaultKind::undefined,
           fmt::format("the second operand of {} is long", isa::info_of(line.multiplier.op).mnemonic));
    }
    for (const Source source : {line.alu.a, line.alu.b}) {
      if (source != Source::none && width_of(line, source, line.alu.width) != line.alu.width) {
        fail(FaultKind::undefined, "operands and destinations of the ALU differ in width");
      }
    }
    if (line.bm.mode == BmMode::write && width_of(line, line.bm.store_source, line.bm.width) != line.bm.width) {
      fail(FaultKind::undefined, "a store to BM changes the width of its word");
    }
  }

  /// The port that an operand of the product comes through, so that two lines can be compared.
  static std::pair<Source, ReadPort> operand(const Line& line, Source source) {
    switch (source) {
      case Source::gpr_a:
        return {Source::gpr_a, line.gpr_a};
      case Source::gpr_b:
        return {Source::gpr_a, line.gpr_b};  // either port shows the same register
      case Source::lm:
        return {source, line.lm_read};
      case Source::bm:
        return {source, {line.bm.address, line.bm.width, line.bm.vector, line.bm.record}};
      default:
        return {source, {}};
    }
  }

  void check_product(const Line* before, const Line& line, const Line* after) const {
    const auto is = [](const Line* l, Op op) { return l != nullptr && l->multiplier.op == op; };
    if (line.multiplier.op == Op::FMULH && !is(after, Op::FMULL)) {
      fail(FaultKind::unproven_product, "fmulh is not followed by its fmull");
    }
    if (line.multiplier.op != Op::FMULL) return;
    if (!is(before, Op::FMULH)) fail(FaultKind::unproven_product, "fmull does not follow its fmulh");
    const Slot& high = before->multiplier;
    const Slot& low = line.multiplier;
    const bool immediates_equal =
        (low.a != Source::immediate && low.b != Source::immediate) || before->immediate == line.immediate;
    // A word of BM that the line of fmulh moves to T is the same operand there.
    const bool moved = before->bm.mode == BmMode::read && before->bm.width == Width::long_word && !before->bm.one_pe &&
                       before->t_write.source == Unit::bm && before->t_write.predicate == isa::Predicate();
    const auto same = [&](Source first, Source second) {
      return (moved && first == Source::bm && second == Source::t_long) ||
             operand(*before, first) == operand(line, second);
    };
    if (!same(high.a, low.a) || !same(high.b, low.b) || high.negate_a != low.negate_a ||
        high.negate_b != low.negate_b || !immediates_equal) {
      fail(FaultKind::unproven_product, "fmulh and fmull differ in their operands");
    }
    if (before->vlen != line.vlen || before->mask != line.mask) {
      fail(FaultKind::unproven_product, "fmulh and fmull differ in vector length or mask");
    }
    const auto from_t = [&](Source source) {
      return source == Source::t_long || source == Source::t_short || (source == Source::lm && line.lm_read.indirect);
    };
    const auto changes = [&](Source first, Source second) {
      return from_t(second) && before->t_write.source != Unit::none && !(moved && first == Source::bm);
    };
    if (changes(high.a, low.a) || changes(high.b, low.b)) {
      fail(FaultKind::unproven_product, "T, an operand of the product, is written in the line of its fmulh");
    }
  }

  /// What the line before fmulh writes lands between fmulh and fmull: they would read different values.
  void check_landing(const Line& written, const Line& product) const {
    for (const Source source : {product.multiplier.a, product.multiplier.b}) {
      const auto [memory, port] = operand(product, source);
      const WritePort* late = memory == Source::gpr_a ? &written.gpr_write
                              : memory == Source::lm  ? &written.lm_write
                                                      : nullptr;
      if (late == nullptr || late->source == Unit::none) continue;
      if (late->indirect || port.indirect) continue;  // whether they meet is known in the run alone
      const Width width = isa::result_width(written, late->source);
      const unsigned end = late->address + (late->vector ? written.vlen : 1u) * stride_of(width);
      const unsigned read_end = port.address + (port.vector ? product.vlen : 1u) * stride_of(port.width);
      if (late->address < read_end && port.address < end) {
        fail(FaultKind::unproven_product, "an operand of fmulh and fmull changes between them");
      }
    }
    for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu}) {
      if (product.mask.flag != 0 && isa::slot_of(written, unit).flag.flag == product.mask.flag) {
        fail(FaultKind::unproven_product, "the mask of fmulh and fmull changes between them");
      }
    }
  }

  const isa::Program& program_;
  Section section_;
  std::size_t at_ = 0;  // index of the line among the section's lines
};

std::string place(const isa::Program& program, isa::Section section, std::size_t line) {
  const std::vector<isa::ProgramLine> code = program.lines(section);
  if (line >= code.size() || code[line].position.file >= program.files.size()) {
    return fmt::format("{}, line {}", isa::name_of(section), line);
  }
  const isa::SourcePosition& position = code[line].position;
  return fmt::format("{}:{}:{}", program.files[position.file], position.line, position.column);
}

}  // namespace

Fault::Fault(FaultKind kind, const isa::Program& program, isa::Section section, std::size_t line,
             const std::string& why)
    : Error(fmt::format("{}: fault: {}", place(program, section, line), why)),
      kind_(kind),
      section_(section),
      line_(line) {}

std::vector<const isa::Line*> lines_of(const std::vector<DecodedStep>& steps) {
  std::vector<const isa::Line*> lines;
  lines.reserve(steps.size());
  for (const DecodedStep& step : steps) {
    if (const auto* line = std::get_if<Line>(&step)) lines.push_back(line);
  }
  return lines;
}

DecodedProgram decode_program(const isa::Program& program) {
  DecodedProgram decoded{program, {}};
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    decoded.sections[section] = Checker(program, static_cast<isa::Section>(section)).run();
  }
  return decoded;
}

}  // namespace gdr::emulator
