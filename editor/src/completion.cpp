// Completion: what may be written at a position.
#include <fmt/format.h>

#include <algorithm>

#include "answers.h"
#include "gdr/assembler/explain_operation.h"
#include "gdr/isa/experiment.h"

namespace gdr::editor {
namespace {

// The protocol's numbers for kinds of items.
constexpr int kFunctionItem = 3;
constexpr int kVariableItem = 6;
constexpr int kKeywordItem = 14;
constexpr int kMethodItem = 2;  // a macro
constexpr int kConstantItem = 21;

// The integers of C++ that an int of the host is wide enough for; isa::kHostIntegerNames has all.
constexpr isa::HostInteger kUsualIntegers[]{{1, false},  {8, true},  {8, false}, {16, true},
                                            {16, false}, {32, true}, {32, false}};

class Offers {
 public:
  Offers(const At& at, std::size_t begin) : range_(range_of(at.text(), at.line, begin, at.byte - begin)) {}

  void add(std::string_view label, int kind, std::string_view detail, std::string documentation = "") {
    json item{
        {"label", label}, {"kind", kind}, {"detail", detail}, {"textEdit", {{"range", range_}, {"newText", label}}}};
    if (!documentation.empty()) item["documentation"] = {{"kind", "markdown"}, {"value", std::move(documentation)}};
    items_.push_back(std::move(item));
  }
  void add(isa::WordRole role, std::string_view detail) {
    for (const std::string_view word : isa::language_words(role)) add(word, kKeywordItem, detail);
  }
  [[nodiscard]] json take() { return {{"isIncomplete", false}, {"items", std::move(items_)}}; }

 private:
  json range_;
  json items_ = json::array();
};

void offer_registers(Offers& offers) {
  struct Form {
    std::string_view text;
    std::string_view detail;
  };
  constexpr Form kForms[]{{"$t", "T, the upper 36 bits"},
                          {"$lt", "T, all 72 bits"},
                          {"$ti", "T as the line before wrote it, short"},
                          {"$lti", "T as the line before wrote it, long"},
                          {"$r", "general-purpose register, short"},
                          {"$lr", "general-purpose register, long"},
                          {"$m", "local memory, short"},
                          {"$lm", "local memory, long"},
                          {"$b", "broadcast memory, short"},
                          {"$lb", "broadcast memory, long"},
                          {"$j", "current j-record, short"},
                          {"$lj", "current j-record, long"},
                          {"$ok", "flag"},
                          {"$peid", "number of the PE in its block"},
                          {"$bbid", "number of the block"}};
  for (const Form& form : kForms) offers.add(form.text, kVariableItem, form.detail);
}

void offer_operations(Offers& offers) {
  for (const isa::OperationInfo& info : isa::kOperations) {
    offers.add(info.mnemonic, kFunctionItem, info.meaning, assembler::explain(info.op));
  }
  offers.add(isa::WordRole::item, "in a line of code");
}

void offer_names(Offers& offers, const At& at, bool macros) {
  for (const auto& [name, symbol] : at.unit.index.visible(at.file, at.line)) {
    if (symbol->kind == SymbolKind::kernel || (symbol->kind == SymbolKind::macro) != macros) continue;
    const bool constant = symbol->kind == SymbolKind::constant || symbol->kind == SymbolKind::parameter;
    const int kind = macros ? kMethodItem : constant ? kConstantItem : kVariableItem;
    offers.add(name, kind, name_of(symbol->kind), description_of(at.unit, *symbol));
  }
}

/// Offers the words that may follow the first word of a declaration.
void offer_attributes(Offers& offers) {
  offers.add(isa::WordRole::attribute, "in a declaration");
  for (const std::string_view transfer : {"hlt", "elt", "rrn"}) offers.add(transfer, kKeywordItem, "transfer");
  for (const isa::ConversionInfo& conversion : isa::conversions()) {
    offers.add(conversion.name, kKeywordItem, conversion.meaning);
  }
  for (const isa::HostInteger& integer : kUsualIntegers) {
    offers.add(isa::name_of(integer), kKeywordItem,
               fmt::format("whole numbers of the host, {} to {}", integer.least(), integer.most()));
  }
  for (const isa::OperationInfo& info : isa::operations()) {
    if (info.reduces) offers.add(info.mnemonic, kKeywordItem, "reduction");
  }
}

/// The sections whose headers begin with the word `head`.
void offer_sections(Offers& offers, std::string_view head) {
  for (std::size_t number = 0; number < isa::kSections; ++number) {
    const auto section = static_cast<isa::Section>(number);
    std::string_view name = head == "loop" ? isa::name_of(section) : isa::experiment_name_of(section);
    if (!name.starts_with(head) || name.size() == head.size()) continue;
    name.remove_prefix(head.size() + 1);
    if (name.find(' ') == std::string_view::npos) offers.add(name, kKeywordItem, "section");
  }
}

void offer_warnings(Offers& offers) {
  for (std::size_t warning = 0; warning < assembler::kWarnings; ++warning) {
    offers.add(assembler::name_of(static_cast<assembler::Warning>(warning)), kKeywordItem, "warning",
               assembler::explain(static_cast<assembler::Warning>(warning)));
  }
}

/// The comment or quoted text that contains the position.
const Token* around(const At& at) {
  for (const Token& token : at.unit.index.tokens(at.file, at.line)) {
    const bool holds = token.kind == TokenKind::comment || token.kind == TokenKind::text;
    const bool open = token.kind == TokenKind::comment || at.byte < token.end();
    if (holds && token.begin < at.byte && at.byte <= token.end() && open) return &token;
  }
  return nullptr;
}

std::size_t begin_of_word(const At& at, bool dashes) {
  const std::string_view line = at.line_text();
  std::size_t begin = std::min(at.byte, line.size());
  while (begin > 0 && (is_word_character(line[begin - 1]) || (dashes && line[begin - 1] == '-'))) --begin;
  return begin;
}

/// True if a new item of a line of code begins at `begin`.
bool begins_item(const At& at, std::size_t begin) {
  const std::string_view before = at.line_text().substr(0, begin);
  const std::size_t last = before.find_last_not_of(" \t");
  return last == std::string_view::npos || before[last] == ';';
}

}  // namespace

json completion(const At& at) {
  if (at.unit.compiled) return json::array();
  const Token* held = around(at);
  const bool comment = held && held->kind == TokenKind::comment;
  std::size_t begin = begin_of_word(at, comment);
  if (held) {
    Offers offers(at, begin);
    const bool allows = comment && at.line_text().substr(held->begin).find("allow ") != std::string_view::npos;
    if (allows) offer_warnings(offers);
    return offers.take();
  }
  if (begin > 0 && at.line_text()[begin - 1] == '$') {
    Offers offers(at, begin - 1);
    offer_registers(offers);
    return offers.take();
  }
  Offers offers(at, begin);
  const std::string_view before = at.line_text().substr(0, begin);
  if (begins_item(at, begin)) {
    offer_operations(offers);
    if (before.find(';') == std::string_view::npos) {
      offers.add(isa::WordRole::statement, "statement");
      offer_names(offers, at, true);
    }
    return offers.take();
  }
  const auto tokens = at.unit.index.tokens(at.file, at.line);
  const std::string_view head = tokens.front().in(at.line_text());
  if (head == "loop" || head == "experiment") {
    offer_sections(offers, head);
  } else if (head == "var" || head == "bvar" || head == "param" || head == "reg") {
    offer_attributes(offers);
    offer_names(offers, at, false);
  } else if (head != "kernel" && head != "macro" && head != "flops") {
    offer_names(offers, at, false);
  }
  return offers.take();
}

}  // namespace gdr::editor
