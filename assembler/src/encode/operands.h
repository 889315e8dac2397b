// Operands after every name has been looked up and every number checked.
#pragma once

#include <optional>
#include <string>

#include "diagnostics/reporter.h"
#include "gdr/isa/line.h"
#include "symbols.h"

namespace gdr::assembler {

/// An operand as the machine sees it. Addresses are in short words.
struct Value {
  OperandKind kind = OperandKind::gpr;  // never a name
  isa::Width width = isa::Width::short_word;
  bool vector = false;
  bool indirect = false;
  bool asserted = false;
  bool negated = false;
  isa::Source port = isa::Source::none;  // as written
  std::uint32_t address = 0;             // or the number of a flag or PE
  std::uint32_t end = 0;                 // one past the last short word of the named object
  isa::Condition condition = isa::Condition::negative;
  isa::LongWord immediate;
  ImmediateKind number = ImmediateKind::hex;  // of an immediate
  isa::Predicate predicate;
  bool always = false;             // `/always`: not under $jvalid, which gates results in the loop body
  const Symbol* symbol = nullptr;  // null: written as a register
  const Symbol* register_name = nullptr;
  Place where;
  std::string text;

  [[nodiscard]] bool in_memory() const {
    return kind == OperandKind::gpr || kind == OperandKind::lm || kind == OperandKind::bm ||
           kind == OperandKind::record;
  }
  [[nodiscard]] bool in_bm() const { return kind == OperandKind::bm || kind == OperandKind::record; }
  /// True if the operand has words of a width of its own; the PE and block numbers fit any width.
  [[nodiscard]] bool has_width() const {
    return in_memory() || kind == OperandKind::t || kind == OperandKind::immediate;
  }
  /// True if the vector elements may read different words.
  [[nodiscard]] bool varies() const { return vector || indirect || kind == OperandKind::t; }
};

class OperandReader {
 public:
  OperandReader(const Declared& declared, const AssembleOptions& options, Reporter& reporter)
      : declared_(declared), options_(options), reporter_(reporter) {}

  /// Nothing if the operand is wrong; the error is then reported. `elements` is the line's vector length.
  [[nodiscard]] std::optional<Value> read(const Operand& operand, const ExpandedStatement& at, unsigned elements);

 private:
  [[nodiscard]] std::optional<Value> named(const Operand& operand, Value value);
  [[nodiscard]] std::optional<Value> registered(const Operand& operand, Value value);
  [[nodiscard]] std::optional<Value> subscripted(const Operand& operand, const Symbol& symbol, Value value);
  [[nodiscard]] bool read_immediate(const Operand& operand, Value& value);
  [[nodiscard]] bool read_predicates(const Operand& operand, const ExpandedStatement& at, Value& value);
  [[nodiscard]] bool check_address(const Value& value, unsigned elements);

  const Declared& declared_;
  const AssembleOptions& options_;
  Reporter& reporter_;
  std::set<std::string, std::less<>> unknown_;  // names already reported as unknown
};

}  // namespace gdr::assembler
