// Window and routing registers of PEACH2. Hanawa et al. 2013, sections 3.3 and 3.4.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "gdr/interconnect/peach2.h"

namespace gdr::interconnect {

std::string_view name_of(Port port) {
  constexpr std::array<std::string_view, 4> kNames{"N", "E", "W", "S"};
  return kNames.at(static_cast<std::size_t>(port));
}

std::string_view name_of(Device device) {
  constexpr std::array<std::string_view, 4> kNames{"host", "gpu0", "gpu1", "chip"};
  return kNames.at(static_cast<std::size_t>(device));
}

Window::Window(std::uint64_t bytes, int nodes, int devices)
    : bytes_(bytes),
      nodes_(nodes),
      node_bytes_(nodes > 0 ? bytes / static_cast<std::uint64_t>(nodes) : 0),
      slot_bytes_(devices > 0 ? node_bytes_ / static_cast<std::uint64_t>(devices) : 0) {
  if (nodes < 1 || devices < 4 || !std::has_single_bit(node_bytes_) || !std::has_single_bit(slot_bytes_) ||
      slot_bytes_ * static_cast<std::uint64_t>(devices) * static_cast<std::uint64_t>(nodes) != bytes) {
    throw Error(
        fmt::format("window: {} bytes for {} nodes of {} devices is refused: high bits of addresses decide, so parts "
                    "and slots must "
                    "be powers of two and the devices at least 4",
                    bytes, nodes, devices));
  }
}

std::uint64_t Window::address(const WindowPlace& place) const {
  if (place.node < 0 || place.node >= nodes_) {
    throw Error(fmt::format("node {} is refused: the window holds nodes 0 to {}", place.node, nodes_ - 1));
  }
  if (place.offset >= slot_bytes_) {
    throw Error(fmt::format("offset {} of {} on node {} is refused: a slot of the window has {} bytes", place.offset,
                            name_of(place.device), place.node, slot_bytes_));
  }
  return static_cast<std::uint64_t>(place.node) * node_bytes_ + static_cast<std::uint64_t>(place.device) * slot_bytes_ +
         place.offset;
}

WindowPlace Window::place(std::uint64_t address) const {
  if (address >= bytes_) {
    throw Error(fmt::format("address {:#x} is refused: the window has {:#x} bytes", address, bytes_));
  }
  const std::uint64_t slot = address % node_bytes_ / slot_bytes_;
  if (slot > static_cast<std::uint64_t>(Device::chip)) {
    throw Error(fmt::format("address {:#x} is refused: slot {} of node {} has no device", address, slot,
                            address / node_bytes_));
  }
  return {static_cast<int>(address / node_bytes_), static_cast<Device>(slot), address % slot_bytes_};
}

namespace {

/// Adds registers for `count` places of a ring from `first` on eastwards, as at most two ranges of addresses.
void add_places(std::vector<RoutingRegister>& registers, std::uint64_t mask, std::uint64_t node_bytes, int ring_nodes,
                int first, int count, Port port) {
  const auto range = [&](int low, int high) {
    registers.push_back(
        {mask, static_cast<std::uint64_t>(low) * node_bytes, static_cast<std::uint64_t>(high) * node_bytes, port});
  };
  if (count == 0) return;
  const int last = first + count - 1;
  if (last < ring_nodes) {
    range(first, last);
  } else {
    if (first < ring_nodes) range(first, ring_nodes - 1);
    range(std::max(first - ring_nodes, 0), last - ring_nodes);
  }
}

/// A node's registers, in order: to the own host, then over S into the destination's ring, then the shorter way round
/// the ring; east if both ways are equal.
std::vector<RoutingRegister> registers_of(int node, int rings, int ring_nodes, const Window& window) {
  const std::uint64_t part = window.node_bytes();
  const std::uint64_t places = static_cast<std::uint64_t>(ring_nodes - 1) * part;  // bits of the place in the ring
  const std::uint64_t ring_bit = static_cast<std::uint64_t>(ring_nodes) * part;
  const int ring = node / ring_nodes;
  const int place = node % ring_nodes;
  const std::uint64_t nodes_mask = places | (rings == 2 ? ring_bit : 0);
  const std::uint64_t self = static_cast<std::uint64_t>(node) * part;
  std::vector<RoutingRegister> registers{{nodes_mask, self, self, Port::north}};
  if (rings == 2) {
    const std::uint64_t other = ring == 0 ? ring_bit : 0;
    registers.push_back({ring_bit, other, other, Port::south});
  }
  const int eastward = ring_nodes / 2;
  add_places(registers, places, part, ring_nodes, place + 1, eastward, Port::east);
  add_places(registers, places, part, ring_nodes, place + 1 + eastward, ring_nodes - 1 - eastward, Port::west);
  return registers;
}

}  // namespace

SubCluster::SubCluster(int rings, int ring_nodes, std::uint64_t window_bytes, int devices)
    : rings_(rings), ring_nodes_(ring_nodes), window_(window_bytes, rings * ring_nodes, devices) {
  if (rings < 1 || rings > 2 || (ring_nodes != 2 && ring_nodes != 4 && ring_nodes != 8)) {
    throw Error(
        fmt::format("{} rings of {} nodes is refused: it must be 1 or 2 rings of 2, 4 or 8", rings, ring_nodes));
  }
  for (int node = 0; node < nodes(); ++node) registers_.push_back(registers_of(node, rings, ring_nodes, window_));
}

void SubCluster::require_node(int node, std::string_view argument) const {
  if (node < 0 || node >= nodes()) {
    throw Error(fmt::format("{} = {} is unreachable: the sub-cluster has nodes 0 to {}", argument, node, nodes() - 1));
  }
}

PortRole SubCluster::role(int node, Port port) const {
  require_node(node, "node");
  const bool root = port == Port::west || (port == Port::south && node < ring_nodes_);
  return root ? PortRole::root_complex : PortRole::endpoint;
}

std::pair<int, Port> SubCluster::cable(int node, Port port) const {
  require_node(node, "node");
  const int ring = node / ring_nodes_;
  const int place = node % ring_nodes_;
  switch (port) {
    case Port::east:
      return {ring * ring_nodes_ + (place + 1) % ring_nodes_, Port::west};
    case Port::west:
      return {ring * ring_nodes_ + (place + ring_nodes_ - 1) % ring_nodes_, Port::east};
    case Port::south:
      return {rings_ == 2 ? (1 - ring) * ring_nodes_ + place : -1, Port::south};
    case Port::north:
      break;
  }
  return {-1, Port::north};
}

const std::vector<RoutingRegister>& SubCluster::registers(int node) const {
  require_node(node, "node");
  return registers_[static_cast<std::size_t>(node)];
}

Port SubCluster::output(int node, std::uint64_t address) const {
  static_cast<void>(window_.place(address));  // throws for addresses outside
  for (const RoutingRegister& entry : registers(node)) {
    const std::uint64_t masked = address & entry.mask;
    if (entry.low <= masked && masked <= entry.high) return entry.port;
  }
  GDR_ASSERT(false, "the registers of a chip cover the window");
}

bool SubCluster::is_down(int a, int b) const {
  return std::ranges::find(dropped_, std::pair(std::min(a, b), std::max(a, b))) != dropped_.end();
}

std::vector<int> SubCluster::route(int from, int to) const {
  require_node(from, "from");
  require_node(to, "to");
  const std::uint64_t address = window_.address({to, Device::host, 0});
  std::vector<int> nodes{from};
  for (Port port = output(from, address); port != Port::north; port = output(nodes.back(), address)) {
    nodes.push_back(cable(nodes.back(), port).first);
    GDR_ASSERT(nodes.size() <= static_cast<std::size_t>(this->nodes()), "a route passes no node twice");
  }
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (is_down(nodes[i - 1], nodes[i])) {
      throw LinkDown(fmt::format("the link between nodes {} and {} is down on the route {}", nodes[i - 1], nodes[i],
                                 fmt::join(nodes, " > ")));
    }
  }
  return nodes;
}

int SubCluster::worst_hops() const {
  int worst = 0;
  for (int from = 0; from < nodes(); ++from) {
    for (int to = 0; to < nodes(); ++to) worst = std::max(worst, hops(from, to));
  }
  return worst;
}

void SubCluster::drop_link(int a, int b) {
  require_node(a, "a");
  require_node(b, "b");
  const bool neighbours = a != b && (cable(a, Port::east).first == b || cable(a, Port::west).first == b ||
                                     cable(a, Port::south).first == b);
  if (!neighbours) throw Error(fmt::format("link {}-{} is refused: no cable joins these nodes", a, b));
  if (!is_down(a, b)) dropped_.emplace_back(std::min(a, b), std::max(a, b));
}

void SubCluster::drop_link(std::string_view link) {
  int a = 0;
  int b = 0;
  const char* const end = link.data() + link.size();
  const auto [dash, first] = std::from_chars(link.data(), end, a);
  const bool pair = first == std::errc() && dash != end && *dash == '-';
  const auto [stop, second] = pair ? std::from_chars(dash + 1, end, b) : std::from_chars_result{end, first};
  if (!pair || second != std::errc() || stop != end) {
    throw Error(fmt::format("'{}' is refused: it must be two nodes, A-B", link));
  }
  drop_link(a, b);
}

}  // namespace gdr::interconnect
