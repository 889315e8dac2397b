// Memories, descriptor chains and clocks of a sub-cluster.
#include "gdr/interconnect/tca_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "gdr/interconnect/tca_times.h"
#include "put_checks.h"

namespace gdr::interconnect {
namespace {

struct Allocation {
  int node = 0;
  std::uint64_t address = 0;  // in the window
  std::uint64_t bytes = 0;
  bool pinned = true;
  std::unique_ptr<std::byte[]> data;
};

struct Channel {
  Descriptors where = Descriptors::own;
  std::vector<TcaPut> puts;
  bool running = false;             // started, not yet run
  double started = 0;               // s
  std::optional<double> completed;  // s, from the run until it is waited for
};

/// Bytes [begin, end) of the window.
struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  auto operator<=>(const Interval&) const = default;
};

void add_intervals(std::vector<Interval>& intervals, const TcaHandle& handle, std::uint64_t offset, std::uint64_t pitch,
                   const TcaPut& put) {
  for (std::uint64_t row = 0; row < put.rows; ++row) {
    const std::uint64_t begin = handle.address + offset + row * pitch;
    intervals.push_back({begin, begin + put.burst});
  }
}

Memory memory_of(Device device) { return device == Device::host ? Memory::cpu : Memory::gpu; }

SubCluster shape_of(const Peach2& board, int nodes) {
  if (nodes != 2 && nodes != 4 && nodes != 8 && nodes != 16) {
    throw Error(fmt::format("nodes = {} is refused: a sub-cluster has 2, 4, 8 or 16", nodes));
  }
  const int rings = nodes == 2 ? 1 : 2;
  return {rings, nodes / rings, board.window_bytes, board.devices};
}

}  // namespace

struct TcaMachine::State {
  State(const Peach2& b, const HaPacsTca& c, int nodes)
      : board(b),
        cluster(c),
        times(b, c),
        sub_cluster(shape_of(b, nodes)),
        channels(static_cast<std::size_t>(nodes * b.channels)),
        clocks(static_cast<std::size_t>(nodes), 0) {}

  Channel& channel(int node, int index) {
    require_node(node);
    if (index < 0 || index >= board.channels) {
      throw Error(fmt::format("channel = {} is refused: a chip has channels 0 to {}", index, board.channels - 1));
    }
    return channels[static_cast<std::size_t>(node * board.channels + index)];
  }

  void require_node(int node) const {
    if (node < 0 || node >= sub_cluster.nodes()) {
      throw Error(
          fmt::format("node = {} is refused: the sub-cluster has nodes 0 to {}", node, sub_cluster.nodes() - 1));
    }
  }

  Allocation& of_memory(const std::byte* memory) {
    for (auto& [address, allocation] : allocations) {
      if (allocation.data.get() == memory) return allocation;
    }
    throw Error(fmt::format("memory {} is refused: it is no memory that this machine has allocated",
                            static_cast<const void*>(memory)));
  }

  /// The allocation that holds an address of the window, if any.
  [[nodiscard]] const Allocation* of_address(std::uint64_t address) const {
    auto next = allocations.upper_bound(address);
    if (next == allocations.begin()) return nullptr;
    const Allocation& found = std::prev(next)->second;
    return address - found.address < found.bytes ? &found : nullptr;
  }

  [[nodiscard]] std::size_t own_descriptors(int node) const {
    std::size_t count = 0;
    for (int c = 0; c < board.channels; ++c) {
      const Channel& other = channels[static_cast<std::size_t>(node * board.channels + c)];
      if (other.where == Descriptors::own) count += other.puts.size();
    }
    return count;
  }

  void require_room(int node, std::size_t more) const {
    const auto limit = static_cast<std::size_t>(cluster.own_descriptor_max);
    if (const std::size_t count = own_descriptors(node) + more; count > limit) {
      throw Error(fmt::format("{} descriptors on node {} are refused: the chip holds {}; the host's memory holds more",
                              count, node, limit));
    }
  }

  Peach2 board;
  HaPacsTca cluster;
  TcaTimes times;
  SubCluster sub_cluster;
  std::vector<Channel> channels;                    // [node][channel]
  std::vector<double> clocks;                       // s, by node
  std::map<std::uint64_t, Allocation> allocations;  // by address in the window
  std::map<int, double> arrivals;                   // s: the latest at each node, not yet waited for
};

TcaMachine::TcaMachine(const Peach2& board, const HaPacsTca& cluster, int nodes)
    : state_(std::make_unique<State>(board, cluster, nodes)) {}
TcaMachine::~TcaMachine() = default;

const SubCluster& TcaMachine::sub_cluster() const { return state_->sub_cluster; }
const HaPacsTca& TcaMachine::cluster() const { return state_->cluster; }
int TcaMachine::channels() const { return state_->board.channels; }
double TcaMachine::now(int node) const {
  state_->require_node(node);
  return state_->clocks[static_cast<std::size_t>(node)];
}
void TcaMachine::drop_link(int a, int b) { state_->sub_cluster.drop_link(a, b); }

std::span<std::byte> TcaMachine::allocate(int node, Device device, std::size_t bytes) {
  constexpr std::uint64_t kPage = 65536;  // GPU memory is pinned in pages of 64 KB; hosts' pages are smaller
  state_->require_node(node);
  if (bytes == 0 || device == Device::chip) {
    throw Error(
        fmt::format("{} bytes of {} are refused: it must be 1 or more of the host or a GPU", bytes, name_of(device)));
  }
  const Window& window = state_->sub_cluster.window();
  const std::uint64_t slot = window.address({node, device, 0});
  std::uint64_t place = slot;  // found by first fit
  for (const auto& [address, allocation] : state_->allocations) {
    if (address < slot || address >= slot + window.slot_bytes()) continue;
    if (address - place >= bytes) break;
    place = (address + allocation.bytes + kPage - 1) / kPage * kPage;
  }
  const std::uint64_t room = slot + window.slot_bytes() - std::min(place, slot + window.slot_bytes());
  if (bytes > room) {
    throw Error(fmt::format("{} bytes of {} on node {} are refused: {} bytes of its slot in the window are left", bytes,
                            name_of(device), node, room));
  }
  Allocation allocation{node, place, bytes, true, std::make_unique<std::byte[]>(bytes)};
  std::byte* data = allocation.data.get();
  state_->allocations.emplace(place, std::move(allocation));
  return {data, bytes};
}

void TcaMachine::release(const std::byte* memory) { state_->allocations.erase(state_->of_memory(memory).address); }
void TcaMachine::pin(const std::byte* memory) { state_->of_memory(memory).pinned = true; }
void TcaMachine::unpin(const std::byte* memory) { state_->of_memory(memory).pinned = false; }

TcaHandle TcaMachine::handle(const std::byte* memory) const {
  const Allocation& allocation = state_->of_memory(memory);
  if (!allocation.pinned) {
    throw Error(fmt::format("memory {} on node {} is refused: it is not pinned", static_cast<const void*>(memory),
                            allocation.node));
  }
  return {allocation.address, allocation.bytes};
}

std::byte* TcaMachine::at(const TcaHandle& handle, std::uint64_t offset, std::uint64_t bytes,
                          std::string_view argument) const {
  check_range(handle, offset, bytes, argument);
  const std::uint64_t begin = handle.address + offset;
  static_cast<void>(state_->sub_cluster.window().place(begin));
  const Allocation* allocation = state_->of_address(begin);
  if (allocation == nullptr || !allocation->pinned || bytes > allocation->address + allocation->bytes - begin) {
    throw Error(fmt::format("{}: {} bytes at window address {:#x} are refused: they are not pinned memory", argument,
                            bytes, begin));
  }
  return allocation->data.get() + (begin - allocation->address);
}

void TcaMachine::set_descriptors(int node, int channel, Descriptors where) {
  Channel& c = state_->channel(node, channel);
  if (where == Descriptors::own && c.where == Descriptors::host) state_->require_room(node, c.puts.size());
  c.where = where;
}

void TcaMachine::append(int node, int channel, const TcaPut& put) {
  Channel& c = state_->channel(node, channel);
  if (c.running) throw Error(fmt::format("channel {} of node {} is refused: it is running", channel, node));
  check(node, {&put, 1});
  if (c.where == Descriptors::own) state_->require_room(node, 1);
  c.puts.push_back(put);
}

void TcaMachine::clear(int node, int channel) {
  Channel& c = state_->channel(node, channel);
  if (c.running) throw Error(fmt::format("channel {} of node {} is refused: it is running", channel, node));
  c.puts.clear();
}

std::size_t TcaMachine::descriptors(int node, int channel) const { return state_->channel(node, channel).puts.size(); }

void TcaMachine::check(int node, std::span<const TcaPut> puts) const {
  const Window& window = state_->sub_cluster.window();
  std::vector<Interval> written;
  std::vector<Interval> read;
  for (const TcaPut& put : puts) {
    check_rows(put);
    static_cast<void>(at(put.destination, put.destination_offset, extent(put.destination_pitch, put), "destination"));
    static_cast<void>(at(put.source, put.source_offset, extent(put.source_pitch, put), "source"));
    const int from = window.place(put.source.address).node;
    if (from != node) {
      throw Error(
          fmt::format("source on node {} is refused: node {} puts from its own memory; reads go by proxy", from, node));
    }
    static_cast<void>(state_->sub_cluster.route(node, window.place(put.destination.address).node));
    add_intervals(written, put.destination, put.destination_offset, put.destination_pitch, put);
    add_intervals(read, put.source, put.source_offset, put.source_pitch, put);
  }
  // Descriptors are read ahead, so nothing orders the reads of one transfer after the writes of another.
  std::ranges::sort(written);
  for (std::size_t i = 1; i < written.size(); ++i) {
    if (written[i].begin < written[i - 1].end) {
      throw Error(fmt::format("window address {:#x} is refused: two transfers write it", written[i].begin));
    }
  }
  for (const Interval& source : read) {
    const auto after = std::ranges::lower_bound(written, source.end, {}, &Interval::begin);
    if (after != written.begin() && std::prev(after)->end > source.begin) {
      throw Error(fmt::format("window address {:#x} is refused: transfers read and write it",
                              std::max(source.begin, std::prev(after)->begin)));
    }
  }
}

TimedChain TcaMachine::timed(int node, std::span<const TcaPut> puts, Descriptors where, double start) const {
  const Window& window = state_->sub_cluster.window();
  TimedChain chain{node, start, state_->times.chain_setup(where), {}};
  for (const TcaPut& put : puts) {
    chain.puts.push_back(state_->times.put(window.place(put.destination.address).node, static_cast<double>(put.burst),
                                           static_cast<double>(put.rows),
                                           memory_of(window.place(put.source.address).device)));
  }
  return chain;
}

PathModel TcaMachine::path() const { return state_->times.path(); }

namespace {

void copy_rows(const TcaMachine& machine, const TcaPut& put) {
  std::byte* to =
      machine.at(put.destination, put.destination_offset, extent(put.destination_pitch, put), "destination");
  const std::byte* from = machine.at(put.source, put.source_offset, extent(put.source_pitch, put), "source");
  for (std::uint64_t row = 0; row < put.rows; ++row) {
    std::memcpy(to + row * put.destination_pitch, from + row * put.source_pitch, put.burst);
  }
}

}  // namespace

void TcaMachine::start(int node, int channel) {
  Channel& c = state_->channel(node, channel);
  if (c.running) throw Error(fmt::format("channel {} of node {} is refused: it is running", channel, node));
  if (c.puts.empty()) throw Error(fmt::format("channel {} of node {} is refused: its chain is empty", channel, node));
  check(node, c.puts);
  c.running = true;
  c.started = now(node);
  c.completed.reset();
}

namespace {

/// Runs everything that has been started: computes the times first, then moves the bytes.
template <class State>
void run_started(const TcaMachine& machine, State& state) {
  std::vector<TimedChain> chains;
  std::vector<Channel*> running;
  for (std::size_t i = 0; i < state.channels.size(); ++i) {
    Channel& c = state.channels[i];
    if (!c.running) continue;
    const int node = static_cast<int>(i) / state.board.channels;
    machine.check(node, c.puts);  // memory may have been released since
    chains.push_back(machine.timed(node, c.puts, c.where, c.started));
    running.push_back(&c);
  }
  const std::vector<TimedResult> results = run_chains(state.sub_cluster, machine.path(), chains);
  for (std::size_t i = 0; i < running.size(); ++i) {
    for (std::size_t p = 0; p < running[i]->puts.size(); ++p) {
      copy_rows(machine, running[i]->puts[p]);
      double& latest = state.arrivals[chains[i].puts[p].destination];
      latest = std::max(latest, results[i].puts[p]);
    }
    running[i]->running = false;
    running[i]->completed = results[i].finished;
  }
}

}  // namespace

double TcaMachine::wait(int node, int channel) {
  Channel& c = state_->channel(node, channel);
  if (c.running) run_started(*this, *state_);
  if (!c.completed) throw Error(fmt::format("channel {} of node {} is refused: it was not started", channel, node));
  double& clock = state_->clocks[static_cast<std::size_t>(node)];
  clock = std::max(clock, *c.completed);
  const double seconds = *c.completed - c.started;
  c.completed.reset();
  return seconds;
}

double TcaMachine::wait_receive(int node) {
  state_->require_node(node);
  run_started(*this, *state_);
  double& clock = state_->clocks[static_cast<std::size_t>(node)];
  if (const auto arrival = state_->arrivals.find(node); arrival != state_->arrivals.end()) {
    clock = std::max(clock, arrival->second);
    state_->arrivals.erase(arrival);
  }
  return clock;
}

double TcaMachine::put_by_registers(int node, std::span<const TcaPut> puts) {
  state_->require_node(node);
  if (puts.empty() || puts.size() > static_cast<std::size_t>(state_->board.register_transfers)) {
    throw Error(fmt::format("{} transfers by registers are refused: it must be 1 to {}", puts.size(),
                            state_->board.register_transfers));
  }
  check(node, puts);
  TimedChain chain = timed(node, puts, Descriptors::own, now(node));
  chain.setup =
      state_->times.register_setup(memory_of(state_->sub_cluster.window().place(puts.front().source.address).device));
  const TimedResult result = run_chains(state_->sub_cluster, path(), {chain}).front();
  for (const TcaPut& put : puts) copy_rows(*this, put);
  double& clock = state_->clocks[static_cast<std::size_t>(node)];
  const double seconds = result.finished - clock;
  clock = result.finished;
  return seconds;
}

double TcaMachine::write(int node, const TcaHandle& destination, std::uint64_t offset,
                         std::span<const std::byte> data) {
  state_->require_node(node);
  std::byte* to = at(destination, offset, data.size(), "destination");
  const WindowPlace place = state_->sub_cluster.window().place(destination.address);
  const int hops = state_->sub_cluster.hops(node, place.node);
  if (!data.empty()) std::memcpy(to, data.data(), data.size());
  const double seconds = state_->times.pio(static_cast<double>(data.size()), memory_of(place.device)) +
                         std::max(hops - 1, 0) * state_->cluster.hop;
  state_->clocks[static_cast<std::size_t>(node)] += seconds;
  return seconds;
}

double TcaMachine::read_by_proxy(int node, const TcaPut& put) {
  state_->require_node(node);
  const Window& window = state_->sub_cluster.window();
  const int owner = window.place(put.source.address).node;
  const int reader = window.place(put.destination.address).node;
  if (reader != node) {
    throw Error(fmt::format("destination on node {} is refused: node {} reads into its own memory", reader, node));
  }
  check(owner, {&put, 1});
  const int hops = state_->sub_cluster.hops(node, owner);
  const double request = state_->board.pio(state_->board.descriptor_bytes, Memory::cpu) +
                         std::max(hops - 1, 0) * state_->cluster.hop + state_->board.interrupt;
  double& clock = state_->clocks[static_cast<std::size_t>(node)];
  double& owners = state_->clocks[static_cast<std::size_t>(owner)];
  const double began = clock;
  owners = std::max(owners, clock + request);
  static_cast<void>(put_by_registers(owner, {&put, 1}));
  clock = owners;
  return clock - began;
}

}  // namespace gdr::interconnect
