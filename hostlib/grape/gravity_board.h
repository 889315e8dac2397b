// The boards behind one cluster of the GRAPE-6 library: a memory of j-particles, forces and nearest neighbours,
// computed by kernels/gravity_jerk.vsm, and lists of neighbours, computed by a NeighbourBoard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "gdr/hostlib/device.h"
#include "gdr/hostlib/gravity_records.h"
#include "neighbour_board.h"
#include "twins.h"

namespace gdr::grape {

/// What the kernel computes; with the nearest neighbours, forces have the same bits.
enum class Wanted : std::uint8_t { forces, nearest };

/// Addresses of j-particles count from 0. Not thread safe.
class GravityBoard {
 public:
  /// Throws gdr::Error as Device does, and for an engine that computes nothing.
  explicit GravityBoard(const DeviceOptions& options);

  /// j-particles that external memory holds.
  [[nodiscard]] std::size_t capacity() const { return device_.j_capacity(); }

  /// Throws gdr::Error for an address beyond the capacity, and for a number that is not finite; no run then takes the
  /// particle that was there before.
  void set(std::size_t address, const hostlib::JParticle& particle);
  /// Forgets the particles from address `count` on.
  void clear_from(std::size_t count);
  /// The particle last set; nothing if the address was never written or was cleared.
  [[nodiscard]] const std::optional<hostlib::JParticle>& particle(std::size_t address) const;
  /// Throws gdr::Error for a time that is not finite; no run then takes the one before.
  void set_time(double t);
  [[nodiscard]] double time() const { return time_; }
  /// Throws gdr::Error if the time or the particle at an address below nj was refused and not set since.
  void require_set(std::size_t nj) const;

  /// Begins a run against addresses 0 .. nj - 1; a run under way is waited for and dropped, also if it fails. Addresses
  /// without a particle count as mass 0 and are nobody's neighbour. Throws gdr::Error for nj beyond the capacity, for
  /// numbers that are not finite, and as require_set().
  void start(std::vector<Target> targets, std::size_t nj);
  /// Those of the last start(), which these calls wait for. Particles and times that were set after it count for the
  /// next run, also where a call computes this one anew. Throws gdr::Error if the run failed.
  [[nodiscard]] const std::vector<Target>& targets() const { return targets_; }
  [[nodiscard]] double time_of_run() const { return time_of_run_; }
  [[nodiscard]] std::size_t nj_of_run() const { return nj_; }
  [[nodiscard]] const std::optional<hostlib::JParticle>& particle_of_run(std::size_t address) const;
  [[nodiscard]] hostlib::Force force(std::size_t target);
  /// Address of the j-particle at the least r^2 + eps2, as a short word has it; nothing if there is none. Computed anew
  /// if the run did not have it.
  [[nodiscard]] std::optional<std::size_t> nearest(std::size_t target);
  /// Addresses with r^2 + eps2 < h2, ascending. The pair of one index is left out.
  [[nodiscard]] std::vector<std::vector<std::size_t>> lists();

  /// Waits for the run under way, if there is one, and drops it, also if it fails.
  void drop() noexcept;
  /// No run may be under way.
  [[nodiscard]] BoardWork work() const;

 private:
  [[nodiscard]] BoardWork work_of_forces() const;
  void load(Wanted wanted);
  void require(Wanted wanted);
  void begin();
  void finish();
  void require_results();
  void run_again();
  void exchange_replaced();
  void replace(std::size_t address, const std::optional<hostlib::JParticle>& particle);
  void mark_unwritten(std::size_t address);
  void write_particles();
  void find_twins();
  [[nodiscard]] std::int64_t index_on_board(std::size_t address) const;
  void note_twins();

  /// What the board leaves out of a target's results, because it has one index for a set of twins.
  struct OfTwins {
    std::int64_t index = 0;              // for the board
    double potential = 0;                // with softening
    std::optional<std::size_t> nearest;  // address: nothing is nearer than a twin
  };

  Device device_;
  std::unique_ptr<NeighbourBoard> neighbours_;  // since the first lists()
  std::optional<hostlib::GravityRecords> records_;
  Wanted wanted_ = Wanted::forces;
  BoardWork before_;  // of the kernels loaded before this one
  std::vector<std::optional<hostlib::JParticle>> particles_;
  std::vector<std::size_t> unwritten_;       // addresses whose particles the board does not have yet
  std::vector<bool> is_unwritten_;           // by address
  std::set<std::size_t> refused_;            // addresses whose particles were refused
  Twins twins_;                              // among the particles that the board has
  bool twins_apart_ = false;                 // twins have their own indices, because a target's results need it
  std::map<std::size_t, OfTwins> of_twins_;  // of the run, by target
  double time_ = 0;
  std::optional<double> time_on_board_;
  std::vector<Target> targets_;
  double time_of_run_ = 0;
  std::map<std::size_t, std::optional<hostlib::JParticle>> replaced_;  // particles of the run that were set anew
  std::size_t nj_ = 0;
  bool running_ = false;
  std::optional<std::vector<std::uint64_t>> results_;  // none: the run is under way, or has failed
};

}  // namespace gdr::grape
