// Simulates a schedule with SimGrid's S4U. There are no actors: the end of a message or a computation makes its ranks
// go on, so that thousands of ranks need no stacks.
#include <algorithm>
#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "child/child.h"
#include "coupling.h"
#include "executors.h"
#include "zone.h"

namespace gdr::interconnect {
namespace {

namespace s4u = simgrid::s4u;

/// Key by which the two halves of a message find each other.
struct Envelope {
  Rank from;
  Rank to;
  std::uint64_t bytes;
  std::uint64_t piece;
  bool operator==(const Envelope&) const = default;
};
struct EnvelopeHash {
  std::size_t operator()(const Envelope& envelope) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
    std::uint64_t hash = (std::uint64_t{envelope.from} << 32 | envelope.to) * kOdd;
    hash = (hash ^ hash >> 29 ^ envelope.piece) * kOdd;
    return (hash ^ hash >> 32 ^ envelope.bytes) * kOdd;
  }
};

class ScheduleSimulation {
 public:
  ScheduleSimulation(const Schedule& schedule, const SimulationOptions& options, ExplicitZone& zone, SharedNumber& done)
      : schedule_(schedule),
        options_(options),
        zone_(zone),
        done_(done),
        messages_(static_cast<double>(traffic(schedule).messages)),
        ranks_(schedule.ranks.size()) {}

  /// Returns when each rank is done.
  std::vector<double> run(s4u::Engine& engine) {
    s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) { complete(activity); });
    for (Rank rank = 0; rank < ranks_.size(); ++rank) begin_step(rank);
    engine.run();
    std::vector<double> seconds;
    for (Rank rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].step < schedule_.ranks[rank].size()) {
        throw_deadlock(schedule_, rank, ranks_[rank].step);
      }
      seconds.push_back(ranks_[rank].done_at);
    }
    return seconds;
  }

 private:
  struct RankState {
    std::size_t step = 0;
    std::size_t open = 0;  // messages of this step that are not complete yet
    double done_at = 0;
  };
  /// Messages that one flow of SimGrid carries.
  struct Flight {
    Rank from;
    Rank to;
    std::uint32_t messages;
    s4u::CommPtr comm;  // keeps it alive
  };
  /// Messages that begin together.
  struct Bundle {
    Envelope envelope;  // of the first of them
    std::uint32_t messages;
  };
  struct Computation {
    Rank rank;
    s4u::ExecPtr exec;
  };

  void begin_step(Rank rank) {
    RankState& state = ranks_[rank];
    const auto& steps = schedule_.ranks[rank];
    while (state.step < steps.size()) {
      const Step& step = steps[state.step];
      state.open = step.sends.size() + step.receives.size();
      if (state.open > 0) {
        for (const Message& message : step.sends) post({rank, message.peer, message.bytes, message.piece}, 1);
        for (const Message& message : step.receives) post({message.peer, rank, message.bytes, message.piece}, -1);
        start_paired();
        return;
      }
      if (compute(rank)) return;
      ++state.step;
    }
    state.done_at = s4u::Engine::get_clock();
  }

  /// True if the arithmetic of the rank's step takes time.
  bool compute(Rank rank) {
    const double flops = schedule_.ranks[rank][ranks_[rank].step].flops;
    if (flops <= 0 || options_.flops_per_second <= 0) return false;
    const s4u::ExecPtr exec = s4u::Exec::init();
    // Hosts have a speed of 1, so that a computation is given in seconds.
    exec->set_flops_amount(flops / options_.flops_per_second)->set_host(zone_.hosts()[rank]);
    computing_[exec.get()] = {rank, exec};
    exec->start();
    return true;
  }

  /// Posts one half of a message (`side`: 1 send, -1 receive). If the other half waits, the message is to begin.
  void post(const Envelope& envelope, int side) {
    int& waiting = halves_[envelope];  // number of halves that wait: sends positive, receives negative
    const bool is_pair = waiting * side < 0;
    waiting += side;
    if (waiting == 0) halves_.erase(envelope);
    if (is_pair) paired_.push_back({envelope, 1});
  }

  /// Begins the messages that a step has paired. Equal messages between the same two ranks then have the same share of
  /// every link until they end together, so that one flow carries them all: SimGrid's work grows as the square of the
  /// number of flows.
  void start_paired() {
    if (paired_.size() > 1) gather_equal();
    for (const auto& [envelope, messages] : paired_) {
      if (messages == 1 || zone_.takes_together(envelope.from, envelope.to, envelope.bytes, messages)) {
        start(envelope, messages);
      } else {
        for (std::uint32_t n = 0; n < messages; ++n) start(envelope, 1);
      }
    }
    paired_.clear();
  }

  /// Leaves one bundle for equal messages between the same two ranks, at the place of the first.
  void gather_equal() {
    places_.clear();
    std::size_t bundles = 0;
    for (const auto& [envelope, messages] : paired_) {
      Envelope equal = envelope;
      equal.piece = 0;
      const auto [place, is_new] = places_.try_emplace(equal, bundles);
      if (is_new) {
        paired_[bundles++] = {envelope, messages};
      } else {
        paired_[place->second].messages += messages;
      }
    }
    paired_.erase(paired_.begin() + static_cast<std::ptrdiff_t>(bundles), paired_.end());
  }

  void start(const Envelope& envelope, std::uint32_t messages) {
    const s4u::CommPtr comm = s4u::Comm::sendto_init(zone_.hosts()[envelope.from], zone_.hosts()[envelope.to]);
    comm->set_payload_size(envelope.bytes * messages);
    zone_.announce(envelope.bytes, messages);
    flights_[comm.get()] = {envelope.from, envelope.to, messages, comm};
    comm->start();
  }

  void complete(const s4u::Activity& activity) {
    if (const auto flight = flights_.find(&activity); flight != flights_.end()) {
      const Flight landed = std::move(flight->second);
      flights_.erase(flight);
      last_done_ = landed.comm;
      landed_ += landed.messages;
      done_.set(landed_ / messages_);
      messages_done(landed.from, landed.messages);
      messages_done(landed.to, landed.messages);
    } else if (const auto computing = computing_.find(&activity); computing != computing_.end()) {
      const Computation computed = std::move(computing->second);
      computing_.erase(computing);
      last_done_ = computed.exec;
      next_step(computed.rank);
    }
  }

  void messages_done(Rank rank, std::uint32_t messages) {
    ranks_[rank].open -= messages;
    if (ranks_[rank].open == 0 && !compute(rank)) next_step(rank);
  }

  void next_step(Rank rank) {
    ++ranks_[rank].step;
    begin_step(rank);
  }

  const Schedule& schedule_;
  const SimulationOptions& options_;
  ExplicitZone& zone_;
  SharedNumber& done_;
  double messages_;
  double landed_ = 0;  // of the messages
  std::vector<RankState> ranks_;
  std::unordered_map<Envelope, int, EnvelopeHash> halves_;
  std::vector<Bundle> paired_;                                      // of the step that is being posted
  std::unordered_map<Envelope, std::size_t, EnvelopeHash> places_;  // in paired_, by envelope without piece
  std::unordered_map<const s4u::Activity*, Flight> flights_;
  std::unordered_map<const s4u::Activity*, Computation> computing_;
  s4u::ActivityPtr last_done_;  // SimGrid still uses an activity after it has reported that the activity is complete
};

std::vector<double> simulate_s4u(const Schedule& schedule, const Topology& topology, const SimulationOptions& options,
                                 double resolution, SharedNumber& done) {
  const Shares shares = do_messages_hang_together(schedule, topology) ? Shares::all : Shares::changed;
  s4u::Engine& engine = make_engine(options, resolution, shares);
  const Routes routes = shares == Shares::all ? Routes::capped : Routes::limited;
  auto* zone = new ExplicitZone(schedule, topology, options, routes);  // owned by the engine from here on
  return ScheduleSimulation(schedule, options, *zone, done).run(engine);
}

}  // namespace

SimulationResult simulate_on_s4u(const Schedule& schedule, const Topology& topology, const SimulationOptions& options) {
  const LinkBound bound(schedule, topology, options, most_steps(schedule));
  return simulate_in_child(schedule, bound, options, [&](SharedNumber& done) {
    return simulate_s4u(schedule, topology, options, bound.resolution_seconds(), done);
  });
}

}  // namespace gdr::interconnect
