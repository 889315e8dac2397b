#include "file_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "habits.h"
#include "source_text.h"

namespace gdr::assembler {

FileLines lines_of(const std::string& source, std::uint32_t file, Reporter& reporter) {
  FileLines found;
  std::vector<Warning> allowed_below;  // by comments alone on a line, for the next line
  std::string_view rest = source;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  if (rest.starts_with("\xff\xfe") || rest.starts_with("\xfe\xff")) {
    reporter.error(Code::syntax, {{file, 1, 1, 1}}, "the file begins with a UTF-16 byte order mark; save it as UTF-8");
    found.broken.emplace_back();
    return found;
  }
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t comment = begin_of_comment(text);
    std::vector<Warning> allowed = allowed_by(text.substr(comment));
    text = text.substr(0, comment);
    while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
    if (text.find_first_not_of(" \t") == std::string_view::npos) {
      allowed_below.insert(allowed_below.end(), allowed.begin(), allowed.end());
      continue;
    }
    allowed.insert(allowed.end(), allowed_below.begin(), allowed_below.end());
    allowed_below.clear();
    for (const Warning warning : allowed) {
      first_word(text) == "kernel" ? reporter.allow(warning) : reporter.allow(warning, file, number);
    }
    SourceLine line{std::string(text), file, number};
    if (text.size() > kLongestLine) {
      reporter.error(Code::too_long, {{file, number, 1, 1}},
                     fmt::format("the line has {} characters, more than {}", text.size(), kLongestLine));
      line.text.clear();
    }
    bool quoted = false;
    for (std::size_t at = 0; at < line.text.size(); ++at) {
      const auto byte = static_cast<unsigned char>(line.text[at]);
      if (byte == '"') quoted = !quoted;
      if (quoted && byte >= 0x80) {
        if (const std::size_t length = length_of_character(std::string_view(line.text).substr(at)); length > 0) {
          at += length - 1;  // paths have the letters of all languages
          continue;
        }
      }
      if ((byte < ' ' && byte != '\t') || byte >= 0x7f) {
        reporter.error(Code::syntax, {{file, number, static_cast<std::uint32_t>(at + 1), 1}},
                       fmt::format("{} is no character of the language outside comments",
                                   name_of_character(std::string_view(line.text).substr(at))));
        line.text.clear();
      }
    }
    const auto opening =
        std::count_if(line.text.begin(), line.text.end(), [](char c) { return c == '(' || c == '!' || c == '-'; });
    if (opening > kDeepestNesting) {
      reporter.error(Code::too_long, {{file, number, 1, static_cast<std::uint32_t>(line.text.size())}},
                     fmt::format("more than {} parentheses and signs in one line", kDeepestNesting));
      line.text.clear();
    }
    if (line.text.empty()) {
      found.broken.push_back(words_of(text.substr(0, kLongestLine)));
      continue;
    }
    found.lines.push_back(std::move(line));
  }
  return found;
}

}  // namespace gdr::assembler
