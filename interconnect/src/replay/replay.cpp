// A program becomes activities: its messages are matched, and each operation follows what it waits for.
#include "gdr/interconnect/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"

namespace gdr::interconnect {
namespace {

constexpr ActivityId kAtOnce = std::numeric_limits<ActivityId>::max();  // the beginning of the run
constexpr std::size_t kMostOperations = std::size_t{1} << 31;           // an index shares a word with a flag
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

std::string place_of(const RankProgram& rank, const RankProgram::Operation& operation) {
  return base::place_in(rank.file, operation.line);
}

/// A half of a message. `index` is the operation's number among those of all ranks.
struct Half {
  Rank from = 0;
  Rank to = 0;
  std::int64_t tag = 0;
  std::uint32_t index = 0;

  [[nodiscard]] auto envelope() const { return std::tuple(from, to, tag); }
};

class ReplayBuilder {
 public:
  ReplayBuilder(const Program& program, NodeId nodes, const ReplayOptions& options)
      : program_(program), options_(options), node_of_(options.node_of_rank) {
    const std::size_t ranks = program.ranks.size();
    if (node_of_.empty()) {
      for (Rank rank = 0; rank < ranks; ++rank) node_of_.push_back(rank);
    }
    if (node_of_.size() < ranks || (options.node_of_rank.empty() && ranks > nodes)) {
      throw Error(fmt::format("{}: {} ranks are refused: there are {} places for them", program.name, ranks,
                              std::min<std::size_t>(node_of_.size(), nodes)));
    }
    node_of_.resize(ranks);
    graph_ = ActivityGraph(program.name, nodes, place_cpus());
    std::size_t count = 0;
    for (const RankProgram& rank : program.ranks) {
      first_.push_back(static_cast<std::uint32_t>(count));
      count += rank.size();
    }
    if (count >= kNobody) throw Error(fmt::format("{}: {} operations are more than {}", program.name, count, kNobody));
    first_.push_back(static_cast<std::uint32_t>(count));
    rank_of_.reserve(count);
    for (Rank rank = 0; rank < ranks; ++rank) rank_of_.insert(rank_of_.end(), program.ranks[rank].size(), rank);
    partner_.assign(count, kNobody);
    begun_.assign(count, kAtOnce);
    ended_.assign(count, kAtOnce);
    state_.assign(count, State::waiting);
    open_.assign(count, 0);
  }

  ActivityGraph build() {
    pair();
    link();
    for (std::uint32_t index = 0; index < open_.size(); ++index) {
      if (open_[index] == 0) ready_.push_back(index);
    }
    while (!ready_.empty()) {
      const std::uint32_t index = ready_.front();
      ready_.pop_front();
      begin(index);
    }
    require_all_done();
    return std::move(graph_);
  }

 private:
  enum class State : std::uint8_t { waiting, begun, ended };

  /// Numbers the cpus that ranks compute on. Returns the node of each.
  std::vector<NodeId> place_cpus() {
    std::vector<NodeId> nodes;
    for (Rank rank = 0; rank < program_.ranks.size(); ++rank) {
      for (OperationId id = 0; id < program_.ranks[rank].size(); ++id) {
        const RankProgram::Operation& o = program_.ranks[rank].operation(id);
        if (o.kind != OperationKind::compute && o.kind != OperationKind::sleep) continue;
        if (cpus_.try_emplace({rank, o.cpu}, static_cast<ResourceId>(nodes.size())).second) {
          nodes.push_back(node_of_[rank]);
        }
      }
    }
    return nodes;
  }

  [[nodiscard]] Rank rank_of(std::uint32_t index) const { return rank_of_[index]; }
  [[nodiscard]] const RankProgram& rank_program(std::uint32_t index) const { return program_.ranks[rank_of(index)]; }
  [[nodiscard]] const RankProgram::Operation& operation(std::uint32_t index) const {
    const Rank rank = rank_of(index);
    return program_.ranks[rank].operation(index - first_[rank]);
  }

  /// Finds the other half of each send and receive.
  void pair() {
    std::vector<Half> sends;
    std::vector<Half> receives;
    for (Rank rank = 0; rank < program_.ranks.size(); ++rank) {
      const RankProgram& of_rank = program_.ranks[rank];
      for (OperationId id = 0; id < of_rank.size(); ++id) {
        const RankProgram::Operation& o = of_rank.operation(id);
        if (o.kind != OperationKind::send && o.kind != OperationKind::receive) continue;
        if (o.peer >= program_.ranks.size()) {
          throw Error(fmt::format("{}: rank {} is refused: there are ranks 0 to {}", place_of(of_rank, o), o.peer,
                                  program_.ranks.size() - 1));
        }
        if (o.kind == OperationKind::send)
          sends.push_back({rank, o.peer, o.tag, first_[rank] + id});
        else
          receives.push_back({o.peer, rank, o.tag, first_[rank] + id});
      }
    }
    const auto in_order = [](const Half& a, const Half& b) {
      return std::tuple(a.envelope(), a.index) < std::tuple(b.envelope(), b.index);
    };
    std::ranges::sort(sends, in_order);
    std::ranges::sort(receives, in_order);
    auto send = sends.begin();
    auto receive = receives.begin();
    while (send != sends.end() || receive != receives.end()) {
      const bool lacks_receive =
          receive == receives.end() || (send != sends.end() && send->envelope() < receive->envelope());
      if (lacks_receive) refuse_half(*send, "a send to", send->to, "receive");
      if (send == sends.end() || receive->envelope() < send->envelope())
        refuse_half(*receive, "a receive from", receive->from, "send");
      const RankProgram::Operation& sent = operation(send->index);
      const RankProgram::Operation& received = operation(receive->index);
      if (received.amount > 0 && received.amount < sent.amount) {
        throw Error(fmt::format("{}: a receive of {} bytes is refused: rank {} sends {} ({})",
                                place_of(rank_program(receive->index), received), received.amount, send->from,
                                sent.amount, place_of(rank_program(send->index), sent)));
      }
      partner_[send->index] = receive->index;
      partner_[receive->index] = send->index;
      ++send;
      ++receive;
    }
  }

  [[noreturn]] void refuse_half(const Half& half, std::string_view what, Rank peer, std::string_view lacking) const {
    throw Error(fmt::format("{}: {} rank {} with tag {} by rank {} has no {}",
                            place_of(rank_program(half.index), operation(half.index)), what, peer, half.tag,
                            rank_of(half.index), lacking));
  }

  /// Counts what each operation waits for, and lists who waits for it.
  void link() {
    follower_begin_.assign(open_.size() + 1, 0);
    for_each_before([&](std::uint32_t before, std::uint32_t, bool) { ++follower_begin_[before + 1]; });
    for (std::size_t n = 1; n < follower_begin_.size(); ++n) follower_begin_[n] += follower_begin_[n - 1];
    followers_.resize(follower_begin_.back());
    std::vector<std::size_t> next(follower_begin_.begin(), follower_begin_.end() - 1);
    for_each_before([&](std::uint32_t before, std::uint32_t index, bool begun) {
      followers_[next[before]++] = {index, begun};
      ++open_[index];
    });
  }

  void for_each_before(const auto& take) const {
    for (Rank rank = 0; rank < program_.ranks.size(); ++rank) {
      const RankProgram& of_rank = program_.ranks[rank];
      for (OperationId id = 0; id < of_rank.size(); ++id) {
        for (const Before before : of_rank.before(id))
          take(first_[rank] + before.operation, first_[rank] + id, before.begun);
      }
    }
  }

  /// All that an operation waits for has come.
  void begin(std::uint32_t index) {
    const Rank rank = rank_of(index);
    const RankProgram& of_rank = program_.ranks[rank];
    const OperationId id = index - first_[rank];
    const RankProgram::Operation& o = of_rank.operation(id);
    after_.clear();
    for (const Before before : of_rank.before(id)) {
      const std::uint32_t other = first_[rank] + before.operation;
      add_after(before.begun ? begun_[other] : ended_[other]);
    }
    const ActivityId at = joined();
    begun_[index] = at;
    pass_on(index, State::begun);
    switch (o.kind) {
      case OperationKind::join:
        end(index, at);
        return;
      case OperationKind::compute:
        work(index, cpus_.at({rank, o.cpu}), at, seconds_of(o.amount, node_of_[rank]));
        return;
      case OperationKind::sleep:
        work(index, cpus_.at({rank, o.cpu}), at, o.amount);
        return;
      case OperationKind::send:
        if (o.amount < options_.eager_bytes) end(index, at);
        break;
      case OperationKind::receive:
        break;
    }
    const std::uint32_t partner = partner_[index];
    if (state_[partner] != State::waiting)
      o.kind == OperationKind::send ? travel(index, partner) : travel(partner, index);
  }

  void add_after(ActivityId id) {
    if (id != kAtOnce && std::ranges::find(after_, id) == after_.end()) after_.push_back(id);
  }
  /// One activity that ends with the last of after_.
  ActivityId joined() {
    if (after_.empty()) return kAtOnce;
    return after_.size() == 1 ? after_.front() : graph_.join(after_);
  }

  [[nodiscard]] double seconds_of(double flops, NodeId node) const {
    const double speed = options_.flops_of_node.empty() ? options_.flops_per_second : options_.flops_of_node[node];
    return speed > 0 ? flops / speed : 0;
  }

  void work(std::uint32_t index, ResourceId cpu, ActivityId at, double seconds) {
    if (seconds == 0) return end(index, at);
    after_.clear();
    add_after(at);
    end(index, graph_.work(cpu, seconds, after_, static_cast<PartId>(ReplayPart::compute)));
  }

  /// Both halves are posted.
  void travel(std::uint32_t send, std::uint32_t receive) {
    after_.clear();
    add_after(begun_[send]);
    add_after(begun_[receive]);
    const NodeId from = node_of_[rank_of(send)];
    const NodeId to = node_of_[rank_of(receive)];
    const ActivityId message = from == to ? joined()
                                          : graph_.message(from, to, operation(send).amount + options_.envelope_bytes,
                                                           after_, static_cast<PartId>(ReplayPart::network));
    end(receive, message);
    if (state_[send] != State::ended) end(send, message);
  }

  void end(std::uint32_t index, ActivityId at) {
    ended_[index] = at;
    pass_on(index, State::ended);
  }

  void pass_on(std::uint32_t index, State state) {
    state_[index] = state;
    for (std::size_t n = follower_begin_[index]; n < follower_begin_[index + 1]; ++n) {
      const Follower& follower = followers_[n];
      if (follower.begun == (state == State::begun) && --open_[follower.index] == 0) ready_.push_back(follower.index);
    }
  }

  void require_all_done() const {
    for (std::uint32_t index = 0; index < state_.size(); ++index) {
      if (state_[index] == State::ended) continue;
      throw Error(fmt::format("{}: rank {} waits here for ever", place_of(rank_program(index), operation(index)),
                              rank_of(index)));
    }
  }

  struct Follower {
    std::uint32_t index = 0;
    bool begun = false;
  };

  const Program& program_;
  const ReplayOptions& options_;
  std::vector<NodeId> node_of_;
  std::map<std::pair<Rank, std::uint16_t>, ResourceId> cpus_;
  ActivityGraph graph_{"", 1, {}};
  std::vector<std::uint32_t> first_;  // index of the first operation of each rank, then the number of all
  // Of each operation of all ranks:
  std::vector<Rank> rank_of_;
  std::vector<std::uint32_t> partner_;
  std::vector<ActivityId> begun_;
  std::vector<ActivityId> ended_;
  std::vector<State> state_;
  std::vector<std::uint32_t> open_;  // number of operations that it still waits for
  std::vector<std::size_t> follower_begin_;
  std::vector<Follower> followers_;
  std::deque<std::uint32_t> ready_;
  std::vector<ActivityId> after_;
};

}  // namespace

ActivityGraph replay_graph(const Program& program, NodeId nodes, const ReplayOptions& options) {
  return ReplayBuilder(program, nodes, options).build();
}

}  // namespace gdr::interconnect
