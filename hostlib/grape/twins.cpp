#include "twins.h"

#include <array>
#include <bit>
#include <cmath>

namespace gdr::grape {
namespace {

using hostlib::JParticle;
using hostlib::Vec3;

std::array<Vec3, 5> vectors_of(const JParticle& p) { return {p.x, p.v, p.a_by_2, p.jerk_by_6, p.snap_by_18}; }

/// -0 and 0 are one number.
std::uint64_t mixed(std::uint64_t hash, double value) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
  hash = (hash ^ std::bit_cast<std::uint64_t>(value + 0.0)) * kOdd;
  return hash ^ (hash >> 29);
}

std::uint64_t path_of(const JParticle& p) {
  std::uint64_t hash = mixed(0, p.t0);
  for (const Vec3& vector : vectors_of(p)) hash = mixed(mixed(mixed(hash, vector.x), vector.y), vector.z);
  return hash;
}

template <class Map>
void erase_one(Map& map, const typename Map::key_type& key, std::size_t address) {
  const auto [first, last] = map.equal_range(key);
  for (auto entry = first; entry != last; ++entry) {
    if (entry->second != address) continue;
    map.erase(entry);
    return;
  }
}

}  // namespace

bool are_twins(const JParticle& one, const JParticle& other) {
  return one.t0 == other.t0 && vectors_of(one) == vectors_of(other);
}

bool is_at_own_place(const hostlib::IParticle& i, const JParticle& j, double t) {
  constexpr double kRounding = 0x1p-46;  // of the sum of all terms: 64 times that of one operation
  const double d = t - j.t0;
  const auto is_near = [&](double xi, double x, double v, double a, double jerk, double snap) {
    const std::array<double, 5> terms{x, v * d, a * d * d, jerk * d * d * d, 0.75 * snap * d * d * d * d};
    double sum = 0;
    double size = 0;
    for (const double term : terms) {
      sum += term;
      size += std::fabs(term);
    }
    return std::fabs(xi - sum) <= kRounding * size + std::fabs(terms[3]) + std::fabs(terms[4]);
  };
  return is_near(i.x.x, j.x.x, j.v.x, j.a_by_2.x, j.jerk_by_6.x, j.snap_by_18.x) &&
         is_near(i.x.y, j.x.y, j.v.y, j.a_by_2.y, j.jerk_by_6.y, j.snap_by_18.y) &&
         is_near(i.x.z, j.x.z, j.v.z, j.a_by_2.z, j.jerk_by_6.z, j.snap_by_18.z);
}

void Twins::put(std::size_t address, const std::optional<JParticle>& particle, std::vector<std::size_t>& changed) {
  if (address >= known_.size()) known_.resize(address + 1);
  if (known_[address]) leave(address, changed);
  known_[address].reset();
  if (!particle) return;
  const std::uint64_t path = path_of(*particle);
  known_[address] = {path, particle->id};
  join(address, path, changed);
}

void Twins::leave(std::size_t address, std::vector<std::size_t>& changed) {
  const Known known = *known_[address];
  erase_one(by_path_, known.path, address);
  const auto found = sets_.find(known.path);
  if (found == sets_.end()) return;
  erase_one(address_of_twin_, known.index, address);
  Set& set = found->second;
  set.erase(address);
  changed.insert(changed.end(), set.begin(), set.end());
  if (set.size() > 1) return;
  for (const std::size_t last : set) erase_one(address_of_twin_, known_[last]->index, last);
  sets_.erase(found);
}

void Twins::join(std::size_t address, std::uint64_t path, std::vector<std::size_t>& changed) {
  const auto before = by_path_.find(path);
  if (before != by_path_.end()) {
    Set& set = sets_[path];
    if (set.insert(before->second).second) {
      address_of_twin_.emplace(known_[before->second]->index, before->second);
    }
    changed.insert(changed.end(), set.begin(), set.end());
    set.insert(address);
    address_of_twin_.emplace(known_[address]->index, address);
  }
  by_path_.emplace(path, address);
}

const Twins::Set* Twins::at(std::size_t address) const {
  if (sets_.empty() || address >= known_.size() || !known_[address]) return nullptr;
  const auto found = sets_.find(known_[address]->path);
  return found == sets_.end() ? nullptr : &found->second;
}

std::optional<std::size_t> Twins::with_index(std::int64_t index) const {
  const auto found = address_of_twin_.find(index);
  return found == address_of_twin_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::size_t> Twins::all() const {
  std::vector<std::size_t> addresses;
  for (const auto& [path, set] : sets_) addresses.insert(addresses.end(), set.begin(), set.end());
  return addresses;
}

}  // namespace gdr::grape
