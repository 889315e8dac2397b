// Fourth-order Hermite scheme with block individual time steps (Makino & Aarseth 1992). A ForceBackend computes the
// forces. docs/nbody/nbody.md has the equations and the time-step rules with their reasons.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gdr/hostlib/force_backend.h"
#include "gdr/hostlib/particles.h"
#include "gdr/hostlib/regularised_pair.h"

namespace gdr::hostlib {

/// Times are whole numbers of ticks of 2^-40, the smallest step, so that the arithmetic of block steps is exact.
using Ticks = std::int64_t;
inline constexpr int kTicksPerUnitLog2 = 40;
inline constexpr int kSmallestStepLog2 = -40;
inline constexpr int kLargestStepLog2 = -3;

/// Largest time. Up to it, every multiple of 2^-40 is exactly a double.
inline constexpr double kLargestTime = 8192.0;

inline constexpr double kLeastEta = 1e-6;
inline constexpr double kMostEta = 10;
inline constexpr double kMostEps = 1e6;

struct HermiteOptions {
  double eta = 0.1;   // kLeastEta to kMostEta; dt is proportional to it
  double eps = 0.01;  // 0 to kMostEps; Plummer softening length
  /// Hard binaries that no other body disturbs much are advanced by RegularisedPair. Needs eps = 0.
  bool regularise = false;

  friend bool operator==(const HermiteOptions&, const HermiteOptions&) = default;
};

struct HermiteCounters {
  std::uint64_t steps = 0;           // steps of single particles
  std::uint64_t block_steps = 0;     // = force calls after the initial one
  std::uint64_t interactions = 0;    // sum over force calls of ni * nj, self pairs and the initial call included
  std::uint64_t smallest_steps = 0;  // steps for which the criterion gave less than 2^-40; if not 0, use eps
  // Steps that would have been shorter if snap and crackle that may be noise of the forces had been used.
  std::uint64_t noise_limited_steps = 0;
  std::vector<std::uint64_t> block_sizes;  // block_sizes[n]: number of blocks of n particles, n = 0..N

  friend bool operator==(const HermiteCounters&, const HermiteCounters&) = default;
};

/// One particle between its steps. All values are at the particle's own time t.
struct HermiteBody {
  std::int64_t id = 0;
  double mass = 0.0;
  Ticks t = 0;
  Ticks dt = 0;  // power of two; t is a multiple of it
  Vec3 x;
  Vec3 v;
  Vec3 a;
  Vec3 jerk;
  Vec3 snap;
  double pot = 0.0;  // potential of the last force

  friend bool operator==(const HermiteBody&, const HermiteBody&) = default;
};

/// The complete state of an integrator. Continuing from it gives the bits of an uninterrupted run on the same force
/// engine.
struct HermiteState {
  HermiteOptions options;
  Ticks time = 0;
  HermiteCounters counters;
  std::vector<HermiteBody> bodies;
  /// With options.regularise: pairs with semi-major axes below this are regularised (infinite for up to four bodies),
  /// and those that are.
  double close_axis = 0.0;
  std::vector<RegularisedPair> pairs;

  friend bool operator==(const HermiteState&, const HermiteState&) = default;
};

/// Throws gdr::Error if `state` breaks a rule of the scheme: options out of range, a step that is not a power of two
/// within the limits, a particle time that is not a multiple of the particle's step, a step that does not lead past
/// state.time, a number that is not finite, an id that occurs twice.
void validate(const HermiteState& state);

/// From now on `eta` chooses the steps. Present steps that are longer than the old ones times the ratio of the two
/// accuracies are halved until they are not, as far as the next time of their particles stays beyond state.time.
void change_eta(HermiteState& state, double eta);

/// State of an integrator that begins anew at the time of `state`, with the particles at that time and other options:
/// forces, first steps. The counters go on; the forces that this takes are not counted. For a change of the forces, as
/// by eps, since the corrector takes those of two times to be of one field. Throws gdr::Error as HermiteIntegrator
/// does.
[[nodiscard]] HermiteState begun_anew(ForceBackend& backend, const HermiteState& state, const Particles& particles,
                                      const HermiteOptions& options);

class HermiteIntegrator {
 public:
  using BlockObserver = std::function<void(const HermiteIntegrator&)>;

  /// Starts at time 0: computes the initial forces on all particles and their first steps. `backend` must outlive the
  /// integrator, and nothing else may use it; its memory of j-particles is overwritten (address = index in
  /// `particles`). Throws gdr::Error if options are out of range, particles are invalid or missing, or a force is not
  /// finite.
  HermiteIntegrator(ForceBackend& backend, const Particles& particles, const HermiteOptions& options);

  /// Continues from `state`. Throws gdr::Error if validate() refuses it.
  HermiteIntegrator(ForceBackend& backend, HermiteState state);

  HermiteIntegrator(HermiteIntegrator&&) = default;
  HermiteIntegrator& operator=(HermiteIntegrator&&) = default;
  HermiteIntegrator(const HermiteIntegrator&) = delete;  // two integrators cannot share a board's memory
  HermiteIntegrator& operator=(const HermiteIntegrator&) = delete;
  ~HermiteIntegrator() = default;

  /// Advances the particles that are due next by one step each. Throws gdr::Error if a force is not finite.
  void step();

  /// Takes every block step up to and including t_end, and calls `on_block` after each. Stops in between do not change
  /// the run: evolve(0.3) followed by evolve(1) gives the bits of evolve(1). Throws gdr::Error for t_end below time()
  /// or above kLargestTime.
  void evolve(double t_end, const BlockObserver& on_block = {});

  /// Time of the last block step (0 at the start) and of the next one.
  [[nodiscard]] double time() const;
  [[nodiscard]] double next_block_time() const;

  /// All particles at time t, in the order in which they were given. A particle whose own time is t has its corrected
  /// values; the others are predicted (with snap). Throws gdr::Error for t outside time()..next_block_time().
  [[nodiscard]] Particles particles_at(double t) const;

  /// Number of particles that particles_at(t) has to predict. 0 means that t is the own time of all particles.
  [[nodiscard]] std::size_t predicted_at(double t) const;

  /// W = sum_i m_i pot_i / 2, in O(N), from the potentials that the backend gave with the last forces. At a time at
  /// which predicted_at() is 0, all potentials belong to that time. W then differs from the potential energy of the
  /// particles only by the backend's rounding and by the change of positions in the corrector. At other times the
  /// potentials belong to different times.
  [[nodiscard]] double backend_potential_energy() const;

  /// How often a pair has been taken for one body, and how often one has been given up, since the integrator began.
  [[nodiscard]] std::uint64_t pairs_formed() const { return pairs_formed_; }
  [[nodiscard]] std::uint64_t pairs_dissolved() const { return pairs_dissolved_; }

  [[nodiscard]] const HermiteState& state() const { return state_; }
  [[nodiscard]] const HermiteCounters& counters() const { return state_.counters; }

 private:
  static constexpr std::size_t kLevels = kTicksPerUnitLog2 + kLargestStepLog2 + 1;

  void start();
  void load_backend();
  void find_twins();
  void part_twins(const std::vector<std::size_t>& block, std::vector<std::size_t>& parted);
  [[nodiscard]] const std::vector<std::size_t>* twins_of(std::size_t index) const;
  [[nodiscard]] std::int64_t force_id(std::size_t index) const;
  [[nodiscard]] double twin_potential(std::size_t index) const;
  [[nodiscard]] JParticle j_particle(std::size_t index) const;
  void file_body(std::size_t index);
  [[nodiscard]] static std::size_t level_of(const HermiteBody& body);
  /// Takes the memory that file_body() needs for these.
  void make_room_for(const std::vector<std::size_t>& block);
  [[nodiscard]] Ticks next_ticks() const;
  [[nodiscard]] std::vector<std::size_t> take_block(Ticks t);
  [[nodiscard]] std::vector<Force> forces_at(Ticks t, const std::vector<std::size_t>& block);
  void correct(HermiteBody& body, Ticks t, const Force& force);
  void count_block(std::size_t size);

  // Regularised pairs, in hermite_pairs.cpp.
  [[nodiscard]] std::vector<RegularisedPair> felt_pairs(Ticks t, const std::vector<std::size_t>& block,
                                                        std::vector<Force>& forces) const;
  void resolve_pairs(Particles& particles, double t) const;
  void rearrange_pairs(const std::vector<std::size_t>& block);
  void form_pairs(const std::vector<std::size_t>& block);
  void form(std::size_t first, std::size_t second);
  void dissolve(std::size_t pair);
  void begin_bodies(const std::vector<std::size_t>& indices);
  [[nodiscard]] double tide_on(const RegularisedPair& pair, double apocentre) const;
  void list_neighbours(RegularisedPair& pair, Ticks step) const;
  void unfile_body(std::size_t index);
  template <class Change>
  void all_or_nothing(Change&& change);

  static constexpr std::size_t kNoTwins = static_cast<std::size_t>(-1);

  ForceBackend* backend_;
  HermiteState state_;
  // Twins are bodies with the same place, velocity and derivatives at the same time. twins_: indices of the bodies of
  // each set, ascending; set_of_[k]: the set of body k, or kNoTwins. The force engine knows all bodies of a set by the
  // id of its first, and therefore leaves out their pairs. Their i-particles are then the same to the bit, so their
  // forces and all later states are, too, and a set stays one.
  std::vector<std::vector<std::size_t>> twins_;
  std::vector<std::size_t> set_of_;
  std::vector<bool> is_ghost_;  // by body: the second star of a pair, which takes no steps
  std::uint64_t pairs_formed_ = 0;
  std::uint64_t pairs_dissolved_ = 0;
  // levels_[k]: indices of the bodies with dt = 2^k ticks. All bodies of a level have the same next time, the next
  // multiple of dt. The next block is therefore found from the levels, without looking at single bodies.
  std::array<std::vector<std::size_t>, kLevels> levels_;
};

}  // namespace gdr::hostlib
