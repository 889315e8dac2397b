#include "gdr/selftest/comparison.h"

#include <fmt/format.h>

#include <algorithm>

namespace gdr::selftest {
namespace {

using emulator::Fault;

std::string text_of(const std::optional<Fault>& fault) { return fault ? fault->what() : "none"; }

/// Engines have different messages for a fault, but its kind and place must be the same.
bool same(const std::optional<Fault>& expected, const std::optional<Fault>& found) {
  if (!expected || !found) return expected.has_value() == found.has_value();
  return expected->kind() == found->kind() && expected->section() == found->section() &&
         expected->line() == found->line() && expected->place() == found->place();
}

std::string text_of(const emulator::FpEvents& events) {
  return fmt::format("invalid {}, overflow {}, underflow {}", events.invalid, events.overflow, events.underflow);
}

/// `name` returns the name of a word from its index.
template <class Name>
std::optional<Difference> of_words(std::span<const LongWord> expected, std::span<const LongWord> found, Name name) {
  const auto [at, other] = std::ranges::mismatch(expected, found);
  if (at == expected.end() && other == found.end()) return std::nullopt;
  const auto word = [](auto place, auto end) { return place == end ? std::string("nothing") : to_hex(*place); };
  return Difference{name(at - expected.begin()), word(at, expected.end()), word(other, found.end())};
}

std::optional<Difference> of_registers(const emulator::PeRegisters& expected, const emulator::PeRegisters& found,
                                       const std::string& pe) {
  auto of_t = of_words(expected.t, found.t, [&](auto n) { return fmt::format("{}, $t[{}]", pe, n); });
  if (of_t) return of_t;
  for (unsigned element = 0; element < isa::kVectorElements; ++element) {
    if (expected.flags[element] == found.flags[element]) continue;
    return Difference{fmt::format("{}, flags 4..1 of element {}", pe, element),
                      fmt::format("{:04b}", expected.flags[element]), fmt::format("{:04b}", found.flags[element])};
  }
  return std::nullopt;
}

std::optional<Difference> of_block(const Outcome::Block& expected, const Outcome::Block& found) {
  const std::string block = fmt::format("chip {}, block {}", expected.chip, expected.number);
  for (unsigned pe = 0; pe < expected.live_pes; ++pe) {
    const std::string here = fmt::format("{}, PE {}", block, pe);
    const auto own = [&](const std::vector<LongWord>& memory, std::size_t words) {
      return std::span(memory).subspan(pe * words, words);
    };
    const auto of_memory = [&](auto memory, std::size_t words, std::string_view name) {
      return of_words(own(expected.state.*memory, words), own(found.state.*memory, words),
                      [&](auto n) { return fmt::format("{}, ${}{}", here, name, 2 * n); });
    };
    if (auto differs = of_memory(&emulator::BlockState::gpr, isa::kGprShortWords / 2, "lr")) return differs;
    if (auto differs = of_memory(&emulator::BlockState::lm, isa::kLmShortWords / 2, "lm")) return differs;
    if (auto differs = of_registers(expected.state.registers[pe], found.state.registers[pe], here)) return differs;
  }
  return of_words(expected.state.bm, found.state.bm, [&](auto n) { return fmt::format("{}, bm {}", block, n); });
}

std::optional<Difference> of_events(const Outcome::Events& expected, const Outcome::Events& found) {
  if (expected.counted != found.counted) {
    return Difference{expected.of + ", events", text_of(expected.counted), text_of(found.counted)};
  }
  const auto [at, other] = std::ranges::mismatch(expected.first, found.first);
  if (at == expected.first.end() && other == found.first.end()) return std::nullopt;
  const auto event = [](auto place, auto end) { return place == end ? std::string("none") : text_of(*place); };
  return Difference{fmt::format("{}, event {}", expected.of, at - expected.first.begin()),
                    event(at, expected.first.end()), event(other, found.first.end())};
}

std::optional<Difference> of_outcome(const Outcome& expected, const Outcome& found) {
  if (!same(expected.fault, found.fault)) {
    return Difference{"the run's end", text_of(expected.fault), text_of(found.fault)};
  }
  for (std::size_t n = 0; n < expected.blocks.size(); ++n) {
    if (auto differs = of_block(expected.blocks[n], found.blocks[n])) return differs;
  }
  for (std::size_t n = 0; n < expected.events.size(); ++n) {
    if (auto differs = of_events(expected.events[n], found.events[n])) return differs;
  }
  if (expected.fault) return std::nullopt;
  return of_words(expected.results, found.results, [](auto n) { return fmt::format("result {}", n); });
}

/// Removes parts of a failing input; a part stays removed if the rest still fails.
class Shrinker {
 public:
  using Check = std::function<std::optional<Finding>(const Input&)>;
  Shrinker(Finding finding, Check check) : smallest_(std::move(finding)), check_(std::move(check)) {}

  Finding run() {
    bool smaller = true;
    while (smaller) {
      smaller = without_ranges();
      smaller = without_blocks() || smaller;
      smaller = without_runs() || smaller;
      smaller = without_a_step() || smaller;
    }
    return std::move(smallest_);
  }

 private:
  bool keep_if_failing(const Input& less) {
    try {
      auto finding = check_(less);
      if (!finding) return false;
      smallest_ = std::move(*finding);
      return true;
    } catch (const Fault&) {  // the input is no longer a legal program
      return false;
    }
  }

  /// Tries to remove each entry of a list of the input.
  template <class Entry>
  bool without_entries(std::vector<Entry> Input::* list, std::size_t fewest) {
    bool smaller = false;
    for (std::size_t n = 0; n < (smallest_.input.*list).size() && (smallest_.input.*list).size() > fewest;) {
      Input less = smallest_.input;
      (less.*list).erase((less.*list).begin() + static_cast<std::ptrdiff_t>(n));
      if (keep_if_failing(less))
        smaller = true;
      else
        ++n;
    }
    return smaller;
  }

  bool without_ranges() { return without_entries(&Input::ranges, 1); }

  bool without_blocks() {
    bool smaller = false;
    for (std::size_t n = 0; n < smallest_.input.ranges.size(); ++n) {
      for (const unsigned from_front : {1u, 0u}) {
        while (smallest_.input.ranges[n].count > 1) {
          Input less = smallest_.input;
          less.ranges[n].first += from_front;
          less.ranges[n].count -= 1;
          if (!keep_if_failing(less)) break;
          smaller = true;
        }
      }
    }
    return smaller;
  }

  bool without_runs() {
    bool smaller = without_entries(&Input::runs, 0);
    for (std::size_t n = 0; n < smallest_.input.runs.size(); ++n) {
      smaller |= while_failing(n, [](Input::Run& run) { run.piece = 0; });
      smaller |= while_failing(n, [](Input::Run& run) { run.records -= std::min<std::uint64_t>(run.records, 16); });
      smaller |= while_failing(n, [](Input::Run& run) { run.records -= std::min<std::uint64_t>(run.records, 1); });
    }
    return smaller;
  }

  bool while_failing(std::size_t run, const std::function<void(Input::Run&)>& change) {
    bool smaller = false;
    for (;;) {
      Input less = smallest_.input;
      change(less.runs[run]);
      const Input::Run& now = smallest_.input.runs[run];
      const bool changed = less.runs[run].records != now.records || less.runs[run].piece != now.piece;
      if (!changed || !keep_if_failing(less)) return smaller;
      smaller = true;
    }
  }

  bool without_a_step() {
    for (isa::Program& program : programs_without_a_step(smallest_.input.program)) {
      Input less = smallest_.input;
      less.program = std::move(program);
      if (keep_if_failing(less)) return true;
    }
    return false;
  }

  Finding smallest_;
  Check check_;
};

}  // namespace

std::string text_of(const Difference& difference) {
  return fmt::format("{}: expected {}, found {}", difference.place, difference.expected, difference.found);
}

std::optional<Difference> difference(const std::vector<Outcome>& expected, const std::vector<Outcome>& found) {
  for (std::size_t n = 0; n < expected.size(); ++n) {
    if (auto differs = of_outcome(expected[n], found[n])) return differs;
  }
  return std::nullopt;
}

Comparison::Comparison(std::unique_ptr<Subject> expected, std::vector<Candidate> others)
    : expected_(std::move(expected)), others_(std::move(others)) {}

std::optional<Finding> Comparison::run(const Input& input) {
  std::optional<Finding> finding = check(input);
  if (!finding) return std::nullopt;
  return Shrinker(std::move(*finding), [&](const Input& smaller) { return check(smaller); }).run();
}

void Comparison::leave_out(const std::string& engine) {
  std::erase_if(others_, [&](const Candidate& candidate) { return candidate.name == engine; });
}

std::optional<Finding> Comparison::check(const Input& input) {
  const InputData data(input);
  const std::vector<Outcome> expected = expected_->run(input, data);
  for (const Candidate& candidate : others_) {
    if (candidate.takes_part && !candidate.takes_part(input.seed)) continue;
    std::optional<Difference> differs;
    try {
      differs = difference(expected, candidate.subject->run(input, data));
    } catch (const Error& error) {
      differs = {"the run's end", "no error", error.what()};
    }
    if (differs) return Finding{candidate.name, std::move(*differs), input};
  }
  return std::nullopt;
}

}  // namespace gdr::selftest
