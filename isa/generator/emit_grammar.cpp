// Writes the grammars by which editors colour assembly source before a language server answers: TextMate's, which most
// editors read, and Vim's.
#include <algorithm>
#include <string>
#include <vector>

#include "emit.h"
#include "generator.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace gdr::generator {
namespace {

using llvm::json::Array;
using llvm::json::Object;

/// `a|b|c`, longer words first, so that none is taken for the begin of another.
std::string any_of(std::vector<std::string> words) {
  std::sort(words.begin(), words.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  return text;
}

std::vector<std::string> words_of(const RecordKeeper& keeper, StringRef role) {
  std::vector<std::string> words;
  for (const Record* word : records_of(keeper, "Word")) {
    if (name_in(*word, "Role") == role) words.push_back(word->getValueAsString("Text").str());
  }
  return words;
}

/// A field of all records of a class, where it is not empty.
std::vector<std::string> texts_of(const RecordKeeper& keeper, StringRef class_name, StringRef field) {
  std::vector<std::string> texts;
  for (const Record* record : records_of(keeper, class_name)) {
    if (const StringRef text = record->getValueAsString(field); !text.empty()) texts.push_back(text.str());
  }
  return texts;
}

std::vector<std::string> mnemonics(const RecordKeeper& keeper) {
  std::vector<std::string> all;
  for (const char* class_name : {"NoOperation", "Operation"}) {
    for (const Record* op : records_of(keeper, class_name)) {
      all.push_back(op->getValueAsString("Mnemonic").str());
      for (const StringRef other : op->getValueAsListOfStrings("OtherSpellings")) all.push_back(other.str());
    }
  }
  return all;
}

/// Of `$`: named ones, flags, and addresses in a memory.
std::string register_pattern(const RecordKeeper& keeper) {
  std::vector<std::string> named;
  for (std::string& text : texts_of(keeper, "Source", "Text")) named.push_back(text.substr(1));
  for (std::string& word : words_of(keeper, "register_name")) {
    if (word != "ok" && word != "lok") named.push_back(word);
  }
  std::vector<std::string> prefixes;
  for (std::string& prefix : texts_of(keeper, "Storage", "Prefix")) {
    if (prefix != "t") prefixes.push_back(prefix);
  }
  std::vector<std::string> suffixes;
  for (const std::string& suffix : texts_of(keeper, "Condition", "Suffix")) suffixes.push_back("\\" + suffix);
  return "\\$(?:(?:" + any_of(named) + ")\\b|l?ok\\d+(?:" + any_of(suffixes) + ")?|l?(?:" + any_of(prefixes) +
         ")t?(?:\\d+|\\{[^}]*\\})v?(?:\\.[ab])?)";
}

Object rule(StringRef name, const std::string& match) { return Object{{"name", name.str()}, {"match", match}}; }

std::string words_pattern(std::vector<std::string> words) { return "\\b(?:" + any_of(std::move(words)) + ")\\b"; }

std::vector<std::string> attributes_of(const RecordKeeper& keeper) {
  std::vector<std::string> attributes = words_of(keeper, "attribute");
  for (std::string& text : texts_of(keeper, "Transfer", "Mnemonic")) attributes.push_back(std::move(text));
  for (std::string& text : texts_of(keeper, "Conversion", "Name")) attributes.push_back(std::move(text));
  return attributes;
}

/// A pattern of this file as Vim writes it, "very magic": groups and borders of words have other signs.
std::string in_vim(std::string pattern) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = pattern.find(from); at != std::string::npos; at = pattern.find(from, at + to.size())) {
      pattern.replace(at, from.size(), to);
    }
  };
  replace("(?:", "%(");
  replace("^\\s*%(", "^\\s*<%(");
  replace(")\\b", ")>");
  replace("\\b", "<");
  return "\\v" + pattern;
}

}  // namespace

void emit_vim(raw_ostream& out, const RecordKeeper& keeper) {
  const auto keywords = [&](StringRef group, std::vector<std::string> words) {
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    out << "syn keyword " << group;
    for (const std::string& word : words) out << ' ' << word;
    out << '\n';
  };
  const auto match = [&](StringRef group, const std::string& pattern) {
    out << "syn match " << group << " !" << in_vim(pattern) << "!\n";
  };
  out << "\" Vim syntax file of GRAPE-DR assembly.\n"
         "\" Generated from isa/td by gdr-tablegen -gen-vim; do not edit.\n"
         "if exists(\"b:current_syntax\")\n  finish\nendif\nsyn case match\n";
  // A keyword comes before every match, so statements are matches: they are words of another kind within a line.
  keywords("gdrOperation", mnemonics(keeper));
  keywords("gdrItem", words_of(keeper, "item"));
  keywords("gdrAttribute", attributes_of(keeper));
  match("gdrNumber", "\\b(?:0x[0-9A-Fa-f]+|\\d+)\\b");
  match("gdrStatement", "^\\s*(?:" + any_of(words_of(keeper, "statement")) + ")\\b");
  match("gdrSection", "^\\s*(?:initialization|loop\\s+(?:initialization|body|termination))\\b");
  match("gdrRegister", register_pattern(keeper));
  out << "syn region gdrString start=!\\v<%(il|is|hl|hs|f|fs)?\"! end=!\"! oneline\n"
         "syn match gdrComment !#.*$!\n"
         "hi def link gdrOperation Function\nhi def link gdrItem Keyword\nhi def link gdrAttribute StorageClass\n"
         "hi def link gdrNumber Number\nhi def link gdrStatement Statement\nhi def link gdrSection PreProc\n"
         "hi def link gdrRegister Identifier\nhi def link gdrString String\nhi def link gdrComment Comment\n"
         "let b:current_syntax = \"gdr\"\n";
}

void emit_grammar(raw_ostream& out, const RecordKeeper& keeper) {
  std::vector<std::string> attributes = attributes_of(keeper);
  Object quoted{{"name", "string.quoted.double.gdr"},
                {"begin", "\\b(?:il|is|hl|hs|f|fs)?\""},
                {"end", "\"|$"},
                {"patterns", Array{Object{{"include", "#expression"}}}}};
  Object expression{{"name", "meta.embedded.expression.gdr"},
                    {"begin", "\\{"},
                    {"end", "\\}|$"},
                    {"patterns", Array{Object{{"include", "#number"}}}}};
  Array patterns{
      rule("comment.line.number-sign.gdr", "#.*$"),
      std::move(quoted),
      rule("variable.language.register.gdr", register_pattern(keeper)),
      rule("keyword.control.section.gdr", "^\\s*(?:initialization|loop\\s+(?:initialization|body|termination))\\b"),
      rule("keyword.control.gdr", "^\\s*(?:" + any_of(words_of(keeper, "statement")) + ")\\b"),
      rule("keyword.other.item.gdr", words_pattern(words_of(keeper, "item"))),
      rule("support.function.operation.gdr", words_pattern(mnemonics(keeper))),
      rule("storage.modifier.gdr", words_pattern(std::move(attributes))),
      rule("constant.numeric.pe.gdr", "@\\s*\\d+\\b"),
      Object{{"include", "#number"}},
      Object{{"include", "#expression"}},
  };
  Object grammar{
      {"information_for_contributors", "Generated from isa/td by gdr-tablegen -gen-grammar; do not edit."},
      {"name", "GRAPE-DR assembly"},
      {"scopeName", "source.gdr"},
      {"fileTypes", Array{"vsm"}},
      {"patterns", std::move(patterns)},
      {"repository", Object{{"expression", std::move(expression)},
                            {"number", rule("constant.numeric.gdr",
                                            "\\b(?:0x[0-9A-Fa-f]+|\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?)\\b")}}}};
  out << llvm::formatv("{0:2}", llvm::json::Value(std::move(grammar))) << '\n';
}

}  // namespace gdr::generator
