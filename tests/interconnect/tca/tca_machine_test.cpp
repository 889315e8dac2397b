// Every byte arrives once, and what must not move is refused before anything has.
#include "gdr/interconnect/tca_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gdr::interconnect {
namespace {

class Machine : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = 1 << 16;

  void SetUp() override {
    for (int node = 0; node < machine.sub_cluster().nodes(); ++node) {
      memory.push_back(machine.allocate(node, node % 2 == 0 ? Device::gpu0 : Device::host, kBytes));
      handle.push_back(machine.handle(memory.back().data()));
      std::ranges::generate(memory.back(), [this] { return static_cast<std::byte>(random()); });
    }
  }

  /// All memories, to see that nothing moved.
  std::vector<std::vector<std::byte>> contents() const {
    std::vector<std::vector<std::byte>> all;
    for (const auto& m : memory) all.emplace_back(m.begin(), m.end());
    return all;
  }

  TcaPut put(int to, std::uint64_t to_offset, int from, std::uint64_t from_offset, std::uint64_t bytes) const {
    return {handle[static_cast<std::size_t>(to)],
            to_offset,
            bytes,
            handle[static_cast<std::size_t>(from)],
            from_offset,
            bytes,
            bytes,
            1};
  }

  /// Appending, starting and waiting all refuse or `refused` does, and no byte moves.
  template <class Call>
  void expect_refused(Call refused, const std::string& number) {
    const auto before = contents();
    try {
      refused();
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(number), std::string::npos) << error.what();
    }
    EXPECT_EQ(contents(), before);
  }

  std::mt19937 random{7};
  TcaMachine machine{load_peach2(), load_ha_pacs_tca(), 16};
  std::vector<std::span<std::byte>> memory;
  std::vector<TcaHandle> handle;
};

TEST_F(Machine, RandomBlockStridesArriveOnceAndNothingElseChanges) {
  for (int trial = 0; trial < 200; ++trial) {
    const auto pick = [this](std::uint64_t low, std::uint64_t high) {
      return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
    };
    const auto from = static_cast<std::size_t>(pick(0, 15));
    const auto to = static_cast<std::size_t>((from + pick(1, 15)) % 16);
    TcaPut p{handle[to], 0, 0, handle[from], 0, 0, pick(1, 500), pick(1, 40)};
    p.destination_pitch = p.burst + pick(0, 300);
    p.source_pitch = p.burst + pick(0, 300);
    p.destination_offset = pick(0, kBytes - p.rows * p.destination_pitch);
    p.source_offset = pick(0, kBytes - p.rows * p.source_pitch);
    auto expected = contents();
    for (std::uint64_t row = 0; row < p.rows; ++row) {
      for (std::uint64_t b = 0; b < p.burst; ++b) {
        expected[to][p.destination_offset + row * p.destination_pitch + b] =
            expected[from][p.source_offset + row * p.source_pitch + b];
      }
    }
    const int node = static_cast<int>(from);
    const int channel = trial % machine.channels();
    machine.clear(node, channel);
    machine.append(node, channel, p);
    machine.start(node, channel);
    EXPECT_GT(machine.wait(node, channel), 0);
    ASSERT_EQ(contents(), expected) << trial;
  }
}

TEST_F(Machine, ChainsCanBeStartedAgain) {
  machine.append(0, 0, put(1, 0, 0, 0, 4096));
  for (int turn = 0; turn < 3; ++turn) {
    memory[0][17] = static_cast<std::byte>(turn);
    machine.start(0, 0);
    static_cast<void>(machine.wait(0, 0));
    EXPECT_EQ(memory[1][17], static_cast<std::byte>(turn));
  }
}

TEST_F(Machine, TimeIsTheMessagesTimeAndClocksMoveOn) {
  machine.append(0, 0, put(1, 0, 0, 0, 32768));
  machine.start(0, 0);
  const double seconds = machine.wait(0, 0);
  EXPECT_NEAR(seconds, machine.cluster().tca_put(32768), 1e-12);
  EXPECT_EQ(machine.now(0), seconds);
  EXPECT_EQ(machine.now(1), 0);
  EXPECT_EQ(machine.wait_receive(1), seconds);
}

TEST_F(Machine, AChainOfShortPutsTakesTheTimeOfPingpong) {
  constexpr int kCount = 1000;
  for (std::uint64_t i = 0; i < kCount; ++i) machine.append(0, 0, put(1, 8 * i, 0, 8 * i, 8));
  machine.start(0, 0);
  EXPECT_NEAR(machine.wait(0, 0), machine.cluster().tca_chain(8, kCount), 1e-12);
}

TEST_F(Machine, ChainsStartedTogetherCollideAndOneAfterAnotherDoNot) {
  machine.append(0, 0, put(1, 0, 0, 0, 32768));
  machine.append(2, 0, put(1, 32768, 2, 0, 32768));
  machine.start(0, 0);
  machine.start(2, 0);
  const double together = machine.wait(0, 0);
  static_cast<void>(machine.wait(2, 0));
  machine.start(0, 0);
  const double alone = machine.wait(0, 0);
  EXPECT_GT(together, 1.9 * alone);
}

TEST_F(Machine, OwnDescriptorsStartSoonerThanTheHosts) {
  machine.append(0, 0, put(1, 0, 0, 0, 256));
  machine.start(0, 0);
  const double own = machine.wait(0, 0);
  machine.set_descriptors(0, 0, Descriptors::host);
  machine.start(0, 0);
  EXPECT_GT(machine.wait(0, 0), own);
}

TEST_F(Machine, TheChipHoldsSoManyDescriptorsAndTheHostMore) {
  const int limit = machine.cluster().own_descriptor_max;
  for (int i = 0; i < limit; ++i) {
    machine.append(0, i % 2, put(1, static_cast<std::uint64_t>(i) * 8, 0, 0, 8));
  }
  expect_refused([&] { machine.append(0, 2, put(1, 60000, 0, 0, 8)); }, std::to_string(limit + 1));
  machine.set_descriptors(0, 2, Descriptors::host);
  machine.append(0, 2, put(1, 60000, 0, 0, 8));
  expect_refused([&] { machine.set_descriptors(0, 2, Descriptors::own); }, std::to_string(limit + 1));
}

TEST_F(Machine, WhatLiesOutsideIsRefused) {
  expect_refused([&] { machine.append(0, 0, put(1, kBytes - 4, 0, 0, 8)); }, std::to_string(kBytes));
  expect_refused([&] { machine.append(0, 0, put(1, 0, 0, kBytes, 8)); }, std::to_string(kBytes));
  expect_refused([&] { machine.append(0, 4, put(1, 0, 0, 0, 8)); }, "4");
  expect_refused([&] { machine.append(16, 0, put(1, 0, 0, 0, 8)); }, "16");
  expect_refused([&] { machine.append(0, 0, put(1, 0, 2, 0, 8)); }, "put");
  TcaPut wide = put(1, 0, 0, 0, 8);
  wide.rows = std::uint64_t{1} << 62;
  wide.destination_pitch = wide.source_pitch = std::uint64_t{1} << 40;
  expect_refused([&] { machine.append(0, 0, wide); }, "rows");
  TcaPut stranger = put(1, 0, 0, 0, 8);
  stranger.destination.address = std::uint64_t{1} << 50;
  expect_refused([&] { machine.append(0, 0, stranger); }, "window");
}

TEST_F(Machine, UnpinnedAndReleasedMemoryIsRefused) {
  machine.append(0, 0, put(1, 0, 0, 0, 8));
  machine.unpin(memory[1].data());
  expect_refused([&] { machine.start(0, 0); }, "pinned");
  expect_refused([&] { static_cast<void>(machine.handle(memory[1].data())); }, "pinned");
  machine.pin(memory[1].data());
  machine.start(0, 0);
  static_cast<void>(machine.wait(0, 0));
  const TcaHandle gone = handle[3];
  machine.release(memory[3].data());
  memory.erase(memory.begin() + 3);
  expect_refused([&] { machine.append(0, 1, {gone, 0, 8, handle[0], 0, 8, 8, 1}); }, "pinned");
}

TEST_F(Machine, OverlapsAreRefused) {
  machine.append(0, 0, put(1, 0, 0, 0, 100));
  machine.append(0, 0, put(1, 99, 0, 200, 100));
  expect_refused([&] { machine.start(0, 0); }, "two transfers");
  machine.clear(0, 0);
  expect_refused([&] { machine.append(0, 0, put(0, 50, 0, 0, 100)); }, "read and write");
  TcaPut rows = put(1, 0, 0, 0, 100);
  rows.rows = 2;
  rows.destination_pitch = 99;
  expect_refused([&] { machine.append(0, 0, rows); }, "99");
}

TEST_F(Machine, AMachineStandsInOrder) {
  expect_refused([&] { machine.start(0, 0); }, "empty");
  expect_refused([&] { static_cast<void>(machine.wait(0, 0)); }, "not started");
  machine.append(0, 0, put(1, 0, 0, 0, 8));
  machine.start(0, 0);
  expect_refused([&] { machine.start(0, 0); }, "running");
  expect_refused([&] { machine.clear(0, 0); }, "running");
}

TEST_F(Machine, ADroppedLinkStopsChainsBeforeAnyByteMoves) {
  machine.append(0, 0, put(1, 0, 0, 0, 8));
  machine.drop_link(0, 1);
  expect_refused([&] { machine.start(0, 0); }, "0 > 1");
}

TEST_F(Machine, RegistersTakeAFewTransfers) {
  const std::vector<TcaPut> five(5, put(1, 0, 0, 0, 8));
  expect_refused([&] { static_cast<void>(machine.put_by_registers(0, five)); }, "5");
  const std::byte first = memory[0][0];
  EXPECT_GT(machine.put_by_registers(0, {&five[0], 1}), 0);
  EXPECT_EQ(memory[1][0], first);
}

TEST_F(Machine, StoresAndReadsByProxyMoveBytes) {
  const std::vector<std::byte> data{std::byte{1}, std::byte{2}, std::byte{3}};
  const double near = machine.write(0, handle[1], 5, data);
  EXPECT_TRUE(std::ranges::equal(data, memory[1].subspan(5, 3)));
  EXPECT_GT(machine.write(0, handle[3], 5, data), near);
  const double put_back = machine.cluster().tca_put(1000);
  EXPECT_GT(machine.read_by_proxy(4, put(4, 0, 5, 0, 1000)), put_back);
  EXPECT_TRUE(std::ranges::equal(memory[4].first(1000), memory[5].first(1000)));
  expect_refused([&] { static_cast<void>(machine.read_by_proxy(4, put(6, 0, 5, 0, 8))); }, "6");
}

TEST_F(Machine, ASlotHoldsNoMoreThanItsPartOfTheWindow) {
  expect_refused(
      [&] { static_cast<void>(machine.allocate(0, Device::gpu0, machine.sub_cluster().window().slot_bytes())); },
      std::to_string(machine.sub_cluster().window().slot_bytes()));
  EXPECT_THROW(TcaMachine(load_peach2(), load_ha_pacs_tca(), 12), Error);
}

}  // namespace
}  // namespace gdr::interconnect
