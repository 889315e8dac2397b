// Encoded lines: the rules that the generated field tables leave to code.
#include "gdr/isa/line.h"

#include <fmt/format.h>

#include <utility>

#include "fields.h"
#include "gdr/base/error.h"
#include "gdr/isa/operand_width.h"

namespace gdr::isa {
namespace {

/// The line with all unused ports and slots set to their defaults, as an encoder would write it.
Line with_unused_ports_cleared(Line line) {
  if (!reads(line, Source::gpr_a)) line.gpr_a = {};
  if (!reads(line, Source::gpr_b)) line.gpr_b = {};
  if (!reads(line, Source::lm)) line.lm_read = {};
  if (!reads(line, Source::immediate)) line.immediate = {};
  if (line.bm.mode == BmMode::none) line.bm = {};
  if (line.bm.mode == BmMode::read) line.bm.store_source = Source::none;
  if (!line.bm.one_pe) line.bm.pe = 0;
  for (WritePort* port : {&line.t_write, &line.gpr_write, &line.lm_write}) {
    if (port->source == Unit::none) *port = {};
    if (port->predicate.flag == 0) port->predicate.inverted = false;
  }
  if (line.mask.flag == 0) line.mask.inverted = false;
  for (Slot* slot : {&line.adder, &line.multiplier, &line.alu}) {
    if (slot->op == Op::NOP) *slot = {};
    if (!info_of(slot->op).has_destination) {
      slot->width = Width::short_word;
      slot->flag = {};
    }
    if (slot->flag.flag == 0) slot->flag = {};
    if (slot->flag.predicate.flag == 0) slot->flag.predicate.inverted = false;
    if (slot->a == Source::none) slot->negate_a = false;
    if (slot->b == Source::none) slot->negate_b = false;
  }
  return line;
}

/// The reason why a unit or the store to BM cannot take one of its operands; empty if there is none.
std::string refused_operand(const Line& line) {
  for (const Unit unit : {Unit::adder, Unit::multiplier}) {
    const Slot& slot = slot_of(line, unit);
    for (const Source source : {slot.a, slot.b}) {
      if (source == Source::pe_id || source == Source::bb_id) {
        return fmt::format("{} is an integer, no operand of the {}", name_of(source), name_of(unit));
      }
    }
  }
  if (info_of(line.multiplier.op).second_source_is_short &&
      operand_width(line, line.multiplier.b, Width::short_word) != Width::short_word) {
    return fmt::format("the second operand of {} is long", info_of(line.multiplier.op).mnemonic);
  }
  for (const Source source : {line.alu.a, line.alu.b}) {
    if (operand_width(line, source, line.alu.width) != line.alu.width) {
      return "operands and destinations of the ALU differ in width";
    }
  }
  if (line.bm.mode == BmMode::write && operand_width(line, line.bm.store_source, line.bm.width) != line.bm.width) {
    return "a store to BM changes the width of its word";
  }
  return {};
}

/// The reason why a line is not valid although all its fields are defined; empty if there is none.
std::string refusal(const Line& line) {
  if (line != with_unused_ports_cleared(line)) return "a field of a port or slot that the line does not use is set";
  const auto odd = [](const ReadPort& port) { return port.width == Width::long_word && port.address % 2 != 0; };
  if (odd(line.gpr_a) || odd(line.gpr_b) || (odd(line.lm_read) && !line.lm_read.indirect)) {
    return "a long word is read at an odd address";
  }
  if (line.bm.width == Width::long_word && line.bm.address % 2 != 0) return "a long word of BM has an odd address";
  for (const WritePort* port : {&line.gpr_write, &line.lm_write}) {
    if (port->source != Unit::none && result_width(line, port->source) == Width::long_word && port->address % 2 != 0 &&
        !port->indirect) {
      return "a long word is written at an odd address";
    }
  }
  for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu}) {
    const Slot& slot = slot_of(line, unit);
    const int sources = (slot.a != Source::none) + (slot.b != Source::none);
    if (slot.op != Op::NOP && sources != info_of(slot.op).sources) {
      return fmt::format("{} has {} operands instead of {}", info_of(slot.op).mnemonic, sources,
                         info_of(slot.op).sources);
    }
    if (slot.a == Source::none && slot.b != Source::none) {
      return fmt::format("{} has its operand as the second", info_of(slot.op).mnemonic);
    }
    const bool written = line.t_write.source == unit || line.gpr_write.source == unit || line.lm_write.source == unit;
    if (written && (slot.op == Op::NOP || !info_of(slot.op).has_destination)) {
      return fmt::format("a write port takes the result of the {}, which has none", name_of(unit));
    }
    if (info_of(slot.op).has_destination && !written && slot.flag.flag == 0) {
      return fmt::format("nothing takes the result of {}", info_of(slot.op).mnemonic);
    }
    if (slot.flag.flag != 0 && slot.flag.condition == Condition::carry && !info_of(slot.op).writes_carry) {
      return fmt::format("{} has no carry", info_of(slot.op).mnemonic);
    }
  }
  if (info_of(line.multiplier.op).claims_adder && line.adder.op != Op::NOP) {
    return "the multiplier's operation claims the adder, which has one of its own";
  }
  if (reads(line, Source::bm) && line.bm.mode != BmMode::read) return "an operand comes from BM, which is not read";
  if (line.bm.mode == BmMode::write && (!line.bm.one_pe || line.bm.store_source == Source::none)) {
    return "a write to BM needs a PE and a source of that PE";
  }
  bool moved = false;
  for (const WritePort* port : {&line.t_write, &line.gpr_write, &line.lm_write}) {
    moved = moved || port->source == Unit::bm;
  }
  if (moved && line.bm.mode != BmMode::read) return "a word is moved from BM, which is not read";
  if (line.bm.mode == BmMode::read) {
    if (!moved && !reads(line, Source::bm)) return "BM is read for nothing";
    if (line.bm.one_pe && reads(line, Source::bm)) return "a load into one PE feeds a unit of every PE";
  }
  if (line.immediate.width == Width::short_word && line.immediate.value.lower().bits != 0) {
    return "a short immediate has bits in its lower half";
  }
  return refused_operand(line);
}

}  // namespace

Width operand_width(const Line& line, Source source, Width asked) {
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
    case Source::none:
    case Source::pe_id:
    case Source::bb_id:
      break;
  }
  return asked;
}

DecodeResult decode(const InstructionWord& word) {
  DecodeResult result = decode_fields(word);
  if (result.line) {
    if (std::string why = refusal(*result.line); !why.empty()) return {std::nullopt, std::move(why)};
  }
  return result;
}

Line decoded(const InstructionWord& word) {
  DecodeResult result = decode(word);
  if (!result.line) throw Error(fmt::format("an instruction word is undefined: {}", result.error));
  return *result.line;
}

const Slot& slot_of(const Line& line, Unit unit) {
  switch (unit) {
    case Unit::adder:
      return line.adder;
    case Unit::multiplier:
      return line.multiplier;
    case Unit::alu:
      return line.alu;
    case Unit::none:
    case Unit::bm:
      break;
  }
  throw Error(fmt::format("slot_of: unit '{}' has no slot; adder, multiplier and ALU have one", name_of(unit)));
}
Slot& slot_of(Line& line, Unit unit) { return const_cast<Slot&>(slot_of(std::as_const(line), unit)); }

bool reads(const Line& line, Source source) {
  for (const Slot* slot : {&line.adder, &line.multiplier, &line.alu}) {
    if (slot->a == source || slot->b == source) return true;
  }
  return line.bm.mode == BmMode::write && line.bm.store_source == source;
}

Width result_width(const Line& line, Unit unit) { return unit == Unit::bm ? line.bm.width : slot_of(line, unit).width; }

}  // namespace gdr::isa
