// How the time of mapping tasks by merging groups grows from 4,096 to 32,768 nodes of a cubic torus, by graph. CPU
// time, milliseconds; the two sizes in turn, medians.
#include <benchmark/benchmark.h>

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gdr/interconnect/task_mapping.h"
#include "measure.h"

namespace gdr::bench {
namespace {

using interconnect::Grid;
using interconnect::MergeRule;
using interconnect::TaskGraph;
using interconnect::TaskId;
using interconnect::Transfer;

constexpr std::uint32_t kSide = 16;          // nodes along each axis of the smaller torus; the larger has twice as many
constexpr std::uint64_t kBruckBlock = 2048;  // bytes; Sanno and Kise, figure 7
constexpr std::uint64_t kHaloBytes = 1 << 13;  // a face of 32 x 32 doubles

/// Every task sends to its six neighbours in a torus of tasks.
TaskGraph halo(std::uint32_t side) {
  const Grid grid({side, side, side}, true);
  std::vector<Transfer> transfers;
  for (TaskId task = 0; task < grid.nodes(); ++task) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      for (const std::uint32_t step : {1U, side - 1}) {
        interconnect::GridPosition at = grid.position(task);
        at[axis] = (at[axis] + step) % side;
        transfers.push_back({task, grid.node(at), kHaloBytes});
      }
    }
  }
  return {grid.nodes(), std::move(transfers)};
}

/// Every task sends to four others or less.
TaskGraph random_graph(TaskId tasks) {
  std::mt19937 random(1);
  std::vector<Transfer> transfers;
  for (TaskId task = 0; task < tasks; ++task) {
    for (int i = 0; i < 4; ++i) {
      const auto other = static_cast<TaskId>(random() % tasks);
      if (other != task) transfers.push_back({task, other, 1 + random() % 1000});
    }
  }
  return {tasks, std::move(transfers)};
}

struct Pattern {
  std::string name;
  std::function<TaskGraph(std::uint32_t side)> graph;
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all{
      {"bruck", [](std::uint32_t side) { return interconnect::bruck_graph(side * side * side, kBruckBlock); }},
      {"cg", [](std::uint32_t side) { return interconnect::cg_graph(side * side * side); }},
      // Class B has too few points for 32,761 tasks.
      {"sp",
       [](std::uint32_t side) {
         return interconnect::sp_graph(interconnect::most_sp_tasks(side * side * side, 'E'), 'E');
       }},
      {"halo", halo},
      {"random", [](std::uint32_t side) { return random_graph(side * side * side); }}};
  return all;
}

void grows(benchmark::State& state, const Pattern& pattern, MergeRule rule) {
  const Grid grid({kSide, kSide, kSide}, true);
  const Grid large_grid({2 * kSide, 2 * kSide, 2 * kSide}, true);
  const TaskGraph graph = pattern.graph(kSide);
  const TaskGraph large_graph = pattern.graph(2 * kSide);
  for (auto _ : state) {
    const Rounds rounds(
        {[&] { benchmark::DoNotOptimize(interconnect::map_by_merging(graph, grid, rule)); },
         [&] { benchmark::DoNotOptimize(interconnect::map_by_merging(large_graph, large_grid, rule)); }});
    state.counters["4096_ms"] = 1e3 * rounds.seconds(0);
    state.counters["32768_ms"] = 1e3 * rounds.seconds(1);
    state.counters["grows"] = rounds.ratio(1, 0);
    state.counters["messages_grow"] =
        static_cast<double>(large_graph.transfers().size()) / static_cast<double>(graph.transfers().size());
  }
}

void register_all() {
  for (const auto& [name, rule] : {std::pair{"none", MergeRule::none}, std::pair{"mincost", MergeRule::mincost}}) {
    for (const Pattern& pattern : patterns()) {
      benchmark::RegisterBenchmark((std::string(name) + "/" + pattern.name).c_str(), grows, pattern, rule)
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace gdr::bench

int main(int argc, char** argv) {
  gdr::bench::register_all();
  return gdr::bench::run_benchmarks(argc, argv);
}
