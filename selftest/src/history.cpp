// Histories as text.
#include "gdr/selftest/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "history_fields.h"

namespace gdr::selftest {
namespace {

constexpr base::Names<Ask> kAskNames({{Ask::particles, "particles"},
                                      {Ask::records, "records"},
                                      {Ask::word, "word"},
                                      {Ask::parameter, "parameter"},
                                      {Ask::registers, "registers"},
                                      {Ask::initialize, "initialize"},
                                      {Ask::run, "run"},
                                      {Ask::collect, "collect"},
                                      {Ask::read, "read"},
                                      {Ask::look, "look"},
                                      {Ask::events, "events"},
                                      {Ask::clone, "clone"},
                                      {Ask::patch, "patch"},
                                      {Ask::load, "load"},
                                      {Ask::other, "other"},
                                      {Ask::refused, "refused"},
                                      {Ask::stops, "stops"}});
constexpr base::Names<FaceKind> kFaceNames({{FaceKind::chip, "chip"}, {FaceKind::session, "session"}});
constexpr std::array<std::string_view, 5> kHeader{"engine", "face", "program", "chips", "threads"};

/// Reads a history line by line.
class HistoryReader {
 public:
  HistoryReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  History history() {
    while (next_line()) {
      const std::string_view first = words_.front();
      if (std::ranges::find(kHeader, first) != kHeader.end()) {
        header(first);
      } else {
        history_.commands.push_back(command());
      }
    }
    if (history_.engine.empty()) fail("a history needs a line 'engine NAME'");
    if (history_.programs.empty()) fail("a history needs a line 'program NAME'");
    return std::move(history_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw Error(fmt::format("{}:{}: {}", name_, line_, why)); }

  bool next_line() {
    words_.clear();
    while (words_.empty() && !text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
      line = line.substr(0, line.find('#'));
      while (!line.empty()) {
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos) break;
        line.remove_prefix(begin);
        const std::size_t length = std::min(line.find_first_of(" \t\r"), line.size());
        words_.push_back(line.substr(0, length));
        line.remove_prefix(length);
      }
    }
    return !words_.empty();
  }

  [[nodiscard]] std::string rest() const {
    if (words_.size() < 2) fail(fmt::format("'{}' needs a value", words_.front()));
    return fmt::format("{}", fmt::join(words_.begin() + 1, words_.end(), " "));
  }

  template <class Number>
  [[nodiscard]] Number number(std::string_view what, std::string_view word, Number least, Number most) const {
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < least || value > most) {
      fail(fmt::format("{} '{}' is refused: it must be in {} .. {}", what, word, least, most));
    }
    return value;
  }

  void header(std::string_view what) {
    const std::string value = rest();
    if (what == "engine") history_.engine = value;
    if (what == "program") history_.programs.push_back(value);
    if (what == "chips") history_.chips = number<unsigned>(what, value, 1, kHistoryChips);
    if (what == "threads") history_.threads = number<unsigned>(what, value, 1, kHistoryChips);
    if (what == "face") {
      const auto face = kFaceNames.find(value);
      if (!face) {
        fail(fmt::format("face '{}' is refused: it must be one of {}", value, fmt::join(kFaceNames, ", ")));
      }
      history_.face = *face;
    }
  }

  Command command() {
    const auto what = kAskNames.find(words_.front());
    if (!what) {
      fail(fmt::format("'{}' is no command: a line begins with {}, {}", words_.front(), fmt::join(kHeader, ", "),
                       fmt::join(kAskNames, ", ")));
    }
    Command command;
    command.what = *what;
    for (std::size_t n = 1; n < words_.size(); ++n) n += field(command, n);
    return command;
  }

  /// Reads a member; returns the number of words of its value.
  std::size_t field(Command& command, std::size_t n) const {
    const std::string_view name = words_[n];
    for (const HistoryFlag& flag : kHistoryFlags) {
      if (name != flag.name) continue;
      command.*flag.member = true;
      return 0;
    }
    const auto value = [&] {
      if (n + 1 == words_.size()) fail(fmt::format("'{}' needs a value", name));
      return words_[n + 1];
    };
    for (const HistoryNumber& each : kHistoryNumbers) {
      if (name == each.name) {
        command.*each.member = number(name, value(), each.least, each.most);
        return 1;
      }
    }
    if (name == "seed") {
      command.seed = number<std::uint64_t>(name, value(), 0, std::numeric_limits<std::uint64_t>::max());
    } else if (name == "blocks") {
      range(name, value(), emulator::kBlocks, command.blocks.first, command.blocks.count);
    } else if (name == "chips") {
      range(name, value(), kHistoryChips, command.chips.first, command.chips.count);
    } else {
      std::vector<std::string_view> known{"chips", "blocks", "seed"};
      for (const HistoryNumber& each : kHistoryNumbers) known.push_back(each.name);
      for (const HistoryFlag& flag : kHistoryFlags) known.push_back(flag.name);
      fail(fmt::format("'{}' is no part of a command: it must be one of {}", name, fmt::join(known, ", ")));
    }
    return 1;
  }

  /// `FIRST+COUNT`
  void range(std::string_view name, std::string_view word, unsigned size, unsigned& first, unsigned& count) const {
    const std::size_t plus = word.find('+');
    if (plus == std::string_view::npos) fail(fmt::format("{} '{}' is refused: it must be FIRST+COUNT", name, word));
    first = number<unsigned>(name, word.substr(0, plus), 0, size - 1);
    count = number<unsigned>(name, word.substr(plus + 1), 1, size - first);
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t line_ = 0;
  std::vector<std::string_view> words_;
  History history_;
};

}  // namespace

std::string_view name_of(Ask what) { return kAskNames[what]; }
std::string_view name_of(FaceKind face) { return kFaceNames[face]; }

bool operator==(const Command& a, const Command& b) { return text_of(a) == text_of(b); }
bool operator==(const History& a, const History& b) { return text_of(a) == text_of(b); }

std::string text_of(const Command& command) {
  constexpr Command kDefault;
  std::string text(name_of(command.what));
  const auto range = [&](std::string_view name, const auto& own, const auto& usual) {
    if (own.first == usual.first && own.count == usual.count) return;
    text += fmt::format(" {} {}+{}", name, own.first, own.count);
  };
  range("chips", command.chips, kDefault.chips);
  range("blocks", command.blocks, kDefault.blocks);
  for (const HistoryNumber& each : kHistoryNumbers) {
    if (command.*each.member != kDefault.*each.member) text += fmt::format(" {} {}", each.name, command.*each.member);
  }
  for (const HistoryFlag& flag : kHistoryFlags) {
    if (command.*flag.member) text += fmt::format(" {}", flag.name);
  }
  if (command.seed != 0) text += fmt::format(" seed {}", command.seed);
  return text;
}

std::string text_of(const History& history) {
  std::string text = fmt::format("engine {}\nface {}\n", history.engine, name_of(history.face));
  for (const std::string& program : history.programs) text += fmt::format("program {}\n", program);
  if (history.chips != 1) text += fmt::format("chips {}\n", history.chips);
  if (history.threads != 1) text += fmt::format("threads {}\n", history.threads);
  for (const Command& command : history.commands) text += text_of(command) + '\n';
  return text;
}

History parse_history(std::string_view text, std::string_view name) { return HistoryReader(text, name).history(); }

}  // namespace gdr::selftest
