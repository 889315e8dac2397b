// j-particles that are in one place for ever: same time, position, velocity and derivatives. A board predicts them with
// its words and a program predicts its i-particles in doubles, so that a particle is some 1e-17 away from its twin
// where the distance is 0, and without softening the two would pull each other with 1e34. The board therefore gets one
// index for all particles of a set, which leaves out their pairs, as GRAPE-6 does, whose positions are whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "gdr/hostlib/force_backend.h"

namespace gdr::grape {

/// Everything but index and mass is the same to the bit.
[[nodiscard]] bool are_twins(const hostlib::JParticle& one, const hostlib::JParticle& other);

/// Whether `i` is where a program predicts `j` to be at time t: the polynomials are the same up to rounding, or to the
/// terms of jerk and snap, which some programs leave out.
[[nodiscard]] bool is_at_own_place(const hostlib::IParticle& i, const hostlib::JParticle& j, double t);

/// The sets of twins among the j-particles on a board, by their addresses.
class Twins {
 public:
  using Set = std::set<std::size_t>;

  /// The particle at `address` is this one now. Appends to `changed` every other address whose set is another one.
  void put(std::size_t address, const std::optional<hostlib::JParticle>& particle, std::vector<std::size_t>& changed);
  /// The set of the particle at `address`; null if it has no twin.
  [[nodiscard]] const Set* at(std::size_t address) const;
  /// The address of a particle with this index that has a twin.
  [[nodiscard]] std::optional<std::size_t> with_index(std::int64_t index) const;
  [[nodiscard]] bool none() const { return sets_.empty(); }
  /// All addresses of particles that have twins.
  [[nodiscard]] std::vector<std::size_t> all() const;

 private:
  void leave(std::size_t address, std::vector<std::size_t>& changed);
  void join(std::size_t address, std::uint64_t path, std::vector<std::size_t>& changed);

  struct Known {
    std::uint64_t path = 0;
    std::int64_t index = 0;
  };
  std::vector<std::optional<Known>> known_;                             // by address
  std::unordered_multimap<std::uint64_t, std::size_t> by_path_;         // addresses
  std::unordered_map<std::uint64_t, Set> sets_;                         // of at least two, by path
  std::unordered_multimap<std::int64_t, std::size_t> address_of_twin_;  // by index
};

}  // namespace gdr::grape
