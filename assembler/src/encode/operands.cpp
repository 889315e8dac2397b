// Looks up names, reads immediates, and checks addresses.
#include "operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "gdr/base/error.h"

namespace gdr::assembler {
namespace {

using isa::int128;
using isa::uint128;
using isa::Width;

struct MemoryLimits {
  std::string_view name;
  std::uint32_t short_words;
};

MemoryLimits limits_of(OperandKind kind, std::uint32_t record_words) {
  switch (kind) {
    case OperandKind::gpr:
      return {"GPR", isa::kGprShortWords};
    case OperandKind::lm:
      return {"local memory", isa::kLmShortWords};
    case OperandKind::record:
      // A record longer than BM is reported at its declaration; no word has an address beyond BM.
      return {"j-record", std::min<std::uint32_t>(2 * record_words, isa::kBmShortWords)};
    case OperandKind::bm:
      return {"broadcast memory", isa::kBmShortWords};
    case OperandKind::t:
    case OperandKind::pe_id:
    case OperandKind::bb_id:
    case OperandKind::flag:
    case OperandKind::immediate:
    case OperandKind::pe:
    case OperandKind::name:
      break;
  }
  GDR_ASSERT(false, "only words of a memory have limits");
  return {};
}

/// A whole number of up to 72 bits: "42", "-1", "0x3ff".
std::optional<int128> wide_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  if (text.empty() || text.size() > 24) return std::nullopt;
  uint128 value = 0;
  for (const char c : text) {
    unsigned digit = 0;
    const auto [end, error] = std::from_chars(&c, &c + 1, digit, hexadecimal ? 16 : 10);
    if (error != std::errc() || end != &c + 1) return std::nullopt;
    value = value * (hexadecimal ? 16 : 10) + digit;
  }
  return negative ? -static_cast<int128>(value) : static_cast<int128>(value);
}

/// A double as a long word: the same bits, eight more fraction bits that are zero. Subnormals and -0 become 0.
isa::LongWord long_from(double value) {
  if (std::fpclassify(value) == FP_ZERO || std::fpclassify(value) == FP_SUBNORMAL) return {};
  return {std::bit_cast<std::uint64_t>(value), 0};
}

/// A double as a short word: 24 fraction bits, to nearest even; beyond the largest it becomes infinity.
isa::LongWord short_from(double value) {
  constexpr int kDropped = 52 - 24;  // fraction bits of a double beyond those of a short word
  std::uint64_t bits = long_from(value).high;
  const std::uint64_t half = std::uint64_t{1} << (kDropped - 1);
  const std::uint64_t odd = (bits >> kDropped) & 1;
  if (!std::isinf(value)) bits += half - 1 + odd;  // a carry out of the fraction correctly increases the exponent
  return isa::widen({bits >> kDropped});
}

}  // namespace

std::optional<Value> OperandReader::read(const Operand& operand, const ExpandedStatement& at, unsigned elements) {
  Value value;
  value.kind = operand.kind;
  value.width = operand.width;
  value.vector = operand.vector;
  value.indirect = operand.indirect;
  value.asserted = operand.asserted;
  value.negated = operand.negated;
  value.port = operand.port;
  value.address = operand.number;
  value.condition = operand.condition;
  value.where = at.place(operand.span);
  value.text = at.text.substr(operand.span.begin, operand.span.length);
  std::optional<Value> found;
  if (operand.kind == OperandKind::name) {
    found = named(operand, std::move(value));
  } else if (!operand.subscripts.empty()) {
    reporter_.error(Code::subscript, value.where, fmt::format("'{}' takes no subscript", value.text));
  } else {
    found = registered(operand, std::move(value));
  }
  if (!found || !read_predicates(operand, at, *found) || !check_address(*found, elements)) return std::nullopt;
  return found;
}

std::optional<Value> OperandReader::registered(const Operand& operand, Value value) {
  switch (operand.kind) {
    case OperandKind::immediate:
      if (!read_immediate(operand, value)) return std::nullopt;
      break;
    case OperandKind::flag:
      if (value.address < 1 || value.address > isa::kFlags) {
        reporter_.error(Code::flag, value.where, fmt::format("flag {} is outside 1..{}", value.address, isa::kFlags));
        return std::nullopt;
      }
      break;
    case OperandKind::pe:
      if (value.address >= isa::kPesPerBlock) {
        reporter_.error(Code::pe_number, value.where,
                        fmt::format("'{}' is no PE number in 0..{}", value.text, isa::kPesPerBlock - 1));
        return std::nullopt;
      }
      break;
    case OperandKind::gpr:
    case OperandKind::lm:
    case OperandKind::bm:
    case OperandKind::record:
      value.end = limits_of(operand.kind, declared_.program.record_words).short_words;
      break;
    case OperandKind::t:
    case OperandKind::pe_id:
    case OperandKind::bb_id:
    case OperandKind::name:
      break;  // without an address
  }
  return value;
}

std::optional<Value> OperandReader::named(const Operand& operand, Value value) {
  const Symbol* symbol = declared_.symbols.find(operand.text);
  if (symbol == nullptr) {
    if (!declared_.symbols.tolerated(operand.text) && unknown_.insert(operand.text).second) {
      reporter_.error(
          Code::unknown_name, value.where,
          fmt::format("unknown name '{}'{}", operand.text, suggestion(operand.text, declared_.symbols.names())));
      reporter_.fix_name(value.where, operand.text, declared_.symbols.names());
    }
    return std::nullopt;
  }
  value.symbol = symbol->kind == SymbolKind::register_name ? nullptr : symbol;
  if (symbol->written) {
    value.register_name = symbol;
    if (const std::size_t own = value.text.find(symbol->name); own != std::string::npos) {
      value.text.replace(own, symbol->name.size(), symbol->title());
    }
    Operand written = *symbol->written;
    Value aliased = value;
    aliased.kind = written.kind;
    aliased.width = written.width;
    aliased.vector = written.vector;
    aliased.indirect = written.indirect;
    aliased.asserted = written.asserted;
    aliased.port = written.port;
    aliased.address = written.number;
    if (operand.subscripts.empty()) return registered(written, std::move(aliased));
    if (!written.vector || operand.subscripts.size() > 1) {
      reporter_.error(Code::subscript, value.where,
                      fmt::format("'{}' names {}, which takes {}", operand.text,
                                  written.vector ? "a vector register" : "a register without elements",
                                  written.vector ? "one subscript" : "no subscript"));
      return std::nullopt;
    }
    const std::int64_t element = operand.subscripts.front().value;
    if (element < 0 || element >= isa::kVectorElements) {
      reporter_.error(
          Code::subscript, value.where,
          fmt::format("element {} of '{}' is outside 0..{}", element, operand.text, isa::kVectorElements - 1));
      return std::nullopt;
    }
    aliased.vector = false;
    aliased.address += static_cast<std::uint32_t>(element) * isa::short_words(written.width);
    return registered(written, std::move(aliased));
  }
  value.width = symbol->width;
  switch (symbol->memory) {
    case isa::Memory::gpr:
      value.kind = OperandKind::gpr;
      break;
    case isa::Memory::lm:
      value.kind = OperandKind::lm;
      break;
    case isa::Memory::bm:
      value.kind = symbol->record ? OperandKind::record : OperandKind::bm;
      break;
  }
  return subscripted(operand, *symbol, std::move(value));
}

std::optional<Value> OperandReader::subscripted(const Operand& operand, const Symbol& symbol, Value value) {
  const std::size_t dimensions = symbol.dimensions.size();
  const std::size_t given = operand.subscripts.size();
  const bool may_name_element = symbol.vector;
  if (given < dimensions || given > dimensions + (may_name_element ? 1 : 0)) {
    const std::string wanted =
        may_name_element ? fmt::format("{} or {}", dimensions, dimensions + 1) : fmt::format("{}", dimensions);
    reporter_.error(Code::subscript, value.where,
                    fmt::format("'{}' takes {} subscripts, {}", symbol.name, wanted,
                                assembler::given(given, std::to_string(given))));
    return std::nullopt;
  }
  const auto refuse = [&](const Number& subscript, std::string_view what, std::uint32_t last) {
    reporter_.error(Code::subscript, value.where,
                    fmt::format("{} {} of '{}' is outside 0..{}", what, subscript.value, symbol.name, last));
    return std::nullopt;
  };
  std::uint32_t entry = 0;
  for (std::size_t index = 0; index < dimensions; ++index) {
    const Number& subscript = operand.subscripts[index];
    if (subscript.value < 0 || subscript.value >= symbol.dimensions[index]) {
      return refuse(subscript, "entry", symbol.dimensions[index] - 1u);
    }
    entry = entry * symbol.dimensions[index] + static_cast<std::uint32_t>(subscript.value);
  }
  value.address = symbol.address + entry * symbol.stride();
  const bool is_view = symbol.kind == SymbolKind::view;
  value.end =
      is_view ? limits_of(value.kind, declared_.program.record_words).short_words : value.address + symbol.stride();
  value.vector = symbol.vector;
  if (given > dimensions) {
    const Number& subscript = operand.subscripts.back();
    const std::uint32_t step = isa::short_words(symbol.width);
    const std::uint32_t last = (value.end - value.address) / step - 1;
    if (subscript.value < 0 || subscript.value > last) return refuse(subscript, "element", last);
    value.address += static_cast<std::uint32_t>(subscript.value) * step;
    value.vector = false;
  }
  return value;
}

bool OperandReader::read_immediate(const Operand& operand, Value& value) {
  const bool is_long = operand.width == Width::long_word;
  const auto refuse = [&](std::string_view legal) {
    reporter_.error(Code::immediate, value.where, fmt::format("{} is not {}", value.text, legal));
    return false;
  };
  const std::string& text = operand.text;
  value.number = operand.immediate;
  if (operand.immediate == ImmediateKind::hex) {
    if (is_long) {
      const auto word = isa::parse_long(text);
      if (!word) return refuse("a long word of exactly 18 hexadecimal digits");
      value.immediate = *word;
    } else {
      const auto word = isa::parse_short(text);
      if (!word) return refuse("a short word of exactly 9 hexadecimal digits");
      value.immediate = isa::widen(*word);
    }
    return true;
  }
  if (operand.immediate == ImmediateKind::floating) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || std::isnan(number)) {
      return refuse("a decimal number in the range of a double");
    }
    value.immediate = is_long ? long_from(number) : short_from(number);
    const auto word = std::bit_cast<double>(value.immediate.high);
    if (std::isinf(word) && !std::isinf(number)) {
      return refuse(fmt::format("in the range of a {} word, whose largest number is {}; infinity is '{}\"inf\"'",
                                name_of(operand.width), is_long ? "1.7976931348623157e308" : "1.7976930812868855e308",
                                is_long ? "f" : "fs"));
    }
    if (word == 0 && number != 0) {
      return refuse("in the range of a word, whose smallest number above 0 is 2.2250738585072014e-308");
    }
    return true;
  }
  const int bits = isa::bits_of(operand.width);
  const auto number = wide_number(text);
  const int128 limit = int128{1} << bits;
  if (!number || *number < -limit / 2 || *number >= limit) {
    return refuse(is_long ? "a whole number in -2^71..2^72-1, decimal or with 0x"
                          : "a whole number in -2^35..2^36-1, decimal or with 0x");
  }
  const auto pattern = static_cast<uint128>(*number) & (static_cast<uint128>(limit) - 1);
  value.immediate = is_long ? isa::LongWord::from_bits(pattern) : isa::widen({static_cast<std::uint64_t>(pattern)});
  if (is_long && options_.compat_il) value.immediate = isa::join({}, value.immediate.lower());
  return true;
}

bool OperandReader::read_predicates(const Operand& operand, const ExpandedStatement& at, Value& value) {
  for (const PredicateItem& item : operand.predicates) {
    const Place where = at.place(item.span);
    const bool of_record = item.jvalid || item.always;
    if (of_record ? value.predicate.jvalid || value.always : value.predicate.flag != 0) {
      reporter_.error(Code::predicate, where, "a destination takes one flag and one '/j' or '/always'");
      return false;
    }
    if (item.always) {
      value.always = true;
      continue;
    }
    if (item.jvalid) {
      value.predicate.jvalid = true;
      continue;
    }
    if (item.flag < 1 || item.flag > isa::kFlags) {
      reporter_.error(Code::flag, where, fmt::format("flag {} is outside 1..{}", item.flag, isa::kFlags));
      return false;
    }
    value.predicate.flag = static_cast<std::uint8_t>(item.flag);
    value.predicate.inverted = item.inverted;
  }
  return true;
}

bool OperandReader::check_address(const Value& value, unsigned elements) {
  if (!value.in_memory()) return true;
  const std::uint32_t step = isa::short_words(value.width);
  const auto [memory, size] = limits_of(value.kind, declared_.program.record_words);
  if (value.kind == OperandKind::record && size == 0) {
    reporter_.error(Code::address, value.where,
                    fmt::format("'{}' reads the j-record, but no bvar has the transfer 'elt'", value.text));
    return false;
  }
  if (step == 2 && value.address % 2 != 0 && !value.indirect) {
    reporter_.error(Code::address, value.where,
                    fmt::format("'{}' is a long word at the odd address {}; long words have even addresses", value.text,
                                value.address));
    return false;
  }
  const std::uint64_t end = std::uint64_t{value.address} + (value.vector ? step * elements : step);
  if (end <= size) return true;
  // A variable that exceeds its memory is reported at its declaration.
  if (value.symbol != nullptr && value.symbol->kind != SymbolKind::view) return false;
  if (value.address >= size || !value.vector) {
    reporter_.error(Code::address, value.where,
                    fmt::format("{} address {} is outside 0..{}", memory, value.address, size - step));
  } else {
    reporter_.error(Code::address, value.where,
                    fmt::format("{} elements of '{}' end at {} address {}, outside 0..{}", elements, value.text, memory,
                                end - 1, size - 1));
  }
  return false;
}

}  // namespace gdr::assembler
