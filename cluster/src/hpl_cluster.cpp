#include "gdr/cluster/hpl_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "gdr/base/counted.h"
#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "gdr/base/units.h"
#include "gdr/hostlib/mxp.h"
#include "gdr/hostlib/node_memory.h"

namespace gdr::cluster {
namespace {

using interconnect::ActivityTimes;
using interconnect::Topology;

constexpr base::Names<HplStage> kStageNames({{HplStage::panel, "panel"},
                                             {HplStage::broadcast, "broadcast"},
                                             {HplStage::swap, "swap"},
                                             {HplStage::update, "update"},
                                             {HplStage::backsub, "backsub"}});
/// Number of parts in which U is exchanged if that overlaps with the update. It is the smallest number that overlaps,
/// since narrow products leave the board waiting for blocks of A.
constexpr unsigned kPartsOfU = 2;

unsigned id_of(HplStage stage) { return static_cast<unsigned>(stage); }

/// Number of elements of blocks first, first + 1, ... that a row or column of the grid owns, for n elements in blocks
/// of nb.
double owned(std::uint64_t n, std::uint64_t nb, std::uint64_t first, Rank place, Rank places) {
  const std::uint64_t blocks = (n + nb - 1) / nb;
  std::uint64_t block = first + (place + places - first % places) % places;
  double elements = 0;
  if (block < blocks) {
    const std::uint64_t count = (blocks - 1 - block) / places + 1;
    elements = static_cast<double>(count * nb);
    const std::uint64_t last = block + (count - 1) * places;
    if (last == blocks - 1) elements -= static_cast<double>(blocks * nb - n);
  }
  return elements;
}

class Generator {
 public:
  Generator(const Cluster& cluster, const Topology& topology, const DgemmModel& board, const HplClusterOptions& options,
            bool relays)
      : cluster_(cluster),
        topology_(topology),
        options_(options),
        relays_(relays),
        with_board_(cluster.host, &board, options.transfer, options.rule),
        host_alone_(cluster.host, nullptr, {}, options.rule),
        blocks_((options.n + options.nb - 1) / options.nb),
        parts_(options.overlap_u ? kPartsOfU : 1),
        graph_(cluster, ranks(), "HPL"),
        updates_(ranks()) {
    const auto [rows, columns] = options_.grid;
    in_rows_.resize(rows);
    in_columns_.resize(columns);
    for (Rank rank = 0; rank < ranks(); ++rank) {
      in_rows_[rank / columns].push_back(rank);
      in_columns_[rank % columns].push_back(rank);
    }
    for (std::vector<std::vector<ActivityId>>& of_rank : updates_) of_rank.resize(parts_);
  }

  HplClusterTimes run() {
    factorise(0);
    for (std::uint64_t k = 0; k + 1 < blocks_; ++k) {
      const bool ahead = options_.lookahead > 0;
      for (unsigned part = 0; part < parts_; ++part) update(k, part, ahead);
      if (!ahead) wait_for_updates();
      factorise(k + 1);
    }
    wait_for_updates();
    if (options_.pivots) solve_back();
    return times();
  }

  /// Lower bound on the seconds of the run: the updates of one rank on the busier of its board and its host.
  [[nodiscard]] double least_seconds() const {
    constexpr Rank kRank = 0;
    NodeSeconds sum;
    for (std::uint64_t k = 0; k + 1 < blocks_; ++k) {
      if (columns_from(k + 1, kRank) <= 0) continue;
      for (unsigned part = 0; part < parts_; ++part) {
        const UpdateWork work = update_work(k, part, options_.lookahead > 0, kRank);
        for (const NodeSeconds& seconds : {work.solve, work.next_panel, work.rest}) {
          sum.host += seconds.host;
          sum.board += seconds.board;
        }
      }
    }
    return std::max(sum.host, sum.board);
  }

 private:
  [[nodiscard]] Rank ranks() const { return options_.grid.rows * options_.grid.columns; }
  [[nodiscard]] double width(std::uint64_t block) const {
    return static_cast<double>(std::min(options_.nb, options_.n - block * options_.nb));
  }
  [[nodiscard]] double rows_from(std::uint64_t block, Rank rank) const {
    return owned(options_.n, options_.nb, block, rank / options_.grid.columns, options_.grid.rows);
  }
  [[nodiscard]] double columns_from(std::uint64_t block, Rank rank) const {
    return owned(options_.n, options_.nb, block, rank % options_.grid.columns, options_.grid.columns);
  }

  /// Charges host and board with what each of them computes, one after the other.
  void compute(Rank rank, const NodeSeconds& seconds) {
    graph_.host(rank, seconds.host);
    graph_.board(rank, seconds.board);
  }

  /// Factorises panel k in its column of ranks, and broadcasts it along the rows.
  void factorise(std::uint64_t k) {
    const auto column = static_cast<std::size_t>(k % options_.grid.columns);
    const Group& group = in_columns_[column];
    const double columns = width(k);
    graph_.stage(id_of(HplStage::panel));
    double most_below = 0;
    for (const Rank rank : group) {
      const double rows = std::max(rows_from(k, rank), columns / options_.grid.rows);
      most_below = std::max(most_below, rows_from(k + 1, rank));
      // With look-ahead, the board is busy with the update before.
      const HplNode& node = options_.lookahead > 0 && k > 0 ? host_alone_ : with_board_;
      compute(rank, node.panel(rows, columns, options_.grid.rows));
    }
    if (group.size() > 1 && !options_.pivots) {
      const std::vector<std::size_t> roots(1, static_cast<std::size_t>(k % options_.grid.rows));
      const double seconds = alone({group}, [&](RankGraph& graph, const std::vector<Group>& groups) {
        broadcast(graph, groups, roots, columns * columns * options_.element_bytes, Method::doubling);
      });
      graph_.together(group);
      for (const Rank rank : group) graph_.wait_for_network(rank, seconds);
    } else if (group.size() > 1) {
      // For each column of the panel, one allreduce finds the pivot and exchanges its row: the messages carry both
      // rows.
      const double seconds = alone({group}, [&](RankGraph& graph, const std::vector<Group>& groups) {
        allreduce(graph, groups, (2 * columns + 4) * options_.element_bytes);
      });
      graph_.together(group);
      for (const Rank rank : group) graph_.wait_for_network(rank, columns * seconds);
    }
    if (options_.grid.columns == 1) return;
    graph_.stage(id_of(HplStage::broadcast));
    const std::vector<std::size_t> roots(in_rows_.size(), column);
    // HPL sends the rank's rows below the panel's triangle, the triangle itself, which every rank of the column holds
    // in the end, and the pivots.
    const double bytes = ((most_below + columns) * columns + columns) * options_.element_bytes;
    choose(What::panel, bytes,
           [&](RankGraph& graph, Method method) { broadcast(graph, in_rows_, roots, bytes, method); });
  }

  /// Updates part `part` of the columns to the right of panel k: swaps rows, solves for U, and updates the rest.
  void update(std::uint64_t k, unsigned part, bool ahead) {
    const double depth = width(k);
    double widest = 0;
    std::vector<double> columns(ranks());
    for (Rank rank = 0; rank < ranks(); ++rank) {
      columns[rank] = columns_from(k + 1, rank) / parts_;
      widest = std::max(widest, columns[rank]);
      graph_.receive(rank, updates_[rank][part]);
      updates_[rank][part].clear();
    }
    if (!options_.pivots) pass_on_rows(k, depth, widest, columns);
    graph_.stage(id_of(HplStage::swap));
    if (options_.grid.rows > 1 && options_.pivots) {
      const double bytes = depth * widest * options_.element_bytes;
      const double share = bytes / options_.grid.rows;
      choose(What::spread, bytes,
             [&](RankGraph& graph, Method method) { reduce_scatter(graph, in_columns_, bytes, 0, method); });
      choose(What::roll, share, [&](RankGraph& graph, Method method) { allgather(graph, in_columns_, share, method); });
    }
    for (Rank rank = 0; rank < ranks(); ++rank) {
      if (columns[rank] <= 0) continue;
      if (options_.pivots) {
        graph_.stage(id_of(HplStage::swap));
        const double rows = std::max(rows_from(k, rank), depth / options_.grid.rows);
        graph_.host(rank, with_board_.row_swaps(rows, depth / options_.grid.rows, columns[rank]));
      }
      graph_.stage(id_of(HplStage::update));
      const UpdateWork work = update_work(k, part, ahead, rank);
      compute(rank, work.solve);
      compute(rank, work.next_panel);
      if (work.rest.board > 0) {
        updates_[rank][part] = {graph_.board_beside(rank, work.rest.board, graph_.front(rank))};
      } else {
        compute(rank, work.rest);
      }
    }
  }

  /// What a rank computes to update its columns.
  struct UpdateWork {
    NodeSeconds solve;
    NodeSeconds next_panel;  // product for the columns that are factorised next
    NodeSeconds rest;        // product for the others
  };
  [[nodiscard]] UpdateWork update_work(std::uint64_t k, unsigned part, bool ahead, Rank rank) const {
    UpdateWork work;
    const double depth = width(k);
    double rest = columns_from(k + 1, rank) / parts_;
    // The board is busy with the part before.
    const HplNode& solver = part > 0 ? host_alone_ : with_board_;
    if (options_.pivots) work.solve = solver.solve(depth, rest);
    const double below = rows_from(k + 1, rank);
    if (below <= 0) return work;
    if (ahead && part == 0 && rank % options_.grid.columns == (k + 1) % options_.grid.columns) {
      const double first = std::min(rest, width(k + 1));
      work.next_panel = with_board_.product(below, first, depth);
      rest -= first;
    }
    if (rest > 0) work.rest = with_board_.product(below, rest, depth);
    return work;
  }

  /// Without pivots: one row of ranks computes U and passes it on in the columns.
  void pass_on_rows(std::uint64_t k, double depth, double widest, const std::vector<double>& columns) {
    const Rank owner = static_cast<Rank>(k % options_.grid.rows);
    graph_.stage(id_of(HplStage::update));
    for (Rank rank = 0; rank < ranks(); ++rank) {
      if (rank / options_.grid.columns == owner && columns[rank] > 0) {
        compute(rank, with_board_.solve(depth, columns[rank]));
      }
    }
    if (options_.grid.rows == 1) return;
    graph_.stage(id_of(HplStage::broadcast));
    const double bytes = depth * widest * options_.element_bytes;
    const std::vector<std::size_t> roots(in_columns_.size(), owner);
    choose(What::spread, bytes,
           [&](RankGraph& graph, Method method) { broadcast(graph, in_columns_, roots, bytes, method); });
  }

  void wait_for_updates() {
    for (Rank rank = 0; rank < ranks(); ++rank) {
      for (std::vector<ActivityId>& update : updates_[rank]) {
        graph_.receive(rank, update);
        update.clear();
      }
    }
  }

  /// All ranks together read half of the matrix once; each block of the solution is broadcast.
  void solve_back() {
    graph_.stage(id_of(HplStage::backsub));
    const double n = static_cast<double>(options_.n);
    double seconds = 0;
    Group all(ranks());
    std::iota(all.begin(), all.end(), 0);
    if (ranks() > 1) {
      const double bytes = width(0) * kDoubleBytes;
      seconds = static_cast<double>(blocks_) * alone({all}, [&](RankGraph& graph, const std::vector<Group>& groups) {
                  broadcast(graph, groups, {0}, bytes, Method::doubling);
                });
    }
    graph_.together(all);
    for (const Rank rank : all) {
      graph_.wait_for_network(rank, seconds);
      graph_.host(rank, with_board_.back_substitution(n) / ranks());
    }
  }

  /// Seconds of a call if all its ranks begin it together.
  template <class Calls>
  [[nodiscard]] double alone(const std::vector<Group>& groups, const Calls& call) const {
    RankGraph graph(cluster_, ranks(), "call");
    call(graph, groups);
    return run_critical_path(graph.graph(), topology_, {options_.factors}).seconds;
  }

  enum class What : std::uint8_t { panel, spread, roll };

  /// Makes the call by the method that is fastest for messages of its size; sizes within a factor of sqrt(2) share a
  /// choice.
  void choose(What what, double bytes, const Call& call) {
    const auto size = static_cast<int>(std::lround(2 * std::log2(std::max(bytes, 1.0))));
    auto known = best_.find({what, size});
    if (known == best_.end()) {
      const Way way = fastest_way(cluster_, ranks(), topology_, options_.factors, kMethods, relays_, call);
      known = best_.emplace(std::pair(what, size), way).first;
    }
    make(graph_, call, known->second);
  }

  [[nodiscard]] HplClusterTimes times() const {
    const ActivityTimes path = run_critical_path(graph_.graph(), topology_, {options_.factors});
    HplClusterTimes times;
    times.seconds = path.seconds;
    for (unsigned stage = 0; stage < kHplStages; ++stage) times.stages[stage] = stage_seconds(path, stage);
    times.parts = part_seconds(path);
    for (Rank rank = 0; rank < ranks(); ++rank) times.board_busy += path.resource_busy[RankGraph::board_resource(rank)];
    times.board_busy /= ranks();
    times.bytes = static_cast<double>(graph_.bytes());
    times.activities = graph_.graph().size();
    return times;
  }

  const Cluster& cluster_;
  const Topology& topology_;
  const HplClusterOptions& options_;
  bool relays_;
  const HplNode with_board_;
  const HplNode host_alone_;
  std::uint64_t blocks_;
  unsigned parts_;
  RankGraph graph_;
  std::vector<Group> in_rows_;
  std::vector<Group> in_columns_;
  std::vector<std::vector<std::vector<ActivityId>>> updates_;  // [rank][part]: the update that is under way
  std::map<std::pair<What, int>, Way> best_;
};

/// Times without relays or, if the cluster has multipath and that is faster, with them. Relays that make each call
/// faster may still be in each other's way, so that both runs are timed.
HplClusterTimes faster_times(const Cluster& cluster, const Topology& topology, const DgemmModel& board,
                             const HplClusterOptions& options) {
  HplClusterTimes direct = Generator(cluster, topology, board, options, false).run();
  if (!cluster.multipath) return direct;
  HplClusterTimes relayed = Generator(cluster, topology, board, options, true).run();
  return relayed.seconds < direct.seconds ? relayed : direct;
}

void check(const Cluster& cluster, const Topology& topology, const HplClusterOptions& options) {
  const auto [rows, columns] = options.grid;
  if (rows < 1 || columns < 1)
    throw Error(fmt::format("grid {} x {} is refused: both must be at least 1", rows, columns));
  const double ranks = static_cast<double>(rows) * columns;
  const double nodes = std::ceil(ranks / cluster.ranks_per_node);
  if (nodes > topology.nodes()) {
    throw Error(fmt::format("grid {} x {} is refused: it needs {:.0f} nodes, {} has {}", rows, columns, nodes,
                            topology.name(), topology.nodes()));
  }
  if (options.n < 1) throw Error("n = 0 is refused: it must be at least 1");
  if (options.nb < 1 || options.nb > options.n) {
    throw Error(fmt::format("nb = {} is refused: it must be 1 to n = {}", options.nb, options.n));
  }
  if (options.lookahead > 1)
    throw Error(fmt::format("lookahead = {} is refused: it must be 0 or 1", options.lookahead));
  require_hpl_memory(options.n, options.element_bytes, nodes, cluster.host.memory);
  // Each panel has a broadcast along rows and an exchange along columns, with one message per rank in each of their
  // steps.
  constexpr double kMostMessages = 2e7;
  const double steps = rows + columns + (options.overlap_u ? kPartsOfU : 1) * 2.0 * rows;
  const double messages = std::ceil(static_cast<double>(options.n) / static_cast<double>(options.nb)) * ranks * steps;
  if (messages > kMostMessages) {
    throw Error(
        fmt::format("n = {} and nb = {} on {} x {} ranks make {:.1e} messages; {:.0e} can be looked at: take a "
                    "larger nb",
                    options.n, options.nb, rows, columns, messages, kMostMessages));
  }
  // Parts of messages take time, but no memory.
  constexpr double kMostParts = 3e8;
  const double parts = 2 * nodes * messages;
  if (cluster.multipath && parts > kMostParts) {
    throw Error(
        fmt::format("n = {} and nb = {} on {} x {} ranks with multipath make {:.1e} parts of messages; {:.0e} "
                    "can be looked at: take a larger nb, or no multipath",
                    options.n, options.nb, rows, columns, parts, kMostParts));
  }
}

}  // namespace

std::string_view name_of(HplStage stage) { return kStageNames[stage]; }

ProcessGrid grid_named(const std::string& text, Rank ranks) {
  if (text.empty()) return square_grid(ranks);
  ProcessGrid grid{0, 0};
  const char* const end = text.data() + text.size();
  const auto [after_rows, bad_rows] = std::from_chars(text.data(), end, grid.rows);
  const bool has_cross = bad_rows == std::errc() && after_rows != end && *after_rows == 'x';
  if (has_cross) {
    const auto [after, bad] = std::from_chars(after_rows + 1, end, grid.columns);
    if (bad == std::errc() && after == end && std::uint64_t{grid.rows} * grid.columns == ranks) return grid;
  }
  throw Error(fmt::format("'{}' is refused: it must be PxQ with P Q = {}", text, base::counted(ranks, "rank")));
}

std::vector<std::uint64_t> usual_hpl_orders(const Cluster& cluster, std::uint64_t nodes, bool mxp) {
  const double element_bytes = mxp ? kMxpElementBytes : double{sizeof(double)};
  const std::uint64_t largest = largest_hpl_order(element_bytes, static_cast<double>(nodes), cluster.host.memory);
  std::vector<std::uint64_t> orders{kUsualHplOrders.front()};
  std::copy_if(kUsualHplOrders.begin() + 1, kUsualHplOrders.end(), std::back_inserter(orders),
               [&](std::uint64_t n) { return n <= largest; });
  return orders;
}

ProcessGrid square_grid(Rank ranks) {
  auto rows = static_cast<Rank>(std::sqrt(ranks));
  while (rows > 1 && ranks % rows != 0) --rows;
  return {std::max(rows, 1U), ranks / std::max(rows, 1U)};
}

double mxp_refinement_seconds_on(const Cluster& cluster, const Topology& topology, const HplClusterOptions& options,
                                 unsigned steps) {
  const Rank ranks = options.grid.rows * options.grid.columns;
  const auto n = static_cast<double>(options.n);
  const double computed = mxp_refinement_seconds(cluster.host, n, steps, ranks);
  if (ranks == 1) return computed;
  const auto groups_of = [&](bool columns) {
    std::vector<Group> groups(columns ? options.grid.columns : options.grid.rows);
    for (Rank rank = 0; rank < ranks; ++rank) {
      groups[columns ? rank % options.grid.columns : rank / options.grid.columns].push_back(rank);
    }
    return groups;
  };
  const auto seconds_of = [&](bool columns, double elements) {
    const std::vector<Group> groups = groups_of(columns);
    if (groups.front().size() < 2) return 0.0;
    RankGraph graph(cluster, ranks, "refinement");
    allreduce(graph, groups, elements * kDoubleBytes);
    return run_critical_path(graph.graph(), topology, {options.factors}).seconds;
  };
  const double product = seconds_of(true, n / options.grid.columns) + seconds_of(false, n / options.grid.rows);
  const auto nb = static_cast<double>(options.nb);
  const double triangles = 2 * std::ceil(n / nb) * (seconds_of(true, nb) + seconds_of(false, nb));
  return computed + steps * product + (steps + 1) * triangles;
}

HplClusterTimes hpl_times(const Cluster& cluster, const Topology& topology, const DgemmModel& board,
                          const HplClusterOptions& options) {
  check(cluster, topology, options);
  return faster_times(cluster, topology, board, options);
}

std::span<const std::uint64_t> hpl_panel_widths() {
  // Those first that are mostly fastest, so that others are soon left.
  static constexpr std::array<std::uint64_t, 11> kWidths{512, 768, 1024, 384, 256, 1536, 2048, 192, 128, 3072, 4096};
  return kWidths;
}

HplChoice fastest_hpl(const Cluster& cluster, const Topology& topology, const DgemmModel& board,
                      HplClusterOptions options) {
  std::optional<HplChoice> fastest;
  std::optional<Error> refused;
  const auto try_width = [&](std::uint64_t nb) {
    options.nb = nb;
    try {
      check(cluster, topology, options);
      if (fastest) {
        const Generator generator(cluster, topology, board, options, false);
        if (generator.least_seconds() > fastest->times.seconds) return;
      }
      const HplClusterTimes times = faster_times(cluster, topology, board, options);
      const bool is_faster = !fastest || times.seconds < fastest->times.seconds ||
                             (times.seconds == fastest->times.seconds && nb > fastest->nb);
      if (is_faster) fastest = {nb, times};
    } catch (const Error& error) {
      if (!refused) refused = error;
    }
  };
  for (const std::uint64_t nb : hpl_panel_widths()) {
    if (nb <= options.n) try_width(nb);
  }
  if (!fastest && !refused) try_width(options.n);
  if (!fastest) throw Error(*refused);
  return *fastest;
}

}  // namespace gdr::cluster
