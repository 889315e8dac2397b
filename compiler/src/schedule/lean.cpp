#include "lean.h"

#include <fmt/format.h>

#include <array>

#include "lean_lines.h"
#include "lean_operations.h"
#include "lean_order.h"
#include "lean_places.h"

namespace gdr::compiler {

std::optional<LeanSection> lean_schedule(const Microcode& code, const Operations& section,
                                         const ScheduleOptions& options) {
  constexpr unsigned kCopy = isa::kVectorElements * isa::short_words(isa::Width::long_word);
  constexpr std::array<unsigned, 4> kSpare{0, kCopy, 2 * kCopy, 3 * kCopy};  // short words for copies
  const unsigned flags = isa::kFlags + 1 - options.first_flag();
  std::optional<LeanSection> shortest;
  for (const Operations& ordered : lean_orders(code, section)) {
    for (const bool again : {false, true}) {
      const std::optional<Operations> ready = flags_in_time(again ? values_in_time(ordered) : ordered, flags);
      if (!ready) continue;
      for (const unsigned spare : kSpare) {
        std::optional<PlacedSection> one = placed(code, *ready, spare, options);
        if (!one) continue;
        std::optional<Schedule> found = lines_of(code, *one, options);
        if (found && (!shortest || found->lines < shortest->schedule.lines))
          shortest = LeanSection{std::move(one->section), *std::move(found)};
      }
    }
  }
  return shortest;
}

std::string needed_at_once(const Microcode& code, const Operations& section) {
  constexpr std::size_t kNamed = 12;
  std::optional<Fullest> least;
  Operations of_least;
  for (const Operations& ordered : lean_orders(code, section)) {
    const Operations in_time = values_in_time(ordered);
    Fullest one = fullest(in_time);
    if (least && least->words <= one.words) continue;
    least = std::move(one);
    of_least = in_time;
  }
  if (!least) return "";
  std::string text =
      fmt::format("after line {} the values that are needed take {} short words: ", of_least[least->after].place.line,
                  least->words);
  std::vector<std::string> names;
  for (const std::size_t value : least->values) {
    const Operation& made = of_least[value];
    std::string name = made.name.empty() ? fmt::format("a value of line {}", made.place.line)
                                         : fmt::format("{} (line {})", made.name, made.place.line);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  for (const std::string& name : names) text += (&name == names.data() ? "" : ", ") + name;
  return more == 0 ? text : text + fmt::format(" and {} more", more);
}

}  // namespace gdr::compiler
