// A trace in program order becomes operations that wait for each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "collective_steps.h"
#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"

namespace gdr::interconnect {
namespace {

/// Tags of collectives, beyond all tags of MPI.
constexpr std::int64_t kCollectiveTags = std::int64_t{1} << 40;

/// Name of a collective in a trace. `by_rank`: each rank has its own size.
std::string_view collective_name(TracedCollective collective, bool by_rank) {
  switch (collective) {
    case TracedCollective::barrier:
      return "barrier";
    case TracedCollective::broadcast:
      return "bcast";
    case TracedCollective::reduce:
      return "reduce";
    case TracedCollective::all_reduce:
      return "allreduce";
    case TracedCollective::all_to_all:
      return by_rank ? "alltoallv" : "alltoall";
    case TracedCollective::gather:
      return by_rank ? "gatherv" : "gather";
    case TracedCollective::scatter:
      return by_rank ? "scatterv" : "scatter";
    case TracedCollective::all_gather:
      return by_rank ? "allgatherv" : "allgather";
    case TracedCollective::reduce_scatter:
      return "reducescatter";
    case TracedCollective::scan:
      return "scan";
    case TracedCollective::exclusive_scan:
      return "exscan";
  }
  GDR_ASSERT(false, "every collective has a name");
}

/// Whether Action::extra is what a rank computes after the collective.
bool computes(TracedCollective collective) {
  switch (collective) {
    case TracedCollective::reduce:
    case TracedCollective::all_reduce:
    case TracedCollective::reduce_scatter:
    case TracedCollective::scan:
    case TracedCollective::exclusive_scan:
      return true;
    case TracedCollective::barrier:
    case TracedCollective::broadcast:
    case TracedCollective::all_to_all:
    case TracedCollective::gather:
    case TracedCollective::scatter:
    case TracedCollective::all_gather:
      return false;
  }
  GDR_ASSERT(false, "every collective computes or does not");
}

/// What MPI asks the ranks to agree on in a collective.
struct Agreement {
  bool root = false;
  bool amount = false;  // bytes of every rank
  bool sizes = false;   // the list of bytes of all ranks
};

Agreement agreement_on(TracedCollective collective, const Action& action, Rank rank) {
  const bool by_rank = action.sizes != 0;
  switch (collective) {
    case TracedCollective::broadcast:
    case TracedCollective::reduce:
      return {.root = true, .amount = true};
    case TracedCollective::all_reduce:
    case TracedCollective::scan:
    case TracedCollective::exclusive_scan:
      return {.amount = true};
    case TracedCollective::all_to_all:
      return {.amount = !by_rank};
    case TracedCollective::all_gather:
      return {.amount = !by_rank, .sizes = by_rank};
    case TracedCollective::reduce_scatter:
      return {.sizes = true};
    case TracedCollective::gather:
      // The root may gather in place, and then its trace has another size or none.
      return {.root = true, .amount = !by_rank && rank != action.root};
    case TracedCollective::scatter:  // sizes count at the root only
      return {.root = true};
    case TracedCollective::barrier:
      return {};
  }
  GDR_ASSERT(false, "every collective has an agreement");
}

/// Compares the collectives of all ranks, in their order, before messages are made of them: they have no tags, so that
/// messages of two that do not match would pair, or would wait for each other for ever.
class CollectiveMatch {
 public:
  explicit CollectiveMatch(const Trace& trace) : calls_(trace.ranks.size()) {
    std::vector<std::size_t> read(trace.ranks.size());  // actions of each rank
    for (;; ++index_) {
      std::vector<std::optional<Call>> next;
      for (Rank rank = 0; rank < trace.ranks.size(); ++rank)
        next.push_back(next_call(trace.ranks[rank], rank, read[rank]));
      const auto has = std::ranges::find_if(next, [](const auto& call) { return call.has_value(); });
      if (has == next.end()) return;
      for (Rank rank = 0; rank < next.size(); ++rank) {
        if (!next[rank]) refuse_lack(**has, rank);
        calls_[rank] = *next[rank];
      }
      compare_all();
      compare_parts();
    }
  }

 private:
  struct Call {
    TracedCollective collective = TracedCollective::barrier;
    const Action* action = nullptr;
    const RankActions* actions = nullptr;
    Rank rank = 0;
  };

  static std::optional<Call> next_call(const RankActions& actions, Rank rank, std::size_t& read) {
    while (read < actions.actions.size()) {
      const Action& action = actions.actions[read++];
      if (const auto collective = collective_of(action.kind)) return Call{*collective, &action, &actions, rank};
    }
    return std::nullopt;
  }

  void compare_all() const {
    const Call* first = &calls_.front();  // or of a rank whose size says more
    for (const Call& call : calls_) {
      const Action& a = *first->action;
      const Action& b = *call.action;
      const Agreement of_a = agreement_on(first->collective, a, first->rank);
      const Agreement of_b = agreement_on(call.collective, b, call.rank);
      const bool matches = first->collective == call.collective && (a.sizes == 0) == (b.sizes == 0) &&
                           (!of_a.root || a.root == b.root) && (!of_a.amount || !of_b.amount || a.amount == b.amount) &&
                           (!of_a.sizes || sizes_of(*first) == sizes_of(call));
      if (!matches) {
        throw Error(fmt::format("{}: collective {} of rank {} is {}, but that of rank {} is {} ({})", place(call),
                                index_ + 1, call.rank, text(call), first->rank, text(*first), place(*first)));
      }
      if (!of_a.amount && of_b.amount) first = &call;
    }
  }

  /// What each rank sends must be what its receiver expects. Where all ranks agree on a size, one receiver of each
  /// sender shows it.
  void compare_parts() const {
    const auto ranks = static_cast<Rank>(calls_.size());
    const Call& first = calls_.front();
    const Rank root = first.action->root;
    switch (first.collective) {
      case TracedCollective::gather:
        for (Rank rank = 0; rank < ranks && root < ranks; ++rank) compare_part(rank, root);
        break;
      case TracedCollective::scatter:
        for (Rank rank = 0; rank < ranks && root < ranks; ++rank) compare_part(root, rank);
        break;
      case TracedCollective::all_gather:
        for (Rank rank = 0; rank < ranks; ++rank) compare_part(rank, (rank + 1) % ranks);
        break;
      case TracedCollective::all_to_all:
        for (Rank from = 0; from < ranks; ++from) {
          for (Rank distance = 1; distance < (first.action->sizes == 0 ? 2 : ranks); ++distance)
            compare_part(from, (from + distance) % ranks);
        }
        break;
      case TracedCollective::barrier:
      case TracedCollective::broadcast:
      case TracedCollective::reduce:
      case TracedCollective::all_reduce:
      case TracedCollective::reduce_scatter:
      case TracedCollective::scan:
      case TracedCollective::exclusive_scan:
        break;
    }
  }

  void compare_part(Rank from, Rank to) const {
    if (from == to) return;  // in place, the trace may lack a size
    const double sent = sent_bytes(calls_[from], to);
    const double expected = received_bytes(calls_[to], from);
    if (sent == expected) return;
    throw Error(fmt::format(
        "{}: in collective {}, rank {} receives {:.0f} byte{} from rank {}, which sends {:.0f} ({})", place(calls_[to]),
        index_ + 1, to, expected, expected == 1 ? "" : "s", from, sent, place(calls_[from])));
  }
  /// In a gather, a scatter, an all-gather or an all-to-all.
  static double sent_bytes(const Call& call, Rank to) {
    const Action& action = *call.action;
    const bool by_receiver =
        call.collective == TracedCollective::scatter || call.collective == TracedCollective::all_to_all;
    return action.sizes != 0 && by_receiver ? static_cast<double>(sizes_of(call)[to]) : action.amount;
  }
  static double received_bytes(const Call& call, Rank from) {
    const Action& action = *call.action;
    if (action.sizes == 0) return action.extra;
    if (call.collective == TracedCollective::scatter) return action.amount;
    const std::vector<std::uint64_t>& sizes = sizes_of(call);
    const bool has_both = call.collective == TracedCollective::all_to_all;
    return static_cast<double>(sizes[has_both ? sizes.size() / 2 + from : from]);
  }

  [[noreturn]] void refuse_lack(const Call& call, Rank lacking) const {
    const std::string last = index_ > 0 ? fmt::format(" (the last: {})", place(calls_[lacking])) : "";
    throw Error(fmt::format("{}: collective {} of rank {} is {}, but rank {} has only {}{}", place(call), index_ + 1,
                            call.rank, text(call), lacking, index_, last));
  }
  static std::string place(const Call& call) { return base::place_in(call.actions->file, call.action->line); }
  static const std::vector<std::uint64_t>& sizes_of(const Call& call) {
    static const std::vector<std::uint64_t> kNone;
    return call.action->sizes == 0 ? kNone : call.actions->sizes[call.action->sizes - 1];
  }
  static std::string text(const Call& call) {
    const Action& action = *call.action;
    const Agreement agreement = agreement_on(call.collective, action, call.rank);
    const std::string_view name = collective_name(call.collective, action.sizes != 0);
    std::string text = fmt::format("{} {}", name.front() == 'a' || name.front() == 'e' ? "an" : "a", name);
    if (agreement.amount) text += fmt::format(" of {:.0f} byte{}", action.amount, action.amount == 1 ? "" : "s");
    if (agreement.sizes) text += fmt::format(" of [{}] bytes", fmt::join(sizes_of(call), ", "));
    if (agreement.root) text += fmt::format(" with root {}", action.root);
    return text;
  }

  std::vector<Call> calls_;  // the last one of each rank
  std::size_t index_ = 0;    // its number, from 0 on
};

class RankLowering {
 public:
  RankLowering(const RankActions& actions, Rank rank, Rank ranks, CollectiveMethod method)
      : actions_(actions), rank_(rank), ranks_(ranks), method_(method) {
    program_.file = actions.file;
  }

  RankProgram run() {
    for (const Action& action : actions_.actions) take(action);
    return std::move(program_);
  }

 private:
  /// A request that nobody has waited for yet.
  struct Request {
    bool sends = false;
    Rank peer = 0;
    std::int32_t tag = 0;
    OperationId operation = 0;
  };

  void take(const Action& a) {
    line_ = a.line;
    switch (a.kind) {
      case ActionKind::compute:
        return go_on(OperationKind::compute, 0, 0, a.amount);
      case ActionKind::sleep:
        return go_on(OperationKind::sleep, 0, 0, a.amount);
      case ActionKind::send:
        return go_on(OperationKind::send, a.peer, a.tag, a.amount);
      case ActionKind::receive:
        return go_on(OperationKind::receive, a.peer, a.tag, a.amount);
      case ActionKind::isend:
        open_.push_back({true, a.peer, a.tag, post(OperationKind::send, a.peer, a.tag, a.amount)});
        return;
      case ActionKind::ireceive:
        open_.push_back({false, a.peer, a.tag, post(OperationKind::receive, a.peer, a.tag, a.amount)});
        return;
      case ActionKind::wait_send:
        return wait(true, a);
      case ActionKind::wait_receive:
        return wait(false, a);
      case ActionKind::wait_all:
        for (const Request& request : open_) waited_.push_back(request.operation);
        open_.clear();
        return wait_for_all();
      case ActionKind::test:
        return;
      case ActionKind::exchange:
        waited_.push_back(post(OperationKind::receive, a.root, a.tag, a.extra));
        waited_.push_back(post(OperationKind::send, a.peer, a.tag, a.amount));
        return wait_for_all();
      case ActionKind::barrier:
      case ActionKind::broadcast:
      case ActionKind::reduce:
      case ActionKind::all_reduce:
      case ActionKind::all_to_all:
      case ActionKind::gather:
      case ActionKind::scatter:
      case ActionKind::all_gather:
      case ActionKind::reduce_scatter:
      case ActionKind::scan:
      case ActionKind::exclusive_scan:
        return collective(*collective_of(a.kind), a);
    }
  }

  void collective(TracedCollective collective, const Action& a) {
    static const std::vector<std::uint64_t> kNone;
    const std::int64_t tag = kCollectiveTags + collectives_++;
    std::vector<Step> steps;
    try {
      steps =
          collective_steps(collective, a, a.sizes == 0 ? kNone : actions_.sizes[a.sizes - 1], rank_, ranks_, method_);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", base::place_in(actions_.file, a.line), error.what()));
    }
    for (const Step& step : steps) {
      for (const Message& receive : step.receives)
        waited_.push_back(post(OperationKind::receive, receive.peer, tag, 0));
      for (const Message& send : step.sends)
        waited_.push_back(post(OperationKind::send, send.peer, tag, static_cast<double>(send.bytes)));
      wait_for_all();
    }
    if (computes(collective) && a.extra > 0) go_on(OperationKind::compute, 0, 0, a.extra);
  }

  void wait(bool sends, const Action& a) {
    const auto found = std::ranges::find_if(open_, [&](const Request& request) {
      return request.sends == sends && request.peer == a.peer && request.tag == a.tag;
    });
    if (found == open_.end()) return;
    waited_.push_back(found->operation);
    open_.erase(found);
    wait_for_all();
  }

  /// Adds an operation after the last one that the rank waited for.
  OperationId post(OperationKind kind, Rank peer, std::int64_t tag, double amount) {
    before_.clear();
    if (front_) before_.push_back({*front_});
    return program_.add({.kind = kind, .line = line_, .peer = peer, .tag = tag, .amount = amount}, before_);
  }
  void go_on(OperationKind kind, Rank peer, std::int64_t tag, double amount) { front_ = post(kind, peer, tag, amount); }

  /// The rank goes on once all of `waited_` have ended, which is emptied.
  void wait_for_all() {
    if (waited_.empty()) return;
    before_.clear();
    for (const OperationId operation : waited_) before_.push_back({operation});
    waited_.clear();
    if (front_) before_.push_back({*front_});
    front_ = program_.add({.kind = OperationKind::join, .line = line_}, before_);
  }

  const RankActions& actions_;
  Rank rank_;
  Rank ranks_;
  CollectiveMethod method_;
  RankProgram program_;
  std::uint32_t line_ = 0;
  std::optional<OperationId> front_;  // the last operation that the rank waited for
  std::vector<Request> open_;
  std::vector<OperationId> waited_;
  std::vector<Before> before_;
  std::int64_t collectives_ = 0;
};

}  // namespace

Program make_program(const Trace& trace, CollectiveMethod method) {
  const CollectiveMatch matched(trace);
  Program program{trace.name, {}};
  const auto ranks = static_cast<Rank>(trace.ranks.size());
  for (Rank rank = 0; rank < ranks; ++rank)
    program.ranks.push_back(RankLowering(trace.ranks[rank], rank, ranks, method).run());
  return program;
}

}  // namespace gdr::interconnect
