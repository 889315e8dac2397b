// PEACH2's routes and addresses, and how its times move when the hardware does.
#include "gdr/interconnect/peach2.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <queue>
#include <regex>

#include "gdr/base/description.h"
#include "gdr/base/file.h"
#include "gdr/interconnect/ha_pacs_tca.h"
#include "gdr/interconnect/tca_events.h"
#include "scratch_directory.h"

namespace gdr::interconnect {
namespace {

constexpr std::uint64_t kWindow = std::uint64_t{512} << 30;
constexpr int kDevices = 4;

/// Least hops by breadth-first search over the cables: knows nothing of registers.
std::vector<int> least_hops(const SubCluster& cluster, int from) {
  std::vector<int> hops(static_cast<std::size_t>(cluster.nodes()), -1);
  std::queue<int> next({from});
  hops[static_cast<std::size_t>(from)] = 0;
  while (!next.empty()) {
    const int node = next.front();
    next.pop();
    for (const Port port : {Port::east, Port::west, Port::south}) {
      const int neighbour = cluster.cable(node, port).first;
      if (neighbour < 0 || hops[static_cast<std::size_t>(neighbour)] >= 0) continue;
      hops[static_cast<std::size_t>(neighbour)] = hops[static_cast<std::size_t>(node)] + 1;
      next.push(neighbour);
    }
  }
  return hops;
}

class Shapes : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  SubCluster cluster{GetParam().first, GetParam().second, kWindow, kDevices};
};

TEST_P(Shapes, RegistersReachEveryNodeInTheLeastHops) {
  for (int from = 0; from < cluster.nodes(); ++from) {
    const std::vector<int> least = least_hops(cluster, from);
    for (int to = 0; to < cluster.nodes(); ++to) {
      const std::vector<int> route = cluster.route(from, to);
      EXPECT_EQ(route.front(), from);
      EXPECT_EQ(route.back(), to);
      EXPECT_EQ(cluster.hops(from, to), least[static_cast<std::size_t>(to)]) << from << " to " << to;
    }
  }
}

TEST_P(Shapes, EveryCableJoinsARootComplexToAnEndpoint) {
  for (int node = 0; node < cluster.nodes(); ++node) {
    EXPECT_EQ(cluster.role(node, Port::north), PortRole::endpoint);
    for (const Port port : {Port::east, Port::west, Port::south}) {
      const auto [other, its] = cluster.cable(node, port);
      if (other < 0) continue;
      EXPECT_EQ(cluster.cable(other, its), (std::pair{node, port}));
      EXPECT_NE(cluster.role(node, port), cluster.role(other, its));
    }
  }
}

TEST_P(Shapes, EveryDeviceOfANodeIsRoutedAsItsHost) {
  for (int to = 0; to < cluster.nodes(); ++to) {
    for (const Device device : {Device::host, Device::gpu0, Device::gpu1, Device::chip}) {
      const std::uint64_t last = cluster.window().slot_bytes() - 1;
      const std::uint64_t address = cluster.window().address({to, device, last});
      const WindowPlace place = cluster.window().place(address);
      EXPECT_EQ(place.node, to);
      EXPECT_EQ(place.device, device);
      EXPECT_EQ(place.offset, last);
      for (int from = 0; from < cluster.nodes(); ++from) {
        EXPECT_EQ(cluster.output(from, address), cluster.output(from, cluster.window().address({to, Device::host, 0})));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rings, Shapes,
                         testing::Values(std::pair{1, 2}, std::pair{1, 8}, std::pair{2, 2}, std::pair{2, 4},
                                         std::pair{2, 8}));

TEST(SubCluster, MoreNodesAreFurtherApart) {
  EXPECT_EQ(SubCluster(2, 4, kWindow, kDevices).worst_hops(), 3);  // Hanawa et al. 2013, section 3.2
  EXPECT_EQ(SubCluster(2, 8, kWindow, kDevices).worst_hops(), 5);
}

TEST(SubCluster, ADroppedLinkIsToldWithItsRoute) {
  SubCluster cluster(2, 8, kWindow, kDevices);
  cluster.drop_link(2, 3);
  EXPECT_THROW(static_cast<void>(cluster.route(1, 4)), LinkDown);
  try {
    static_cast<void>(cluster.route(4, 1));
    FAIL();
  } catch (const LinkDown& error) {
    EXPECT_NE(std::string(error.what()).find("4 > 3 > 2 > 1"), std::string::npos) << error.what();
  }
  EXPECT_EQ(cluster.hops(0, 1), 1);
}

TEST(SubCluster, WhatIsNotThereIsRefused) {
  SubCluster cluster(2, 8, kWindow, kDevices);
  EXPECT_THROW(static_cast<void>(cluster.route(0, 16)), Error);
  EXPECT_THROW(cluster.drop_link(0, 2), Error);
  EXPECT_THROW(static_cast<void>(cluster.output(0, kWindow)), Error);
  EXPECT_THROW(static_cast<void>(cluster.window().address({0, Device::gpu0, cluster.window().slot_bytes()})), Error);
  EXPECT_THROW(SubCluster(3, 8, kWindow, kDevices), Error);
  EXPECT_THROW(SubCluster(2, 6, kWindow, kDevices), Error);
  EXPECT_THROW(SubCluster(2, 8, kWindow - 1, kDevices), Error);
}

/// Bytes at which the second way becomes quicker.
template <class First, class Second>
double crossover(First first, Second second) {
  double bytes = 1;
  while (bytes < 1e9 && first(bytes) <= second(bytes)) bytes *= 1.01;
  return bytes;
}

TEST(Peach2Time, PacketsOfThePapersPayloadGiveThePapersPeak) {
  EXPECT_DOUBLE_EQ(load_peach2().peak_rate(), 4e9 * 256 / (256 + 16 + 2 + 4 + 1 + 1));
}

TEST(Peach2Time, LargerPayloadsCarryMoreAndShortBurstsLess) {
  Peach2 board = load_peach2();
  const double before = board.peak_rate();
  board.payload = 512;
  EXPECT_GT(board.peak_rate(), before);
  EXPECT_GT(board.burst_factor(64), board.burst_factor(128));
  EXPECT_GT(board.burst_factor(257), board.burst_factor(512));
  EXPECT_DOUBLE_EQ(board.burst_factor(4096), 1);
}

TEST(Peach2Time, NoPathCarriesMoreThanItsWire) {
  const Peach2 board = load_peach2();
  const HaPacsTca cluster = load_ha_pacs_tca();
  for (const double bytes : {1.0, 8.0, 64.0, 255.0, 256.0, 257.0, 1000.0}) {
    // What the wire takes for the packets of 100,000 descriptors, however long the chain's start is.
    constexpr double kCount = 100000;
    const double wire = kCount * (bytes + std::ceil(bytes / 256) * 24) / 4e9;
    for (const Memory from : {Memory::cpu, Memory::gpu}) {
      EXPECT_GT(board.dma_chain(bytes, kCount, from) - board.dma_chain(0, 1, from), wire) << bytes;
      EXPECT_GT(board.local_chain(bytes, kCount, from) - board.local_chain(0, 1, from), wire) << bytes;
      EXPECT_GT(board.dma_register(bytes, from) - board.dma_register(0, from), wire / kCount) << bytes;
      EXPECT_GT(board.local_register(bytes, from) - board.local_register(0, from), wire / kCount) << bytes;
    }
    for (const Descriptors where : {Descriptors::host, Descriptors::own}) {
      EXPECT_GT(cluster.tca_chain(bytes, kCount, where) - cluster.tca_chain(0, 1, where), wire) << bytes;
      EXPECT_GT(cluster.tca_put(bytes, where) - cluster.tca_put(0, where), wire / kCount) << bytes;
    }
  }
  // A face of 32 x 32 floats: 32 rows of 128 bytes.
  EXPECT_GT(cluster.tca_face(Pattern::block_stride, 4096) - cluster.tca_put(0), 32 * (128 + 24) / 4e9);
}

/// A board from the description with some values changed.
Peach2 board_with(std::vector<std::pair<std::string, std::string>> changes) {
  std::string text;
  for (const std::filesystem::path& directory : base::data_directories()) {
    const std::filesystem::path file = directory / "machines" / "peach2.toml";
    if (text.empty() && std::filesystem::exists(file)) text = base::read_file(file);
  }
  for (const auto& [key, value] : changes) {
    const std::regex line("(\\n" + key + " *= \\{ value = )[0-9.]+");
    EXPECT_TRUE(std::regex_search(text, line)) << key;
    text = std::regex_replace(text, line, "$01" + value);
  }
  const tests::ScratchDirectory scratch;
  const std::filesystem::path file = scratch / "peach2.toml";
  base::write_file(file, text);
  return load_peach2(file.string());
}

/// Times of a long message over every path on PEACH2's wire.
std::vector<double> long_messages(const Peach2& board) {
  constexpr double kBytes = 1 << 20;
  std::vector<double> seconds;
  for (const Memory from : {Memory::cpu, Memory::gpu}) {
    seconds.push_back(board.dma_register(kBytes, from));
    seconds.push_back(board.dma_chain(kBytes, 2, from));
    seconds.push_back(board.local_register(kBytes, from));
    seconds.push_back(board.local_chain(kBytes, 2, from));
  }
  seconds.push_back(board.staged(kBytes));
  return seconds;
}

TEST(Peach2Time, ASlowerWireSlowsEveryPath) {
  const std::vector<double> before = long_messages(board_with({}));
  for (const auto& change :
       {std::pair<std::string, std::string>{"max_payload", "128"}, {"link_rate", "2000"}, {"lanes", "4"}}) {
    const std::vector<double> after = long_messages(board_with({change}));
    for (std::size_t path = 0; path < before.size(); ++path) EXPECT_GT(after[path], before[path]) << change.first;
  }
}

TEST(Peach2Time, PacketsOf128BytesLeaveNoMoreThanTheyCarry) {
  const Peach2 board = board_with({{"max_payload", "128"}});
  EXPECT_LE(board.dma_rate, 4e9 * 128 / 152);
  EXPECT_GT(board.dma_rate, 0.9 * 4e9 * 128 / 152);
  EXPECT_LE(board_with({{"link_rate", "1000"}}).dma_rate, 1e9 * 256 / 280);
}

TEST(Peach2Time, AsMeasuredAPathReachesWhatWasMeasured) {
  const Peach2 board = load_peach2();
  EXPECT_EQ(board.dma_rate, 3.5e9);
  EXPECT_EQ(board.gpu_read_rate, 0.88e9);
  EXPECT_THROW(static_cast<void>(board_with({{"dma_rate", "3700"}})), Error);
}

TEST(Peach2Time, WiderStoresKeepPioAheadOfDmaForLonger) {
  Peach2 board = load_peach2();
  const auto limit = [&] {
    return crossover([&](double b) { return board.pio(b, Memory::cpu); },
                     [&](double b) { return board.dma_register(b, Memory::cpu); });
  };
  const double narrow = limit();
  board.pio_payload = 64;
  EXPECT_GT(limit(), narrow);
}

TEST(MessageTime, ASlowerPeach2AndAQuickerPipelineMoveTheCrossoverDown) {
  const HaPacsTca before = load_ha_pacs_tca();
  const auto limit = [](const HaPacsTca& m, GdrPath path) {
    return crossover([&](double b) { return m.tca_put(b); }, [&](double b) { return m.mpi_message(b, path); });
  };
  const double bytes = limit(before, GdrPath::same_socket);
  HaPacsTca slower = before;
  slower.tca_rate *= 0.9;
  EXPECT_LT(limit(slower, GdrPath::same_socket), bytes);
  HaPacsTca quicker = before;
  quicker.pipeline_start /= 2;
  EXPECT_LT(limit(quicker, GdrPath::same_socket), bytes);
}

TEST(MessageTime, QpiSlowsMessagesUntilTheyGoThroughTheHosts) {
  const HaPacsTca m = load_ha_pacs_tca();
  for (double bytes = 8; bytes <= m.copied_max; bytes *= 2) {
    EXPECT_GT(m.mpi_message(bytes, GdrPath::qpi), m.mpi_message(bytes, GdrPath::same_socket)) << bytes;
    EXPECT_LE(bytes / m.mpi_message(bytes, GdrPath::qpi), 290e6) << bytes;  // IPSJ ACS 8(4), 2015, section 4
  }
  EXPECT_EQ(m.mpi_message(m.copied_max + 1, GdrPath::qpi), m.mpi_message(m.copied_max + 1, GdrPath::same_socket));
}

TEST(MessageTime, ProtocolsChangeAtTheStatedSizes) {
  const HaPacsTca m = load_ha_pacs_tca();
  EXPECT_EQ(m.protocol(8192, GdrPath::same_socket), GdrProtocol::direct);
  EXPECT_EQ(m.protocol(8193, GdrPath::same_socket), GdrProtocol::copied);
  EXPECT_EQ(m.protocol(262144, GdrPath::qpi), GdrProtocol::copied);
  EXPECT_EQ(m.protocol(262145, GdrPath::qpi), GdrProtocol::pipelined);
  EXPECT_EQ(m.protocol(8193, GdrPath::qpi_tuned), GdrProtocol::pipelined);
}

// The event model.

const SubCluster kCluster(2, 8, kWindow, kDevices);
constexpr double kRate = 3e9;
constexpr PathModel kPath{kRate, 0.8, 2e-7};

TimedChain chain(int node, std::vector<TimedPut> puts) { return {node, 0, 2e-6, std::move(puts)}; }

TEST(Events, AChainAloneTakesItsStartAndItsBytes) {
  const auto results = run_chains(kCluster, kPath, {chain(0, {{1, 3e6, kRate}, {8, 3e6, kRate}})});
  EXPECT_DOUBLE_EQ(results[0].finished, 2e-6 + 2e-3);
  EXPECT_FALSE(results[0].collided);
}

TEST(Events, EveryFurtherChipAddsAHop) {
  const auto one = run_chains(kCluster, kPath, {chain(0, {{1, 3e6, kRate}})});
  const auto three = run_chains(kCluster, kPath, {chain(0, {{3, 3e6, kRate}})});
  EXPECT_NEAR(three[0].finished - one[0].finished, 2 * kPath.hop, 1e-15);
}

TEST(Events, TwoSendersToOneNodeShareItAndLoseBandwidth) {
  const auto results = run_chains(kCluster, kPath, {chain(0, {{1, 3e6, kRate}}), chain(2, {{1, 3e6, kRate}})});
  for (const TimedResult& result : results) {
    EXPECT_TRUE(result.collided);
    EXPECT_DOUBLE_EQ(result.finished, 2e-6 + 2 * 1e-3 / kPath.collision);
  }
}

TEST(Events, PacketsThatMeetOnALinkSlowDown) {
  // 0 to 2 and 1 to 2 share the link from 1 to 2; 0 to 1 alone shares nothing with 1 to 2.
  const auto meet = run_chains(kCluster, kPath, {chain(0, {{2, 3e6, kRate}}), chain(1, {{2, 3e6, kRate}})});
  const auto pass = run_chains(kCluster, kPath, {chain(0, {{1, 3e6, kRate}}), chain(1, {{2, 3e6, kRate}})});
  EXPECT_GT(meet[1].finished, 2 * pass[1].finished - 2e-6);
  EXPECT_FALSE(pass[0].collided);
}

TEST(Events, OppositeDirectionsDoNotMeet) {
  const auto results = run_chains(kCluster, kPath, {chain(0, {{1, 3e6, kRate}}), chain(1, {{0, 3e6, kRate}})});
  for (const TimedResult& result : results) EXPECT_FALSE(result.collided);
}

}  // namespace
}  // namespace gdr::interconnect
