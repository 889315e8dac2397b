// A trace in program order becomes operations that wait for each other.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "collective_steps.h"
#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

/// Tags of collectives, beyond all tags of MPI.
constexpr std::int64_t kCollectiveTags = std::int64_t{1} << 40;

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
        return collective(a);
    }
  }

  void collective(const Action& a) {
    static const std::vector<std::uint64_t> kNone;
    const std::int64_t tag = kCollectiveTags + collectives_++;
    std::vector<Step> steps;
    try {
      steps = collective_steps(a, a.sizes == 0 ? kNone : actions_.sizes[a.sizes - 1], rank_, ranks_, method_);
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", actions_.file, a.line, error.what()));
    }
    for (const Step& step : steps) {
      for (const Message& receive : step.receives)
        waited_.push_back(post(OperationKind::receive, receive.peer, tag, 0));
      for (const Message& send : step.sends)
        waited_.push_back(post(OperationKind::send, send.peer, tag, static_cast<double>(send.bytes)));
      wait_for_all();
    }
    if (a.extra > 0) go_on(OperationKind::compute, 0, 0, a.extra);
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
    return program_.add({kind, line_, peer, tag, amount}, before_);
  }
  void go_on(OperationKind kind, Rank peer, std::int64_t tag, double amount) { front_ = post(kind, peer, tag, amount); }

  /// The rank goes on once all of `waited_` have ended, which is emptied.
  void wait_for_all() {
    if (waited_.empty()) return;
    before_.clear();
    for (const OperationId operation : waited_) before_.push_back({operation});
    waited_.clear();
    if (front_) before_.push_back({*front_});
    front_ = program_.add({OperationKind::join, line_, 0, 0, 0}, before_);
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
  Program program{trace.name, {}};
  const auto ranks = static_cast<Rank>(trace.ranks.size());
  for (Rank rank = 0; rank < ranks; ++rank)
    program.ranks.push_back(RankLowering(trace.ranks[rank], rank, ranks, method).run());
  return program;
}

}  // namespace gdr::interconnect
