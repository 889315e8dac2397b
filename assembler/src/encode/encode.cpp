// Encodes the steps of the sections: statements become operations, operations become lines; transfers and collects.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "code.h"
#include "gdr/base/counted.h"
#include "gdr/base/error.h"
#include "line_encoder.h"
#include "source/habits.h"

namespace gdr::assembler {
namespace {

class Encoder {
 public:
  Encoder(const Declared& declared, const AssembleOptions& options, Reporter& reporter)
      : declared_(declared), reporter_(reporter), operands_(declared, options, reporter) {}

  Encoded run(const Expansion& expansion) {
    for (const Expansion::Entry& entry : expansion.entries) {
      if (const auto* gap = std::get_if<Expansion::Gap>(&entry)) {
        if (gap->code && section_) add_unknown();
        continue;
      }
      const auto& statement = std::get<ExpandedStatement>(entry);
      if (const auto* section = std::get_if<SectionStatement>(&statement.statement)) begin(*section, statement);
      if (const auto* code = std::get_if<CodeStatement>(&statement.statement)) add(*code, statement);
    }
    leave();
    return {std::move(code_), left_short_};
  }

 private:
  std::vector<CodeStep>& steps() { return code_[static_cast<std::size_t>(*section_)]; }

  void add_unknown() {
    CodeLine line;
    line.unknown = true;
    steps().emplace_back(std::move(line));
  }

  void begin(const SectionStatement& statement, const ExpandedStatement& at) {
    const auto [earlier, fresh] = begun_.emplace(statement.section, at.where);
    if (!fresh && reporter_.error(Code::misplaced, at.where,
                                  fmt::format("section '{}' stands twice", isa::name_of(statement.section)))) {
      reporter_.note(earlier->second, "it began here");
    }
    leave();
    section_ = statement.section;
    sequencer_ = {};
    vlen_from_.reset();
  }

  /// Ends a section.
  void leave() {
    if (section_ && vlen_from_) left_short_[static_cast<std::size_t>(*section_)] = vlen_from_;
  }

  void add(const CodeStatement& statement, const ExpandedStatement& at) {
    if (!section_) {
      if (!std::exchange(told_of_section_, true)) report_no_section(statement, at);
      return;
    }
    if (move(statement, at)) return;
    Sequencer sequencer = sequencer_;
    bool good = true;
    std::vector<const Operation*> operations;
    good = set_once(statement, at);
    for (const Item& item : statement.items) {
      if (const auto* length = std::get_if<VectorLength>(&item)) good = set(*length, at, sequencer) && good;
      if (const auto* mask = std::get_if<MaskSetting>(&item)) good = set(*mask, at, sequencer) && good;
      if (const auto* operation = std::get_if<Operation>(&item)) operations.push_back(operation);
    }
    if (operations.empty()) {
      sequencer_ = sequencer;  // alone on a line it applies to the lines that follow
      for (const Item& item : statement.items) {
        const auto* length = std::get_if<VectorLength>(&item);
        if (length == nullptr) continue;
        vlen_from_.reset();
        if (sequencer.elements < isa::kVectorElements) vlen_from_ = at.place(length->elements.span);
      }
      return;
    }
    std::vector<Resolved> resolved;
    for (const Operation* operation : operations) {
      auto one = resolve(*operation, at, sequencer.elements);
      good = good && one;
      if (one) resolved.push_back(std::move(*one));
    }
    LineEncoder encoder(*section_, sequencer, at.where, declared_, reporter_);
    for (unsigned unit = 0; unit <= isa::kUnits; ++unit) {
      for (const Resolved& operation : resolved) {
        if (isa::info_of(operation.op).unit == static_cast<isa::Unit>(unit)) good = encoder.add(operation) && good;
      }
    }
    CodeLine line = std::move(encoder).take(at.text);
    line.unknown = !good;
    if (sequencer.elements < isa::kVectorElements && sequencer.elements == sequencer_.elements) {
      line.vlen_from = vlen_from_;
    }
    GDR_ASSERT(!good || isa::decode(isa::encode(line.line)).line == line.line, "an assembled line decodes to itself");
    steps().emplace_back(std::move(line));
  }

  /// True if the statement is a `transfer` or a `collect`, whether or not it is correct.
  bool move(const CodeStatement& statement, const ExpandedStatement& at) {
    const auto is_move = [](const Item& item) {
      const auto* operation = std::get_if<Operation>(&item);
      return operation != nullptr && (operation->mnemonic.text == isa::TransferStep::kName ||
                                      operation->mnemonic.text == isa::CollectStep::kName);
    };
    const auto found = std::find_if(statement.items.begin(), statement.items.end(), is_move);
    if (found == statement.items.end()) return false;
    const auto& operation = std::get<Operation>(*found);
    const Place where = at.place(operation.mnemonic.span);
    if (statement.items.size() > 1) {
      reporter_.error(Code::move, where, fmt::format("'{}' stands alone on its line", operation.mnemonic.text));
    } else if (operation.mnemonic.text == isa::CollectStep::kName) {
      if (const auto step = collect(operation, at)) steps().emplace_back(*step);
    } else if (!operation.operands.empty()) {
      reporter_.error(Code::move, where, "'transfer' takes no operand: it brings the next j-record as a whole");
    } else {
      steps().emplace_back(CodeTransfer{where});
    }
    return true;
  }

  /// `collect NAME[...] [block N|each] [not_first]`: looks up what it names.
  std::optional<CodeCollect> collect(const Operation& operation, const ExpandedStatement& at) {
    const auto refuse = [&](const Place& where, std::string why) {
      reporter_.error(Code::move, where, std::move(why));
      return std::nullopt;
    };
    const auto named = [](const Operand& operand) { return operand.kind == OperandKind::name; };
    const std::vector<Operand>& operands = operation.operands;
    const bool has_condition = operands.size() == 2 && named(operands[1]) && operands[1].text == "not_first";
    if (operands.empty() || !named(operands[0]) || operands.size() > (has_condition ? 2 : 1)) {
      return refuse(at.place(operation.mnemonic.span),
                    "'collect' takes the name of a result, and perhaps 'block N', 'block each' and 'not_first'");
    }
    const Operand& operand = operands[0];
    const Place where = at.place(operand.span);
    const Symbol* symbol = declared_.symbols.find(operand.text);
    if (symbol == nullptr && declared_.symbols.tolerated(operand.text)) return std::nullopt;
    const bool is_result = symbol != nullptr && symbol->kind == SymbolKind::variable &&
                           symbol->transfer == isa::Transfer::rrn && symbol->memory == isa::Memory::bm;
    if (!is_result)
      return refuse(where, fmt::format("'{}' is no result in broadcast memory (bvar ... rrn)", operand.text));
    if (operand.subscripts.size() > symbol->dimensions.size()) {
      return refuse(where, fmt::format("'{}' takes at most {} subscripts", symbol->name, symbol->dimensions.size()));
    }
    unsigned first = 0;
    unsigned entries = symbol->entries;
    for (std::size_t n = 0; n < operand.subscripts.size(); ++n) {
      const std::int64_t value = operand.subscripts[n].value;
      if (value < 0 || value >= symbol->dimensions[n]) {
        return refuse(where,
                      fmt::format("entry {} of '{}' is outside 0..{}", value, symbol->name, symbol->dimensions[n] - 1));
      }
      entries /= symbol->dimensions[n];
      first += static_cast<unsigned>(value) * entries;
    }
    const auto& variables = declared_.program.variables;
    const auto variable = std::find_if(variables.begin(), variables.end(),
                                       [&](const isa::Variable& other) { return other.name == symbol->name; });
    isa::CollectStep step;
    step.variable = static_cast<std::uint16_t>(variable - variables.begin());
    step.first = static_cast<std::uint16_t>(first);
    step.entries = static_cast<std::uint16_t>(entries);
    step.not_first = has_condition;
    if (operation.block) {
      const isa::Variable& result = *variable;
      const auto blocks = block_choice(*operation.block, result, at);
      if (!blocks) return std::nullopt;
      step.blocks = *blocks;
    }
    return CodeCollect{step, symbol, at.place(operation.mnemonic.span)};
  }

  /// `block N` or `block each` of a collect of `result`.
  std::optional<isa::BlockChoice> block_choice(const BlockItem& item, const isa::Variable& result,
                                               const ExpandedStatement& at) {
    if (item.kind == isa::BlockChoice::Kind::one &&
        (item.number.value < 0 || item.number.value >= std::int64_t{isa::kBlocks})) {
      reporter_.error(Code::move, at.place(item.number.span),
                      fmt::format("block {} is outside 0..{}", item.number.value, isa::kBlocks - 1));
      return std::nullopt;
    }
    if (result.reduction) {
      reporter_.error(Code::move, at.place(item.span),
                      fmt::format("'{}' is reduced over the blocks by '{}'; declare it without a reduction to read "
                                  "blocks apart",
                                  result.name, isa::info_of(*result.reduction).mnemonic));
      return std::nullopt;
    }
    if (result.block != 0) {
      reporter_.error(
          Code::move, at.place(item.span),
          fmt::format("'{}' is declared with 'select {}'; leave one of the two blocks out", result.name, result.block));
      return std::nullopt;
    }
    return isa::BlockChoice{item.kind, static_cast<std::uint8_t>(item.number.value)};
  }

  static std::vector<std::string> language_words(isa::WordRole role) {
    const auto words = isa::language_words(role);
    return {words.begin(), words.end()};
  }

  void report_no_section(const CodeStatement& statement, const ExpandedStatement& at) {
    const auto* operation = std::get_if<Operation>(&statement.items.front());
    if (operation != nullptr && !isa::op_named(operation->mnemonic.text)) {
      const std::vector<std::string> known = language_words(isa::WordRole::statement);
      const Place where = at.place(operation->mnemonic.span);
      reporter_.error(Code::unknown_operation, where,
                      fmt::format("'{}' begins no declaration{}", operation->mnemonic.text,
                                  suggestion(operation->mnemonic.text, known)));
      reporter_.fix_name(where, operation->mnemonic.text, known);
      return;
    }
    reporter_.error(
        Code::misplaced, at.where,
        fmt::format("operations stand in a section; begin one with '{}'", isa::name_of(isa::Section::loop_body)));
  }

  /// A line has one vector length and one mask.
  bool set_once(const CodeStatement& statement, const ExpandedStatement& at) {
    const VectorLength* length = nullptr;
    const MaskSetting* mask = nullptr;
    for (const Item& item : statement.items) {
      const auto* second_length = std::get_if<VectorLength>(&item);
      const auto* second_mask = std::get_if<MaskSetting>(&item);
      const bool twice = (second_length != nullptr && length != nullptr) || (second_mask != nullptr && mask != nullptr);
      if (twice) {
        const Span& span = second_length != nullptr ? second_length->elements.span : second_mask->flag.span;
        reporter_.error(Code::sequencer, at.place(span),
                        fmt::format("a second '{}' in this line, which has one; leave one of them out",
                                    second_length != nullptr ? "vlen" : "mask"));
        return false;
      }
      if (second_length != nullptr) length = second_length;
      if (second_mask != nullptr) mask = second_mask;
    }
    return true;
  }

  bool set(const VectorLength& length, const ExpandedStatement& at, Sequencer& sequencer) {
    if (length.elements.value < 1 || length.elements.value > isa::kVectorElements) {
      reporter_.error(Code::sequencer, at.place(length.elements.span),
                      fmt::format("vlen {} is outside 1..{}", length.elements.value, isa::kVectorElements));
      return false;
    }
    sequencer.elements = static_cast<unsigned>(length.elements.value);
    return true;
  }

  bool set(const MaskSetting& mask, const ExpandedStatement& at, Sequencer& sequencer) {
    const std::int64_t flag = mask.flag.value;
    if (flag < 0 || flag > isa::kFlags || (flag == 0 && mask.inverted)) {
      reporter_.error(Code::sequencer, at.place(mask.flag.span),
                      fmt::format("mask {}{} is none of 0 (no mask), 1..{}, !1..!{}", mask.inverted ? "!" : "", flag,
                                  isa::kFlags, isa::kFlags));
      return false;
    }
    sequencer.mask = {static_cast<std::uint8_t>(flag), mask.inverted};
    return true;
  }

  std::optional<Resolved> resolve(const Operation& operation, const ExpandedStatement& at, unsigned elements) {
    Resolved resolved;
    resolved.mnemonic = operation.mnemonic.text;
    resolved.where = at.place(operation.mnemonic.span);
    const auto op = isa::op_named(operation.mnemonic.text);
    if (!op) {
      // It may be the name of a macro that could not be read.
      if (declared_.symbols.tolerated(operation.mnemonic.text)) return std::nullopt;
      std::vector<std::string> known = language_words(isa::WordRole::item);
      for (const isa::OperationInfo& info : isa::operations()) known.emplace_back(info.mnemonic);
      report_unknown(operation.mnemonic.text, resolved.where, known);
      return std::nullopt;
    }
    resolved.op = *op;
    std::vector<Value> values;
    bool good = true;
    for (const Operand& operand : operation.operands) {
      const bool number = operand.kind == OperandKind::immediate && operand.immediate == ImmediateKind::floating;
      if (number && isa::info_of(*op).kind == isa::NumberKind::integer) {
        reporter_.error(Code::immediate, at.place(operand.span),
                        fmt::format("'{}' takes integers, and this is a floating-point number; write il\"...\" or "
                                    "is\"...\", or its bits as hl\"...\"",
                                    operation.mnemonic.text));
        good = false;
        continue;
      }
      auto value = operands_.read(operand, at, elements);
      good = good && value;
      if (value) values.push_back(std::move(*value));
    }
    if (!good || !distribute(std::move(values), resolved)) return std::nullopt;
    return resolved;
  }

  void report_unknown(const std::string& mnemonic, const Place& where, const std::vector<std::string>& known) {
    const Habit habit = habit_of_operation(mnemonic);
    const std::string hint = habit.hint.empty() ? suggestion(mnemonic, known) : habit.hint;
    if (!reporter_.error(Code::unknown_operation, where, fmt::format("unknown operation '{}'{}", mnemonic, hint)))
      return;
    if (habit.hint.empty()) {
      reporter_.fix_name(where, mnemonic, known);
    } else if (habit.length > 0) {
      reporter_.fix(fmt::format("write '{}'", habit.replacement), where, mnemonic, habit.replacement);
    }
  }

  /// `fadd A B DST...`
  static std::string form_of(const isa::OperationInfo& info) {
    std::string form(info.mnemonic);
    for (unsigned source = 0; source < info.sources; ++source)
      form += fmt::format(" {}", static_cast<char>('A' + source));
    return info.has_destination ? form + " DST..." : form;
  }

  /// Sorts the operands: sources come first, then destinations; flags and the PE may be among the destinations.
  bool distribute(std::vector<Value> values, Resolved& resolved) {
    const isa::OperationInfo& info = isa::info_of(resolved.op);
    for (Value& value : values) {
      if (value.kind == OperandKind::pe) {
        if (resolved.pe) {
          reporter_.error(Code::pe_number, value.where, "a second PE is named");
          return false;
        }
        resolved.pe = std::move(value);
      } else if (resolved.sources.size() < info.sources) {
        resolved.sources.push_back(std::move(value));
      } else {
        std::vector<Value>& place = value.kind == OperandKind::flag ? resolved.flags : resolved.destinations;
        place.push_back(std::move(value));
      }
    }
    const bool enough = !info.has_destination || !resolved.destinations.empty() || !resolved.flags.empty();
    const bool too_many = !info.has_destination && (!resolved.destinations.empty() || !resolved.flags.empty());
    if (resolved.sources.size() < info.sources || !enough || too_many) {
      const std::string sources =
          info.sources == 0 ? "no operands" : fmt::format("{} source{}", info.sources, info.sources == 1 ? "" : "s");
      const std::string_view destinations = info.has_destination ? " and at least one destination"
                                            : info.sources == 0  ? ""
                                                                 : " and no destination";
      reporter_.error(Code::operand_count, resolved.where,
                      fmt::format("'{}' takes {}{}; {}{}", info.mnemonic, sources, destinations,
                                  given(values.size(), base::counted(values.size(), "operand")),
                                  info.sources == 0 ? "" : ": " + form_of(info)));
      return false;
    }
    if (resolved.flags.size() > 1) {
      reporter_.error(Code::destination_twice, resolved.flags[1].where, "an operation writes one flag");
      return false;
    }
    for (std::size_t second = 1; second < resolved.destinations.size(); ++second) {
      for (std::size_t first = 0; first < second; ++first) {
        if (resolved.destinations[first].kind != resolved.destinations[second].kind) continue;
        reporter_.error(Code::destination_twice, resolved.destinations[second].where,
                        "an operation writes one T, one GPR and one local memory address");
        return false;
      }
    }
    return true;
  }

  const Declared& declared_;
  Reporter& reporter_;
  OperandReader operands_;
  std::optional<isa::Section> section_;
  std::map<isa::Section, Place> begun_;
  Sequencer sequencer_;
  std::optional<Place> vlen_from_;  // where the sequencer's vector length was set, if it is below 4
  SectionCode code_;
  LeftShort left_short_;
  bool told_of_section_ = false;
};

}  // namespace

SectionLines lines_of(const SectionCode& code) {
  SectionLines lines;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const CodeStep& step : code[section]) {
      if (const auto* line = std::get_if<CodeLine>(&step)) lines[section].push_back(line);
    }
  }
  return lines;
}

Encoded encode_steps(const Expansion& expansion, const Declared& declared, const AssembleOptions& options,
                     Reporter& reporter) {
  return Encoder(declared, options, reporter).run(expansion);
}

}  // namespace gdr::assembler
