// Integers that operations on floating-point numbers read, and results that the host reads as another kind of number
// than the kernel left. The conversions of data say what the host sends and reads, and the form of a constant what it
// is; copies keep it, and what operations on bits make of it is not known.
#include <fmt/format.h>

#include <algorithm>

#include "warn.h"

namespace gdr::assembler {
namespace {

using isa::Op;
using isa::Storage;
using isa::Unit;

/// What is known of a word. `nothing`: zero, which is the same number in both forms, or a word that is not written.
enum class NumberType : std::uint8_t { nothing, integer, floating, any };

NumberType joined(NumberType a, NumberType b) {
  if (a == NumberType::nothing || a == b) return b;
  return b == NumberType::nothing ? a : NumberType::any;
}

/// Zero is the same number in both forms, and a constant in hexadecimal digits is one of bits.
NumberType type_of(const CodeLine& line) {
  if (line.line.immediate.value == isa::LongWord()) return NumberType::nothing;
  switch (line.immediate.number) {
    case ImmediateKind::integer:
      return NumberType::integer;
    case ImmediateKind::floating:
      return NumberType::floating;
    case ImmediateKind::hex:
      break;
  }
  return NumberType::any;
}

NumberType type_of(isa::Conversion conversion) {
  if (conversion == isa::Conversion::NONE) return NumberType::any;
  return isa::info_of(conversion).floating ? NumberType::floating : NumberType::integer;
}

class Types {
 public:
  Types(const Flow& flow, const Declared& declared, Reporter& reporter)
      : flow_(flow), declared_(declared), reporter_(reporter), types_(flow.definitions(), NumberType::nothing) {
    for (bool changed = true; changed;) {
      changed = false;
      for (Definition definition = kFromHost + 1; definition < flow.definitions(); ++definition) {
        const NumberType type = joined(types_[definition], written_by(flow.write(definition)));
        changed = changed || type != types_[definition];
        types_[definition] = type;
      }
    }
  }

  void warn_of_operands() {
    for (const FlowLine& at : flow_.lines()) {
      for (const CodeAccess& read : at.line->accesses) {
        const bool number = !read.write && read.floating && !read.defines && read.purpose == isa::Purpose::value;
        if (!number || found_by(read) != NumberType::integer) continue;
        const Op op = isa::slot_of(at.line->line, read.unit).op;
        if (reporter_.warning(Code::number_type, read.where,
                              fmt::format("'{}' is an integer, and '{}' reads it as a floating-point number", read.text,
                                          isa::info_of(op).mnemonic))) {
          note_source(read);
        }
      }
    }
  }

  void warn_of_constants() {
    for (const FlowLine& at : flow_.lines()) {
      if (type_of(*at.line) != NumberType::integer) continue;
      for (const Unit unit : {Unit::adder, Unit::multiplier}) {
        const isa::Slot& slot = isa::slot_of(at.line->line, unit);
        if (slot.a != isa::Source::immediate && slot.b != isa::Source::immediate) continue;
        const CodeImmediate& immediate = at.line->immediate;
        reporter_.warning(
            Code::number_type, immediate.where,
            fmt::format("{} is an integer, and '{}' reads it as a floating-point number; write f\"...\" or "
                        "fs\"...\", or its bits as hl\"...\" or hs\"...\"",
                        immediate.text, isa::info_of(slot.op).mnemonic));
      }
    }
  }

  void warn_of_results() {
    for (const Symbol& symbol : declared_.symbols.all()) {
      const bool result = symbol.kind == SymbolKind::variable && symbol.transfer == isa::Transfer::rrn &&
                          symbol.memory != isa::Memory::bm;
      const auto conversion = result ? conversion_of(symbol) : std::nullopt;
      if (conversion && type_of(*conversion) != NumberType::any) warn_of_result(symbol, *conversion);
    }
  }

 private:
  void warn_of_result(const Symbol& result, isa::Conversion conversion) {
    const NumberType wanted = type_of(conversion);
    const isa::WordRange words = numbered_words(result);
    for (unsigned word = words.first; word < words.last; ++word) {
      for (const Definition definition : flow_.leaving(isa::Section::loop_termination, word)) {
        if (definition <= kFromHost) continue;
        const NumberType type = types_[definition];
        if (type != NumberType::integer && type != NumberType::floating) continue;
        if (type == wanted) continue;
        const CodeAccess& write = *flow_.write(definition).access;
        if (reporter_.warning(
                Code::number_type, write.where,
                fmt::format("'{}' gets {} here, but the host reads result '{}' as {} ({})", write.text, text_of(type),
                            result.title(), text_of(wanted), isa::info_of(conversion).name))) {
          reporter_.note(result.where, fmt::format("'{}' is declared here", result.title()));
        }
        return;
      }
    }
  }

  static std::string_view text_of(NumberType type) {
    return type == NumberType::integer ? "an integer" : "a floating-point number";
  }

  [[nodiscard]] std::optional<isa::Conversion> conversion_of(const Symbol& symbol) const {
    for (const isa::Variable& variable : declared_.program.variables) {
      if (variable.name == symbol.name) return variable.conversion;
    }
    for (const isa::Parameter& parameter : declared_.program.parameters) {
      if (parameter.name == symbol.name) return parameter.conversion;
    }
    return std::nullopt;
  }

  /// The data from the host that an access reads; null if it is not one declared thing.
  [[nodiscard]] const Symbol* source_of(const CodeAccess& read) const {
    for (const Symbol& symbol : declared_.symbols.all()) {
      const bool data = symbol.kind == SymbolKind::parameter ||
                        (symbol.kind == SymbolKind::variable &&
                         (symbol.transfer == isa::Transfer::elt || symbol.transfer == isa::Transfer::hlt));
      if (!data) continue;
      if (symbol.record != (read.storage == Storage::record)) continue;
      if (symbol.record) {
        if (read.address >= symbol.address && read.address < symbol.address + symbol.length()) return &symbol;
        continue;
      }
      if (numbered_words(symbol).meets(numbered_words(read, 0))) return &symbol;
    }
    return nullptr;
  }

  [[nodiscard]] NumberType from_host(const CodeAccess& read) const {
    const Symbol* symbol = source_of(read);
    if (symbol == nullptr || symbol->width != read.width) return NumberType::any;
    const auto conversion = conversion_of(*symbol);
    return conversion ? type_of(*conversion) : NumberType::any;
  }

  [[nodiscard]] NumberType found_by(const CodeAccess& read) const {
    if (read.indirect) return NumberType::any;
    if (read.storage == Storage::record) return from_host(read);
    NumberType type = NumberType::nothing;
    for (const Definition definition : flow_.reaching(read)) {
      if (definition == kUnwritten) continue;
      if (definition == kFromHost) {
        type = joined(type, from_host(read));
        continue;
      }
      const bool same_width = flow_.write(definition).access->width == read.width || read.storage == Storage::t;
      type = joined(type, same_width ? types_[definition] : NumberType::any);
    }
    return type;
  }

  [[nodiscard]] NumberType operand(const CodeLine& line, Unit unit, isa::Role role, isa::Source source) const {
    if (source == isa::Source::immediate) return type_of(line);
    for (const CodeAccess& access : line.accesses) {
      const bool own = !access.write && access.unit == unit && access.role == role;
      if (own && access.purpose == isa::Purpose::value) {
        return access.defines ? NumberType::nothing : found_by(access);
      }
    }
    return NumberType::any;
  }

  [[nodiscard]] NumberType written_by(const Flow::Write& write) const {
    const CodeAccess& access = *write.access;
    if (access.role == isa::Role::flag_write) return NumberType::any;
    const CodeLine& line = *flow_.lines()[write.line].line;
    if (access.unit == Unit::bm) {
      for (const CodeAccess& read : line.accesses) {
        if (!read.write && read.unit == Unit::bm && read.purpose == isa::Purpose::value) return found_by(read);
      }
      return NumberType::any;
    }
    const isa::Slot& slot = isa::slot_of(line.line, access.unit);
    if (isa::info_of(slot.op).kind == isa::NumberKind::floating_point) return NumberType::floating;
    const NumberType a = operand(line, access.unit, isa::Role::a, slot.a);
    if (slot.op == Op::UPASSA) return a;
    if (slot.op == Op::UXOR)  // of a word with itself
      return slot.a == slot.b && a == NumberType::nothing ? a : NumberType::any;
    if (slot.op != Op::UADD && slot.op != Op::USUB) return NumberType::any;  // of bits
    const NumberType both = joined(a, operand(line, access.unit, isa::Role::b, slot.b));
    return both == NumberType::floating ? NumberType::any : both;  // an exponent, perhaps
  }

  void note_source(const CodeAccess& read) {
    const Symbol* symbol = read.storage == Storage::record ? source_of(read) : nullptr;
    if (read.storage != Storage::record) {
      const auto definitions = flow_.reaching(read);
      if (std::find(definitions.begin(), definitions.end(), kFromHost) != definitions.end()) symbol = source_of(read);
    }
    if (symbol != nullptr) {
      reporter_.note(symbol->where, fmt::format("'{}' is sent as an integer ({})", symbol->title(),
                                                isa::info_of(*conversion_of(*symbol)).name));
      return;
    }
    for (const Definition definition : flow_.reaching(read)) {
      if (definition <= kFromHost) continue;
      const CodeAccess& write = *flow_.write(definition).access;
      reporter_.note(write.where, fmt::format("'{}' is written here", write.text));
      return;
    }
  }

  const Flow& flow_;
  const Declared& declared_;
  Reporter& reporter_;
  std::vector<NumberType> types_;  // of every definition
};

}  // namespace

void warn_of_types(const Flow& flow, const Declared& declared, Reporter& reporter) {
  Types types(flow, declared, reporter);
  types.warn_of_operands();
  types.warn_of_constants();
  types.warn_of_results();
}

}  // namespace gdr::assembler
