#include "gdr/base/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/file_kind.h"

namespace gdr::base {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The end of the field that begins at `at`: the next comma outside double quotes, or the end of the line.
std::size_t field_end(std::string_view line, std::size_t at) {
  bool quoted = false;
  for (; at < line.size(); ++at) {
    if (line[at] == '"') quoted = !quoted;
    if (line[at] == ',' && !quoted) break;
  }
  return at;
}

/// Texts have no control characters but line feeds, blanks and those that terminals take.
bool is_binary(std::string_view text) {
  // Whoever prints them spells them out.
  constexpr std::string_view kOfTerminals = "\a\b\x1b";
  return std::ranges::any_of(text, [&](char letter) {
    return static_cast<unsigned char>(letter) < ' ' && letter != '\n' &&
           kBlanks.find(letter) == std::string_view::npos && kOfTerminals.find(letter) == std::string_view::npos;
  });
}

std::string_view unquoted(std::string_view field) {
  field = trimmed(field);
  const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? trimmed(field.substr(1, field.size() - 2)) : field;
}

}  // namespace

std::string place_in(std::string_view file, std::size_t line) {
  return line == 0 ? std::string(file) : fmt::format("{}:{}", file, line);
}

LineReader::LineReader(std::string_view text, std::string name) : name_(std::move(name)), rest_(text) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

std::optional<std::string_view> LineReader::next() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    const std::string_view whole = rest_.substr(0, end);
    const std::string_view line = trimmed(whole.substr(0, whole.find('#')));
    ++line_;
    const bool is_last = end == std::string_view::npos && !line.empty();
    if (end == std::string_view::npos && whole.substr(0, whole.size() - 1).find('\r') != std::string_view::npos) {
      refuse(
          "lines end with carriage returns alone, as of old Macintoshes: end them with line feeds, as `tr '\\r' '\\n'` "
          "does");
    }
    if (line_ == 1) {
      // The first lines of some of them have no control characters.
      constexpr std::size_t kHead = 64;
      const FileKind* kind = is_binary(rest_.substr(0, kHead)) ? file_kind(rest_) : nullptr;
      if (kind != nullptr) refuse(fmt::format("this is {}: {}", kind->name, kind->way_out));
    }
    if ((line_ == 1 || is_last) && is_binary(whole)) {
      refuse("this is no text: the file is binary, of a kind that is not known here");
    }
    // A message would end there for those who take texts in C's manner.
    if (whole.find('\0') != std::string_view::npos) refuse("a zero byte in this line: the file is damaged, or no text");
    if (is_last) refuse("the last line has no line feed: the file may be cut off");
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line.empty()) return line;
  }
  return std::nullopt;
}

std::string LineReader::where() const { return place_in(name_, line_); }

void LineReader::refuse(std::string_view why) const { throw Error(fmt::format("{}: {}", where(), why)); }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<std::string_view> CommaFields::next() {
  if (at_ > line_.size()) return std::nullopt;
  const std::size_t end = field_end(line_, at_);
  const std::string_view field = unquoted(line_.substr(at_, end - at_));
  at_ = end + 1;
  return field;
}

std::vector<std::string_view> comma_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  CommaFields rest(line);
  while (const std::optional<std::string_view> field = rest.next()) fields.push_back(*field);
  return fields;
}

std::vector<std::string_view> blank_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
  return fields;
}

}  // namespace gdr::base
