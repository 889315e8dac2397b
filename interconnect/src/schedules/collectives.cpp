#include "gdr/interconnect/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "collective_walk.h"
#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "gdr/base/stopping.h"
#include "gdr/base/units.h"
#include "step_loads.h"

namespace gdr::interconnect {
namespace {

constexpr Rank kMostRanks = 1U << 20;
constexpr double kMostMessages = 4096.0 * 4096.0;

constexpr base::Names<CollectiveAlgorithm> kAlgorithmNames({{CollectiveAlgorithm::bruck, "bruck"},
                                                            {CollectiveAlgorithm::direct, "direct"},
                                                            {CollectiveAlgorithm::doubling, "doubling"},
                                                            {CollectiveAlgorithm::halving, "halving"},
                                                            {CollectiveAlgorithm::levels, "levels"},
                                                            {CollectiveAlgorithm::multipath, "multipath"},
                                                            {CollectiveAlgorithm::pairwise, "pairwise"},
                                                            {CollectiveAlgorithm::posted, "posted"},
                                                            {CollectiveAlgorithm::ring, "ring"},
                                                            {CollectiveAlgorithm::scatter_doubling, "scatter-doubling"},
                                                            {CollectiveAlgorithm::scatter_ring, "scatter-ring"},
                                                            {CollectiveAlgorithm::tree, "tree"}});

void require_nodes(Rank nodes, Rank least = 1) {
  if (nodes >= least && nodes <= kMostRanks) return;
  throw Error(fmt::format("nodes: {} is refused: it must be from {} to {}", nodes, least, kMostRanks));
}

void refuse_many_messages(double messages) {
  if (messages <= kMostMessages) return;
  throw Error(
      fmt::format("a schedule of about {:.2g} messages is refused: there may be {:.2g}", messages, kMostMessages));
}

/// Keeps all messages as a schedule.
class ScheduleSink {
 public:
  ScheduleSink(const char* name, Rank nodes) : schedule_{name, std::vector<std::vector<Step>>(nodes)} {}

  void send(std::size_t step, Rank from, Rank to, std::uint64_t bytes, std::uint64_t piece) {
    if (from != to && bytes > 0) add_message(schedule_, step, from, to, bytes, piece);
  }
  /// After `step`, a rank adds the data that `summands` others sent to its own.
  void add(std::size_t step, Rank rank, std::uint64_t bytes, Rank summands) {
    if (summands == 0) return;
    auto& steps = schedule_.ranks[rank];
    if (steps.size() <= step) steps.resize(step + 1);
    steps[step].flops += static_cast<double>(bytes) / kDoubleBytes * summands;
  }
  [[nodiscard]] static bool again(Rank /*times*/) { return false; }
  [[nodiscard]] Schedule take() && { return std::move(schedule_); }

 private:
  Schedule schedule_;
};

/// Counts what each step takes. Steps come in ascending order.
class CountingSink {
 public:
  CountingSink(const Topology& topology, double flops_per_second)
      : topology_(topology), flops_per_second_(flops_per_second), loads_(topology), flops_(topology.nodes()) {
    form_.loads.resize(topology.links().size());
  }

  void send(std::size_t step, Rank from, Rank to, std::uint64_t bytes, std::uint64_t /*piece*/) {
    if (from == to || bytes == 0) return;
    go_to(step);
    loads_.add(from, to, bytes);
  }
  void add(std::size_t step, Rank rank, std::uint64_t bytes, Rank summands) {
    go_to(step);
    flops_[rank] += static_cast<double>(bytes) / kDoubleBytes * summands;
  }
  [[nodiscard]] bool again(Rank times) {
    end_step(1 + times);
    return true;
  }
  [[nodiscard]] CollectiveClosedForm take() && {
    end_step(1);
    divide_by_ways(form_.loads, topology_);
    form_.times.link_bound_seconds = link_bound_seconds(form_.loads, topology_);
    return std::move(form_);
  }

 private:
  void go_to(std::size_t step) {
    if (step == step_) return;
    end_step(1);
    step_ = step;
  }
  void end_step(std::uint64_t times) {
    base::pause();
    double most = 0;
    for (double& flops : flops_) {
      most = std::max(most, flops);
      form_.traffic.flops += flops * static_cast<double>(times);
      flops = 0;
    }
    loads_.add_to(form_.loads, times);
    form_.traffic.messages += loads_.messages() * times;
    form_.traffic.bytes += loads_.bytes() * times;
    const double seconds = loads_.seconds() + (flops_per_second_ > 0 ? most / flops_per_second_ : 0);
    form_.times.lockstep_seconds += seconds * static_cast<double>(times);
    loads_.clear();
  }

  const Topology& topology_;
  double flops_per_second_;
  StepLoads loads_;
  std::vector<double> flops_;  // by rank
  std::size_t step_ = 0;
  CollectiveClosedForm form_;
};

template <class Sink>
const WalkRow<Sink>& row_of(CollectiveOperation operation, CollectiveAlgorithm algorithm) {
  static constexpr auto kRows = walk_rows<Sink>();
  for (const WalkRow<Sink>& row : kRows) {
    if (row.operation == operation && row.algorithm == algorithm) return row;
  }
  throw Error(fmt::format("algorithm {} is refused: the collective has {}", name_of(algorithm), [&] {
    std::vector<std::string_view> names;
    for (const CollectiveAlgorithm known : algorithms_of(operation)) names.push_back(name_of(known));
    return fmt::format("{}", fmt::join(names, ", "));
  }()));
}

const char* title_of(CollectiveOperation operation) {
  switch (operation) {
    case CollectiveOperation::allgather:
      return "allgather";
    case CollectiveOperation::allreduce:
      return "allreduce";
    case CollectiveOperation::alltoall:
      return "all-to-all";
    case CollectiveOperation::broadcast:
      return "broadcast";
  }
  GDR_ASSERT(false, "an operation has a title");
  return "";
}

void require_fit(const Collective& collective, Rank nodes) {
  using enum CollectiveAlgorithm;
  require_nodes(nodes);
  const bool gathers = collective.operation == CollectiveOperation::allgather && collective.algorithm == doubling;
  if ((gathers || collective.algorithm == scatter_doubling) && !std::has_single_bit(nodes)) {
    throw Error(fmt::format("{} of {} nodes is refused: their number must be a power of two",
                            name_of(collective.algorithm), nodes));
  }
  if (collective.algorithm == levels && (collective.group == 0 || nodes % collective.group != 0)) {
    throw Error(fmt::format("groups of {} for levels are refused: their size must divide the {} nodes",
                            collective.group, nodes));
  }
}

Schedule kept(const Collective& collective, Rank nodes) {
  require_fit(collective, nodes);
  const auto& row = row_of<ScheduleSink>(collective.operation, collective.algorithm);
  refuse_many_messages(collective_size(collective, nodes).messages);
  ScheduleSink sink(title_of(collective.operation), nodes);
  CollectiveWalk<ScheduleSink> steps(nodes, collective.bytes, sink);
  row.run(steps, collective);
  return std::move(sink).take();
}

/// Walks that are no collectives of all ranks.
template <class Run>
Schedule walked(const char* name, Rank nodes, std::uint64_t bytes, Rank least, const Run& run) {
  require_nodes(nodes, least);
  refuse_many_messages(static_cast<double>(nodes) * nodes);
  ScheduleSink sink(name, nodes);
  CollectiveWalk<ScheduleSink> steps(nodes, bytes, sink);
  run(steps);
  return std::move(sink).take();
}

CollectiveAlgorithm on(Path path) {
  return path == Path::direct ? CollectiveAlgorithm::direct : CollectiveAlgorithm::multipath;
}

CollectiveAlgorithm by(AllgatherOrder order) {
  switch (order) {
    case AllgatherOrder::posted:
      return CollectiveAlgorithm::posted;
    case AllgatherOrder::pairwise:
      return CollectiveAlgorithm::pairwise;
    case AllgatherOrder::ring:
      return CollectiveAlgorithm::ring;
    case AllgatherOrder::bruck:
      return CollectiveAlgorithm::bruck;
    case AllgatherOrder::doubling:
      return CollectiveAlgorithm::doubling;
  }
  GDR_ASSERT(false, "an order of an all-gather is an algorithm");
  return CollectiveAlgorithm::posted;
}

}  // namespace

std::string_view name_of(CollectiveAlgorithm algorithm) { return kAlgorithmNames[algorithm]; }

std::vector<CollectiveAlgorithm> algorithms_of(CollectiveOperation operation) {
  std::vector<CollectiveAlgorithm> algorithms;
  for (const auto& row : walk_rows<ScheduleSink>()) {
    if (row.operation == operation) algorithms.push_back(row.algorithm);
  }
  return algorithms;
}

CollectiveAlgorithm algorithm_called(CollectiveOperation operation, std::string_view name) {
  std::vector<std::string_view> names;
  for (const CollectiveAlgorithm known : algorithms_of(operation)) {
    if (name_of(known) == name) return known;
    names.push_back(name_of(known));
  }
  throw Error(fmt::format("method = '{}' is refused: it must be one of {}", name, fmt::join(names, ", ")));
}

CollectiveAlgorithm algorithm_by(CollectiveOperation operation, std::string_view method, Rank nodes,
                                 std::uint64_t bytes) {
  return method == kAutoMethod ? library_algorithm(operation, nodes, bytes) : algorithm_called(operation, method);
}

CollectiveAlgorithm library_algorithm(CollectiveOperation operation, Rank nodes, std::uint64_t bytes) {
  using enum CollectiveAlgorithm;
  // Defaults of MPICH 3.1.3's variables MPIR_CVAR_..., in bytes.
  constexpr std::uint64_t kLongAllgather = 524288;
  constexpr std::uint64_t kShortBroadcast = 12288;
  constexpr std::uint64_t kLongBroadcast = 524288;
  constexpr Rank kFewForBroadcast = 8;
  constexpr std::uint64_t kShortAllreduce = 2048;
  constexpr std::uint64_t kShortAlltoall = 256;
  constexpr std::uint64_t kMediumAlltoall = 32768;
  constexpr Rank kFewForAlltoall = 8;
  const bool is_power = std::has_single_bit(nodes);
  switch (operation) {
    case CollectiveOperation::allgather:
      if (bytes * nodes < kLongAllgather && is_power) return doubling;
      return bytes * nodes < kShortAllgather ? bruck : ring;
    case CollectiveOperation::allreduce:
      return bytes <= kShortAllreduce || bytes < sizeof(double) * std::bit_floor(nodes) ? doubling : halving;
    case CollectiveOperation::alltoall:
      if (bytes <= kShortAlltoall && nodes >= kFewForAlltoall) return bruck;
      return bytes <= kMediumAlltoall ? posted : pairwise;
    case CollectiveOperation::broadcast:
      if (bytes < kShortBroadcast || nodes < kFewForBroadcast) return tree;
      return bytes < kLongBroadcast && is_power ? scatter_doubling : scatter_ring;
  }
  GDR_ASSERT(false, "the library has an algorithm for every operation");
  return tree;
}

Schedule make_collective(const Collective& collective, Rank nodes) { return kept(collective, nodes); }

CollectiveClosedForm collective_closed_form(const Collective& collective, const Topology& topology,
                                            double flops_per_second) {
  require_fit(collective, topology.nodes());
  const auto& row = row_of<CountingSink>(collective.operation, collective.algorithm);
  CountingSink sink(topology, flops_per_second);
  CollectiveWalk<CountingSink> steps(topology.nodes(), collective.bytes, sink);
  row.run(steps, collective);
  return std::move(sink).take();
}

CollectiveSize collective_size(const Collective& collective, Rank nodes) {
  const double n = nodes;
  const double each_bit = n * std::ceil(std::log2(std::max(n, 2.0)));
  const bool is_levels = collective.algorithm == CollectiveAlgorithm::levels && collective.group > 0;
  switch (row_of<ScheduleSink>(collective.operation, collective.algorithm).growth) {
    case Growth::linear:
      return {n, n};
    case Growth::logarithmic:
      return {each_bit, each_bit};
    case Growth::ring:
      if (is_levels) return {n * (collective.group + n / collective.group), 2 * each_bit};
      return {n * (n - 1), 2 * n};
    case Growth::square:
      return {n * (n - 1), n * (n - 1)};
  }
  GDR_ASSERT(false, "a growth has a size");
  return {};
}

Schedule make_broadcast(Rank nodes, std::uint64_t bytes, Path path) {
  return kept({CollectiveOperation::broadcast, on(path), bytes}, nodes);
}

Schedule make_tree_broadcast(Rank nodes, std::uint64_t bytes) {
  return kept({CollectiveOperation::broadcast, CollectiveAlgorithm::tree, bytes}, nodes);
}

Schedule make_reduce(Rank nodes, std::uint64_t bytes, Path path) {
  return walked("reduce", nodes, bytes, 1,
                [&](auto& steps) { path == Path::direct ? steps.reduce_directly() : steps.reduce_over_all(); });
}

Schedule make_allreduce(Rank nodes, std::uint64_t bytes, Path path) {
  return kept({CollectiveOperation::allreduce, on(path), bytes}, nodes);
}

Schedule make_doubling_allreduce(Rank nodes, std::uint64_t bytes) {
  return kept({CollectiveOperation::allreduce, CollectiveAlgorithm::doubling, bytes}, nodes);
}

Schedule make_alltoall(Rank nodes, std::uint64_t bytes, AllgatherOrder order) {
  return kept({CollectiveOperation::alltoall, by(order), bytes}, nodes);
}

Schedule make_send(Rank nodes, std::uint64_t bytes, Path path) {
  return walked("send", nodes, bytes, 2,
                [&](auto& steps) { path == Path::direct ? steps.send_directly() : steps.send_over_all(); });
}

Schedule make_allgather(Rank nodes, std::uint64_t bytes, AllgatherOrder order) {
  return kept({CollectiveOperation::allgather, by(order), bytes}, nodes);
}

}  // namespace gdr::interconnect
