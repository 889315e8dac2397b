// The syntax tree that the grammar makes of one statement; names are not looked up yet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "diagnostics/codes.h"
#include "gdr/isa/isa.h"
#include "gdr/isa/program.h"

namespace gdr::assembler {

/// Named whole numbers that are known while a statement is read: definitions and the indices of repeats.
using Constants = std::map<std::string, std::int64_t, std::less<>>;

/// A range of characters in the statement's text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
};

struct Word {
  std::string text;
  Span span;
};

struct Number {
  std::int64_t value = 0;
  Span span;
};

/// `/2`, `/!2`, `/j` or `/always` after a destination.
struct PredicateItem {
  std::uint32_t flag = 0;
  bool inverted = false;
  bool jvalid = false;
  bool always = false;  // whatever $jvalid says, also for a result in the loop body
  Span span;
};

enum class OperandKind : std::uint8_t { gpr, lm, bm, record, t, pe_id, bb_id, flag, immediate, pe, name };

enum class ImmediateKind : std::uint8_t { integer, hex, floating };

struct Operand {
  Span span;
  OperandKind kind = OperandKind::name;
  isa::Width width = isa::Width::short_word;
  bool negated = false;
  bool vector = false;
  bool indirect = false;
  bool asserted = false;                 // $ti: asserts that the line before wrote T
  isa::Source port = isa::Source::none;  // $r8.b: the read port of a GPR; none: the assembler chooses
  std::uint32_t number = 0;              // address, or number of a flag or PE
  isa::Condition condition = isa::Condition::negative;
  ImmediateKind immediate = ImmediateKind::integer;
  std::string text;  // name, or the text between an immediate's quotes
  std::vector<Number> subscripts;
  std::vector<PredicateItem> predicates;
};

/// `block N` or `block each` of a collect.
struct BlockItem {
  isa::BlockChoice::Kind kind = isa::BlockChoice::Kind::each;
  Number number;  // of Kind::one
  Span span;
};

struct Operation {
  Word mnemonic;
  std::vector<Operand> operands;
  std::optional<BlockItem> block;
};

struct VectorLength {
  Number elements;
};

struct MaskSetting {
  Number flag;
  bool inverted = false;
};

using Item = std::variant<Operation, VectorLength, MaskSetting>;

struct CodeStatement {
  std::vector<Item> items;
};

struct KernelStatement {
  Word name;
  bool experiment = false;  // `kernel NAME experiment`
};

struct FlopsStatement {
  Word value;
};

struct Declaration {
  bool broadcast = false;      // declared with bvar
  std::optional<bool> vector;  // as stated in the source
  isa::Width width = isa::Width::long_word;
  Word name;
  std::vector<Number> dimensions;
  std::vector<Word> attributes;  // all words that follow the name
  std::optional<Number> block;   // after the attribute `select`
};

struct RegisterStatement {
  Word name;
  Operand operand;
};

struct ParameterStatement {
  Word name;
  isa::Width width = isa::Width::long_word;
  std::vector<Word> conversion;  // at most the conversion and the host's integer
  Word value;
};

struct SectionStatement {
  isa::Section section = isa::Section::initialization;
  Span span;
  bool experiment = false;  // `experiment step`: lines are added around those of the source
};

struct ConstantStatement {
  Word name;
  Number value;
};

struct RepeatStatement {
  Word index;
  Number first;
  Number last;
};

struct IfStatement {
  Number condition;
};

struct MacroStatement {
  Word name;
  std::vector<Word> parameters;
};

struct IncludeStatement {
  Word path;
};

struct ElseStatement {};
struct EndStatement {};

using Statement = std::variant<CodeStatement, KernelStatement, FlopsStatement, Declaration, RegisterStatement,
                               ParameterStatement, SectionStatement, ConstantStatement, RepeatStatement, IfStatement,
                               ElseStatement, MacroStatement, EndStatement, IncludeStatement>;

struct SyntaxError {
  Code code = Code::syntax;
  Span span;
  std::string message;
};

/// Parses one statement: a line that is not blank, without its comment.
[[nodiscard]] std::variant<Statement, SyntaxError> parse_statement(std::string_view text, const Constants& constants);

/// Evaluates a whole-number expression.
[[nodiscard]] std::variant<std::int64_t, SyntaxError> evaluate(std::string_view text, const Constants& constants);

}  // namespace gdr::assembler
