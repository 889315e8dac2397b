// Assigns the units, ports and widths of one line.
#include "line_encoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"

namespace gdr::assembler {
namespace {

using isa::NumberKind;
using isa::Source;
using isa::Unit;
using isa::Width;

/// The spelling of a register or immediate in the other width, if it has one.
std::string other_width(const Value& value) {
  const bool to_long = value.width == Width::short_word;
  const std::string& text = value.text;
  const std::size_t at = text.find('$');
  if (at != std::string::npos) {
    if (to_long) return text.substr(0, at + 1) + "l" + text.substr(at + 1);
    return text.substr(0, at + 1) + text.substr(at + 2);
  }
  if (text.starts_with("is") || text.starts_with("il")) return (to_long ? "il" : "is") + text.substr(2);
  return {};
}

std::string width_fix(const Value& value) {
  const std::string fixed = value.symbol != nullptr ? "" : other_width(value);
  if (!fixed.empty()) return fmt::format("write '{}'", fixed);
  return fmt::format("use a {} word", name_of(value.width == Width::long_word ? Width::short_word : Width::long_word));
}

}  // namespace

LineEncoder::LineEncoder(isa::Section section, const Sequencer& sequencer, Place where, const Declared& declared,
                         Reporter& reporter)
    : section_(section), declared_(declared), reporter_(reporter) {
  code_.where = where;
  code_.line.vlen = static_cast<std::uint8_t>(sequencer.elements);
  code_.line.mask = sequencer.mask;
}

CodeLine LineEncoder::take(std::string text) && {
  code_.text = std::move(text);
  const isa::Effects effects = isa::effects(code_.line);
  for (const isa::Access& access : effects.reads()) code_.accesses.push_back(noted(access));
  for (const isa::Access& access : effects.writes()) code_.accesses.push_back(noted(access));
  return std::move(code_);
}

void LineEncoder::note(isa::Role role, const Value& value) {
  notes_.push_back({operation_, role, value.asserted, value.symbol, value.register_name, value.where, value.text});
}

CodeAccess LineEncoder::noted(const isa::Access& access) const {
  CodeAccess known{access, false, nullptr, nullptr, code_.where, {}};
  const auto found = std::find_if(notes_.begin(), notes_.end(), [&](const Note& note) {
    return note.unit == access.unit && note.role == access.role;
  });
  if (found != notes_.end()) known.where = found->where;
  if (access.purpose == isa::Purpose::gate) {
    known.text = fmt::format("flag {}", access.address);  // mask and predicates have no operand of their own
  } else if (found != notes_.end()) {
    known.text = found->text;
    if (access.purpose == isa::Purpose::index) return known;
    known.asserted = found->asserted;
    known.symbol = found->symbol;
    known.register_name = found->register_name;
  }
  return known;
}

bool LineEncoder::conflict(Code code, const Value& value, const Claim& earlier, std::string message) {
  if (reporter_.error(code, value.where, std::move(message))) {
    reporter_.note(earlier.where, fmt::format("'{}' takes it", earlier.text));
  }
  return false;
}

bool LineEncoder::add(const Resolved& operation) {
  if (operation.op == isa::Op::NOP) return true;
  const Unit unit = isa::info_of(operation.op).unit;
  auto& taken = units_[static_cast<std::size_t>(unit)];
  if (taken) {
    if (reporter_.error(Code::unit_taken, operation.where,
                        fmt::format("the {} is taken in this line; move '{}' to another line", isa::name_of(unit),
                                    operation.mnemonic))) {
      reporter_.note(taken->where, fmt::format("'{}' takes it", taken->text));
    }
    return false;
  }
  taken = Claim{operation.where, operation.mnemonic};
  operation_ = unit;
  return unit == Unit::bm ? add_bm(operation) : add_slot(operation);
}

// ---- adder, multiplier, ALU ----------------------------------------------------------------------------------------

bool LineEncoder::add_slot(const Resolved& operation) {
  const isa::OperationInfo& info = isa::info_of(operation.op);
  if (operation.pe) {
    reporter_.error(Code::pe_number, operation.pe->where, "only 'bm' names a PE");
    return false;
  }
  const auto& adder = units_[static_cast<std::size_t>(Unit::adder)];
  if (info.claims_adder && adder) {
    if (reporter_.error(Code::adder_claimed, operation.where,
                        fmt::format("'{}' adds its two partial products in the adder, which is taken in this line",
                                    info.mnemonic))) {
      reporter_.note(adder->where, fmt::format("'{}' takes it; move it to another line", adder->text));
    }
    return false;
  }
  if (!check_sources(operation) || !check_destinations(operation)) return false;
  const auto width = result_width(operation);
  if (!width) return false;
  isa::Slot& slot = isa::slot_of(code_.line, info.unit);
  slot.op = operation.op;
  slot.width = info.has_destination ? *width : Width::short_word;

  bool good = true;
  for (std::size_t index = 0; index < operation.sources.size(); ++index) {
    const Value& value = operation.sources[index];
    const auto chosen = source(value, operation);
    if (!chosen) {
      good = false;
      continue;
    }
    (index == 0 ? slot.a : slot.b) = *chosen;
    (index == 0 ? slot.negate_a : slot.negate_b) = value.negated;
    note(index == 0 ? isa::Role::a : isa::Role::b, value);
  }
  for (const Value& value : operation.destinations) {
    if (!write(value, info.unit)) good = false;
    note_collision(operation, value);
  }
  return write_flag(operation, slot) && good;
}

bool LineEncoder::check_sources(const Resolved& operation) {
  const isa::OperationInfo& info = isa::info_of(operation.op);
  const bool floating = info.kind == NumberKind::floating_point;
  for (std::size_t index = 0; index < operation.sources.size(); ++index) {
    const Value& value = operation.sources[index];
    if (value.negated && !floating) {
      reporter_.error(
          Code::negation, value.where,
          fmt::format("'{}' is an integer operation, whose sources cannot be negated; use 'usub'", info.mnemonic));
      return false;
    }
    if (floating && (value.kind == OperandKind::pe_id || value.kind == OperandKind::bb_id)) {
      reporter_.error(Code::identity, value.where,
                      fmt::format("'{}' is an integer; '{}' takes floating-point numbers", value.text, info.mnemonic));
      return false;
    }
    if (info.second_source_is_short && index == 1 && value.width == Width::long_word) {
      const std::string swap = operation.sources[0].width == Width::short_word ? "swap the sources" : width_fix(value);
      reporter_.error(Code::multiplier_width, value.where,
                      fmt::format("the second source of '{}' goes through the multiplier's narrow port and is short; "
                                  "{}, or multiply in two lines with 'fmulh' and 'fmull'",
                                  info.mnemonic, swap));
      return false;
    }
    if (info.half != isa::ProductHalf::none && value.width == Width::short_word) {
      reporter_.error(Code::multiplier_width, value.where,
                      fmt::format("'{}' multiplies two long words; with a short one use 'fmul'", info.mnemonic));
      return false;
    }
  }
  return true;
}

/// The common width of the destinations and, for an ALU operation, of its sources.
std::optional<Width> LineEncoder::result_width(const Resolved& operation) {
  const isa::OperationInfo& info = isa::info_of(operation.op);
  const bool integer = info.kind != NumberKind::floating_point;
  const Value* first = operation.destinations.empty() ? nullptr : &operation.destinations.front();
  const auto agree = [&](const Value& value) {
    if (!value.has_width()) return true;
    if (first == nullptr) first = &value;
    if (value.width == first->width) return true;
    const std::string why = integer ? fmt::format("'{}' works on words of one width", info.mnemonic)
                                    : "all destinations of an operation have one width";
    reporter_.error(Code::width, value.where,
                    fmt::format("'{}' is {}, but '{}' is {}, and {}; {}", value.text, name_of(value.width), first->text,
                                name_of(first->width), why, width_fix(value)));
    return false;
  };
  for (const Value& value : operation.destinations) {
    if (!agree(value)) return std::nullopt;
  }
  if (integer) {
    for (const Value& value : operation.sources) {
      if (!agree(value)) return std::nullopt;
    }
  }
  if (!operation.flags.empty()) {
    const Value& flag = operation.flags.front();
    if (first == nullptr) return flag.width;
    if (flag.width == Width::long_word && first->width == Width::short_word) {
      reporter_.error(Code::width, flag.where,
                      fmt::format("'{}' takes a flag from a long result, but '{}' is short; write '$ok{}'", flag.text,
                                  first->text, flag.address));
      return std::nullopt;
    }
  }
  return first != nullptr ? first->width : Width::short_word;
}

bool LineEncoder::write_flag(const Resolved& operation, isa::Slot& slot) {
  if (operation.flags.empty()) return true;
  const Value& flag = operation.flags.front();
  const isa::OperationInfo& info = isa::info_of(operation.op);
  if (flag.condition == isa::Condition::carry && !info.writes_carry) {
    std::string with_carry;
    for (const isa::OperationInfo& other : isa::operations()) {
      if (other.writes_carry) with_carry += fmt::format("{}'{}'", with_carry.empty() ? "" : " and ", other.mnemonic);
    }
    reporter_.error(Code::flag, flag.where,
                    fmt::format("'{}' has no carry; only {} have one", info.mnemonic, with_carry));
    return false;
  }
  for (const Note& earlier : notes_) {
    if (earlier.role == isa::Role::flag_write && isa::slot_of(code_.line, earlier.unit).flag.flag == flag.address) {
      return conflict(Code::write_port, flag, {earlier.where, earlier.text},
                      fmt::format("flag {} is written twice in this line", flag.address));
    }
  }
  slot.flag = {static_cast<std::uint8_t>(flag.address), flag.condition, flag.predicate};
  note(isa::Role::flag_write, flag);
  return true;
}

// ---- ports ---------------------------------------------------------------------------------------------------------

std::optional<Source> LineEncoder::gpr_source(const Value& value) {
  const isa::ReadPort wanted{static_cast<std::uint16_t>(value.address), value.width, value.vector, false};
  const auto claim = [&](Source source, isa::ReadPort& port, Claim& claimed) {
    if (value.port != Source::none && value.port != source) return false;
    if (!claimed.text.empty() && port != wanted) return false;
    if (claimed.text.empty()) claimed = {value.where, value.text};
    port = wanted;
    return true;
  };
  if (claim(Source::gpr_a, code_.line.gpr_a, gpr_a_)) return Source::gpr_a;
  if (claim(Source::gpr_b, code_.line.gpr_b, gpr_b_)) return Source::gpr_b;
  if (value.port != Source::none) {
    const Claim& earlier = value.port == Source::gpr_a ? gpr_a_ : gpr_b_;
    conflict(Code::gpr_read_port, value, earlier,
             fmt::format("'{}' asks for a read port of the GPR that another address has in this line", value.text));
    return std::nullopt;
  }
  if (reporter_.error(Code::gpr_read_port, value.where,
                      fmt::format("'{}' is a third GPR address read in this line, which has two read ports; keep one "
                                  "operand in T or local memory, or move the operation",
                                  value.text))) {
    reporter_.note(gpr_a_.where, fmt::format("'{}' takes the first port", gpr_a_.text));
    reporter_.note(gpr_b_.where, fmt::format("'{}' takes the second port", gpr_b_.text));
  }
  return std::nullopt;
}

std::optional<Source> LineEncoder::source(const Value& value, const Resolved& operation) {
  if (!value.predicate.jvalid && !value.always && value.predicate.flag == 0) {
    if (!may_use(value, false)) return std::nullopt;
  } else {
    reporter_.error(Code::predicate, value.where,
                    fmt::format("'{}' is a source; a predicate gates a destination", value.text));
    return std::nullopt;
  }
  switch (value.kind) {
    case OperandKind::gpr:
      return gpr_source(value);
    case OperandKind::lm: {
      const isa::ReadPort wanted{static_cast<std::uint16_t>(value.address), value.width, value.vector, value.indirect};
      if (!lm_read_.text.empty() && code_.line.lm_read != wanted) {
        conflict(Code::lm_read_port, value, lm_read_,
                 fmt::format("'{}' is a second local memory address read in this line, which has one read port; copy "
                             "one operand to GPR or T, or move the operation",
                             value.text));
        return std::nullopt;
      }
      lm_read_ = {value.where, value.text};
      code_.line.lm_read = wanted;
      return Source::lm;
    }
    case OperandKind::bm:
    case OperandKind::record: {
      isa::BmPort port;
      port.mode = isa::BmMode::read;
      port.address = static_cast<std::uint16_t>(value.address);
      port.width = value.width;
      port.vector = value.vector;
      port.record = value.kind == OperandKind::record;
      return claim_bm(port, value) ? std::optional(Source::bm) : std::nullopt;
    }
    case OperandKind::t:
      return value.width == Width::long_word ? Source::t_long : Source::t_short;
    case OperandKind::immediate: {
      const isa::Immediate wanted{value.width, value.immediate};
      if (!immediate_.text.empty() && code_.line.immediate != wanted) {
        conflict(Code::immediate_port, value, immediate_,
                 fmt::format("{} is a second immediate in this line, which has room for one", value.text));
        return std::nullopt;
      }
      const bool bits = !immediate_.text.empty() && code_.immediate.number != value.number;
      code_.immediate = {bits ? ImmediateKind::hex : value.number, value.where, value.text};
      immediate_ = {value.where, value.text};
      code_.line.immediate = wanted;
      return Source::immediate;
    }
    case OperandKind::pe_id:
      return Source::pe_id;
    case OperandKind::bb_id:
      return Source::bb_id;
    case OperandKind::flag:
    case OperandKind::pe:
    case OperandKind::name:
      break;
  }
  reporter_.error(Code::operand_kind, value.where,
                  fmt::format("'{}' cannot be a source of '{}'", value.text, operation.mnemonic));
  return std::nullopt;
}

bool LineEncoder::claim_bm(const isa::BmPort& port, const Value& value) {
  if (!bm_.text.empty() && code_.line.bm != port) {
    return conflict(Code::bm_port, value, bm_,
                    fmt::format("'{}' is a second access to broadcast memory in this line, which has one; load it into "
                                "a register in a line before",
                                value.text));
  }
  bm_ = {value.where, value.text};
  code_.line.bm = port;
  return true;
}

/// True if the operand's variable may be used in this way; otherwise reports the error.
bool LineEncoder::may_use(const Value& value, bool writes) {
  const bool is_record = value.kind == OperandKind::record;
  const bool is_parameter = value.symbol != nullptr && value.symbol->kind == SymbolKind::parameter;
  if (is_record && section_ != isa::Section::loop_body) {
    reporter_.error(Code::record_outside_body, value.where,
                    fmt::format("'{}' belongs to the j-record, which is there in 'loop body' alone", value.text));
    return false;
  }
  if (writes && (is_record || is_parameter)) {
    reporter_.error(Code::read_only, value.where,
                    fmt::format("'{}' is {}, which a kernel only reads", value.text,
                                is_record ? "part of the j-record" : "a parameter"));
    if (value.symbol != nullptr) reporter_.note(value.symbol->where, "it is declared here");
    return false;
  }
  return true;
}

/// Rejects destinations that no port of the PE can write.
bool LineEncoder::check_destinations(const Resolved& operation) {
  for (const Value& value : operation.destinations) {
    const auto refuse = [&](Code code, const std::string& message) {
      return reporter_.error(code, value.where, message), false;
    };
    if (value.negated) return refuse(Code::negation, fmt::format("'{}': a destination cannot be negated", value.text));
    if (value.port != Source::none) {
      return refuse(Code::operand_kind, fmt::format("'{}' names a read port, but is written", value.text));
    }
    if (value.asserted) {
      return refuse(Code::operand_kind,
                    fmt::format("'{}' says that the line before wrote T, so it is a source; write '{}'", value.text,
                                value.width == Width::long_word ? "$lt" : "$t"));
    }
    if (!may_use(value, true)) return false;
    if (value.in_bm()) {
      return refuse(Code::operand_kind,
                    fmt::format("'{}' is broadcast memory, which only a store by one PE writes: 'bm SOURCE {} @PE'",
                                value.text, value.text));
    }
    if (!value.in_memory() && value.kind != OperandKind::t) {
      return refuse(Code::operand_kind, fmt::format("'{}' cannot be a destination", value.text));
    }
  }
  return true;
}

/// Takes the write port of a destination that check_destinations() has accepted.
bool LineEncoder::write(const Value& value, Unit unit) {
  struct Port {
    isa::WritePort& port;
    Claim& claim;
    isa::Role role;
    std::string_view name;
  };
  const auto [port, claim, role, name] =
      value.kind == OperandKind::t     ? Port{code_.line.t_write, t_write_, isa::Role::t_write, "T"}
      : value.kind == OperandKind::gpr ? Port{code_.line.gpr_write, gpr_write_, isa::Role::gpr_write, "the GPR"}
                                       : Port{code_.line.lm_write, lm_write_, isa::Role::lm_write, "local memory"};
  if (!claim.text.empty()) {
    return conflict(
        Code::write_port, value, claim,
        fmt::format("'{}' is a second write to {} in this line, which has one write port", value.text, name));
  }
  claim = {value.where, value.text};
  port.source = unit;
  port.predicate = value.predicate;
  if (value.kind != OperandKind::t) {
    port.address = static_cast<std::uint16_t>(value.address);
    port.vector = value.vector;
    port.indirect = value.indirect;
    note_overlap(value);
  }
  note(role, value);
  return true;
}

/// Results are written under $jvalid in the loop body, unless `/always` says otherwise; a raw register that hits a
/// variable is worth a warning.
void LineEncoder::note_overlap(const Value& value) {
  const std::uint32_t step = isa::short_words(value.width);
  const std::uint32_t end = value.indirect ? value.end : value.address + (value.vector ? step * code_.line.vlen : step);
  for (const Symbol& symbol : declared_.symbols.all()) {
    const isa::Memory memory = value.kind == OperandKind::gpr  ? isa::Memory::gpr
                               : value.kind == OperandKind::lm ? isa::Memory::lm
                                                               : isa::Memory::bm;
    if (symbol.kind == SymbolKind::register_name || symbol.kind == SymbolKind::view || symbol.memory != memory ||
        symbol.record || symbol.address >= end || value.address >= symbol.address + symbol.length()) {
      continue;
    }
    if (!value.always && symbol.transfer == isa::Transfer::rrn && memory != isa::Memory::bm &&
        section_ == isa::Section::loop_body) {
      isa::WritePort& port = value.kind == OperandKind::gpr ? code_.line.gpr_write : code_.line.lm_write;
      port.predicate.jvalid = true;
    }
    if (value.symbol == nullptr && !value.indirect &&
        reporter_.warning(Code::overlap, symbol.where,
                          fmt::format("'{}' is also written as a raw register", symbol.name))) {
      reporter_.note(value.where, fmt::format("'{}' writes over it", value.text));
    }
  }
}

void LineEncoder::note_collision(const Resolved& operation, const Value& destination) {
  const bool one_word = destination.in_memory() && !destination.vector && !destination.indirect;
  const bool gated = code_.line.mask.flag != 0 || destination.predicate.flag != 0;
  const bool varies = std::any_of(operation.sources.begin(), operation.sources.end(),
                                  [](const Value& source) { return source.varies(); });
  if (!one_word || gated || !varies || code_.line.vlen < 2) return;
  reporter_.warning(Code::elements_collide, destination.where,
                    fmt::format("{} elements write the one word '{}', where the last stays; write the vector, or use "
                                "vlen 1",
                                code_.line.vlen, destination.text));
}

// ---- broadcast memory ----------------------------------------------------------------------------------------------

bool LineEncoder::add_bm(const Resolved& operation) {
  GDR_ASSERT(operation.sources.size() == 1, "bm has one source");
  const Value& from = operation.sources.front();
  if (from.negated) {
    reporter_.error(Code::negation, from.where, "'bm' moves bits; it cannot negate its source");
    return false;
  }
  if (!operation.flags.empty()) {
    reporter_.error(Code::operand_kind, operation.flags.front().where,
                    "'bm' has no result that a flag could be taken of");
    return false;
  }
  for (const Value& to : operation.destinations) {
    if (from.has_width() && to.has_width() && to.width != from.width) {
      reporter_.error(Code::width, to.where,
                      fmt::format("'{}' is {}, but '{}' is {}, and 'bm' moves words of one width; {}", to.text,
                                  name_of(to.width), from.text, name_of(from.width), width_fix(to)));
      return false;
    }
  }
  const auto stored = std::ranges::find_if(operation.destinations, &Value::in_bm);
  return stored == operation.destinations.end() ? add_bm_load(operation, from) : add_bm_store(operation, from, *stored);
}

/// The port for an access to a word of BM.
isa::BmPort LineEncoder::bm_port(const Resolved& operation, isa::BmMode mode, const Value& word) {
  isa::BmPort port;
  port.one_pe = operation.pe.has_value();
  port.pe = static_cast<std::uint8_t>(operation.pe ? operation.pe->address : 0);
  port.mode = mode;
  port.address = static_cast<std::uint16_t>(word.address);
  port.width = word.width;
  port.vector = word.vector;
  return port;
}

bool LineEncoder::add_bm_load(const Resolved& operation, const Value& from) {
  if (!from.in_bm()) {
    reporter_.error(Code::operand_kind, from.where,
                    "'bm' moves between broadcast memory and the PE; neither side is in "
                    "broadcast memory: use 'upassa'");
    return false;
  }
  if (!may_use(from, false) || !check_destinations(operation)) return false;
  if (from.predicate.flag != 0 || from.predicate.jvalid || from.always) {
    reporter_.error(Code::predicate, from.where, "a predicate gates a destination");
    return false;
  }
  isa::BmPort port = bm_port(operation, isa::BmMode::read, from);
  port.record = from.kind == OperandKind::record;
  if (!claim_bm(port, from)) return false;
  note(isa::Role::a, from);
  bool good = true;
  for (const Value& to : operation.destinations) {
    good = write(to, Unit::bm) && good;
    note_collision(operation, to);
  }
  return good;
}

bool LineEncoder::add_bm_store(const Resolved& operation, const Value& from, const Value& to) {
  if (operation.destinations.size() > 1 || from.in_bm()) {
    reporter_.error(Code::operand_kind, to.where,
                    from.in_bm() ? "'bm' has broadcast memory on one side only" : "a store has one destination");
    return false;
  }
  if (!operation.pe) {
    reporter_.error(Code::pe_number, to.where,
                    fmt::format("a store comes from one PE: 'bm {} {} @PE'", from.text, to.text));
    return false;
  }
  if (to.negated || to.predicate.flag != 0 || to.predicate.jvalid || to.always) {
    reporter_.error(Code::predicate, to.where, "a store is gated by 'mask' alone");
    return false;
  }
  if (!may_use(to, true)) return false;
  const auto chosen = source(from, operation);
  if (!chosen) return false;
  isa::BmPort port = bm_port(operation, isa::BmMode::write, to);
  port.store_source = *chosen;
  if (!claim_bm(port, to)) return false;
  note_overlap(to);
  note_collision(operation, to);
  note(isa::Role::a, from);
  note(isa::Role::bm_write, to);
  return true;
}

}  // namespace gdr::assembler
