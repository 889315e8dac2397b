// Makes list schedules one after another, each from the genes of a good one with a few changes. All choices come from a
// seed and are limited by counts, so that a plan depends on nothing else.
#include "gdr/assembler/line_search.h"

#include <algorithm>

#include "allotment.h"
#include "crowd.h"
#include "gdr/base/stopping.h"
#include "gdr/isa/effects.h"
#include "late_lines.h"
#include "line_windows.h"
#include "placement.h"
#include "random.h"

namespace gdr::assembler {
namespace {

constexpr int kScale = 16;  // unit of priorities: their difference for one line

using OperationsOfUnits = std::array<std::size_t, isa::kUnits + 1>;

/// Calls `visit` for each unit that the operation occupies.
template <class Visit>
void for_units(const SearchOperation& operation, Visit visit) {
  for (std::size_t unit = 0; unit <= isa::kUnits; ++unit) {
    if ((operation.units >> unit & 1U) != 0) visit(unit);
  }
}

OperationsOfUnits operations_of_units(const SearchGraph& graph) {
  OperationsOfUnits all{};
  for (const SearchOperation& operation : graph.operations) {
    for_units(operation, [&](std::size_t unit) { ++all[unit]; });
  }
  return all;
}

std::vector<Resource> units_of(const SearchGraph& graph) {
  std::vector<Resource> units(isa::kUnits + 1);
  for (std::size_t bundle = 0; bundle < graph.bundles.bundles.size(); ++bundle) {
    for (const Bundle::Member& member : graph.bundles.bundles[bundle].members) {
      for_units(graph.operations[member.operation],
                [&](std::size_t unit) { units[unit].uses.push_back({bundle, member.offset}); });
    }
  }
  return units;
}

/// A lower limit that costs little.
std::size_t lines_of_chains_and_units(const SearchGraph& graph) {
  const auto ways = graph.bundles.ways();
  if (!ways) return 0;
  const std::vector<std::ptrdiff_t> earliest = graph.bundles.earliest();
  std::size_t least = 0;
  for (std::size_t bundle = 0; bundle < earliest.size(); ++bundle) {
    least = std::max(least, static_cast<std::size_t>(earliest[bundle] + (*ways)[bundle] + 1));
  }
  for (const Resource& unit : units_of(graph)) {
    std::vector<Use> uses;
    for (const ResourceUse& use : unit.uses) {
      const auto offset = static_cast<std::ptrdiff_t>(use.offset);
      uses.push_back({earliest[use.bundle] + offset, (*ways)[use.bundle] - offset});
    }
    least = std::max(least, largest_crowd(std::move(uses)).lines());
  }
  return least;
}

/// True if it is known that no plan has fewer than `lines` lines. `least`: lines_of_chains_and_units(). Windows, which
/// cost more, are asked only near that limit, where they may prove it.
bool has_no_fewer(const SearchGraph& graph, std::size_t lines, std::size_t least) {
  if (lines <= least) return true;
  return lines <= least + least / 8 + 1 && too_few_lines(graph.bundles, units_of(graph), lines - 1, lines);
}

class Search {
 public:
  Search(const SearchGraph& graph, std::vector<std::ptrdiff_t> ways, const SearchOptions& options)
      : graph_(graph),
        options_(options),
        placement_(graph),
        random_(options.seed),
        ways_(std::move(ways)),
        waits_for_(graph.bundles.predecessors()),
        operations_of_(operations_of_units(graph)) {
    first_.preferences.assign(graph.values.size(), Preference::t_first);
    for (const std::ptrdiff_t way : ways_) first_.priorities.push_back(kScale * static_cast<int>(way));
    as_written_ = first_;
    as_written_.flags_in_order = as_written_.careful = true;
    for (std::size_t bundle = 0; bundle < ways_.size(); ++bundle) {
      const std::size_t operation = graph.bundles.bundles[bundle].members.back().operation;
      as_written_.priorities[bundle] = -kScale * static_cast<int>(operation);
    }
  }

  std::optional<Plan> run() {
    const std::size_t least = lines_of_chains_and_units(graph_);
    if (options_.limit <= least) return std::nullopt;
    Walk walk = walk_from(first_);
    const std::size_t near = least + least / 20;
    bool lacks_registers = has_many_values();
    // If a quarter of the tries gives no schedule at all, however long, the rest would hardly give one.
    const double quarter = options_.tries / 4;
    double limit = std::max({quarter, options_.tries_for_one, 1.0});
    for (std::uint64_t attempts = 0; static_cast<double>(attempts) < limit; ++attempts) {
      base::pause();
      if (lacks_registers && plan_ && plan_->lines > near && static_cast<double>(attempts) > quarter) {
        if (search_with_homes(near)) return std::move(plan_);
        lacks_registers = false;  // the rest of the tries goes to walks without homes
      }
      if (--walk.patience == 0) walk = walk_from(elsewhere());
      Genes next = next_of(walk, attempts);
      const std::optional<std::size_t> lines = attempt(next, walk.most);
      if (!lines) {
        if (!walk.found) wander(walk.genes, std::move(next), attempts);
        continue;
      }
      // A schedule of equal length is accepted, too, so that the walk can cross plateaus.
      if (*lines < walk.most) walk.patience = longest_patience();
      walk.most = *lines;
      walk.found = true;
      walk.genes = std::move(next);
      if (is_shortest(least)) break;
      limit = plan_ ? std::max(options_.tries, 1.0) : std::max({options_.tries, options_.tries_for_one, 1.0});
    }
    if (lacks_registers && (!plan_ || plan_->lines > near)) search_with_homes(near);
    return std::move(plan_);
  }

 private:
  /// True if it is known that no plan has fewer lines; asked once for each plan.
  [[nodiscard]] bool is_shortest(std::size_t least) {
    if (!plan_ || plan_->lines == possible_) return false;
    possible_ = plan_->lines;
    return has_no_fewer(graph_, plan_->lines, least);
  }

  /// In sections with fewer values T and the registers are enough.
  [[nodiscard]] bool has_many_values() const {
    constexpr unsigned kTimes = 8;  // times the registers
    unsigned words = 0;
    for (const SearchValue& value : graph_.values) words += value.readers.empty() ? 0 : value.words();
    return words > kTimes * static_cast<unsigned>(std::ranges::count(graph_.gpr_taken, false));
  }

  /// For sections that need many values at once: schedules in which each value has a home, from genes that differ in
  /// what registers are for and in how early operations may come, and walks from the best of them. Returns whether one
  /// of these schedules is shorter than the plan.
  bool search_with_homes(std::size_t near) {
    constexpr std::size_t kHopes = 60;  // if none of so many is a schedule, the rest would hardly be one
    constexpr std::size_t kIdle = 100;  // if none of so many is among the best, the rest would hardly be
    constexpr std::size_t kWalks = 4;
    constexpr int kFewChanges = 4;
    constexpr int kMostChanges = 16;     // of so many values, fewer changes often leave the schedule as it was
    constexpr double kHopeful = 1.25;    // walks from schedules that are shorter than the plan: for each of the tries
    constexpr double kHopeless = 0.125;  // the same from others
    const std::size_t before = plan_ ? plan_->lines : options_.limit;
    std::vector<Walk> found;  // the best so far, those with the fewest lines first
    std::size_t made = 0;
    std::size_t idle = 0;
    for (Genes& genes : genes_with_homes()) {
      base::pause();
      if ((made++ == kHopes && found.empty()) || idle++ == kIdle) break;
      const bool enough = found.size() == kWalks;
      const std::size_t most = enough ? found.back().most - 1 : options_.limit + options_.limit / 4;
      const std::optional<std::size_t> lines = attempt(genes, most);
      if (!lines) continue;
      if (enough) found.pop_back();
      idle = 0;
      const auto at = std::ranges::upper_bound(found, *lines, {}, &Walk::most);
      found.insert(at, {std::move(genes), *lines, true, 0});
    }
    const bool gained = plan_ && plan_->lines < before;
    const auto tries = static_cast<std::uint64_t>((gained ? kHopeful : kHopeless) * options_.tries / kWalks);
    for (Walk& walk : found) {
      for (std::uint64_t attempts = 0; attempts < tries && (!plan_ || plan_->lines > near); ++attempts) {
        base::pause();
        Genes next = walk.genes;
        change(next, spread_of(attempts), attempts % 2 == 0 ? kFewChanges : kMostChanges);
        const std::optional<std::size_t> lines = attempt(next, walk.most);
        if (!lines) continue;
        walk.most = *lines;
        walk.genes = std::move(next);
      }
    }
    return gained;
  }

  [[nodiscard]] std::vector<Genes> genes_with_homes() const {
    // How many lines before the late schedule has it an operation may come, and how much longer than that schedule the
    // one that is made may be.
    static constexpr std::array<int, 6> kLinesBefore{64, 16, 4, 1, 8, 32};
    static constexpr std::array<double, 4> kLengths{1, 1.1, 1.2, 1.3};
    const LateLines late = late_lines(graph_);
    std::vector<std::vector<int>> limits{{}};
    for (const int before : kLinesBefore) {
      for (const double length : kLengths) {
        std::vector<int>& not_before = limits.emplace_back();
        for (const int first : late.first) not_before.push_back(std::max(static_cast<int>(first * length) - before, 0));
      }
    }
    // Halfway from the longest paths to the late schedule, which knows that operations share units, too.
    std::vector<int> between;
    for (std::size_t bundle = 0; bundle < late.first.size(); ++bundle) {
      between.push_back((first_.priorities[bundle] - kScale * late.first[bundle]) / 2);
    }
    std::vector<Genes> all;
    const auto add = [&](const std::vector<int>& priorities, const std::vector<int>& not_before, bool in_order) {
      for (const bool strict : {true, false}) {
        for (const Preference preference : {Preference::t_first, Preference::t_then_lm}) {
          Genes& genes = all.emplace_back(first_);
          genes.priorities = priorities;
          std::ranges::fill(genes.preferences, preference);
          genes.homes = true;
          genes.strict = strict;
          genes.flags_in_order = in_order;
          genes.not_before = not_before;
        }
      }
    };
    for (const std::vector<int>& not_before : limits) {
      for (const std::vector<int>& priorities : {first_.priorities, between}) {
        add(priorities, not_before, false);
        if (graph_.flags > graph_.flag_numbers.size()) add(priorities, not_before, true);
      }
    }
    return all;
  }

  /// A random walk: each schedule follows from the one before by small changes.
  struct Walk {
    Genes genes;
    std::size_t most = 0;  // largest number of lines of the next schedule
    bool found = false;    // true once a schedule was found
    unsigned patience = 0;
  };

  /// How many schedules may bring no improvement before the walk starts elsewhere.
  [[nodiscard]] unsigned longest_patience() const {
    return static_cast<unsigned>(std::clamp(options_.tries / 10, 100.0, 1500.0));
  }

  [[nodiscard]] Walk walk_from(Genes genes) const {
    // Until something better is found, schedules may be longer than the plan that is wanted.
    return {std::move(genes), options_.limit + options_.limit / 4, false, longest_patience()};
  }

  Genes elsewhere() {
    constexpr int kMostRounds = 16;
    constexpr int kMostChanges = 4;
    Genes genes = first_;
    std::ranges::fill(genes.preferences, static_cast<Preference>(random_.below(static_cast<int>(kPreferences))));
    for (int extra = random_.below(kMostRounds); extra >= 0; --extra) change(genes, 4 * kScale, kMostChanges);
    return genes;
  }

  /// The first attempts use each preference once for all values. Later ones change the walk's genes by up to one line,
  /// some by three or eight.
  Genes next_of(const Walk& walk, std::uint64_t attempts) {
    if (attempts < kPreferences) {
      Genes next = first_;
      std::ranges::fill(next.preferences, static_cast<Preference>(attempts));
      return next;
    }
    constexpr int kMostChanges = 4;
    Genes next = walk.genes;
    change(next, spread_of(attempts), kMostChanges);
    return next;
  }

  static int spread_of(std::uint64_t attempts) { return (attempts % 4 == 0 ? 8 : attempts % 4 == 2 ? 3 : 1) * kScale; }

  int below(std::size_t count) { return random_.below(static_cast<int>(count)); }

  void change(Genes& genes, int spread, int most) {
    const int changes = 1 + random_.below(most);
    for (int n = 0; n < changes; ++n) {
      if (random_.below(3) == 0 && !genes.preferences.empty()) {
        const auto at = static_cast<std::size_t>(below(genes.preferences.size()));
        genes.preferences[at] = static_cast<Preference>(random_.below(static_cast<int>(kPreferences)));
      } else {
        const auto at = static_cast<std::size_t>(below(genes.priorities.size()));
        genes.priorities[at] += random_.below(2 * spread + 1) - spread;
      }
    }
  }

  /// Until a schedule is found, the walk also follows changes that give none, seven times of eight. Now and then it
  /// starts again, in turns from the order of the source and from the longest paths.
  void wander(Genes& walk, Genes&& next, std::uint64_t attempts) const {
    constexpr std::uint64_t kSteady = 100;  // number of first attempts without wandering
    constexpr std::uint64_t kKept = 8;      // one of so many attempts is not followed
    constexpr std::uint64_t kAnew = 40;
    if (plan_ || attempts < kSteady) return;
    if (attempts % kKept != 0) walk = std::move(next);
    if (attempts % kAnew != kAnew - 1) return;
    const bool as_written = attempts % (2 * kAnew) == kAnew - 1;
    walk = as_written ? as_written_ : first_;
    if (!as_written) walk.flags_in_order = true;
  }

  /// Makes a list schedule and returns its number of lines, if that is at most `most`. The shortest one becomes the
  /// plan.
  std::optional<std::size_t> attempt(const Genes& genes, std::size_t most) {
    if (!list_schedule(genes, most)) return std::nullopt;
    const std::size_t lines = lines_taken();
    if (lines > most) return std::nullopt;
    if (lines >= (plan_ ? plan_->lines : options_.limit)) return lines;
    std::optional<Plan> plan = allotted(graph_, placement_, lines);
    if (!plan) return std::nullopt;
    plan_ = std::move(plan);
    return lines;
  }

  bool list_schedule(const Genes& genes, std::size_t limit) {
    placement_.restart(limit, genes);
    genes_ = &genes;
    left_ = operations_of_;
    waiting_ = waits_for_;
    earliest_.clear();
    for (const Bundle& bundle : graph_.bundles.bundles) earliest_.push_back(bundle.earliest);
    for (std::size_t bundle = 0; bundle < genes.not_before.size(); ++bundle) {
      earliest_[bundle] = std::max(earliest_[bundle], static_cast<std::size_t>(genes.not_before[bundle]));
    }
    refused_.assign(earliest_.size(), 0);
    attempts_ = 1;
    ready_.clear();
    for (std::size_t bundle = 0; bundle < earliest_.size(); ++bundle) {
      if (waiting_[bundle] == 0) add_ready(bundle);
    }
    placed_ = 0;
    constexpr std::size_t kLongestWait = 8;  // lines without an operation: after so many, every result has arrived
    std::size_t busy = 0;
    for (std::size_t line = 0; line < limit && placed_ < earliest_.size(); ++line) {
      // A unit executes one operation in each line.
      if (line + *std::ranges::max_element(left_) > limit) return false;
      const std::size_t before = placed_;
      if (!fill(line, limit)) return false;
      if (placed_ > before) busy = line;
      if (line > busy + kLongestWait) return false;
    }
    return placed_ == earliest_.size();
  }

  void add_ready(std::size_t bundle) {
    const auto more_urgent = [&](std::size_t a, std::size_t b) {
      return genes_->priorities[a] != genes_->priorities[b] ? genes_->priorities[a] > genes_->priorities[b] : a < b;
    };
    const auto at = ready_.insert(std::ranges::upper_bound(ready_, bundle, more_urgent), bundle) - ready_.begin();
    next_ = std::min(next_, static_cast<std::size_t>(at));
  }

  /// Places all bundles that fit on a line. False if the schedule would have too many lines.
  bool fill(std::size_t line, std::size_t limit) {
    placement_.begin_line(line);
    ++attempts_;
    while (line > 0 && placement_.crowding(line - 1) > 0 && place_relief(line)) {
    }
    for (next_ = 0; next_ < ready_.size();) {
      const std::size_t bundle = ready_[next_];
      if (refused_[bundle] == attempts_) {
        ++next_;
        continue;
      }
      if (earliest_[bundle] > line || !placement_.has_units(bundle, line) || !placement_.place(bundle, line)) {
        refused_[bundle] = attempts_;
        ++next_;
        continue;
      }
      note_placed(line);
    }
    // Bundles that are still waiting go to the next line at the earliest, with all that must follow them.
    for (const std::size_t bundle : ready_) {
      if (line + 1 + static_cast<std::size_t>(ways_[bundle]) >= limit) return false;
    }
    return line == 0 || placement_.settle(line - 1);
  }

  /// Places the first bundle that reads from T a value of the line before that has no other place.
  bool place_relief(std::size_t line) {
    for (next_ = 0; next_ < ready_.size(); ++next_) {
      const std::size_t bundle = ready_[next_];
      if (earliest_[bundle] > line || !placement_.has_units(bundle, line) || !placement_.relieves(bundle, line - 1) ||
          !placement_.place(bundle, line))
        continue;
      note_placed(line);
      return true;
    }
    return false;
  }

  /// Notes that the bundle at `next_` is placed: bundles that wait for it may now be ready, and rejected ones may fit.
  void note_placed(std::size_t line) {
    const std::size_t bundle = ready_[next_];
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(next_));
    ++placed_;
    for (const Bundle::Member& member : graph_.bundles.bundles[bundle].members) {
      for_units(graph_.operations[member.operation], [&](std::size_t unit) { --left_[unit]; });
    }
    for (const Edge& edge : graph_.bundles.edges[bundle]) {
      const std::ptrdiff_t there = static_cast<std::ptrdiff_t>(line) + edge.lines;
      earliest_[edge.to] = std::max(earliest_[edge.to], static_cast<std::size_t>(std::max<std::ptrdiff_t>(there, 0)));
      if (--waiting_[edge.to] == 0) add_ready(edge.to);
    }
    if (!placement_.take_released()) return;
    ++attempts_;
    next_ = 0;
  }

  /// Number of lines in use, plus those that must follow so that results have arrived when this section begins again or
  /// the next one begins.
  [[nodiscard]] std::size_t lines_taken() {
    first_read_ = graph_.first_read;
    int lines = 1;
    for (const PlacedOperation& operation : placement_.operations()) lines = std::max(lines, operation.line + 1);
    const auto line_of = [&](const EndAccess& access) { return placement_.operations()[access.operation].line; };
    for (const EndAccess& access : graph_.ends) {
      if (access.latency != 0 || !graph_.repeats) continue;
      first_read_[access.word] = std::min(first_read_[access.word], line_of(access));
    }
    for (const EndAccess& access : graph_.ends) {
      if (access.latency == 0 || first_read_[access.word] == kNeverRead) continue;
      lines = std::max(lines, line_of(access) + access.latency - first_read_[access.word]);
    }
    return static_cast<std::size_t>(lines);
  }

  const SearchGraph& graph_;
  const SearchOptions& options_;
  Placement placement_;
  Random random_;
  std::vector<std::ptrdiff_t> ways_;
  std::vector<unsigned> waits_for_;
  OperationsOfUnits operations_of_;
  Genes first_;
  Genes as_written_;  // for sections that run out of places otherwise
  std::optional<Plan> plan_;
  std::size_t possible_ = 0;  // a plan of so many lines may not be the shortest
  // State of the schedule that is being made.
  const Genes* genes_ = nullptr;
  OperationsOfUnits left_{};
  std::vector<unsigned> waiting_;  // for each bundle, how many others it waits for
  std::vector<std::size_t> earliest_;
  std::vector<std::size_t> ready_;    // the most urgent first
  std::vector<std::size_t> refused_;  // for each bundle, the attempt in which it was rejected
  std::size_t attempts_ = 0;
  std::size_t next_ = 0;  // index into ready_
  std::size_t placed_ = 0;
  std::vector<int> first_read_;
};

}  // namespace

std::vector<unsigned> BundleGraph::predecessors() const {
  std::vector<unsigned> waits_for(bundles.size());
  for (const std::vector<Edge>& from : edges) {
    for (const Edge& edge : from) ++waits_for[edge.to];
  }
  return waits_for;
}

std::vector<std::size_t> BundleGraph::order() const {
  std::vector<unsigned> waits_for = predecessors();
  std::vector<std::size_t> order;
  for (std::size_t bundle = 0; bundle < bundles.size(); ++bundle) {
    if (waits_for[bundle] == 0) order.push_back(bundle);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    for (const Edge& edge : edges[order[at]]) {
      if (--waits_for[edge.to] == 0) order.push_back(edge.to);
    }
  }
  return order;
}

std::optional<std::vector<std::ptrdiff_t>> BundleGraph::ways() const {
  const std::vector<std::size_t> order = this->order();
  if (order.size() < bundles.size()) return std::nullopt;
  std::vector<std::ptrdiff_t> ways(bundles.size());
  for (auto bundle = order.rbegin(); bundle != order.rend(); ++bundle) {
    for (const Bundle::Member& member : bundles[*bundle].members) {
      ways[*bundle] = std::max(ways[*bundle], static_cast<std::ptrdiff_t>(member.offset));
    }
    for (const Edge& edge : edges[*bundle]) ways[*bundle] = std::max(ways[*bundle], ways[edge.to] + edge.lines);
  }
  return ways;
}

std::vector<std::ptrdiff_t> BundleGraph::earliest() const {
  std::vector<std::ptrdiff_t> lines;
  for (const Bundle& bundle : bundles) lines.push_back(static_cast<std::ptrdiff_t>(bundle.earliest));
  for (const std::size_t bundle : order()) {
    for (const Edge& edge : edges[bundle]) lines[edge.to] = std::max(lines[edge.to], lines[bundle] + edge.lines);
  }
  return lines;
}

std::size_t least_lines(const SearchGraph& graph) {
  const std::size_t least = lines_of_chains_and_units(graph);
  const std::optional<NoRoom> none = too_few_lines(graph.bundles, units_of(graph), least, 2 * least);
  return none ? none->lines + 1 : least;
}

bool may_have_fewer(const SearchGraph& graph, std::size_t lines) {
  return !has_no_fewer(graph, lines, lines_of_chains_and_units(graph));
}

std::optional<Plan> search_plan(const SearchGraph& graph, const SearchOptions& options) {
  auto ways = graph.bundles.ways();
  if (!ways || graph.operations.empty() || options.limit == 0) return std::nullopt;
  return Search(graph, *std::move(ways), options).run();
}

}  // namespace gdr::assembler
