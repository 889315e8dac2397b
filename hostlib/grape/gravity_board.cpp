#include "gravity_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/record.h"

namespace gdr::grape {
namespace {

using hostlib::JParticle;
using hostlib::Vec3;
using isa::Transfer;

/// Slots are addresses plus 1 and share a 64-bit result with r^2 (kernels/gravity_jerk.vsm).
constexpr unsigned kSlotBits = 28;
/// Pairs below which a run ends before start() returns, in some 0.1 ms. Chosen when each run in the background began a
/// thread of its own, for 20 to 30 us.
constexpr std::size_t kPairsInForeground = 1 << 15;

isa::Program program_for(Wanted wanted) {
  switch (wanted) {
    case Wanted::forces:
      return hostlib::kernel_program("gravity_jerk");
    case Wanted::nearest:
      return hostlib::kernel_program("gravity_jerk", {{"nearest", "1"}});
  }
  GDR_ASSERT(false, "every value of Wanted has a program");
}

/// Whose number is looked at, for messages.
struct Owner {
  const char* kind;
  std::size_t number;
};

void require_finite(std::string_view what, Owner owner, double value) {
  if (std::isfinite(value)) return;
  throw Error(fmt::format("{} of {} {} is {}: it must be finite", what, owner.kind, owner.number, value));
}

void require_finite(std::string_view what, Owner owner, const Vec3& value) {
  for (const double component : {value.x, value.y, value.z}) require_finite(what, owner, component);
}

}  // namespace

GravityBoard::GravityBoard(const DeviceOptions& options) : device_(options) {
  if (!device_.computes()) throw Error(fmt::format("engine {} computes no forces", options.engine));
  load(Wanted::forces);
}

void GravityBoard::load(Wanted wanted) {
  before_ = work_of_forces();
  isa::Program program = program_for(wanted);
  records_.emplace(program);
  device_.load(std::move(program));
  wanted_ = wanted;
  time_on_board_.reset();
  for (std::size_t address = 0; address < particles_.size(); ++address) {
    if (particles_[address]) mark_unwritten(address);
  }
}

void GravityBoard::set(std::size_t address, const JParticle& particle) {
  if (address >= std::min(capacity(), (std::size_t{1} << kSlotBits) - 1)) {
    throw Error(fmt::format("address {} is refused: external memory holds {} particles", address, capacity()));
  }
  const Owner owner{"the j-particle at address", address};
  refused_.insert(address);
  require_finite("time", owner, particle.t0);
  require_finite("mass", owner, particle.mass);
  require_finite("position", owner, particle.x);
  require_finite("velocity", owner, particle.v);
  require_finite("acceleration / 2", owner, particle.a_by_2);
  require_finite("jerk / 6", owner, particle.jerk_by_6);
  require_finite("snap / 18", owner, particle.snap_by_18);
  refused_.erase(address);
  if (address >= particles_.size()) {
    particles_.resize(address + 1);
    is_unwritten_.resize(address + 1);
  }
  replace(address, particle);
}

void GravityBoard::replace(std::size_t address, const std::optional<JParticle>& particle) {
  if (address < nj_) replaced_.try_emplace(address, particles_[address]);
  particles_[address] = particle;
  mark_unwritten(address);
}

void GravityBoard::mark_unwritten(std::size_t address) {
  if (!is_unwritten_[address]) unwritten_.push_back(address);
  is_unwritten_[address] = true;
  if (neighbours_) neighbours_->mark(address);
}

void GravityBoard::set_time(double t) {
  time_ = t;
  if (!std::isfinite(t)) throw Error(fmt::format("time {} is refused: it must be finite", t));
}

void GravityBoard::require_set(std::size_t nj) const {
  if (!std::isfinite(time_)) throw Error(fmt::format("time {} was refused, and no other was set", time_));
  if (!refused_.empty() && *refused_.begin() < nj) {
    throw Error(fmt::format("the j-particle at address {} was refused, and no other was set", *refused_.begin()));
  }
}

void GravityBoard::clear_from(std::size_t count) {
  refused_.erase(refused_.lower_bound(count), refused_.end());
  for (std::size_t address = count; address < particles_.size(); ++address) {
    if (particles_[address]) replace(address, std::nullopt);
  }
}

const std::optional<JParticle>& GravityBoard::particle(std::size_t address) const {
  static const std::optional<JParticle> kNone;
  return address < particles_.size() ? particles_[address] : kNone;
}

const std::optional<JParticle>& GravityBoard::particle_of_run(std::size_t address) const {
  const auto found = replaced_.find(address);
  return found == replaced_.end() ? particle(address) : found->second;
}

/// Brings the sets of twins up to date, and takes them apart if a target of the run has twins and is not where they
/// are, or if a particle elsewhere has its index or theirs.
void GravityBoard::find_twins() {
  const auto mark_here = [&](std::size_t address) {  // lists keep a particle's own index
    if (!is_unwritten_[address]) unwritten_.push_back(address);
    is_unwritten_[address] = true;
  };
  std::vector<std::size_t> changed;
  for (const std::size_t address : unwritten_) twins_.put(address, particles_[address], changed);
  std::ranges::for_each(changed, mark_here);
  const bool were_apart = twins_apart_;
  std::unordered_map<std::int64_t, std::size_t> holders;  // of an index that a twin has: how many particles have it
  for (const std::size_t twin : twins_.all()) holders[particles_[twin]->id] = 0;
  for (std::size_t address = 0; !holders.empty() && address < std::min(nj_, particles_.size()); ++address) {
    if (!particles_[address]) continue;
    if (const auto held = holders.find(particles_[address]->id); held != holders.end()) ++held->second;
  }
  const auto is_held_outside = [&](std::int64_t index, const Twins::Set& set) {
    const auto inside =
        std::ranges::count_if(set, [&](std::size_t twin) { return twin < nj_ && particles_[twin]->id == index; });
    return holders.at(index) > static_cast<std::size_t>(inside);
  };
  twins_apart_ = !twins_.none() && std::ranges::any_of(targets_, [&](const Target& target) {
    const std::int64_t index = target.particle.id;
    const auto own = twins_.with_index(index);
    if (!own) return false;
    const JParticle& particle = *particles_[*own];
    const Twins::Set& set = *twins_.at(*own);
    // The target would take the set's index, and with it leave out or take in a particle elsewhere.
    const std::int64_t of_set = particles_[*set.begin()]->id;
    if (index != of_set && (is_held_outside(index, set) || is_held_outside(of_set, set))) return true;
    return !is_at_own_place(target.particle, particle, time_of_run_) ||
           !std::ranges::all_of(set, [&](std::size_t twin) { return are_twins(*particles_[twin], particle); });
  });
  if (twins_apart_ != were_apart) std::ranges::for_each(twins_.all(), mark_here);
}

std::int64_t GravityBoard::index_on_board(std::size_t address) const {
  const Twins::Set* set = twins_apart_ ? nullptr : twins_.at(address);
  return particles_[set == nullptr ? address : *set->begin()]->id;
}

void GravityBoard::note_twins() {
  of_twins_.clear();
  if (twins_.none() || twins_apart_) return;
  for (std::size_t n = 0; n < targets_.size(); ++n) {
    const std::int64_t index = targets_[n].particle.id;
    const auto own = twins_.with_index(index);
    if (!own) continue;
    OfTwins noted{index_on_board(*own), 0, std::nullopt};
    for (const std::size_t twin : *twins_.at(*own)) {
      if (twin >= nj_ || particles_[twin]->id == index) continue;
      if (!noted.nearest) noted.nearest = twin;
      if (targets_[n].eps2 > 0) noted.potential -= particles_[twin]->mass / std::sqrt(targets_[n].eps2);
    }
    of_twins_.emplace(n, noted);
  }
}

/// Neighbouring addresses go in one call, as the board's transfers like it.
void GravityBoard::write_particles() {
  find_twins();
  std::ranges::sort(unwritten_);
  const std::size_t size = records_->j_fields();
  const std::size_t slot = hostlib::RecordLayout(device_.program(), Transfer::elt).field("slot", 1);
  std::vector<std::uint64_t> fields;
  for (std::size_t n = 0; n < unwritten_.size();) {
    const std::size_t first = unwritten_[n];
    fields.clear();
    for (std::size_t address = first; n < unwritten_.size() && unwritten_[n] == address; ++n, ++address) {
      fields.resize(fields.size() + size);
      is_unwritten_[address] = false;
      if (!particles_[address]) continue;
      const std::span record = std::span(fields).last(size);
      JParticle particle = *particles_[address];
      particle.id = index_on_board(address);
      records_->put(record, particle);
      record[slot] = address + 1;
    }
    device_.write_j(first, fields);
  }
  unwritten_.clear();
}

void GravityBoard::begin() {
  results_.reset();
  write_particles();
  note_twins();
  if (time_on_board_ != time_of_run_) device_.set_parameter("ti", time_of_run_);
  time_on_board_ = time_of_run_;
  const std::size_t size = records_->i_fields();
  std::vector<std::uint64_t> fields(targets_.size() * size);
  for (std::size_t n = 0; n < targets_.size(); ++n) {
    const std::span record = std::span(fields).subspan(n * size, size);
    hostlib::IParticle particle = targets_[n].particle;
    if (const auto noted = of_twins_.find(n); noted != of_twins_.end()) particle.id = noted->second.index;
    records_->put(record, particle, targets_[n].eps2);
  }
  if (targets_.size() * nj_ < kPairsInForeground) {
    results_ = device_.run(fields, nj_);
  } else {
    device_.start(fields, nj_);
    running_ = true;
  }
}

void GravityBoard::finish() {
  if (!running_) return;
  running_ = false;
  results_ = device_.wait();
}

void GravityBoard::require_results() {
  finish();
  if (!results_) throw Error("the calculation failed and has no results");
}

/// Puts the particles that the run had in place of those that were set since, and the other way round.
void GravityBoard::exchange_replaced() {
  for (auto& [address, particle] : replaced_) {
    std::swap(particles_[address], particle);
    mark_unwritten(address);
  }
}

void GravityBoard::run_again() {
  exchange_replaced();
  try {
    begin();
    finish();
  } catch (...) {
    exchange_replaced();
    throw;
  }
  exchange_replaced();
}

void GravityBoard::start(std::vector<Target> targets, std::size_t nj) {
  if (nj > capacity()) {
    throw Error(fmt::format("nj = {} is refused: external memory holds {} particles", nj, capacity()));
  }
  require_set(nj);
  for (std::size_t n = 0; n < targets.size(); ++n) {
    require_finite("position", {"i-particle", n}, targets[n].particle.x);
    require_finite("velocity", {"i-particle", n}, targets[n].particle.v);
    if (!(targets[n].eps2 >= 0 && std::isfinite(targets[n].eps2))) {
      throw Error(
          fmt::format("eps2 = {} of i-particle {} is refused: it must be at least 0 and finite", targets[n].eps2, n));
    }
    // Codes that want no lists leave the radius undefined.
    const double h2 = targets[n].h2;
    targets[n].h2 = std::isnan(h2) || h2 < 0 ? 0 : std::min(h2, std::numeric_limits<double>::max());
  }
  drop();
  targets_ = std::move(targets);
  nj_ = nj;
  time_of_run_ = time_;
  replaced_.clear();
  begin();
}

void GravityBoard::require(Wanted wanted) {
  require_results();
  if (wanted_ >= wanted) return;
  results_.reset();  // if the run fails
  load(wanted);
  run_again();
}

hostlib::Force GravityBoard::force(std::size_t target) {
  require_results();
  const std::size_t size = records_->result_fields();
  hostlib::Force force = records_->force(std::span(*results_).subspan(target * size, size));
  if (const auto noted = of_twins_.find(target); noted != of_twins_.end()) force.pot += noted->second.potential;
  return force;
}

std::optional<std::size_t> GravityBoard::nearest(std::size_t target) {
  require(Wanted::nearest);
  const auto noted = of_twins_.find(target);
  if (noted != of_twins_.end() && noted->second.nearest) return noted->second.nearest;
  const hostlib::RecordLayout layout(device_.program(), Transfer::rrn);
  const std::uint64_t closest = (*results_)[target * layout.fields() + layout.field("closest", 1)];
  const std::uint64_t slot = closest & ((std::uint64_t{1} << kSlotBits) - 1);
  if (slot == 0) return std::nullopt;
  return slot - 1;
}

std::vector<std::vector<std::size_t>> GravityBoard::lists() {
  require_results();
  if (!neighbours_) neighbours_ = std::make_unique<NeighbourBoard>(device_.options());
  // Before and after: the particles of the run are not those that are there now.
  const auto mark_replaced = [&] {
    for (const auto& [address, particle] : replaced_) neighbours_->mark(address);
  };
  mark_replaced();
  auto lists = neighbours_->lists(
      targets_, nj_, time_of_run_,
      [&](std::size_t address) -> const std::optional<JParticle>& { return particle_of_run(address); });
  mark_replaced();
  return lists;
}

void GravityBoard::drop() noexcept {
  if (!std::exchange(running_, false)) return;
  try {
    static_cast<void>(device_.wait());
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody wants its results
  }
}

BoardWork GravityBoard::work_of_forces() const {
  if (!records_) return {};
  BoardWork work = before_;
  work.interactions += device_.emulated().interactions();
  work.emulated_seconds += device_.emulated().seconds().total();
  return work;
}

BoardWork GravityBoard::work() const {
  BoardWork work = work_of_forces();
  if (!neighbours_) return work;
  const BoardWork of_lists = neighbours_->work();
  work.interactions += of_lists.interactions;
  work.emulated_seconds += of_lists.emulated_seconds;
  return work;
}

}  // namespace gdr::grape
