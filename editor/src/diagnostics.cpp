// Converts the assembler's diagnostics to those of the protocol.
#include <fmt/format.h>

#include "answers.h"

namespace gdr::editor {
namespace {

// `the source has no 'kernel NAME' line`: true for every file that is meant to be included.
constexpr unsigned kNoKernel = 111;

constexpr int kError = 1;
constexpr int kWarning = 2;
constexpr int kUnnecessary = 1;  // shown faded

json range_of(const Unit& unit, const assembler::SourceRange& where) {
  return range_of(unit.texts[where.file], where.line - 1, where.column - 1, where.length);
}

}  // namespace

json diagnostic_of(const Unit& unit, const assembler::Diagnostic& diagnostic) {
  json said{{"range", range_of(unit, diagnostic.where)},
            {"severity", diagnostic.severity == assembler::Severity::error ? kError : kWarning},
            {"source", "gdr"},
            {"message", diagnostic.message}};
  if (diagnostic.number != 0) said["code"] = fmt::format("E{:04}", diagnostic.number);
  if (diagnostic.warning) {
    const std::string_view name = assembler::name_of(*diagnostic.warning);
    said["message"] = fmt::format("{} [{}]", diagnostic.message, name);
    said["data"] = {{"warning", name}};
    if (*diagnostic.warning == assembler::Warning::unused) said["tags"] = {kUnnecessary};
  }
  return said;
}

namespace {

void add_note(const Unit& unit, const assembler::Diagnostic& note, bool related, json& said) {
  if (related) {
    said["relatedInformation"].push_back(
        {{"location", {{"uri", unit.uris[note.where.file]}, {"range", range_of(unit, note.where)}}},
         {"message", note.message}});
  } else {
    said["message"] = fmt::format("{}\n{}:{}: {}", said["message"].get<std::string>(),
                                  unit.result.files[note.where.file].name, note.where.line, note.message);
  }
}

}  // namespace

json range_of(const Text& text, std::size_t line, std::size_t begin, std::size_t length) {
  const auto position = [&](std::size_t byte) {
    return json{{"line", line}, {"character", text.units_before(line, byte)}};
  };
  return {{"start", position(begin)}, {"end", position(begin + length)}};
}

std::map<std::string, json> diagnostics_of(const Unit& unit, bool fragment, bool related) {
  std::map<std::string, json> found;
  json* last = nullptr;  // the diagnostic that the next note belongs to
  for (const assembler::Diagnostic& diagnostic : unit.result.diagnostics) {
    if (diagnostic.severity == assembler::Severity::note) {
      if (last) add_note(unit, diagnostic, related, *last);
      continue;
    }
    last = nullptr;
    if (fragment && diagnostic.number == kNoKernel) continue;
    json& list = found.try_emplace(unit.uris[diagnostic.where.file], json::array()).first->second;
    list.push_back(diagnostic_of(unit, diagnostic));
    last = &list.back();
  }
  return found;
}

}  // namespace gdr::editor
