// Lists of neighbours, computed by kernels/neighbours.vsm on a board beside the one that computes forces, so that a
// program which reads a list pays for this list and not for later forces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gdr/hostlib/device.h"
#include "gdr/hostlib/gravity_records.h"

namespace gdr::grape {

/// An i-particle of a call.
struct Target {
  hostlib::IParticle particle;
  double eps2 = 0;
  double h2 = 0;  // squared radius of the list
};

/// What a board has done since it was opened.
struct BoardWork {
  std::uint64_t interactions = 0;
  double emulated_seconds = 0;
};

/// Keeps the j-particles that it was given, and takes those anew that mark() names. Not thread safe.
class NeighbourBoard {
 public:
  /// The j-particle at an address; nothing if there is none.
  using ParticleAt = std::function<const std::optional<hostlib::JParticle>&(std::size_t address)>;

  /// One board, whatever options.boards says. Throws gdr::Error as Device does.
  explicit NeighbourBoard(DeviceOptions options);

  /// The particle at `address` has changed.
  void mark(std::size_t address);

  /// For each target the addresses below `nj` with r^2 + eps2 < h2 at time `t`, ascending. The pair of one index is
  /// left out. Throws gdr::Error if the board fails.
  [[nodiscard]] std::vector<std::vector<std::size_t>> lists(std::span<const Target> targets, std::size_t nj, double t,
                                                            const ParticleAt& particle);
  [[nodiscard]] BoardWork work() const;

 private:
  /// Where particle `n` of a window is: the particles fill iteration after iteration.
  struct Place {
    std::size_t record = 0;
    std::uint64_t bit = 0;
    std::uint64_t entry = 0;
  };
  [[nodiscard]] Place place_of(std::size_t n) const;
  [[nodiscard]] std::size_t window() const { return kIterations * used_units_; }  // particles
  void put(std::span<std::uint64_t> record, const Place& place,
           const std::optional<hostlib::JParticle>& particle) const;
  void write_window(std::size_t first, const ParticleAt& particle);
  void write_marked(const ParticleAt& particle);
  void add_window(std::size_t first, std::size_t count, std::span<const std::uint64_t> i_fields,
                  std::vector<std::vector<std::size_t>>& lists);

  static constexpr std::size_t kIterations = 32;  // of a run, for words of 64 bits with two for each iteration

  Device device_;
  std::size_t units_ = 0;       // blocks of all chips: a record of each in an iteration
  std::size_t used_units_ = 0;  // those whose bits the results have room for
  struct {
    std::size_t fields, x, v, a_by_2, jerk_by_6, snap_by_18, t0, index, bit, entry;
  } j_{};
  struct {
    std::size_t fields, x, eps2, index, h2;
  } i_{};
  std::vector<std::size_t> marked_;
  std::vector<bool> is_marked_;      // by address
  bool holds_first_window_ = false;  // with the particles as they were, except those that are marked
};

}  // namespace gdr::grape
