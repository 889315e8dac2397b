#include "origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "analysis/analysis_source.h"
#include "gdr/base/file.h"
#include "source/source_text.h"

namespace gdr::assembler {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Shows registers of one use of a macro with the names that the macro's body gives them.
std::string with_titles(std::string_view text, const Symbols& symbols) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end == at) {
      shown += text[at++];
      continue;
    }
    const std::string_view word = text.substr(at, end - at);
    const Symbol* symbol = word.find("__") == std::string_view::npos ? nullptr : symbols.find(word);
    shown += symbol != nullptr ? std::string_view(symbol->title()) : word;
    at = end;
  }
  return shown;
}

/// True if the source line has the same text, perhaps followed by a comment.
bool stands_as_written(std::string_view source, std::string_view text) {
  if (!source.starts_with(text)) return false;
  const std::string_view rest = trimmed(source.substr(text.size()));
  return rest.empty() || rest.front() == '#';
}

}  // namespace

std::uint32_t Origins::number_of(std::uint32_t origin) {
  while (origin != 0 && reporter_.origin(origin).kind == Reporter::Origin::Kind::include) {
    origin = reporter_.origin(origin).where.origin;  // the place already has the file
  }
  if (origin == 0) return 0;
  if (const auto known = numbers_.find(origin); known != numbers_.end()) return known->second;
  const Reporter::Origin& from = reporter_.origin(origin);
  isa::Origin entered{from.macro, from.what, position_of(from.where)};  // outer origins are entered before it
  program_.origins.push_back(std::move(entered));
  return numbers_[origin] = static_cast<std::uint32_t>(program_.origins.size());
}

const std::vector<WrittenPlace>* Origins::written(const Place& place) const {
  if (place.range.file != 0) return nullptr;
  const auto found = made_from_.find(place.range.line);
  return found == made_from_.end() || found->second.empty() ? nullptr : &found->second;
}

isa::SourcePosition Origins::position_of(const WrittenPlace& written, std::uint32_t origin) {
  const auto file = std::ranges::find(program_.files, written.file);
  return {static_cast<std::uint32_t>(file - program_.files.begin()), written.line, written.column, origin,
          function_of(written)};
}

std::uint32_t Origins::function_of(const WrittenPlace& written) {
  if (written.function.empty()) return 0;
  isa::SourceFunction function{written.function, std::nullopt};
  if (written.call) function.call = position_of(*written.call, 0);
  const auto known = std::ranges::find(program_.functions, function);
  const auto number = static_cast<std::uint32_t>(known - program_.functions.begin() + 1);
  if (known == program_.functions.end()) program_.functions.push_back(std::move(function));
  return number;
}

std::uint32_t Origins::number_of_line(const Place& place) {
  const auto [known, fresh] = of_lines_.try_emplace(place.range.line);
  if (fresh) {
    const std::uint32_t around = number_of(place.origin);
    program_.origins.push_back({{},
                                fmt::format("line {} of {}", place.range.line, program_.files.front()),
                                {place.range.file, place.range.line, place.range.column, around}});
    known->second = static_cast<std::uint32_t>(program_.origins.size());
  }
  return known->second;
}

std::vector<Origins::Further> Origins::further_positions_of(const Place& place) {
  std::vector<Further> positions;
  const std::vector<WrittenPlace>* places = written(place);
  if (places == nullptr) return positions;
  for (std::size_t n = 1; n < places->size(); ++n) {
    positions.push_back({position_of((*places)[n], number_of_line(place)), (*places)[n].units});
  }
  return positions;
}

std::vector<WrittenValue> Origins::values_of(const Place& place) const {
  std::vector<WrittenValue> values;
  const std::vector<WrittenPlace>* places = written(place);
  if (places == nullptr) return values;
  for (const WrittenPlace& one : *places) values.insert(values.end(), one.values.begin(), one.values.end());
  return values;
}

isa::SourcePosition Origins::position_of(const Place& place) {
  if (const std::vector<WrittenPlace>* places = written(place)) {
    return position_of(places->front(), number_of_line(place));
  }
  return {place.range.file, place.range.line, place.range.column, number_of(place.origin)};
}

void add_written_files(const std::map<std::uint32_t, std::vector<WrittenPlace>>& made_from,
                       std::vector<SourceFile>& files) {
  std::set<std::string_view> known;
  for (const SourceFile& file : files) known.insert(file.name);
  std::vector<SourceFile> added;
  for (const auto& [line, places] : made_from) {
    for (const WrittenPlace& place : places) {
      for (const WrittenPlace* at = &place; at != nullptr; at = at->call.get()) {
        if (!known.insert(at->file).second) continue;
        std::error_code none;
        const bool there = std::filesystem::is_regular_file(at->file, none);
        added.push_back({at->file, there ? base::read_file(at->file) : std::string()});
      }
    }
  }
  files.insert(files.end(), added.begin(), added.end());
}

std::vector<isa::ExpandedText> expanded_texts(const SectionCode& code, const Symbols& symbols,
                                              std::span<const SourceFile> files, Origins& origins) {
  std::vector<std::vector<std::string_view>> lines;
  for (const SourceFile& file : files) lines.push_back(trimmed_lines(file.text));
  std::vector<isa::ExpandedText> texts;
  for (const std::vector<CodeStep>& section : code) {
    for (const CodeStep& step : section) {
      const auto* line = std::get_if<CodeLine>(&step);
      if (line == nullptr) continue;
      const SourceRange& where = line->where.range;
      std::string text = with_titles(trimmed(line->text), symbols);
      if (!origins.is_made(line->where) && stands_as_written(lines[where.file][where.line - 1], text)) continue;
      texts.push_back({origins.position_of(line->where), std::move(text)});
    }
  }
  const auto place = [](const isa::ExpandedText& text) {
    const isa::SourcePosition& at = text.position;
    return std::tuple(at.origin, at.file, at.line, at.column);
  };
  std::ranges::sort(texts, {}, place);
  return texts;
}

}  // namespace gdr::assembler
