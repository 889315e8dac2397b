// Quick fixes: the corrections that the assembler knows, and comments that allow a warning.
#include <fmt/format.h>

#include "answers.h"

namespace gdr::editor {
namespace {

json edit_of(const Unit& unit, const assembler::Edit& edit) {
  const std::uint32_t line = edit.where.line - 1;
  json range = range_of(unit.texts[edit.where.file], line, edit.where.column - 1, edit.where.length);
  if (edit.whole_line) range["end"] = {{"line", line + 1}, {"character", 0}};
  return {{"range", std::move(range)}, {"newText", edit.text}};
}

/// The edit that allows a warning on a line: adds its name to the line's comment `# allow`, or adds such a comment
/// after the line, or above it if the line has another comment.
json edit_allowing(const Text& text, std::uint32_t line, std::size_t comment, std::string_view name) {
  const std::string_view whole = text.line(line);
  const auto insertion = [&](std::size_t at_line, std::size_t byte, std::string added) {
    return json{{"range", range_of(text, at_line, byte, 0)}, {"newText", std::move(added)}};
  };
  if (comment == std::string_view::npos) return insertion(line, whole.size(), fmt::format("  # allow {}", name));
  constexpr std::string_view kAllow = "# allow ";
  if (whole.substr(comment).starts_with(kAllow)) {
    return insertion(line, comment + kAllow.size(), fmt::format("{}, ", name));
  }
  const std::size_t indent = std::min(whole.find_first_not_of(" \t"), whole.size());
  return insertion(line, 0, fmt::format("{}# allow {}\n", whole.substr(0, indent), name));
}

/// Byte at which the line's comment begins.
std::size_t comment_of(const Unit& unit, std::uint32_t file, std::uint32_t line) {
  for (const Token& token : unit.index.tokens(file, line)) {
    if (token.kind == TokenKind::comment) return token.begin;
  }
  return std::string_view::npos;
}

bool overlap(const json& a, const json& b) {
  // As the client wrote them, since converting a number of another kind is not defined.
  const auto place = [](const json& range, const char* end) {
    const json& at = range.at(end);
    return std::pair<json, json>(at.at("line"), at.at("character"));
  };
  return place(a, "start") <= place(b, "end") && place(b, "start") <= place(a, "end");
}

}  // namespace

json code_actions(const Unit& unit, std::uint32_t file, const json& range) {
  json actions = json::array();
  for (const assembler::Diagnostic& diagnostic : unit.result.diagnostics) {
    const assembler::SourceRange& where = diagnostic.where;
    if (diagnostic.severity == assembler::Severity::note || unit.uris[where.file] != unit.uris[file]) continue;
    const json shown = diagnostic_of(unit, diagnostic);
    if (!overlap(shown["range"], range)) continue;
    const auto offer = [&](const std::string& title, bool preferred, const std::string& uri, json edits) {
      actions.push_back({{"title", title},
                         {"kind", "quickfix"},
                         {"isPreferred", preferred},
                         {"diagnostics", json::array({shown})},
                         {"edit", {{"changes", {{uri, std::move(edits)}}}}}});
    };
    for (const assembler::Fix& fix : diagnostic.fixes) {
      json edits = json::array();
      for (const assembler::Edit& edit : fix.edits) edits.push_back(edit_of(unit, edit));
      offer(fix.title, diagnostic.fixes.size() == 1, unit.uris[fix.edits.front().where.file], std::move(edits));
    }
    if (!diagnostic.warning) continue;
    const std::string_view name = assembler::name_of(*diagnostic.warning);
    // The type of the list is written out: compilers disagree whether braces around one value are a list or that value.
    offer(fmt::format("allow '{}' here", name), false, unit.uris[where.file],
          json::array({edit_allowing(unit.texts[where.file], where.line - 1,
                                     comment_of(unit, where.file, where.line - 1), name)}));
  }
  return actions;
}

}  // namespace gdr::editor
