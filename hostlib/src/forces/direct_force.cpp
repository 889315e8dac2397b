#include "gdr/hostlib/direct_force.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

#include "force_calls.h"
#include "gdr/base/error.h"
#include "gdr/base/stopping.h"
#include "simd/direct_sums.h"

namespace gdr::hostlib {
namespace {

constexpr unsigned kMostThreads = 1024;
// Waking threads takes about as long as this many interactions on one thread.
constexpr std::size_t kInteractionsWorthThreads = std::size_t{1} << 16;
constexpr std::size_t kPredictedAtATime = 4096;
// Times a group of i-particles: some 10 ms of one thread.
constexpr std::size_t kInteractionsAPause = std::size_t{1} << 19;

unsigned thread_count(unsigned asked) {
  if (asked > kMostThreads) {
    throw Error(fmt::format("threads = {} is refused: it must be 0 to {}", asked, kMostThreads));
  }
  return asked == 0 ? std::max(1U, std::thread::hardware_concurrency()) : asked;
}

simd::Axes<double> columns(std::array<std::vector<double>, 3>& axes) {
  return {axes[0].data(), axes[1].data(), axes[2].data()};
}
simd::Axes<const double> columns(const std::array<std::vector<double>, 3>& axes) {
  return {axes[0].data(), axes[1].data(), axes[2].data()};
}

void put(std::array<std::vector<double>, 3>& axes, std::size_t at, const Vec3& value) {
  axes[0][at] = value.x;
  axes[1][at] = value.y;
  axes[2][at] = value.z;
}
Vec3 get(const std::array<std::vector<double>, 3>& axes, std::size_t at) {
  return {axes[0][at], axes[1][at], axes[2][at]};
}

/// i-particles in columns. Copies of the last i-particle fill the columns up to a whole host vector.
struct Targets {
  using Axes = std::array<std::vector<double>, 3>;
  std::vector<std::int64_t> id;
  Axes x, v, acc, jerk;
  std::vector<double> pot;

  explicit Targets(std::span<const IParticle> particles) {
    const std::size_t size = particles.size() + simd::kMostLanes - 1;
    id.resize(size);
    pot.resize(size);
    for (Axes* axes : {&x, &v, &acc, &jerk}) {
      for (std::vector<double>& axis : *axes) axis.resize(size);
    }
    for (std::size_t k = 0; k < size; ++k) {
      const IParticle& particle = particles[std::min(k, particles.size() - 1)];
      id[k] = particle.id;
      put(x, k, particle.x);
      put(v, k, particle.v);
    }
  }
};

}  // namespace

DirectForce::DirectForce(const DirectOptions& options)
    : isa_(options.isa ? *options.isa : emulator::default_host_isa()) {
  emulator::require_host_isa("DirectForce", isa_);
  const unsigned threads = thread_count(options.threads);
  if (threads > 1) threads_ = std::make_unique<emulator::ThreadPool>(threads);
}

void DirectForce::set_j_count(std::size_t n) {
  const JParticle none;
  id_.resize(n, none.id);
  mass_.resize(n, none.mass);
  t0_.resize(n, none.t0);
  for (Axes* axes : {&x_, &v_, &a_by_2_, &jerk_by_6_, &snap_by_18_, &predicted_x_, &predicted_v_}) {
    for (std::vector<double>& axis : *axes) axis.resize(n);
  }
  j_count_ = n;
  fresh_ = false;
}

void DirectForce::set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) {
  require_j_particles(addresses, particles, j_count_);
  fresh_ = false;
  for (std::size_t k = 0; k < addresses.size(); ++k) {
    const std::size_t at = addresses[k];
    const JParticle& particle = particles[k];
    id_[at] = particle.id;
    mass_[at] = particle.mass;
    t0_[at] = particle.t0;
    put(x_, at, particle.x);
    put(v_, at, particle.v);
    put(a_by_2_, at, particle.a_by_2);
    put(jerk_by_6_, at, particle.jerk_by_6);
    put(snap_by_18_, at, particle.snap_by_18);
  }
}

void DirectForce::set_time(double t) {
  require_time(t);
  time_ = t;
  fresh_ = false;
}

/// Calls `work` for all of 0 .. all - 1, in ranges whose length is a multiple of `part` (the last may be shorter).
void DirectForce::in_parts(std::size_t all, std::size_t part, bool worth_threads,
                           const std::function<void(std::size_t first, std::size_t last)>& work) {
  constexpr std::size_t kPartsAThread = 4;  // more than 1, so that a delayed thread delays the others only a little
  const std::size_t parts = (all + part - 1) / part;
  if (!threads_ || !worth_threads || parts < 2) return work(0, all);
  const std::size_t wanted = std::min<std::size_t>(parts, kPartsAThread * threads_->threads());
  const std::size_t run = (parts + wanted - 1) / wanted * part;
  threads_->run(static_cast<unsigned>((all + run - 1) / run),
                [&](unsigned n) { work(n * run, std::min(all, (n + 1) * run)); });
}

void DirectForce::predict() {
  const simd::DirectLoops loops = simd::direct_loops(isa_);
  const auto whole = [](const Axes& axes) { return columns(axes); };
  const simd::MemoryColumns memory{t0_.data(),     whole(x_),         whole(v_),
                                   whole(a_by_2_), whole(jerk_by_6_), whole(snap_by_18_)};
  const simd::PredictedColumns predicted{columns(predicted_x_), columns(predicted_v_)};
  in_parts(j_count_, kPredictedAtATime, true,
           [&](std::size_t first, std::size_t last) { loops.predict(memory, time_, predicted, first, last); });
  fresh_ = true;
}

std::vector<Force> DirectForce::evaluate(std::span<const IParticle> i_particles, double eps2) {
  require_i_particles(i_particles, eps2);
  if (!fresh_) predict();
  const std::size_t n = i_particles.size();
  if (n == 0) return {};
  Targets targets(i_particles);
  const simd::SourceColumns sources{j_count_, id_.data(), mass_.data(), columns(std::as_const(predicted_x_)),
                                    columns(std::as_const(predicted_v_))};
  const simd::TargetColumns to{targets.id.data(),
                               columns(std::as_const(targets.x)),
                               columns(std::as_const(targets.v)),
                               columns(targets.acc),
                               columns(targets.jerk),
                               targets.pot.data()};
  const simd::DirectLoops loops = simd::direct_loops(isa_);
  // Whole groups, so that the lanes of a part touch no other part's particles.
  const std::size_t at_once =
      base::is_stoppable() ? (kInteractionsAPause / std::max<std::size_t>(j_count_, 1) + 1) * simd::kGroup : n;
  for (std::size_t begin = 0; begin < n; begin += at_once) {
    base::pause();
    const std::size_t count = std::min(at_once, n - begin);
    in_parts(count, simd::kGroup, count * j_count_ >= kInteractionsWorthThreads,
             [&](std::size_t first, std::size_t last) { loops.sum(sources, eps2, to, begin + first, begin + last); });
  }
  std::vector<Force> forces(n);
  for (std::size_t k = 0; k < n; ++k) forces[k] = {get(targets.acc, k), get(targets.jerk, k), targets.pot[k]};
  return forces;
}

}  // namespace gdr::hostlib
