#include "source_text.h"

#include <algorithm>
#include <charconv>

namespace gdr::assembler {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end > at) words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string first_word(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  std::size_t end = begin;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return std::string(text.substr(begin, end - begin));
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::size_t begin_of_comment(std::string_view line) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') quoted = !quoted;
    if (line[at] == '#' && !quoted) return at;
  }
  return line.size();
}

std::vector<Warning> allowed_by(std::string_view comment) {
  std::vector<Warning> allowed;
  std::string_view rest = comment.substr(std::min<std::size_t>(1, comment.size()));
  const auto next_word = [&]() -> std::string_view {
    while (!rest.empty() && (is_blank(rest.front()) || rest.front() == ',')) rest.remove_prefix(1);
    std::size_t end = 0;
    while (end < rest.size() && (is_word_character(rest[end]) || rest[end] == '-')) ++end;
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    return word;
  };
  if (next_word() != "allow") return {};
  for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
    const auto warning = warning_named(word);
    if (!warning) return {};  // a sentence
    allowed.push_back(*warning);
  }
  return allowed;
}

}  // namespace gdr::assembler
