// Assignment between distributed arrays and their sections: every rank sends what it owns of the right side to those
// that own it on the left.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "xmp_run.h"

namespace gdr::interconnect {
namespace {

/// What both have.
std::optional<XmpBox> common(const std::optional<XmpBox>& a, const std::optional<XmpBox>& b) {
  if (!a || !b) return std::nullopt;
  XmpBox found;
  for (std::size_t d = 0; d < a->size(); ++d) {
    found.emplace_back(std::max((*a)[d].first, (*b)[d].first), std::min((*a)[d].second, (*b)[d].second));
    if (found.back().first >= found.back().second) return std::nullopt;
  }
  return found;
}

std::size_t elements_of(const XmpBox& box) {
  return std::accumulate(box.begin(), box.end(), std::size_t{1}, [](std::size_t all, const auto& one) {
    return all * static_cast<std::size_t>(one.second - one.first);
  });
}

}  // namespace

std::optional<XmpBox> XmpRun::owned(const XmpSide& side, int rank, bool one_owner) const {
  XmpBox box;
  const XmpArray* array = side.array < 0 ? nullptr : &arrays_.at(static_cast<std::size_t>(side.array));
  const XmpTemplate* on = array == nullptr ? nullptr : &template_of(array->on);
  const XmpNodes* nodes_of = on == nullptr ? nullptr : &nodes(on->nodes);
  const std::vector<long> at = nodes_of == nullptr ? std::vector<long>() : coordinates_of(*nodes_of, rank);
  std::vector<bool> splits(at.size());
  for (std::size_t d = 0; d < side.sections.size(); ++d) {
    std::pair<long, long> own{0, side.extents[d]};
    const int along = array == nullptr ? -1 : array->along[d];
    const int k = along < 0 ? -1 : on->node_dimension[static_cast<std::size_t>(along)];
    if (k >= 0) {
      const auto node = static_cast<std::size_t>(k);
      splits[node] = true;
      const auto [first, end] = on->block(static_cast<std::size_t>(along), nodes_of->extents[node], at[node]);
      own = {std::max(first, 0L), std::min(end, side.extents[d])};
    }
    const auto [low, length, is_place] = side.sections[d];
    if (is_place) {
      if (low < own.first || low >= own.second) return std::nullopt;
      continue;
    }
    box.emplace_back(std::max(own.first - low, 0L), std::min(own.second - low, length));
    if (box.back().first >= box.back().second) return std::nullopt;
  }
  for (std::size_t k = 0; k < at.size() && one_owner; ++k) {
    if (!splits[k] && at[k] != 0) return std::nullopt;
  }
  return box;
}

void XmpRun::copy_box(const XmpSide& side, const XmpBox& box, std::size_t element_bytes, std::byte* packed,
                      bool pack) const {
  const XmpArray* array = side.array < 0 ? nullptr : &arrays_[static_cast<std::size_t>(side.array)];
  std::byte* const memory = array == nullptr ? side.elements : array->memory;
  const std::size_t dimensions = side.sections.size();
  std::vector<long> pitch(dimensions + 1);
  if (array != nullptr) {
    pitch = array->pitch;
  } else {
    long elements = 1;
    for (std::size_t d = dimensions; d-- > 0; elements *= side.extents[d]) pitch[d] = elements;
  }
  long base = pitch[dimensions];
  std::vector<long> steps;  // of the box's dimensions
  for (std::size_t d = 0; d < dimensions; ++d) {
    base += side.sections[d].first * pitch[d];
    if (!side.sections[d].is_place) steps.push_back(pitch[d]);
  }
  std::vector<long> at;
  for (const auto& [first, end] : box) at.push_back(first);
  for (std::size_t n = elements_of(box); n > 0; --n) {
    const long place = std::inner_product(at.begin(), at.end(), steps.begin(), base);
    std::byte* const element = memory + static_cast<std::ptrdiff_t>(place) * static_cast<std::ptrdiff_t>(element_bytes);
    std::memcpy(pack ? packed : element, pack ? element : packed, element_bytes);
    packed += element_bytes;
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < box[d].second) break;
      at[d] = box[d].first;
    }
  }
}

void XmpRun::require_equal_sides(int line) const {
  std::array<std::vector<long>, 2> lengths;
  for (std::size_t s = 0; s < sides_.size(); ++s) {
    const XmpSide& side = sides_[s];
    for (std::size_t d = 0; d < side.sections.size(); ++d) {
      const auto [first, length, is_place] = side.sections[d];
      if (length < 0) {
        fail_together(fmt::format("the directive xmp gmove: a length of {} in dimension {} of its {} side is refused: "
                                  "it is at least 0",
                                  length, d, s == 0 ? "left" : "right"),
                      line);
      }
      long end = 0;
      if (__builtin_add_overflow(first, std::max(length, 1L), &end)) end = std::numeric_limits<long>::max();
      // An empty section may begin behind the last element.
      const bool fits = !is_place && length == 0 ? first <= side.extents[d] : end <= side.extents[d];
      if (first < 0 || !fits) {
        fail_together(fmt::format("the directive xmp gmove: {} to {} in dimension {} of its {} side is refused: the "
                                  "array has 0 to {}",
                                  first, end - 1, d, s == 0 ? "left" : "right", side.extents[d] - 1),
                      line);
      }
      if (!is_place) lengths[s].push_back(length);
    }
  }
  if (lengths[0] == lengths[1]) return;
  fail_together(fmt::format("the directive xmp gmove: {} elements are assigned to {}", fmt::join(lengths[1], " x "),
                            fmt::join(lengths[0], " x ")),
                line);
}

void XmpRun::move(std::size_t element_bytes, int line) {
  require_equal_sides(line);
  const auto& [left, right] = sides_;
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<std::optional<XmpBox>> to(ranks);
  std::vector<std::optional<XmpBox>> from(ranks);
  for (int rank = 0; rank < size_; ++rank) {
    to[static_cast<std::size_t>(rank)] = owned(left, rank, false);
    from[static_cast<std::size_t>(rank)] = owned(right, rank, true);
  }
  // What every rank has itself goes nowhere.
  const bool is_local = right.array < 0;
  const auto message = [&](std::size_t sender, std::size_t receiver) {
    return is_local && sender != receiver ? std::nullopt : common(from[sender], to[receiver]);
  };
  const auto own = static_cast<std::size_t>(rank_);
  constexpr std::size_t kMost = 2147483647;
  std::array<std::vector<int>, 2> counts;  // bytes that are sent, and received
  std::array<std::vector<int>, 2> places;
  std::array<std::size_t, 2> bytes{};
  for (std::size_t other = 0; other < ranks; ++other) {
    for (const std::size_t received : {0, 1}) {
      const std::optional<XmpBox> box = received == 0 ? message(own, other) : message(other, own);
      const std::size_t here = box ? elements_of(*box) * element_bytes : 0;
      places[received].push_back(static_cast<int>(std::min(bytes[received], kMost)));
      counts[received].push_back(static_cast<int>(std::min(here, kMost)));
      bytes[received] += here;
      if (bytes[received] > kMost)
        fail(fmt::format("an xmp gmove of {} bytes is refused: MPI counts to {}", bytes[received], kMost), line);
    }
  }
  std::vector<std::byte> sent(bytes[0]);
  std::vector<std::byte> received(bytes[1]);
  for (std::size_t other = 0; other < ranks; ++other) {
    if (const auto box = message(own, other))
      copy_box(right, *box, element_bytes, sent.data() + places[0][other], true);
  }
  MPI_Alltoallv(sent.data(), counts[0].data(), places[0].data(), MPI_BYTE, received.data(), counts[1].data(),
                places[1].data(), MPI_BYTE, MPI_COMM_WORLD);
  for (std::size_t other = 0; other < ranks; ++other) {
    if (const auto box = message(other, own))
      copy_box(left, *box, element_bytes, received.data() + places[1][other], false);
  }
  if (!network_) return;
  std::vector<std::vector<double>> all(ranks, std::vector<double>(ranks));
  for (std::size_t sender = 0; sender < ranks; ++sender) {
    for (std::size_t receiver = 0; receiver < ranks; ++receiver) {
      if (const auto box = message(sender, receiver))
        all[sender][receiver] = static_cast<double>(elements_of(*box) * element_bytes);
    }
  }
  meet(network_->messages(all), others_);
}

}  // namespace gdr::interconnect
