// Makes failing histories smaller.
#include <algorithm>

#include "history_fields.h"

namespace gdr::selftest {
namespace {

class HistoryShrinker {
 public:
  HistoryShrinker(History history, const std::function<bool(const History&)>& fails, unsigned most_tries)
      : smallest_(std::move(history)), fails_(fails), tries_left_(most_tries) {}

  History run() {
    for (bool smaller = true; smaller && tries_left_ > 0;) {
      smaller = without_commands();
      smaller = without_programs() || smaller;
      smaller = simpler_header() || smaller;
      for (std::size_t at = 0; at < smallest_.commands.size(); ++at) smaller = simpler_command(at) || smaller;
    }
    return std::move(smallest_);
  }

 private:
  bool keep_if_failing(const History& less) {
    if (tries_left_ == 0 || less == smallest_) return false;
    --tries_left_;
    if (!fails_(less)) return false;
    smallest_ = less;
    return true;
  }

  /// Half of the commands at once, then a quarter, down to single ones.
  bool without_commands() {
    bool smaller = false;
    for (std::size_t count = std::max<std::size_t>(smallest_.commands.size() / 2, 1); count >= 1; count /= 2) {
      for (std::size_t at = 0; at + count <= smallest_.commands.size() && tries_left_ > 0;) {
        History less = smallest_;
        const auto begin = less.commands.begin() + static_cast<std::ptrdiff_t>(at);
        less.commands.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
        if (keep_if_failing(less)) {
          smaller = true;
        } else {
          ++at;
        }
      }
    }
    return smaller;
  }

  bool without_programs() {
    bool smaller = false;
    for (std::size_t n = 0; n < smallest_.programs.size() && smallest_.programs.size() > 1;) {
      History less = smallest_;
      less.programs.erase(less.programs.begin() + static_cast<std::ptrdiff_t>(n));
      if (keep_if_failing(less)) {
        smaller = true;
      } else {
        ++n;
      }
    }
    return smaller;
  }

  bool simpler_header() {
    bool smaller = false;
    for (unsigned History::* const member : {&History::chips, &History::threads}) {
      for (const unsigned value : {1U, 2U}) {
        if (value >= smallest_.*member) break;
        History less = smallest_;
        less.*member = value;
        if (keep_if_failing(less)) smaller = true;
      }
    }
    return smaller;
  }

  bool simpler_command(std::size_t at) {
    bool smaller = false;
    const auto attempt = [&](auto change) {
      bool changed = false;
      for (;;) {
        History less = smallest_;
        change(less.commands[at]);
        if (!keep_if_failing(less)) return changed;
        smaller = changed = true;
      }
    };
    constexpr Command kDefault;
    for (const HistoryFlag& flag : kHistoryFlags) attempt([&](Command& command) { command.*flag.member = false; });
    attempt([&](Command& command) { command.chips = kDefault.chips; });
    attempt([&](Command& command) { command.blocks = kDefault.blocks; });
    for (const HistoryNumber& number : kHistoryNumbers) {
      const unsigned usual = kDefault.*number.member;
      // By the value that most commands have, by halves, by an iteration's records, by one.
      attempt([&](Command& command) { command.*number.member = usual; });
      attempt([&](Command& command) {
        unsigned& value = command.*number.member;
        if (value > usual) value = usual + (value - usual) / 2;
      });
      attempt([&](Command& command) {
        if (command.*number.member >= usual + emulator::kBlocks) command.*number.member -= emulator::kBlocks;
      });
      attempt([&](Command& command) {
        if (command.*number.member > usual) --(command.*number.member);
      });
    }
    attempt([](Command& command) { command.seed = 0; });
    return smaller;
  }

  History smallest_;
  const std::function<bool(const History&)>& fails_;
  unsigned tries_left_;
};

}  // namespace

History shrunk(History history, const std::function<bool(const History&)>& fails, unsigned most_tries) {
  return HistoryShrinker(std::move(history), fails, most_tries).run();
}

}  // namespace gdr::selftest
