#include "neighbour_board.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/record.h"

namespace gdr::grape {
namespace {

using hostlib::JParticle;
using hostlib::RecordLayout;
using isa::Transfer;

/// Entries of `near`, the result of kernels/neighbours.vsm.
constexpr std::size_t kEntries = 32;
/// Bits of an iteration in a word, one for each half of the blocks of a board of four chips.
constexpr std::size_t kHalves = 2;

DeviceOptions on_one_board(DeviceOptions options) {
  options.boards = 1;
  return options;
}

}  // namespace

NeighbourBoard::NeighbourBoard(DeviceOptions options) : device_(on_one_board(std::move(options))) {
  isa::Program program = hostlib::kernel_program("neighbours");
  const RecordLayout j(program, Transfer::elt);
  j_ = {j.fields(),           j.field("xj", 3), j.field("vj", 3),     j.field("aby2", 3), j.field("a1by6", 3),
        j.field("a2by18", 3), j.field("tj", 1), j.field("indexj", 1), j.field("bit", 1),  j.field("entry", 1)};
  const RecordLayout i(program, Transfer::hlt);
  i_ = {i.fields(), i.field("xi", 3), i.field("eps2", 1), i.field("indexi", 1), i.field("h2", 1)};
  device_.load(std::move(program));
  units_ = std::size_t{device_.chips()} * emulator::kBlocks;
  used_units_ = std::min(units_, kEntries * kHalves);
}

void NeighbourBoard::mark(std::size_t address) {
  if (address >= is_marked_.size()) is_marked_.resize(address + 1);
  if (!is_marked_[address]) marked_.push_back(address);
  is_marked_[address] = true;
}

NeighbourBoard::Place NeighbourBoard::place_of(std::size_t n) const {
  const std::size_t unit = n % used_units_;
  return {n / used_units_ * units_ + unit, std::uint64_t{1} << (unit / kEntries), unit % kEntries};
}

/// A record without a particle still names its block's entry.
void NeighbourBoard::put(std::span<std::uint64_t> record, const Place& place,
                         const std::optional<JParticle>& particle) const {
  record[j_.entry] = place.entry;
  if (!particle) return;
  hostlib::put(record, j_.x, particle->x);
  hostlib::put(record, j_.v, particle->v);
  hostlib::put(record, j_.a_by_2, particle->a_by_2);
  hostlib::put(record, j_.jerk_by_6, particle->jerk_by_6);
  hostlib::put(record, j_.snap_by_18, particle->snap_by_18);
  hostlib::put(record, j_.t0, particle->t0);
  hostlib::put(record, j_.index, particle->id);
  record[j_.bit] = place.bit;
}

void NeighbourBoard::write_window(std::size_t first, const ParticleAt& particle) {
  std::vector<std::uint64_t> fields(kIterations * units_ * j_.fields);
  const auto record = [&](std::size_t number) { return std::span(fields).subspan(number * j_.fields, j_.fields); };
  for (std::size_t iteration = 0; iteration < kIterations; ++iteration) {
    // No result has room for these blocks: they get an entry that there is not.
    for (std::size_t unit = used_units_; unit < units_; ++unit) record(iteration * units_ + unit)[j_.entry] = kEntries;
  }
  for (std::size_t n = 0; n < window(); ++n) {
    const Place place = place_of(n);
    put(record(place.record), place, particle(first + n));
  }
  device_.write_j(0, fields);
}

/// Neighbouring records go in one call, as the board's transfers like it.
void NeighbourBoard::write_marked(const ParticleAt& particle) {
  std::ranges::sort(marked_);
  std::vector<std::uint64_t> fields;
  for (std::size_t n = 0; n < marked_.size() && marked_[n] < window();) {
    const std::size_t first = place_of(marked_[n]).record;
    fields.clear();
    for (std::size_t next = first; n < marked_.size() && marked_[n] < window(); ++n, ++next) {
      const Place place = place_of(marked_[n]);
      if (place.record != next) break;
      fields.resize(fields.size() + j_.fields);
      put(std::span(fields).last(j_.fields), place, particle(marked_[n]));
    }
    device_.write_j(first, fields);
  }
}

void NeighbourBoard::add_window(std::size_t first, std::size_t count, std::span<const std::uint64_t> i_fields,
                                std::vector<std::vector<std::size_t>>& lists) {
  const std::size_t iterations = (count + used_units_ - 1) / used_units_;
  const std::vector<std::uint64_t> near = device_.run(i_fields, iterations * units_);
  for (std::size_t target = 0; target < lists.size(); ++target) {
    std::vector<std::size_t>& list = lists[target];
    const std::size_t before = list.size();
    for (std::size_t entry = 0; entry < kEntries; ++entry) {
      // The last iteration's bits are the lowest.
      for (std::uint64_t bits = near[target * kEntries + entry]; bits != 0; bits &= bits - 1) {
        const auto place = static_cast<std::size_t>(std::countr_zero(bits));
        const std::size_t iteration = iterations - 1 - place / kHalves;
        const std::size_t n = iteration * used_units_ + place % kHalves * kEntries + entry;
        if (n < count) list.push_back(first + n);
      }
    }
    std::sort(list.begin() + static_cast<std::ptrdiff_t>(before), list.end());
  }
}

std::vector<std::vector<std::size_t>> NeighbourBoard::lists(std::span<const Target> targets, std::size_t nj, double t,
                                                            const ParticleAt& particle) {
  std::vector<std::uint64_t> i_fields(targets.size() * i_.fields);
  for (std::size_t n = 0; n < targets.size(); ++n) {
    const std::span record = std::span(i_fields).subspan(n * i_.fields, i_.fields);
    hostlib::put(record, i_.x, targets[n].particle.x);
    hostlib::put(record, i_.eps2, targets[n].eps2);
    hostlib::put(record, i_.index, targets[n].particle.id);
    hostlib::put(record, i_.h2, targets[n].h2);
  }
  device_.set_parameter("ti", t);
  std::vector<std::vector<std::size_t>> lists(targets.size());
  for (std::size_t first = 0; first < nj; first += window()) {
    if (first > 0 || !holds_first_window_) {
      holds_first_window_ = false;  // if the board refuses
      write_window(first, particle);
    } else {
      write_marked(particle);
    }
    holds_first_window_ = first == 0;
    if (first == 0) {
      for (const std::size_t address : marked_) is_marked_[address] = false;
      marked_.clear();
    }
    add_window(first, std::min(window(), nj - first), i_fields, lists);
  }
  return lists;
}

BoardWork NeighbourBoard::work() const {
  return {device_.emulated().interactions(), device_.emulated().seconds().total()};
}

}  // namespace gdr::grape
