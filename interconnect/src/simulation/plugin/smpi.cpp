// Simulates a schedule as MPI calls on SimGrid's SMPI. A rank is an actor of this process.
#include <fmt/format.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <simgrid/s4u.hpp>
#include <string>

#include "child/child.h"
#include "executors.h"
#include "gdr/base/error.h"
#include "mpi/run_mpi.h"
#include "zone.h"

namespace gdr::interconnect {
namespace {

namespace s4u = simgrid::s4u;

constexpr char kInstance[] = "schedule";

std::size_t largest_message(const Schedule& schedule) {
  std::uint64_t bytes = 1;
  for (const auto& steps : schedule.ranks) {
    for (const Step& step : steps) {
      for (const Message& message : step.sends) bytes = std::max(bytes, message.bytes);
    }
  }
  return bytes;
}

/// Memory that SMPI treats as shared between ranks, so that it does not copy the data there.
class Shared {
 public:
  explicit Shared(std::size_t bytes) : memory_(SMPI_SHARED_MALLOC(bytes)) {}
  ~Shared() { smpi_shared_free(memory_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  [[nodiscard]] void* get() const { return memory_; }

 private:
  void* memory_;
};

/// Messages carry no data; arithmetic takes its time.
class TimedPayload : public Payload {
 public:
  TimedPayload(const Shared& memory, const std::vector<Step>& steps, double flops_per_second, std::size_t& step,
               const std::function<void()>& tell)
      : memory_(memory), steps_(steps), flops_per_second_(flops_per_second), step_(step), tell_(tell) {}

  const void* outgoing(const Message&) override { return memory_.get(); }
  void* place_for(const Message&) override { return memory_.get(); }
  void finish_step(std::size_t step) override {
    if (flops_per_second_ > 0 && steps_[step].flops > 0)
      s4u::this_actor::execute(steps_[step].flops / flops_per_second_);
    step_ = step + 1;
    tell_();
  }

 private:
  const Shared& memory_;
  const std::vector<Step>& steps_;
  double flops_per_second_;
  std::size_t& step_;
  const std::function<void()>& tell_;  // called when a step is done
};

/// Configures SMPI to follow the schedule: no message leaves before its receive is posted, only messages take time.
void configure_smpi() {
  s4u::Engine::set_config("smpi/simulate-computation:no");
  s4u::Engine::set_config("smpi/async-small-thresh:0");
  s4u::Engine::set_config("smpi/send-is-detached-thresh:0");
}

std::vector<double> simulate_smpi(const Schedule& schedule, const Topology& topology, const SimulationOptions& options,
                                  double resolution, SharedNumber& done) {
  s4u::Engine& engine = make_engine(options, resolution, Shares::changed);
  configure_smpi();
  SMPI_init();
  auto* zone = new ExplicitZone(schedule, topology, options, Routes::limited);  // owned by the engine from here on

  const auto ranks = static_cast<Rank>(schedule.ranks.size());
  std::vector<std::size_t> steps(ranks);  // number that each rank has done
  std::vector<double> seconds(ranks);
  double all_steps = 0;
  for (const auto& of_rank : schedule.ranks) all_steps += static_cast<double>(of_rank.size());
  double steps_done = 0;
  const std::function<void()> tell = [&] { done.set(++steps_done / all_steps); };
  std::exception_ptr failure;  // of an actor, from which nothing may be thrown; the other actors then wait in vain
  s4u::Engine::on_deadlock_cb([&] {
    if (failure) std::rethrow_exception(failure);
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (steps[rank] < schedule.ranks[rank].size()) throw_deadlock(schedule, rank, steps[rank]);
    }
  });
  SMPI_app_instance_register(kInstance, nullptr, static_cast<int>(ranks));
  const Shared memory(largest_message(schedule));
  for (Rank rank = 0; rank < ranks; ++rank) {
    const s4u::ActorPtr actor = s4u::Actor::init(std::to_string(rank), zone->hosts()[rank]);
    actor->set_property("instance_id", kInstance);
    actor->set_property("rank", std::to_string(rank));
    actor->start([&, rank] {
      MPI_Init(nullptr, nullptr);
      TimedPayload payload(memory, schedule.ranks[rank], options.flops_per_second, steps[rank], tell);
      try {
        run_mpi(schedule, MPI_COMM_WORLD, payload);
      } catch (...) {
        failure = std::current_exception();
      }
      seconds[rank] = s4u::Engine::get_clock();
      MPI_Finalize();
    });
  }
  engine.run();
  if (failure) std::rethrow_exception(failure);
  return seconds;
}

/// A message of one byte for every pair of ranks, so that the zone has all links.
Schedule all_pairs(std::string_view name, Rank ranks) {
  Schedule schedule{.name = std::string(name), .ranks = std::vector<std::vector<Step>>(ranks)};
  for (Rank from = 0; from < ranks; ++from) {
    for (Rank to = 0; to < ranks; ++to) {
      if (from != to) add_message(schedule, 0, from, to, 1, 0);
    }
  }
  return schedule;
}

/// For each rank: when it was done, how many numbers it returned, and these numbers.
std::vector<double> simulate_program(const Schedule& pairs, const Topology& topology,
                                     const std::function<std::vector<double>(Rank)>& program,
                                     const SimulationOptions& options) {
  constexpr double kResolution = 1e-12;  // seconds: the lengths of the messages are not known yet
  s4u::Engine& engine = make_engine(options, kResolution, Shares::all);
  s4u::Engine::set_config("smpi/simulate-computation:no");
  SMPI_init();
  auto* zone = new ExplicitZone(pairs, topology, options, Routes::bare);  // owned by the engine from here on
  const auto ranks = static_cast<Rank>(pairs.ranks.size());
  std::vector<double> seconds(ranks);
  std::vector<std::vector<double>> numbers(ranks);
  std::exception_ptr failure;
  s4u::Engine::on_deadlock_cb([&] {
    if (failure) std::rethrow_exception(failure);
    throw Error(fmt::format("{}: deadlock: a rank waits for a message that nobody sends", pairs.name));
  });
  SMPI_app_instance_register(kInstance, nullptr, static_cast<int>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank) {
    const s4u::ActorPtr actor = s4u::Actor::init(std::to_string(rank), zone->hosts()[rank]);
    actor->set_property("instance_id", kInstance);
    actor->set_property("rank", std::to_string(rank));
    actor->start([&, rank] {
      MPI_Init(nullptr, nullptr);
      try {
        numbers[rank] = program(rank);
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
      seconds[rank] = s4u::Engine::get_clock();
      MPI_Finalize();
    });
  }
  engine.run();
  if (failure) std::rethrow_exception(failure);
  require_link_bound(pairs.name, topology, zone->carried(), s4u::Engine::get_clock(), kSolverPrecision);
  std::vector<double> all;
  for (Rank rank = 0; rank < ranks; ++rank) {
    all.push_back(seconds[rank]);
    all.push_back(static_cast<double>(numbers[rank].size()));
    all.insert(all.end(), numbers[rank].begin(), numbers[rank].end());
  }
  return all;
}

}  // namespace

ProgramResult simulate_program_on_smpi(std::string_view name, Rank ranks, const Topology& topology,
                                       const std::function<std::vector<double>(Rank)>& program,
                                       const SimulationOptions& options) {
  if (ranks < 1 || ranks > topology.nodes()) {
    throw Error(
        fmt::format("{}: {} ranks are refused: {} has {} nodes", name, ranks, topology.name(), topology.nodes()));
  }
  const Schedule pairs = all_pairs(name, ranks);
  const SharedNumber done;  // nobody knows how much of the program is left
  const ChildResult<std::vector<double>> child = compute_in_child(
      name, [&] { return simulate_program(pairs, topology, program, options); }, telling(options, done));
  ProgramResult result;
  auto next = child.computed.begin();
  for (Rank rank = 0; rank < ranks; ++rank) {
    result.rank_seconds.push_back(*next++);
    const auto count = static_cast<std::ptrdiff_t>(*next++);
    result.numbers.emplace_back(next, next + count);
    next += count;
  }
  result.seconds = std::ranges::max(result.rank_seconds);
  return result;
}

SimulationResult simulate_on_smpi(const Schedule& schedule, const Topology& topology,
                                  const SimulationOptions& options) {
  const LinkBound bound(schedule, topology, options, most_steps(schedule));
  return simulate_in_child(schedule, bound, options, [&](SharedNumber& done) {
    return simulate_smpi(schedule, topology, options, bound.resolution_seconds(), done);
  });
}

}  // namespace gdr::interconnect
