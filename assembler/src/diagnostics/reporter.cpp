// Collects, sorts and prints diagnostics.
#include "reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "gdr/base/counted.h"
#include "gdr/base/nearest.h"
#include "gdr/base/quoted.h"

namespace gdr::assembler {

std::uint32_t Reporter::add_origin(Origin origin) {
  origins_.push_back(std::move(origin));
  return static_cast<std::uint32_t>(origins_.size() - 1);
}

bool Reporter::report(Severity severity, Code code, const Place& where, std::string message) {
  const auto number = static_cast<unsigned>(code);
  dropped_ = !seen_.emplace(number, where.range.file, where.range.line, where.range.column, message).second;
  if (dropped_) return false;
  groups_.push_back({{severity, number, where.range, std::move(message), warning_of(code)}});
  unsigned same = 1;  // number of uses of one line, as of a macro that uses itself
  for (std::uint32_t origin = where.origin; origin != 0; origin = origins_[origin].where.origin) {
    const Origin& from = origins_[origin];
    Diagnostic& last = groups_.back().back();
    const bool again = last.severity == Severity::note && last.where.file == from.where.range.file &&
                       last.where.line == from.where.range.line && last.message.starts_with(from.what);
    if (again) {
      last.message = fmt::format("{}, {} times", from.what, ++same);
      continue;
    }
    same = 1;
    groups_.back().push_back({Severity::note, number, from.where.range, from.what, {}, {}});
  }
  return true;
}

bool Reporter::error(Code code, const Place& where, std::string message) {
  has_errors_ = true;
  return report(Severity::error, code, where, std::move(message));
}

bool Reporter::warning(Code code, const Place& where, std::string message) {
  const Warning warning = warning_of(code).value();
  const auto number = static_cast<std::size_t>(warning);
  dropped_ = !warnings_.told[number] || allowed(warning, where);
  if (dropped_) return false;
  if (warnings_.errors[number]) return error(code, where, std::move(message));
  return report(Severity::warning, code, where, std::move(message));
}

void Reporter::allow(Warning warning, std::uint32_t file, std::uint32_t line) { allowed_.emplace(warning, file, line); }

bool Reporter::allowed(Warning warning, const Place& where) const {
  if (allowed_.contains({warning, where.range.file, where.range.line})) return true;
  for (std::uint32_t origin = where.origin; origin != 0; origin = origins_[origin].where.origin) {
    const SourceRange& use = origins_[origin].where.range;
    if (allowed_.contains({warning, use.file, use.line})) return true;
  }
  return false;
}

void Reporter::note(const Place& where, std::string message) {
  if (dropped_ || groups_.empty()) return;
  groups_.back().push_back({Severity::note, groups_.back().front().number, where.range, std::move(message), {}});
}

void Reporter::add_fix(std::string title, std::string_view old, Edit edit) {
  if (dropped_ || groups_.empty()) return;
  fixes_.push_back({groups_.size() - 1, std::string(old), {std::move(title), {std::move(edit)}}});
}

void Reporter::fix(std::string title, const Place& where, std::string_view old, std::string text) {
  SourceRange range = where.range;
  range.length = static_cast<std::uint32_t>(old.size());
  add_fix(std::move(title), old, {range, std::move(text)});
}

void Reporter::fix_name(const Place& where, std::string_view word, const std::vector<std::string>& candidates) {
  std::string found = nearest(word, candidates);
  if (!found.empty()) fix(fmt::format("write '{}'", found), where, word, found);
}

void Reporter::fix_before(std::string title, const Place& where, std::string_view line, unsigned count) {
  const std::string indent(where.range.column > 0 ? where.range.column - 1 : 0, ' ');
  std::string text;
  for (unsigned n = 0; n < count; ++n) text += fmt::format("{}{}\n", indent, line);
  add_fix(std::move(title), "", {{where.range.file, where.range.line, 1, 0}, std::move(text)});
}

void Reporter::fix_without(std::string title, const Place& where) {
  add_fix(std::move(title), "", {{where.range.file, where.range.line, 1, 0}, "", true});
}

namespace {

/// Lines of a text, without their line breaks.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::vector<Diagnostic> Reporter::take(const std::vector<SourceFile>& files) {
  std::map<std::uint32_t, std::vector<std::string_view>> texts;  // lines of each file
  for (PendingFix& pending : fixes_) {
    const SourceRange& where = pending.fix.edits.front().where;
    if (where.file >= files.size()) continue;
    const auto [found, fresh] = texts.try_emplace(where.file);
    if (fresh) found->second = lines_of(files[where.file].text);
    if (where.line < 1 || where.line > found->second.size()) continue;
    const std::string_view line = found->second[where.line - 1];
    const bool stands =
        where.column >= 1 && where.column - 1 <= line.size() && line.substr(where.column - 1).starts_with(pending.old);
    if (stands) groups_[pending.group].front().fixes.push_back(std::move(pending.fix));
  }
  fixes_.clear();
  std::vector<std::size_t> order(groups_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t index) {
    const SourceRange& where = groups_[index].front().where;
    return std::tuple(where.file, where.line, where.column, index);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<Diagnostic> all;
  for (const std::size_t index : order)
    std::move(groups_[index].begin(), groups_[index].end(), std::back_inserter(all));
  groups_.clear();
  return all;
}

namespace {

constexpr std::size_t kLongestName = 64;  // longer names are not compared

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongestName) return {};
  // At most a third of the letters may differ; otherwise it is another word.
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestName) continue;
    const std::size_t distance = base::edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string found = nearest(word, candidates);
  return found.empty() ? "" : fmt::format("; did you mean '{}'?", found);
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  return text;
}

std::string given(std::size_t count, std::string_view what) {
  return fmt::format("{} {} given", what, count == 1 ? "is" : "are");
}

std::string suggestion_or_all(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = suggestion(word, candidates);
  return near.empty() ? fmt::format("; there are {}", quoted_list(candidates)) : near;
}

namespace {

/// A file's lines, found once for all diagnostics.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text) : text_(text) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
      begins_.push_back(at + 1);
    }
  }

  /// Line `number`, counted from 1, without its line break; empty if there is none.
  [[nodiscard]] std::string_view line(std::uint32_t number) const {
    if (number < 1 || number > begins_.size()) return {};
    std::string_view rest = text_.substr(begins_[number - 1]);
    rest = rest.substr(0, rest.find('\n'));
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    return rest;
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_{0};
};

constexpr std::size_t kMostErrorsShown = 100;
constexpr std::size_t kWidestLineShown = 160;  // characters of a source line

/// The number, and the option that turns the warning off or made it an error.
std::string tag_of(const Diagnostic& diagnostic) {
  if (!diagnostic.warning) return fmt::format("[E{:04}]", diagnostic.number);
  return fmt::format("[E{:04} -W{}{}]", diagnostic.number, diagnostic.severity == Severity::error ? "error=" : "",
                     name_of(*diagnostic.warning));
}

/// Control characters in a source file must not reach the terminal, those that UTF-8 spells in two bytes neither. Every
/// byte stays one.
std::string printable(std::string_view text) {
  std::string shown(text);
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const auto byte = static_cast<unsigned char>(shown[at]);
    const auto next = static_cast<unsigned char>(at + 1 < shown.size() ? shown[at + 1] : 0);
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) shown.replace(at, 2, "??");
    if ((byte < ' ' && byte != '\t') || byte == 0x7F) shown[at] = '?';
  }
  return shown;
}

/// A byte of UTF-8 that does not begin a character.
bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The source line around `where`, and a caret below.
std::string excerpt(std::string_view line, const SourceRange& where) {
  const std::size_t column = std::min<std::size_t>(where.column > 0 ? where.column - 1 : 0, line.size());
  std::string_view head;
  std::string_view tail;
  std::size_t begin = 0;
  if (line.size() > kWidestLineShown) {
    begin = std::min(column - std::min(column, kWidestLineShown / 2), line.size() - kWidestLineShown);
    while (begin < column && is_inside_character(line[begin])) ++begin;
    if (begin > 0) head = "...";
    if (begin + kWidestLineShown < line.size()) tail = "...";
  }
  const std::string text = printable(line.substr(begin, kWidestLineShown));
  std::string caret = std::string(head.size(), ' ') + base::caret_below(text, column - begin);
  const std::size_t marked = base::columns_of(std::string_view(text).substr(column - begin, where.length));
  caret.append(std::max<std::size_t>(marked, 1) - 1, '~');
  return fmt::format("  {}{}{}\n  {}\n", head, text, tail, caret);
}

}  // namespace

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

std::string format_diagnostics(const AssembleResult& result) {
  std::vector<LineIndex> indices;
  for (const SourceFile& file : result.files) indices.emplace_back(file.text);
  std::string out;
  std::size_t errors = 0;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity == Severity::error) ++errors;
    if (errors > kMostErrorsShown) continue;
    const SourceRange& where = diagnostic.where;
    const bool known = where.file < result.files.size();
    out += fmt::format("{}:{}:{}: {}: {}", known ? base::on_one_line(result.files[where.file].name) : "", where.line,
                       where.column, name_of(diagnostic.severity), printable(diagnostic.message));
    if (diagnostic.severity != Severity::note) out += " " + tag_of(diagnostic);
    out += '\n';
    out += excerpt(known ? indices[where.file].line(where.line) : std::string_view(), where);
  }
  if (errors > kMostErrorsShown) {
    const std::size_t more = errors - kMostErrorsShown;
    out += fmt::format("{} {} not shown\n", base::counted(more, "more error"), more == 1 ? "is" : "are");
  }
  return out;
}

}  // namespace gdr::assembler
