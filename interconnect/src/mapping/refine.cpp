#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "gdr/base/description.h"
#include "gdr/base/error.h"
#include "gdr/interconnect/network.h"
#include "mopt.h"
#include "search.h"

namespace gdr::interconnect {

namespace {

/// Parameters from machines/task-mapping.toml.
struct Search {
  Annealing annealing;
  double hop_visits = 0;  // for each direction of traffic between two tasks, at effort 1
  double link_visits = 0;
};
Search load_search() {
  const base::Description file = load_network("task-mapping", "task-mapping");
  return {{file.value("first_temperature"), file.value("last_temperature"), file.value("box_share")},
          file.value("hop_visits"),
          file.value("link_visits")};
}

// Number of merges by minlink with shuffled turns. Their results differ much, and one of a few is good. Each takes up
// to twice as long as a mapping by Scotch.
constexpr std::uint64_t kShuffledMerges = 3;
constexpr std::uint64_t kSeedStride = 4;  // at least kShuffledMerges, so that no two seeds share a merge
constexpr std::size_t kLinkStarts = 2;    // number of mappings that are refined for link

std::uint64_t value_of(const MappingCost& cost, MappingObjective objective) {
  return objective == MappingObjective::cost ? cost.torus_hop_bytes : cost.max_link_bytes;
}

struct Candidate {
  TaskMapping mapping;
  std::uint64_t value = std::numeric_limits<std::uint64_t>::max();
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

  [[nodiscard]] Candidate rated(TaskMapping mapping) const {
    const std::uint64_t value = value_of(mapping_cost(graph, mapping, grid, routing), options.objective);
    return {std::move(mapping), value};
  }

  [[nodiscard]] Candidate refined(const TaskMapping& start, const MappingProgress& progress) const {
    const double directions = 2 * static_cast<double>(graph.transfers().size());
    if (options.objective == MappingObjective::cost) {
      const SearchBudget budget{options.effort * search.hop_visits * directions, progress, search.annealing};
      return rated(search_hops(graph, grid, start, options.seed, budget));
    }
    const SearchBudget budget{options.effort * search.link_visits * directions, progress, {}};
    return rated(search_links(graph, grid, start, routing, options.seed, budget));
  }

  [[nodiscard]] TaskMapping merged(MergeRule rule, const MergeVariant& variant, const MappingProgress& progress) const {
    return merge_groups(graph, grid, rule, routing, variant, progress);
  }
};

/// Sums of hops: every start is refined, because the best start seldom leads to the best end.
Candidate refine_for_cost(const Problem& problem, Jobs& jobs) {
  std::vector<Jobs::Job> work;
  for (const MergeRule rule : {MergeRule::mincost, MergeRule::minlink}) {
    work.push_back([&problem, rule](const MappingProgress& progress) {
      return problem.refined(problem.merged(rule, {}, {}), progress);
    });
  }
  if (has_scotch()) {
    work.push_back([&problem](const MappingProgress& progress) {
      return problem.refined(map_by_scotch(problem.graph, problem.grid), progress);
    });
  }
  return std::ranges::min(jobs.run(work, 0, 1), {}, &Candidate::value);
}

/// Busiest links: of many starts, the best are refined.
Candidate refine_for_link(const Problem& problem, Jobs& jobs) {
  std::vector<Jobs::Job> starts;
  for (const MergeRule rule : {MergeRule::mincost, MergeRule::minlink}) {
    starts.push_back([&problem, rule](const MappingProgress& progress) {
      return problem.rated(problem.merged(rule, {}, progress));
    });
  }
  if (has_scotch()) {
    starts.push_back(
        [&problem](const MappingProgress&) { return problem.rated(map_by_scotch(problem.graph, problem.grid)); });
  }
  starts.push_back(
      [&problem](const MappingProgress&) { return problem.rated(map_in_order(problem.graph, problem.grid)); });
  for (std::uint64_t i = 0; i < kShuffledMerges; ++i) {
    starts.push_back([&problem, i](const MappingProgress& progress) {
      // Growing first along the axis that messages take first, then along the axis that messages take last, leaves more
      // choice to the merges that matter most.
      const auto& order = problem.routing.axes;
      const std::uint64_t seed = problem.options.seed * kSeedStride + i + 1;
      const MergeVariant variant{{order[0], order[2], order[1]}, LinkTieBreak::squares, seed};
      return problem.rated(problem.merged(MergeRule::minlink, variant, progress));
    });
  }
  std::vector<Candidate> found = jobs.run(starts, 0, 0.5);
  std::ranges::stable_sort(found, {}, &Candidate::value);
  std::vector<Jobs::Job> searches;
  for (std::size_t i = 0; i < kLinkStarts; ++i) {
    searches.push_back([&problem, &start = found[i].mapping](const MappingProgress& progress) {
      return problem.refined(start, progress);
    });
  }
  return std::ranges::min(jobs.run(searches, 0.5, 1), {}, &Candidate::value);
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
  const Candidate before = problem.rated(start);
  Candidate after = problem.refined(start, progress);
  return after.value < before.value ? std::move(after.mapping) : start;
}

TaskMapping map_by_refinement(const TaskGraph& graph, const Grid& grid, const GridRouting& routing,
                              const RefineOptions& options, const MappingProgress& progress) {
  check_options(options);
  static_cast<void>(map_in_order(graph, grid));  // throws unless there are enough nodes
  const Problem problem{graph, grid, routing, options};
  Jobs jobs(options.threads, progress);
  return options.objective == MappingObjective::cost ? refine_for_cost(problem, jobs).mapping
                                                     : refine_for_link(problem, jobs).mapping;
}

}  // namespace gdr::interconnect
