#include "gdr/assembler/format.h"

#include <algorithm>
#include <array>
#include <vector>

#include "gdr/isa/experiment.h"
#include "gdr/isa/program.h"
#include "source_text.h"

namespace gdr::assembler {
namespace {

constexpr std::size_t kBlanksOfLevel = 2;
constexpr std::size_t kBeforeComment = 2;  // blanks between code and a comment, at least
constexpr std::string_view kMarkBeforeText = "\xef\xbb\xbf";

/// Statements whose columns authors align.
bool has_own_columns(std::string_view word) {
  static constexpr std::array<std::string_view, 7> kWords{"var", "bvar", "reg", "param", "const", "flops", "kernel"};
  return std::ranges::find(kWords, word) != kWords.end();
}

std::string_view without_outer_blanks(std::string_view text) {
  while (!text.empty() && (is_blank(text.front()) || text.front() == '\r')) text.remove_prefix(1);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// Code with one blank between words, and ` ; ` between operations. Text in quotes stays as it is.
std::string with_single_blanks(std::string_view code, bool keeps_columns) {
  if (std::ranges::count(code, '"') % 2 != 0) return std::string(code);
  std::string tidy;
  bool quoted = false;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const char c = code[at];
    if (c == '"') quoted = !quoted;
    if (quoted || (c != ';' && !is_blank(c))) {
      tidy += c;
    } else if (c == ';') {
      while (!tidy.empty() && tidy.back() == ' ') tidy.pop_back();
      tidy += tidy.empty() ? "; " : " ; ";
      while (at + 1 < code.size() && is_blank(code[at + 1])) ++at;
    } else if (keeps_columns || tidy.empty() || tidy.back() != ' ') {
      tidy += ' ';  // a tab, too
    }
  }
  while (!tidy.empty() && tidy.back() == ' ') tidy.pop_back();
  return tidy;
}

bool is_section_header(std::string_view code) {
  for (std::size_t number = 0; number < isa::kSections; ++number) {
    const auto section = static_cast<isa::Section>(number);
    if (code == isa::name_of(section) || code == isa::experiment_name_of(section)) return true;
  }
  return false;
}

struct LaidOutLine {
  std::string code;        // without indentation
  std::string comment;     // from the '#' on
  std::size_t column = 0;  // of the comment, as written
  std::size_t indent = 0;  // blanks
  bool opens = false;      // `else`, `end`: a comment above belongs into the block
};

std::vector<LaidOutLine> lines_to_lay_out(std::string_view text) {
  std::vector<LaidOutLine> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t comment = begin_of_comment(whole);
    LaidOutLine line;
    const std::string_view code = without_outer_blanks(whole.substr(0, comment));
    line.code = with_single_blanks(code, has_own_columns(first_word(code)));
    line.comment = std::string(without_outer_blanks(whole.substr(comment)));
    line.column = comment;
    lines.push_back(std::move(line));
  }
  return lines;
}

void set_indents(std::vector<LaidOutLine>& lines) {
  std::size_t depth = 0;
  bool in_section = false;
  for (LaidOutLine& line : lines) {
    if (line.code.empty()) continue;
    const std::string word = first_word(line.code);
    line.opens = word == "else" || word == "end";
    if (line.opens && depth > 0) --depth;
    const bool section = is_section_header(line.code);
    if (section) in_section = true;
    const bool outside = section || (word == "kernel" && depth == 0);
    line.indent = kBlanksOfLevel * (depth + (in_section && !outside ? 1 : 0));
    if (word == "else" || word == "repeat" || word == "if" || word == "macro") ++depth;
  }
  // A comment alone stands as the code below it, unless it is a heading at the begin of its line.
  std::size_t below = 0;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!line->code.empty()) {
      below = line->indent + (line->opens ? kBlanksOfLevel : 0);
    } else {
      line->indent = line->column == 0 ? 0 : below;
    }
  }
}

}  // namespace

std::string formatted(std::string_view text) {
  if (text.starts_with(kMarkBeforeText)) text.remove_prefix(kMarkBeforeText.size());
  std::vector<LaidOutLine> lines = lines_to_lay_out(text);
  set_indents(lines);
  std::string out;
  bool empty_before = true;  // no empty line at the begin
  bool empty_wanted = false;
  for (const LaidOutLine& line : lines) {
    if (line.code.empty() && line.comment.empty()) {
      empty_wanted = !empty_before;
      continue;
    }
    if (empty_wanted) out += '\n';
    empty_wanted = empty_before = false;
    std::string written(line.indent, ' ');
    written += line.code;
    if (!line.comment.empty() && !line.code.empty()) {
      written.resize(std::max(line.column, written.size() + kBeforeComment), ' ');
    }
    out += written + line.comment + '\n';
  }
  return out;
}

}  // namespace gdr::assembler
