#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "gdr/base/description.h"
#include "gdr/base/error.h"
#include "gdr/interconnect/network.h"
#include "mopt.h"
#include "recognise.h"
#include "search.h"

namespace gdr::interconnect {

namespace {

/// Parameters from machines/task-mapping.toml.
struct Search {
  Annealing annealing;
  double hop_visits = 0;  // for each direction of traffic between two tasks, at effort 1
  double link_visits = 0;
  double least_visits = 0;  // of a search, at effort 1
  Annealing link_annealing;
};
Search load_search() {
  const base::Description file = load_network("task-mapping", "task-mapping");
  return {{file.value("first_temperature"), file.value("last_temperature"), file.value("box_share")},
          file.value("hop_visits"),
          file.value("link_visits"),
          file.value("least_visits"),
          {file.value("first_link_temperature"), file.value("last_link_temperature")}};
}

// Number of merges by minlink with shuffled turns. Their results differ much, and one of a few is good. Each takes up
// to twice as long as a mapping by Scotch.
constexpr std::uint64_t kShuffledMerges = 3;
constexpr std::uint64_t kSeedStride = 4;  // at least kShuffledMerges, so that no two seeds share a merge
// The best mappings are refined for link, each at another temperature, as multiples of that in the description: a good
// start wants little heat, and small graphs forget their start.
constexpr std::array kLinkHeats{0.001, 0.02, 0.25, 1.0, 1.0};

constexpr std::uint64_t kWorst = std::numeric_limits<std::uint64_t>::max();

/// How good a mapping is; the members decide in their order.
struct Value {
  bool is_too_busy = true;           // for cost: its busiest link carries more than that of natural order
  std::uint64_t objective = kWorst;  // what is minimised
  std::uint64_t other = kWorst;      // decides between mappings that are equal in the objective
  auto operator<=>(const Value&) const = default;
};

struct Candidate {
  TaskMapping mapping;
  Value value;
};

/// Runs jobs on several threads and reports their joint progress.
class Jobs {
 public:
  using Job = std::function<Candidate(const MappingProgress&)>;

  Jobs(unsigned threads, const MappingProgress& progress) : threads_(threads), progress_(progress) {}

  /// Returns results in the order of `jobs`, whatever the threads. These jobs are the part from `first` to `last` of
  /// all work, which runs from 0 to 1.
  [[nodiscard]] std::vector<Candidate> run(const std::vector<Job>& jobs, double first, double last) {
    std::vector<Candidate> results(jobs.size());
    std::vector<double> done(jobs.size());
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    const auto work = [&] {
      for (std::size_t i = next++; i < jobs.size(); i = next++) {
        try {
          results[i] = jobs[i]([&, i](double share) {
            const std::scoped_lock lock(mutex_);
            done[i] = share;
            double sum = 0;
            for (const double each : done) sum += each;
            const double all = first + (last - first) * sum / static_cast<double>(jobs.size());
            goes_on_ = goes_on_ && (!progress_ || progress_(all));
            return goes_on_;
          });
        } catch (...) {
          const std::scoped_lock lock(mutex_);
          failure = std::current_exception();
        }
        const std::scoped_lock lock(mutex_);
        done[i] = 1;
      }
    };
    std::vector<std::jthread> helpers;
    try {
      for (unsigned i = 1; i < std::min<std::size_t>(threads_, jobs.size()); ++i) helpers.emplace_back(work);
    } catch (const std::system_error&) {  // the host has no more threads: the existing ones do all the work
    }
    work();
    helpers.clear();  // joins them
    if (failure) std::rethrow_exception(failure);
    return results;
  }

 private:
  unsigned threads_;
  const MappingProgress& progress_;
  std::mutex mutex_;
  bool goes_on_ = true;
};

/// A graph on a grid, and the objective of its refinement.
struct Problem {
  const TaskGraph& graph;
  const Grid& grid;
  const GridRouting& routing;
  const RefineOptions& options;
  Search search = load_search();
  // Few hops that crowd one link are no gain over doing nothing.
  std::uint64_t most_on_link = options.objective == MappingObjective::link
                                   ? kWorst
                                   : mapping_cost(graph, map_in_order(graph, grid), grid, routing).max_link_bytes;

  [[nodiscard]] Value value_of(const MappingCost& cost) const {
    const bool is_too_busy = cost.max_link_bytes > most_on_link;
    if (options.objective == MappingObjective::cost) return {is_too_busy, cost.torus_hop_bytes, cost.max_link_bytes};
    return {is_too_busy, cost.max_link_bytes, cost.torus_hop_bytes};
  }

  [[nodiscard]] Candidate rated(TaskMapping mapping) const {
    const Value value = value_of(mapping_cost(graph, mapping, grid, routing));
    return {std::move(mapping), value};
  }

  /// True if no mapping is better: every message takes one hop, so that no link carries more than one transfer.
  [[nodiscard]] bool is_best(const Candidate& candidate) const {
    std::uint64_t largest = 0;
    for (const Transfer& transfer : graph.transfers()) largest = std::max(largest, transfer.bytes);
    return candidate.value ==
           value_of({.hop_bytes = 0, .torus_hop_bytes = graph.total_bytes(), .max_link_bytes = largest});
  }

  [[nodiscard]] double visits(double each) const {
    return options.effort * std::max(search.least_visits, 2 * each * static_cast<double>(graph.transfers().size()));
  }

  /// The mapping that a search finds. For links, `heat` multiplies the temperatures.
  [[nodiscard]] TaskMapping searched(MappingObjective objective, const TaskMapping& start,
                                     const MappingProgress& progress, double heat = 1) const {
    if (objective == MappingObjective::cost) {
      return search_hops(graph, grid, start, options.seed, {visits(search.hop_visits), progress, search.annealing});
    }
    Annealing annealing = search.link_annealing;
    annealing.first_temperature *= heat;
    annealing.last_temperature *= heat;
    return search_links(graph, grid, start, routing, options.seed, {visits(search.link_visits), progress, annealing});
  }

  /// The mapping of little cost that a search finds whose busiest link is no busier than that of natural order.
  [[nodiscard]] TaskMapping searched_within_bound(const TaskMapping& start, const MappingProgress& progress) const {
    const SearchBudget budget{visits(search.link_visits), progress, search.annealing};
    return search_links(graph, grid, start, routing, options.seed, budget, most_on_link);
  }

  /// The better of the start and what a search for the objective finds from there.
  [[nodiscard]] Candidate refined(const TaskMapping& start, const MappingProgress& progress, double heat = 1) const {
    Candidate before = rated(start);
    if (progress && !progress(0)) return before;
    Candidate after = rated(searched(options.objective, start, progress, heat));
    if (after.value.is_too_busy && after.value.objective < before.value.objective) {
      Candidate bounded = rated(searched_within_bound(before.value.is_too_busy ? after.mapping : start, progress));
      if (bounded.value < after.value) after = std::move(bounded);
    }
    return after.value < before.value ? after : before;
  }

  [[nodiscard]] TaskMapping merged(MergeRule rule, const MergeVariant& variant, const MappingProgress& progress) const {
    return merge_groups(graph, grid, rule, routing, variant, progress);
  }
};

/// First and second half of a job's progress.
MappingProgress first_half(const MappingProgress& progress) {
  return [&progress](double done) { return !progress || progress(done / 2); };
}
MappingProgress second_half(const MappingProgress& progress) {
  return [&progress](double done) { return !progress || progress((1 + done) / 2); };
}

/// Makes a mapping for a start, or nothing if `progress` has asked for an end.
using Start = std::function<std::optional<TaskMapping>(const MappingProgress&)>;

/// Mappings to start from, the quickest first. The merges are the ones that never need long.
std::vector<Start> starts_of(const Problem& problem) {
  std::vector<Start> starts;
  for (const MergeRule rule : {MergeRule::mincost, MergeRule::minlink}) {
    starts.emplace_back(
        [&problem, rule](const MappingProgress& progress) { return problem.merged(rule, {}, progress); });
  }
  if (has_scotch()) {
    starts.emplace_back([&problem](const MappingProgress& progress) -> std::optional<TaskMapping> {
      if (progress && !progress(0)) return std::nullopt;
      return map_by_scotch(problem.graph, problem.grid);
    });
  }
  return starts;
}

/// Sums of hops: every start is refined, because the best start seldom leads to the best end.
Candidate refine_for_cost(const Problem& problem, const Candidate& in_order, Jobs& jobs) {
  std::vector<Jobs::Job> work;
  for (Start& start : starts_of(problem)) {
    work.push_back([&problem, start = std::move(start)](const MappingProgress& progress) -> Candidate {
      const std::optional<TaskMapping> mapping = start(first_half(progress));
      return mapping ? problem.refined(*mapping, second_half(progress)) : Candidate{};
    });
  }
  work.push_back([&](const MappingProgress& progress) { return problem.refined(in_order.mapping, progress); });
  return std::ranges::min(jobs.run(work, 0, 1), {}, &Candidate::value);
}

/// Busiest links: of many starts, among them one that is refined for cost, the best are refined.
Candidate refine_for_link(const Problem& problem, const Candidate& in_order, Jobs& jobs) {
  std::vector<Jobs::Job> work;
  for (Start& start : starts_of(problem)) {
    work.push_back([&problem, start = std::move(start)](const MappingProgress& progress) -> Candidate {
      std::optional<TaskMapping> mapping = start(progress);
      return mapping ? problem.rated(std::move(*mapping)) : Candidate{};
    });
  }
  for (std::uint64_t i = 0; i < kShuffledMerges; ++i) {
    work.push_back([&problem, i](const MappingProgress& progress) {
      // Growing first along the axis that messages take first, then along the axis that messages take last, leaves more
      // choice to the merges that matter most.
      const auto& order = problem.routing.axes;
      const std::uint64_t seed = problem.options.seed * kSeedStride + i + 1;
      const MergeVariant variant{{order[0], order[2], order[1]}, LinkTieBreak::squares, seed};
      return problem.rated(problem.merged(MergeRule::minlink, variant, progress));
    });
  }
  std::vector<Candidate> found = jobs.run(work, 0, 0.3);
  found.push_back(in_order);
  // Few hops leave few bytes for each link.
  work.clear();
  for (Start& start : starts_of(problem)) {
    work.push_back([&problem, start = std::move(start)](const MappingProgress& progress) -> Candidate {
      const std::optional<TaskMapping> mapping = start(first_half(progress));
      if (!mapping) return {};
      return problem.rated(problem.searched(MappingObjective::cost, *mapping, second_half(progress)));
    });
  }
  work.push_back([&](const MappingProgress& progress) {
    return problem.rated(problem.searched(MappingObjective::cost, in_order.mapping, progress));
  });
  std::ranges::move(jobs.run(work, 0.3, 0.6), std::back_inserter(found));
  std::ranges::stable_sort(found, {}, &Candidate::value);
  work.clear();
  for (std::size_t i = 0; i < std::min(kLinkHeats.size(), found.size()) && !found[i].mapping.empty(); ++i) {
    work.push_back([&problem, &start = found[i].mapping, i](const MappingProgress& progress) {
      return problem.refined(start, progress, kLinkHeats[i]);
    });
  }
  return std::ranges::min(jobs.run(work, 0.6, 1), {}, &Candidate::value);
}

void check_options(const RefineOptions& options) {
  if (!(options.effort >= 0 && options.effort <= 1e6)) {
    throw Error(fmt::format("effort: {} is refused: it must be from 0 to 1e6", options.effort));
  }
  if (options.threads == 0) throw Error("threads: 0 is refused: it must be at least 1");
}

}  // namespace

TaskMapping refine_mapping(const TaskGraph& graph, const Grid& grid, const TaskMapping& start,
                           const GridRouting& routing, const RefineOptions& options, const MappingProgress& progress) {
  check_options(options);
  const Problem problem{graph, grid, routing, options};
  return problem.refined(start, progress).mapping;
}

TaskMapping map_by_refinement(const TaskGraph& graph, const Grid& grid, const GridRouting& routing,
                              const RefineOptions& options, const MappingProgress& progress) {
  check_options(options);
  const Problem problem{graph, grid, routing, options};
  Candidate in_order = problem.rated(map_in_order(graph, grid));
  if (problem.is_best(in_order)) return in_order.mapping;
  if (std::optional<TaskMapping> found = recognise_grid(graph, grid)) {
    Candidate recognised = problem.rated(std::move(*found));
    if (problem.is_best(recognised)) return recognised.mapping;
    if (recognised.value < in_order.value) in_order = std::move(recognised);
  }
  Jobs jobs(options.threads, progress);
  return options.objective == MappingObjective::cost ? refine_for_cost(problem, in_order, jobs).mapping
                                                     : refine_for_link(problem, in_order, jobs).mapping;
}

}  // namespace gdr::interconnect
