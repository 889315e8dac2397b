// Node sets, templates and arrays of a program, and the exchange of halos.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "gdr/base/counted.h"
#include "gdr/base/error.h"
#include "xmp_run.h"

namespace gdr::interconnect {
namespace {

int rank_of(const XmpNodes& nodes, const std::vector<long>& at) {
  long rank = 0;
  for (std::size_t k = nodes.extents.size(); k-- > 0;) rank = rank * nodes.extents[k] + at[k];
  return static_cast<int>(rank);
}

/// An array's dimensions for a rank with coordinates `at`, behind dimensions of one element.
std::array<XmpAlong, kHaloDimensions> along_of(const XmpArray& array, const XmpTemplate& on, const XmpNodes& nodes,
                                               const std::vector<long>& at, const long* widths, const int* periodic) {
  std::array<XmpAlong, kHaloDimensions> found;
  const std::size_t unused = kHaloDimensions - array.extents.size();
  for (std::size_t d = 0; d < unused; ++d) found[d].end = 1;
  for (std::size_t d = 0; d < array.extents.size(); ++d) {
    XmpAlong& one = found[unused + d];
    one.shadow_low = array.shadow[2 * d];
    one.shadow_high = array.shadow[2 * d + 1];
    one.width_low = widths[2 * d];
    one.width_high = widths[2 * d + 1];
    one.end = array.extents[d];
    const int dimension = array.along[d];
    if (dimension < 0) continue;
    const auto t = static_cast<std::size_t>(dimension);
    const int k = on.node_dimension[t];
    const long count = k < 0 ? 1 : nodes.extents[static_cast<std::size_t>(k)];
    const long here = k < 0 ? 0 : at[static_cast<std::size_t>(k)];
    const auto block = [&](long coordinate) {
      auto [first, end] = on.block(t, count, coordinate);
      return std::pair(std::clamp(first, 0L, array.extents[d]), std::clamp(end, 0L, array.extents[d]));
    };
    std::tie(one.first, one.end) = block(here);
    // Nodes that have elements: those of a template that is longer than the array may have none, at either end.
    const auto has_elements = [&](long coordinate) { return block(coordinate).first < block(coordinate).second; };
    long first = 0;
    while (first < count && !has_elements(first)) ++first;
    long last = count - 1;
    while (last > first && !has_elements(last)) --last;
    if (one.first >= one.end || (first == last && periodic[d] == 0)) continue;
    one.split = true;
    const bool around = periodic[d] != 0;
    one.peer_low = static_cast<int>(here > first ? here - 1 : around ? last : -1);
    one.peer_high = static_cast<int>(here < last ? here + 1 : around ? first : -1);
    for (long other = first; other <= last; ++other) {
      const auto [from, to] = block(other);
      if (to - from >= std::max(one.width_low, one.width_high)) continue;
      throw Error(fmt::format(
          "a width of {}:{} in dimension {} of '{}' is refused: a node has {} there; use fewer nodes", one.width_low,
          one.width_high, d, array.name, base::counted(static_cast<std::size_t>(to - from), "element")));
    }
  }
  return found;
}

std::vector<XmpMessage> messages_for(const XmpArray& array, const XmpTemplate& on, const XmpNodes& nodes, int rank,
                                     const long* widths, const int* periodic, bool corners) {
  const std::vector<long> at = coordinates_of(nodes, rank);
  const std::array<XmpAlong, kHaloDimensions> along = along_of(array, on, nodes, at, widths, periodic);
  const std::size_t unused = kHaloDimensions - array.extents.size();
  return messages_of(along, corners, [&](const std::array<int, kHaloDimensions>& towards) {
    std::vector<long> peer = at;
    for (std::size_t d = unused; d < kHaloDimensions; ++d) {
      if (towards[d] == 0) continue;
      const int k = on.node_dimension[static_cast<std::size_t>(array.along[d - unused])];
      if (k < 0) continue;  // periodic and not split: the rank itself
      peer[static_cast<std::size_t>(k)] = towards[d] < 0 ? along[d].peer_low : along[d].peer_high;
    }
    return rank_of(nodes, peer);
  });
}

}  // namespace

std::vector<long> coordinates_of(const XmpNodes& nodes, int rank) {
  std::vector<long> at;
  long left = rank;
  for (const long extent : nodes.extents) {
    at.push_back(left % extent);
    left /= extent;
  }
  return at;
}

std::pair<long, long> XmpTemplate::block(std::size_t dimension, long nodes_there, long coordinate) const {
  const auto [first, end] = bounds[dimension];
  const long length = (end - first + nodes_there - 1) / nodes_there;
  return {std::min(first + coordinate * length, end), std::min(first + (coordinate + 1) * length, end)};
}

void XmpRun::add_nodes(XmpNodes made, int line) {
  long known = 1;
  for (const long extent : made.extents) known *= std::max(extent, 1L);
  const bool open = std::ranges::count(made.extents, 0) > 0;
  if (open) std::ranges::replace(made.extents, 0, std::max(size_ / known, 1L));
  if (open ? size_ % known != 0 : size_ != known) {
    fail_together(fmt::format("{} ranks are refused: the nodes '{}' are {}{}; mpirun -np says how many ranks there are",
                              size_, made.name, open ? "multiples of " : "", known),
                  line);
  }
  made.own = coordinates_of(made, rank_);
  if (nodes_.empty() && network_) {
    // The ranks' grid for their placement, slowest first; further dimensions are taken together.
    std::array<int, kHaloDimensions> split{1, 1, 1};
    for (std::size_t k = 0; k < made.extents.size(); ++k) {
      const std::size_t d = kHaloDimensions - 1 - std::min<std::size_t>(k, kHaloDimensions - 1);
      split[d] *= static_cast<int>(made.extents[k]);
    }
    try {
      network_->place(split);
    } catch (const std::exception& error) {
      fail_together(error.what(), line);
    }
  }
  nodes_.push_back(std::move(made));
}

const XmpGroup& XmpRun::group(int nodes_of, unsigned long along) {
  const auto [place, is_new] = groups_.try_emplace({nodes_of, along});
  XmpGroup& found = place->second;
  if (!is_new) return found;
  for (int rank = 0; rank < size_; ++rank) {
    bool beside = true;
    if (nodes_of >= 0) {
      const XmpNodes& of = nodes(nodes_of);
      const std::vector<long> at = coordinates_of(of, rank);
      for (std::size_t k = 0; k < at.size(); ++k) beside = beside && (at[k] == of.own[k] || (along >> k & 1) != 0);
    }
    if (beside) found.ranks.push_back(rank);
  }
  if (found.ranks.size() == static_cast<std::size_t>(size_)) return found;
  // Only these ranks are here: others may take other steps of a loop around the reduction.
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group these = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(found.ranks.size()), found.ranks.data(), &these);
  MPI_Comm_create_group(MPI_COMM_WORLD, these, 0, &found.comm);
  MPI_Group_free(&these);
  MPI_Group_free(&world);
  return found;
}

void XmpRun::add_template(XmpTemplate made, long* block) {
  const XmpNodes& on = nodes(made.nodes);
  for (std::size_t d = 0; d < made.bounds.size(); ++d) {
    const int k = made.node_dimension[d];
    made.own.push_back(
        k < 0 ? made.bounds[d]
              : made.block(d, on.extents[static_cast<std::size_t>(k)], on.own[static_cast<std::size_t>(k)]));
    block[2 * d] = made.own.back().first;
    block[2 * d + 1] = made.own.back().second;
  }
  templates_.push_back(std::move(made));
}

void* XmpRun::add_array(XmpArray array, int line, long* pitch, long* range) {
  const XmpTemplate& on = template_of(array.on);
  const std::size_t dimensions = array.extents.size();
  long elements = 1;
  long base = 0;
  for (std::size_t d = dimensions; d-- > 0;) {
    std::pair<long, long> own{0, array.extents[d]};
    if (array.along[d] >= 0) {
      const auto [first, end] = on.own[static_cast<std::size_t>(array.along[d])];
      own = {std::min(std::max(first, 0L), array.extents[d]), std::min(std::max(end, 0L), array.extents[d])};
    }
    long& low = array.shadow[2 * d];
    long& high = array.shadow[2 * d + 1];
    if (low < 0) {
      array.full = static_cast<int>(d);
      low = own.first;
      high = array.extents[d] - own.second;
    }
    pitch[d] = elements;
    base += (own.first - low) * elements;
    elements *= own.second - own.first + low + high;
    range[4 * d] = own.first;
    range[4 * d + 1] = own.second;
    range[4 * d + 2] = own.first - low;
    range[4 * d + 3] = own.second + high;
    array.own.insert(array.own.begin(), own);
  }
  pitch[dimensions] = -base;
  array.pitch.assign(pitch, pitch + dimensions + 1);
  if (array.element_bytes == 0) {
    arrays_.push_back(std::move(array));
    return nullptr;
  }
  array.memory =
      static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(std::max(elements, 1L)), array.element_bytes));
  if (array.memory == nullptr) {
    fail(fmt::format("'{}' has {} of {} on this node: there is no memory for them", array.name,
                     base::counted(static_cast<std::size_t>(elements), "element"),
                     base::counted(array.element_bytes, "byte")),
         line);
  }
  arrays_.push_back(std::move(array));
  return arrays_.back().memory;
}

int XmpRun::array_at(const void* elements, const char* name, int line) const {
  const auto found = std::ranges::find_if(
      arrays_, [&](const XmpArray& one) { return one.memory != nullptr && one.memory == elements; });
  if (found == arrays_.end()) fail_together(fmt::format("'{}' is no distributed array here", name), line);
  return static_cast<int>(found - arrays_.begin());
}

void XmpRun::init_reflect(int n, const long* widths, const int* periodic, bool orthogonal, int line) {
  XmpArray& array = arrays_.at(static_cast<std::size_t>(n));
  if (array.full >= 0) return init_gather(array, line);
  const XmpTemplate& on = template_of(array.on);
  const bool corners = array.diagonal && !orthogonal;
  const auto messages = [&](int rank) {
    return messages_for(array, on, nodes(on.nodes), rank, widths, periodic, corners);
  };
  try {
    array.reflect = std::make_unique<XmpReflect>(array.memory, array.element_bytes, rank_, messages(rank_));
    if (!network_) return;
    HaloPlans plans;
    plans.shape.element_bytes = array.element_bytes;
    for (int rank = 0; rank < size_; ++rank) {
      HaloPlan& plan = plans.ranks.emplace_back();
      for (const XmpMessage& one : messages(rank)) {
        if (one.send.elements() == 0 || one.peer == rank) continue;
        HaloDirection direction;
        const auto beside = std::ranges::find_if(one.towards, [](int side) { return side != 0; });
        direction.dimension = static_cast<int>(beside - one.towards.begin());
        direction.side = *beside;
        direction.peer = one.peer;
        direction.send = direction.receive = one.send;
        plan.directions.push_back(direction);
      }
    }
    array.reflect->seconds = network_->exchange(plans);
  } catch (const std::exception& error) {
    fail_together(error.what(), line);
  }
}

void XmpRun::init_gather(XmpArray& array, int line) {
  const XmpTemplate& on = template_of(array.on);
  const auto full = static_cast<std::size_t>(array.full);
  const auto along = static_cast<std::size_t>(array.along[full]);
  std::vector<std::pair<long, long>> owned;
  for (int rank = 0; rank < size_; ++rank) {
    const auto [first, end] = on.block(along, size_, rank);
    owned.emplace_back(std::min(std::max(first, 0L), array.extents[full]),
                       std::min(std::max(end, 0L), array.extents[full]));
  }
  const auto elements = [&](std::size_t from, std::size_t to) {
    std::size_t all = 1;
    for (std::size_t d = from; d < to; ++d) all *= static_cast<std::size_t>(array.extents[d]);
    return all;
  };
  try {
    array.gather = std::make_unique<XmpGather>(
        array.memory, elements(0, full), static_cast<std::size_t>(array.extents[full]),
        elements(full + 1, array.extents.size()) * array.element_bytes, std::move(owned), array.name);
    if (network_) array.gather->seconds = network_->all_gather(array.gather->most_bytes());
  } catch (const std::exception& error) {
    fail_together(error.what(), line);
  }
}

void XmpRun::do_reflect(int n, int line) {
  XmpArray& array = arrays_.at(static_cast<std::size_t>(n));
  if (!array.reflect && !array.gather)
    fail_together(fmt::format("the directive xmp reflect_do: '{}' has had no reflect_init", array.name), line);
  if (array.gather) {
    array.gather->exchange(rank_);
  } else {
    array.reflect->exchange();
  }
  if (!network_) return;
  meet(array.gather ? array.gather->seconds : array.reflect->seconds, halos_);
  ++exchanges_;
}

void XmpRun::require_places(long first, long last, long least, long most, const std::string& dimension,
                            int line) const {
  constexpr long kLeast = std::numeric_limits<long>::min();
  constexpr long kMost = std::numeric_limits<long>::max();
  if (first == kLeast && last == kMost) return;  // *
  if (least <= first && first <= last && last <= most) return;
  const std::string given = first == last ? std::to_string(first) : fmt::format("{}:{}", first, last);
  fail_together(fmt::format("{} in {} is refused: there are {} to {}", given, dimension, least, most), line);
}

bool XmpRun::is_on_nodes(int n, const long* ranges, long from, int line) const {
  const XmpNodes& of = nodes(n);
  bool is_on = true;
  for (std::size_t k = 0; k < of.own.size(); ++k) {
    const auto [first, last] = std::pair(ranges[2 * k], ranges[2 * k + 1]);
    require_places(first, last, from, from + of.extents[k] - 1,
                   fmt::format("dimension {} of the nodes '{}'", k, of.name), line);
    is_on = is_on && first <= of.own[k] + from && of.own[k] + from <= last;
  }
  return is_on;
}

bool XmpRun::is_on_template(int n, const long* ranges, int line) const {
  const XmpTemplate& of = template_of(n);
  bool is_on = true;
  for (std::size_t d = 0; d < of.own.size(); ++d) {
    const auto [first, last] = std::pair(ranges[2 * d], ranges[2 * d + 1]);
    require_places(first, last, of.bounds[d].first, of.bounds[d].second - 1,
                   fmt::format("dimension {} of the template '{}'", d, of.name), line);
    if (of.node_dimension[d] >= 0) is_on = is_on && first < of.own[d].second && of.own[d].first <= last;
  }
  return is_on;
}

}  // namespace gdr::interconnect
