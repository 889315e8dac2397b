// Reads declarations: first what each variable is, then its address.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/isa/experiment.h"
#include "symbols.h"

namespace gdr::assembler {
namespace {

using isa::Memory;
using isa::Transfer;
using isa::Width;

/// More entries than any memory has short words are rejected before they are multiplied.
constexpr std::int64_t kMostEntries = isa::kBmShortWords;

std::vector<std::string> transfer_names() {
  std::vector<std::string> names;
  for (unsigned code = 1; !isa::name_of(static_cast<Transfer>(code)).empty(); ++code) {
    names.emplace_back(isa::name_of(static_cast<Transfer>(code)));
  }
  return names;
}

/// `none` moves bits unchanged, in both directions and for both widths.
bool converts(const isa::ConversionInfo& info, bool to_host, Width width) {
  return info.conversion == isa::Conversion::NONE || (info.to_host == to_host && info.width == width);
}

std::vector<std::string> conversion_names(bool to_host, Width width) {
  std::vector<std::string> names;
  for (const isa::ConversionInfo& info : isa::conversions()) {
    if (converts(info, to_host, width)) names.emplace_back(info.name);
  }
  return names;
}

/// The floating-point conversion for a width: the default of a declaration that names no conversion.
isa::Conversion default_conversion(bool to_host, Width width) {
  const auto infos = isa::conversions();
  return std::find_if(infos.begin(), infos.end(),
                      [&](const isa::ConversionInfo& info) {
                        return info.floating && info.to_host == to_host && info.width == width;
                      })
      ->conversion;
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

class Declarer {
 public:
  Declarer(const AssembleOptions& options, Reporter& reporter) : options_(options), reporter_(reporter) {}

  Declared run(const Expansion& expansion) {
    bool in_section = false;
    note_form(expansion);
    for (const Expansion::Entry& entry : expansion.entries) {
      if (const auto* gap = std::get_if<Expansion::Gap>(&entry)) {
        for (const std::string& word : gap->words) result_.symbols.tolerate(word);
        if (gap->garbage || (!gap->words.empty() && gap->words.front() == "kernel")) kernel_tried_ = true;
        continue;
      }
      const auto& statement = std::get<ExpandedStatement>(entry);
      if (std::holds_alternative<SectionStatement>(statement.statement)) in_section = true;
      if (first_ == nullptr) first_ = &statement;
      if (in_section && declares(statement.statement) && statement.local_name.empty()) {
        reporter_.error(Code::misplaced, statement.where, "declarations stand before the first section");
      }
      std::visit([&](const auto& parsed) { add(parsed, statement); }, statement.statement);
    }
    if (result_.program.kernel.empty() && !kernel_tried_) {
      reporter_.error(Code::kernel, first_ != nullptr ? first_->where : Place{{0, 1, 1, 1}},
                      "the source has no 'kernel NAME' line");
    }
    place_variables();
    note_aliases();
    return std::move(result_);
  }

 private:
  static bool declares(const Statement& statement) {
    return !std::holds_alternative<CodeStatement>(statement) && !std::holds_alternative<SectionStatement>(statement);
  }

  /// What a declaration means depends on the kernel's form.
  void note_form(const Expansion& expansion) {
    for (const Expansion::Entry& entry : expansion.entries) {
      const auto* statement = std::get_if<ExpandedStatement>(&entry);
      const auto* kernel = statement != nullptr ? std::get_if<KernelStatement>(&statement->statement) : nullptr;
      if (kernel != nullptr && kernel->experiment && !result_.experiment) result_.experiment = statement->where;
    }
  }

  /// Code is read later. Blocks have already been expanded.
  template <class Other>
  void add(const Other&, const ExpandedStatement&) {}

  void add(const KernelStatement& kernel, const ExpandedStatement& at) {
    if (!result_.program.kernel.empty()) {
      reporter_.error(Code::kernel, at.where,
                      fmt::format("the kernel has a name already, '{}'", result_.program.kernel));
      return;
    }
    result_.program.kernel = kernel.name.text;
  }

  void add(const FlopsStatement& flops, const ExpandedStatement& at) {
    const auto value = number_in(flops.value.text);
    if (!value || *value < 0) {
      reporter_.error(Code::kernel, at.place(flops.value.span),
                      fmt::format("'{}' is no number of operations per interaction", flops.value.text));
      return;
    }
    if (flops_at_) {
      reporter_.error(Code::kernel, at.where,
                      fmt::format("the kernel has {} flops per interaction already", result_.program.flops));
      reporter_.note(*flops_at_, "they were given here");
      return;
    }
    flops_at_ = at.where;
    result_.program.flops = *value;
  }

  void add(const Declaration& declaration, const ExpandedStatement& at) {
    Symbol symbol;
    symbol.name = declaration.name.text;
    symbol.where = at.place(declaration.name.span);
    symbol.width = declaration.width;
    symbol.memory = declaration.broadcast ? Memory::bm : Memory::lm;
    isa::Variable variable;
    const bool says_more = !declaration.attributes.empty() && isa::transfer_named(declaration.attributes.front().text);
    if (isa::transfer_named(symbol.name) && !says_more) {
      reporter_.error(Code::syntax, at.place(declaration.name.span),
                      fmt::format("the name is missing: '{}' is a transfer, which comes after the name", symbol.name));
      return;
    }
    const bool good = read_dimensions(declaration, at, symbol) && read_attributes(declaration, at, symbol, variable) &&
                      fits(at, symbol);
    if (!good) return result_.symbols.tolerate(symbol.name);
    if (!enter(symbol)) return;
    if (symbol.kind == SymbolKind::view) {
      views_.emplace_back(symbol.name, declaration.attributes.front().text);
      return;
    }
    variable.name = symbol.name;
    variable.memory = symbol.memory;
    variable.width = symbol.width;
    variable.vector = symbol.vector;
    variable.packed = symbol.packed;
    variable.elements = static_cast<std::uint16_t>(symbol.entries);
    variable.dimensions = symbol.dimensions;
    variable.transfer = symbol.transfer;
    variable.position = {symbol.where.range.file, symbol.where.range.line, symbol.where.range.column};
    result_.program.variables.push_back(std::move(variable));
  }

  bool read_dimensions(const Declaration& declaration, const ExpandedStatement& at, Symbol& symbol) {
    for (const Number& dimension : declaration.dimensions) {
      if (dimension.value < 1 || dimension.value > kMostEntries || symbol.entries * dimension.value > kMostEntries) {
        reporter_.error(Code::shape, at.place(dimension.span),
                        fmt::format("dimension {} of '{}' is outside 1..{} entries in all", dimension.value,
                                    symbol.name, kMostEntries));
        return false;
      }
      symbol.dimensions.push_back(static_cast<std::uint16_t>(dimension.value));
      symbol.entries *= static_cast<std::uint32_t>(dimension.value);
    }
    return true;
  }

  bool read_attributes(const Declaration& declaration, const ExpandedStatement& at, Symbol& symbol,
                       isa::Variable& variable) {
    const std::vector<Word>& words = declaration.attributes;
    std::size_t next = 0;
    if (next < words.size()) {
      if (const auto transfer = isa::transfer_named(words[next].text)) {
        symbol.transfer = *transfer;
        ++next;
        if (!read_transfer(declaration, next, at, symbol, variable)) return false;
      } else if (declaration.broadcast && words[next].text != "packed" && words[next].text != "in") {
        return read_view(declaration, at, symbol);
      }
    }
    for (; next < words.size(); ++next) {
      const Word& word = words[next];
      if ((word.text == "packed" && symbol.packed) || (word.text == "in" && symbol.memory == Memory::gpr)) {
        reporter_.error(Code::syntax, at.place(word.span), fmt::format("'{}' is given twice", word.text));
        return false;
      }
      if (word.text == "packed" && declaration.broadcast) {
        symbol.packed = true;
      } else if (word.text == "in" && next + 1 < words.size() && words[next + 1].text == "gpr" &&
                 !declaration.broadcast) {
        symbol.memory = Memory::gpr;
        ++next;
      } else {
        return refuse_attribute(word, at, declaration.broadcast);
      }
    }
    symbol.vector = declaration.vector.value_or(symbol.transfer == Transfer::hlt || symbol.transfer == Transfer::rrn);
    if (result_.experiment && symbol.transfer == Transfer::rrn && symbol.memory != Memory::bm) {
      return take_as_result(at, symbol, variable);
    }
    return true;
  }

  /// A result of experiments stays in the PE until lines of the form bring it out.
  bool take_as_result(const ExpandedStatement& at, Symbol& symbol, const isa::Variable& variable) {
    const auto refuse = [&](std::string why) {
      reporter_.error(Code::experiment, at.where, std::move(why));
      return false;
    };
    if (variable.reduction || variable.block != 0) {
      return refuse(
          fmt::format("results of experiments stay apart; leave what follows the conversion of '{}' out", symbol.name));
    }
    if (symbol.width == Width::short_word || !symbol.vector) {
      return refuse(fmt::format("a result of experiments is long: declare '{}' as 'var vector long'", symbol.name));
    }
    if (isa::is_experiment_column(symbol.name)) {
      return refuse(
          fmt::format("'{}' is a column of every experiment's results: give this result another name", symbol.name));
    }
    symbol.transfer = Transfer::none;
    symbol.result_of_experiment = true;
    return true;
  }

  bool refuse_attribute(const Word& word, const ExpandedStatement& at, bool broadcast) {
    std::vector<std::string> known = transfer_names();
    known.emplace_back(broadcast ? "packed" : "in gpr");
    for (const isa::ConversionInfo& info : isa::conversions()) known.emplace_back(info.name);
    reporter_.error(Code::syntax, at.place(word.span),
                    fmt::format("'{}' is no transfer, conversion or reduction that fits here{}", word.text,
                                suggestion(word.text, known)));
    reporter_.fix_name(at.place(word.span), word.text, known);
    return false;
  }

  /// Reads the conversion and reduction after a transfer.
  bool read_transfer(const Declaration& declaration, std::size_t& next, const ExpandedStatement& at, Symbol& symbol,
                     isa::Variable& variable) {
    const std::vector<Word>& words = declaration.attributes;
    const bool to_host = symbol.transfer == Transfer::rrn;
    variable.conversion = default_conversion(to_host, symbol.width);
    if (next < words.size()) {
      const Word& word = words[next];
      if (const auto conversion = isa::conversion_named(word.text)) {
        const isa::ConversionInfo& info = isa::info_of(*conversion);
        if (!converts(info, to_host, symbol.width)) {
          reporter_.error(
              Code::conversion, at.place(word.span),
              fmt::format("'{}' does not convert a {} word {} the host; use {}", word.text, name_of(symbol.width),
                          to_host ? "to" : "from", quoted_list(conversion_names(to_host, symbol.width))));
          return false;
        }
        variable.conversion = conversion;
        ++next;
      } else if (word.text.starts_with("flt") || word.text.starts_with("fix")) {
        const auto known = conversion_names(to_host, symbol.width);
        reporter_.error(Code::conversion, at.place(word.span),
                        fmt::format("unknown conversion '{}'{}", word.text, suggestion_or_all(word.text, known)));
        reporter_.fix_name(at.place(word.span), word.text, known);
        return false;
      }
    }
    const bool takes_bits = variable.conversion == isa::Conversion::FIX72TO64 && !declaration.broadcast;
    if (next < words.size()) {
      const auto integer = isa::host_integer_named(words[next].text);
      if (integer && (!to_host || (takes_bits && !integer->is_signed))) {
        if (*variable.conversion == isa::Conversion::NONE)
          return refuse_integer(words[next], *integer, at, *variable.conversion);
        variable.integer = *integer;
        ++next;
      }
    }
    if (next >= words.size() || words[next].text == "in" || words[next].text == "packed") return true;
    const Word& word = words[next];
    if (isa::host_integer_named(word.text)) {
      reporter_.error(
          Code::reduction, at.place(word.span),
          fmt::format("'{}' says which whole numbers the host gives as i- or j-data; a result in the PE that "
                      "'fix72to64' converts may have uint1 to uint63, the lower bits that the host gets",
                      word.text));
      return false;
    }
    const auto op = isa::op_named(word.text);
    if (word.text != "select" && !(op && isa::info_of(*op).reduces)) {
      std::vector<std::string> known{"select"};
      for (const isa::OperationInfo& info : isa::operations()) {
        if (info.reduces) known.emplace_back(info.mnemonic);
      }
      reporter_.error(Code::reduction, at.place(word.span),
                      fmt::format("'{}' is no reduction{}", word.text, suggestion_or_all(word.text, known)));
      reporter_.fix_name(at.place(word.span), word.text, known);
      return false;
    }
    if (!to_host) {
      reporter_.error(Code::reduction, at.place(word.span), "only results (rrn) are reduced");
      return false;
    }
    if (word.text != "select") {
      if (!can_reduce(*op, *variable.conversion))
        return refuse_reduction(word, at, symbol.width, *op, *variable.conversion);
      variable.reduction = op;
    }
    symbol.block_chosen = word.text == "select";
    ++next;
    return !declaration.block || read_block(*declaration.block, at, variable);
  }

  /// Reports an integer of the host behind a conversion that takes none. Returns false.
  bool refuse_integer(const Word& word, const isa::HostInteger& integer, const ExpandedStatement& at,
                      isa::Conversion conversion) {
    const isa::ConversionInfo& info = isa::info_of(conversion);
    reporter_.error(Code::conversion, at.place(word.span),
                    fmt::format("'{}' says which whole numbers the host has, and '{}' converts none; use fix64to72 "
                                "or fix64to36",
                                name_of(integer), info.name));
    return false;
  }

  /// The block of `select N`.
  bool read_block(const Number& block, const ExpandedStatement& at, isa::Variable& variable) {
    if (block.value < 0 || block.value >= std::int64_t{isa::kBlocks}) {
      reporter_.error(Code::reduction, at.place(block.span),
                      fmt::format("block {} is outside 0..{}", block.value, isa::kBlocks - 1));
      return false;
    }
    variable.block = static_cast<std::uint8_t>(block.value);
    return true;
  }

  bool refuse_reduction(const Word& word, const ExpandedStatement& at, Width width, isa::Op op,
                        isa::Conversion conversion) {
    std::vector<std::string> reductions{"select"};
    for (const isa::OperationInfo& info : isa::operations()) {
      if (isa::can_reduce(info.op, conversion)) reductions.emplace_back(info.mnemonic);
    }
    std::vector<std::string> fitting;
    for (const isa::ConversionInfo& info : isa::conversions()) {
      if (converts(info, true, width) && isa::can_reduce(op, info.conversion)) fitting.emplace_back(info.name);
    }
    reporter_.error(Code::reduction, at.place(word.span),
                    fmt::format("'{}' does not reduce what '{}' converts; use {}, or the conversion {}", word.text,
                                isa::info_of(conversion).name, quoted_list(reductions), quoted_list(fitting)));
    return false;
  }

  /// `bvar vector long vxj xj` declares a view of the words from xj on.
  bool read_view(const Declaration& declaration, const ExpandedStatement& at, Symbol& symbol) {
    const Word& word = declaration.attributes.front();
    const Symbol* target = result_.symbols.find(word.text);
    if (target == nullptr && result_.symbols.tolerated(word.text)) return false;
    if (target == nullptr || target->memory != Memory::bm || target->kind == SymbolKind::parameter) {
      std::vector<std::string> known = transfer_names();
      for (const Symbol& other : result_.symbols.all()) {
        if (other.memory == Memory::bm && other.kind != SymbolKind::parameter) known.push_back(other.name);
      }
      reporter_.error(Code::alias, at.place(word.span),
                      fmt::format("'{}' is neither a transfer nor a bvar declared above{}", word.text,
                                  suggestion(word.text, known)));
      reporter_.fix_name(at.place(word.span), word.text, known);
      return false;
    }
    if (declaration.attributes.size() > 1 || !declaration.dimensions.empty() || declaration.block) {
      reporter_.error(Code::alias, at.where, "a view has neither dimensions nor a transfer of its own");
      return false;
    }
    symbol.kind = SymbolKind::view;
    symbol.vector = declaration.vector.value_or(true);
    symbol.record = target->transfer == Transfer::elt || target->record;
    symbol.packed = target->packed;
    if (symbol.vector && symbol.width == Width::short_word && target->width == Width::short_word && !target->packed) {
      reporter_.error(Code::alias, at.where,
                      fmt::format("a short vector steps by half a long word, but '{}' has one value in each long word; "
                                  "view it as long, or pack it",
                                  target->name));
      return false;
    }
    return true;
  }

  bool fits(const ExpandedStatement& at, const Symbol& symbol) {
    if (symbol.kind == SymbolKind::view) return true;
    const bool in_bm = symbol.memory == Memory::bm;
    const bool wants_bm = symbol.transfer == Transfer::elt;
    const bool result_in_bm = symbol.transfer == Transfer::rrn && in_bm;  // only in a Type II kernel
    if (result_in_bm && symbol.width == Width::short_word) {
      reporter_.error(
          Code::shape, at.where,
          fmt::format("a result in broadcast memory is long: declare '{}' as 'bvar vector long'", symbol.name));
      return false;
    }
    if (symbol.transfer != Transfer::none && wants_bm != in_bm && !result_in_bm) {
      reporter_.error(Code::place_of_transfer, at.where,
                      fmt::format("'{}' data lives in {}: declare '{}' with '{}'", isa::name_of(symbol.transfer),
                                  wants_bm ? "broadcast memory" : "the PE", symbol.name, wants_bm ? "bvar" : "var"));
      return false;
    }
    if ((symbol.transfer == Transfer::hlt || symbol.transfer == Transfer::rrn) && !symbol.vector) {
      reporter_.error(Code::shape, at.where,
                      fmt::format("'{}' has one value per i-particle, so it is a vector: write 'var vector {} {} ...'",
                                  symbol.name, name_of(symbol.width), symbol.name));
      return false;
    }
    if (symbol.transfer == Transfer::elt && symbol.vector) {
      reporter_.error(Code::shape, at.where,
                      fmt::format("a j-record holds scalars: declare '{}' as scalar, or with dimensions, and view it "
                                  "with 'bvar vector {} NAME {}'",
                                  symbol.name, name_of(symbol.width), symbol.name));
      return false;
    }
    if (symbol.packed && symbol.width == Width::long_word) {
      reporter_.error(Code::shape, at.where, "'packed' puts two short values into a long word; this one is long");
      return false;
    }
    if (in_bm && symbol.vector && symbol.width == Width::short_word && !symbol.packed) {
      reporter_.error(
          Code::shape, at.where,
          fmt::format("elements of the short vector '{}' share long words: declare it 'packed'", symbol.name));
      return false;
    }
    return true;
  }

  void add(const RegisterStatement& statement, const ExpandedStatement& at) {
    Symbol symbol;
    symbol.kind = SymbolKind::register_name;
    symbol.name = statement.name.text;
    symbol.shown = at.local_name;
    symbol.where = at.place(statement.name.span);
    const Operand& operand = statement.operand;
    if (operand.kind == OperandKind::flag || operand.kind == OperandKind::pe_id || operand.kind == OperandKind::bb_id) {
      reporter_.error(Code::register_name, at.place(operand.span),
                      "'reg' names a register of GPR, LM, BM or T, such as $r8v");
      return result_.symbols.tolerate(symbol.name);
    }
    symbol.written = operand;
    enter(std::move(symbol));
  }

  void add(const ParameterStatement& statement, const ExpandedStatement& at) {
    isa::Parameter parameter;
    parameter.name = statement.name.text;
    parameter.width = statement.width;
    parameter.conversion = default_conversion(false, statement.width);
    Symbol symbol;
    symbol.kind = SymbolKind::parameter;
    symbol.name = statement.name.text;
    symbol.where = at.place(statement.name.span);
    symbol.memory = Memory::bm;
    symbol.width = statement.width;
    if (!read_parameter_value(statement, at, parameter)) return result_.symbols.tolerate(symbol.name);
    if (!enter(symbol)) return;
    parameter.position = {symbol.where.range.file, symbol.where.range.line, symbol.where.range.column};
    result_.program.parameters.push_back(std::move(parameter));
  }

  bool read_parameter_value(const ParameterStatement& statement, const ExpandedStatement& at,
                            isa::Parameter& parameter) {
    if (!statement.conversion.empty()) {
      const Word& word = statement.conversion.front();
      const auto conversion = isa::conversion_named(word.text);
      const auto known = conversion_names(false, statement.width);
      if (!conversion || !converts(isa::info_of(*conversion), false, statement.width)) {
        reporter_.error(Code::conversion, at.place(word.span),
                        fmt::format("'{}' does not convert a host value to a {} word; use {}", word.text,
                                    name_of(statement.width), quoted_list(known)));
        return false;
      }
      parameter.conversion = *conversion;
    }
    if (statement.conversion.size() > 1) {
      const Word& word = statement.conversion.back();
      const auto integer = isa::host_integer_named(word.text);
      if (!integer) {
        reporter_.error(Code::conversion, at.place(word.span),
                        fmt::format("'{}' is no integer of the host; use {}", word.text, isa::kHostIntegerNames));
        return false;
      }
      if (isa::info_of(parameter.conversion).floating) {
        return refuse_integer(word, *integer, at, parameter.conversion);
      }
      parameter.integer = *integer;
    }
    std::string text = statement.value.text;
    const auto given = options_.definitions.find(parameter.name);
    if (given != options_.definitions.end()) text = given->second;
    const std::string origin =
        given != options_.definitions.end() ? fmt::format("-D {}={}: ", parameter.name, text) : "";
    const Place where = at.place(statement.value.span);
    const auto value = number_in(text);
    if (!value) {
      reporter_.error(Code::parameter, where, fmt::format("{}'{}' is no finite number", origin, text));
      return false;
    }
    if (!isa::info_of(parameter.conversion).floating) {
      // A double that is +-2^53 may have been another number; a short word holds 36 bits.
      const bool is_long = parameter.width == Width::long_word;
      const double limit = is_long ? 0x1p53 : 0x1p35;
      const double least = std::max(is_long ? 1 - limit : -limit, static_cast<double>(parameter.integer.least()));
      const double most = std::min(limit - 1, static_cast<double>(parameter.integer.most()));
      if (std::trunc(*value) != *value || *value < least || *value > most) {
        reporter_.error(Code::parameter, where,
                        fmt::format("{}'{}' is no whole number in {}..{}", origin, text, least, most));
        return false;
      }
    }
    parameter.default_value = *value;
    return true;
  }

  /// False if the name is taken; the error is then reported.
  bool enter(Symbol symbol) {
    const Place where = symbol.where;
    const std::string name = symbol.name;
    const Symbol* other = result_.symbols.add(std::move(symbol));
    if (other == nullptr) return true;
    if (reporter_.error(Code::duplicate_name, where, fmt::format("'{}' is declared twice", name))) {
      reporter_.note(other->where, "it was declared here");
    }
    return false;
  }

  // ---- layout ------------------------------------------------------------------------------------------------------

  /// Assigns addresses in declaration order and remembers the first variable that exceeds its memory.
  struct Area {
    std::uint32_t next = 0;
    std::uint32_t end = 0;
    const Symbol* first_outside = nullptr;

    void place(Symbol& symbol) {
      // A packed short word may take the free half of the word before it.
      const bool half = symbol.memory == Memory::bm ? symbol.packed : symbol.width == Width::short_word;
      if (!half) next += next % 2;
      symbol.address = next;
      next += symbol.length();
      if (next > end && first_outside == nullptr) first_outside = &symbol;
    }
  };

  void place_variables() {
    Area lm{0, isa::kLmShortWords, nullptr};
    Area gpr{0, isa::kGprShortWords, nullptr};
    Area record{0, isa::kBmShortWords, nullptr};
    std::vector<Symbol>& symbols = result_.symbols.all();
    for (Symbol& symbol : symbols) {
      if (symbol.kind != SymbolKind::variable) continue;
      if (symbol.memory == Memory::lm) lm.place(symbol);
      if (symbol.memory == Memory::gpr) gpr.place(symbol);
      if (symbol.transfer == Transfer::elt) {
        symbol.record = true;
        record.place(symbol);
      }
    }
    const std::uint32_t record_words = (record.next + 1) / 2;
    result_.program.record_words = static_cast<std::uint16_t>(std::min<std::uint32_t>(record_words, 0xffff));
    Area absolute{2 * 2 * record_words, isa::kBmShortWords - 2 * isa::kTransferWindowWords, nullptr};
    const auto place_absolute = [&](SymbolKind kind) {
      for (Symbol& symbol : symbols) {
        const bool chosen = symbol.kind == kind && symbol.memory == Memory::bm && symbol.transfer != Transfer::elt;
        if (chosen) absolute.place(symbol);
      }
    };
    place_absolute(SymbolKind::parameter);
    place_absolute(SymbolKind::variable);
    report_full(lm, "local memory");
    report_full(gpr, "the GPR");
    if (absolute.next > absolute.end) report_full_bm(absolute, record_words);
    for (const auto& [name, target] : views_) {
      result_.symbols.find(name)->address = result_.symbols.find(target)->address;
    }
    for (isa::Variable& variable : result_.program.variables) {
      variable.address = static_cast<std::uint16_t>(result_.symbols.find(variable.name)->address);
    }
    for (isa::Parameter& parameter : result_.program.parameters) {
      parameter.address = static_cast<std::uint16_t>(result_.symbols.find(parameter.name)->address);
    }
  }

  /// Records names of registers and views for debuggers. An indirect register stands for no fixed words, and a name
  /// that nothing uses may stand for words that do not exist.
  void note_aliases() {
    for (const Symbol& symbol : result_.symbols.all()) {
      isa::Alias alias{symbol.name, symbol.memory, symbol.record, 0, symbol.width, symbol.vector, {}};
      std::uint32_t address = symbol.address;
      if (symbol.kind == SymbolKind::register_name && !symbol.written->indirect) {
        const Operand& written = *symbol.written;
        address = written.kind == OperandKind::t ? 0 : written.number;
        alias.width = written.width;
        alias.vector = written.vector || written.kind == OperandKind::t;
        alias.record = written.kind == OperandKind::record;
        alias.memory = written.kind == OperandKind::gpr  ? std::optional(Memory::gpr)
                       : written.kind == OperandKind::lm ? std::optional(Memory::lm)
                       : written.kind == OperandKind::t  ? std::nullopt
                                                         : std::optional(Memory::bm);
      } else if (symbol.kind != SymbolKind::view) {
        continue;
      }
      const std::uint32_t size = alias.memory == Memory::gpr  ? isa::kGprShortWords
                                 : alias.memory == Memory::lm ? isa::kLmShortWords
                                 : alias.record               ? 2u * result_.program.record_words
                                                              : isa::kBmShortWords;
      const std::uint32_t step = isa::short_words(alias.width);
      const std::uint32_t length = step * (alias.vector ? isa::kVectorElements : 1);
      if (alias.memory && (address > size || length > size - address || address % step != 0)) continue;
      alias.address = static_cast<std::uint16_t>(address);
      alias.position = {symbol.where.range.file, symbol.where.range.line, symbol.where.range.column};
      result_.program.aliases.push_back(std::move(alias));
    }
  }

  void report_full(const Area& area, std::string_view memory) {
    if (area.first_outside == nullptr) return;
    reporter_.error(Code::memory_full, area.first_outside->where,
                    fmt::format("{} is full: its variables take {} short words, {} more than the {} it has", memory,
                                area.next, area.next - area.end, area.end));
  }

  void report_full_bm(const Area& area, std::uint32_t record_words) {
    const Symbol* symbol = area.first_outside;
    for (const Symbol& other : result_.symbols.all()) {
      if (symbol == nullptr && other.record && 2 * 2 * ((other.address + other.length() + 1) / 2) > area.end) {
        symbol = &other;
      }
    }
    GDR_ASSERT(symbol != nullptr, "a full memory has a variable that runs over its end");
    reporter_.error(Code::memory_full, symbol->where,
                    fmt::format("broadcast memory is full: two j-records of {} long words, parameters and variables "
                                "take {} long words, {} more than the {} that transfers leave",
                                record_words, (area.next + 1) / 2, (area.next + 1) / 2 - area.end / 2, area.end / 2));
  }

  const AssembleOptions& options_;
  Reporter& reporter_;
  Declared result_;
  std::vector<std::pair<std::string, std::string>> views_;  // name and target
  const ExpandedStatement* first_ = nullptr;
  bool kernel_tried_ = false;
  std::optional<Place> flops_at_;
};

}  // namespace

std::uint32_t Symbol::stride() const {
  const std::uint32_t elements = vector ? isa::kVectorElements : 1;
  if (memory == Memory::bm && !packed) return 2 * elements;
  return isa::short_words(width) * elements;
}

const Symbol* Symbols::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &symbols_[found->second];
}

std::vector<std::string> Symbols::names() const {
  std::vector<std::string> names;
  for (const Symbol& symbol : symbols_) names.push_back(symbol.name);
  return names;
}

Symbol* Symbols::find(std::string_view name) { return const_cast<Symbol*>(std::as_const(*this).find(name)); }

const Symbol* Symbols::add(Symbol symbol) {
  if (const Symbol* other = find(symbol.name)) return other;
  index_[symbol.name] = symbols_.size();
  symbols_.push_back(std::move(symbol));
  return nullptr;
}

Declared declare(const Expansion& expansion, const AssembleOptions& options, Reporter& reporter) {
  return Declarer(options, reporter).run(expansion);
}

}  // namespace gdr::assembler
