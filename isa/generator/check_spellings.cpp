// Names that become C++, and words and registers of the assembly language: no two records may mean the same text.
#include <algorithm>

#include "check.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

namespace gdr::generator {
namespace {

using llvm::Twine;

bool is_word(StringRef text) { return llvm::Regex("^[a-z][a-z0-9_]*$").match(text); }

/// C++20, [lex.key] and [lex.digraph].
bool is_cpp_keyword(StringRef word) {
  static const llvm::StringSet<> kKeywords{"alignas",      "alignof",       "and",          "and_eq",
                                           "asm",          "auto",          "bitand",       "bitor",
                                           "bool",         "break",         "case",         "catch",
                                           "char",         "char8_t",       "char16_t",     "char32_t",
                                           "class",        "compl",         "concept",      "const",
                                           "consteval",    "continue",      "const_cast",   "constexpr",
                                           "constinit",    "co_await",      "co_return",    "co_yield",
                                           "decltype",     "default",       "delete",       "do",
                                           "double",       "else",          "enum",         "explicit",
                                           "export",       "extern",        "false",        "float",
                                           "for",          "friend",        "goto",         "if",
                                           "inline",       "int",           "long",         "mutable",
                                           "namespace",    "new",           "noexcept",     "not",
                                           "not_eq",       "nullptr",       "operator",     "or",
                                           "or_eq",        "private",       "protected",    "public",
                                           "register",     "requires",      "return",       "short",
                                           "signed",       "sizeof",        "static",       "switch",
                                           "struct",       "template",      "this",         "true",
                                           "thread_local", "throw",         "try",          "typedef",
                                           "typeid",       "typename",      "dynamic_cast", "union",
                                           "unsigned",     "using",         "virtual",      "void",
                                           "volatile",     "wchar_t",       "while",        "xor",
                                           "xor_eq",       "static_assert", "static_cast",  "reinterpret_cast"};
  return kKeywords.contains(word);
}

/// What becomes an enumerator, a function or a part of a constant's name.
void check_identifier(const Record& record, StringRef name, Distinct& names, Report& report) {
  if (!is_word(name) || is_cpp_keyword(name)) {
    report.error(record, "'" + name + "' cannot be a name in C++");
  } else {
    names.add(name, record);
  }
}

void check_names(const RecordKeeper& keeper, Report& report) {
  for (const char* class_name : {"Constant", "Unit", "Storage", "Source", "Condition", "BmMode", "Transfer",
                                 "NumberKind", "Identity", "WordRole"}) {
    Distinct names(report, "is already the Name of another");
    for (const Record* record : records_of(keeper, class_name)) {
      const StringRef name = record->getValueAsString("Name");
      if (StringRef(class_name) == "Unit" && name == "none") report.error(*record, "'none' is what no unit is called");
      check_identifier(*record, name, names, report);
    }
  }
  Distinct functions(report, "is already the Function of another");
  for (const Record* op : records_of(keeper, "Operation")) {
    const StringRef function = op->getValueAsString("Function");
    if (!function.empty()) check_identifier(*op, function, functions, report);
  }
}

/// Every word that records bring to the assembly language.
std::vector<std::pair<const Record*, StringRef>> words_of(const RecordKeeper& keeper) {
  std::vector<std::pair<const Record*, StringRef>> words;
  for (const Record* word : records_of(keeper, "Word")) {
    if (name_in(*word, "Role") != "register_name") words.emplace_back(word, word->getValueAsString("Text"));
  }
  for (const char* class_name : {"NoOperation", "Operation"}) {
    for (const Record* op : records_of(keeper, class_name)) {
      words.emplace_back(op, op->getValueAsString("Mnemonic"));
      for (const StringRef other : op->getValueAsListOfStrings("OtherSpellings")) words.emplace_back(op, other);
    }
  }
  for (const Record* conversion : records_of(keeper, "Conversion")) {
    words.emplace_back(conversion, conversion->getValueAsString("Name"));
  }
  for (const Record* transfer : records_of(keeper, "Transfer")) {
    const StringRef mnemonic = transfer->getValueAsString("Mnemonic");
    if (transfer->getValueAsInt("Value") != 0) words.emplace_back(transfer, mnemonic);  // 0: none
  }
  return words;
}

/// Words share one set: a reduction's mnemonic stands beside transfers and conversions, an operation beside `vlen`.
void check_words(const RecordKeeper& keeper, Report& report) {
  auto words = words_of(keeper);
  // The later record is the one that takes a word from the other.
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.first->getID() < b.first->getID(); });
  Distinct distinct(report, "is already a word of the assembly language");
  for (const auto& [record, text] : words) {
    if (!is_word(text)) {
      report.error(*record, "'" + text + "' is no word of small letters, digits and underlines");
    } else {
      distinct.add(text, *record);
    }
  }
}

void check_registers(const RecordKeeper& keeper, Report& report) {
  Distinct prefixes(report, "is already the prefix of another memory");
  std::vector<std::string> addressed;
  for (const Record* storage : records_of(keeper, "Storage")) {
    const StringRef prefix = storage->getValueAsString("Prefix");
    if (!llvm::Regex("^[a-km-z][a-z]*$").match(prefix)) {
      report.error(*storage, "prefix '" + prefix + "' is no small letters, or begins with the l of long words");
    } else {
      prefixes.add(prefix, *storage);
      addressed.push_back(prefix.str());
    }
  }
  const llvm::Regex with_address("^l?(" + llvm::join(addressed, "|") + "|ok)t?[0-9]+v?$");
  Distinct registers(report, "is already a register");
  for (const Record* word : records_of(keeper, "Word")) {
    if (name_in(*word, "Role") == "register_name") registers.add("$" + word->getValueAsString("Text").str(), *word);
  }
  for (const Record* source : records_of(keeper, "Source")) {
    const StringRef text = source->getValueAsString("Text");
    if (text.empty()) continue;
    if (!text.starts_with("$") || !is_word(text.substr(1)) || with_address.match(text.substr(1))) {
      report.error(*source, "'" + text + "' is no register's name: `$` and a word that is no register with an address");
    } else {
      registers.add(text, *source);
    }
  }
  Distinct suffixes(report, "is already the suffix of another condition");
  for (const Record* condition : records_of(keeper, "Condition")) {
    const StringRef suffix = condition->getValueAsString("Suffix");
    if (!suffix.empty() && !llvm::Regex("^[.][a-z]+$").match(suffix)) {
      report.error(*condition, "suffix '" + suffix + "' is no dot with small letters behind it");
    } else {
      suffixes.add(suffix, *condition);
    }
  }
}

}  // namespace

void check_spellings(const RecordKeeper& keeper, Report& report) {
  check_names(keeper, report);
  check_words(keeper, report);
  check_registers(keeper, report);
}

}  // namespace gdr::generator
