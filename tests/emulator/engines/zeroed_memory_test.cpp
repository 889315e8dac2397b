// Memory of chips, small from the heap and large from the system.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "simd/block_memory.h"

namespace gdr::tests {
namespace {

using emulator::simd::kVectorWords;
using emulator::simd::Memory;
using emulator::simd::ZeroedMemory;

constexpr std::size_t kSmall = 125 * kVectorWords;
constexpr std::size_t kLarge = std::size_t{1} << 20;  // 8 MiB

class SizesOfMemory : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Words, SizesOfMemory,
                         testing::Values(kVectorWords, kSmall, kLarge - kVectorWords, kLarge, kLarge + kVectorWords));

TEST_P(SizesOfMemory, AreZeroAlignedAndWritable) {
  const ZeroedMemory memory(GetParam());
  const std::span words(memory.data(), GetParam());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(words.data()) % (kVectorWords * sizeof(std::uint64_t)), 0U);
  EXPECT_TRUE(std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; }));
  std::ranges::fill(words, ~std::uint64_t{0});
  EXPECT_TRUE(std::ranges::all_of(words, [](std::uint64_t word) { return word == ~std::uint64_t{0}; }));
}

#ifdef __linux__
TEST(ZeroedMemory, OfAChipEndsBeforeAPageThatNobodyMayRead) {
  const std::size_t words = kLarge + kVectorWords;
  const ZeroedMemory memory(words);
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  EXPECT_EQ(write(pipe_ends[1], memory.data() + words - 1, sizeof(std::uint64_t)), ssize_t{sizeof(std::uint64_t)});
  EXPECT_EQ(write(pipe_ends[1], memory.data() + words, 1), -1);
  EXPECT_EQ(errno, EFAULT);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}
#endif

TEST(ZeroedMemory, CanBeMoved) {
  ZeroedMemory first(kLarge);
  first.data()[0] = 7;
  ZeroedMemory second = std::move(first);
  EXPECT_EQ(second.data()[0], 7U);
  second = ZeroedMemory(kSmall);
  EXPECT_EQ(second.data()[0], 0U);
}

TEST(MemoryOfBlocks, IsCopiedWithTheBlocksThatAreMade) {
  Memory memory;
  memory.begin({{0, 3}}, emulator::kBlocks);
  memory.state(5)[0] = 11;
  Memory copy = memory;
  memory.state(5)[0] = 12;
  EXPECT_EQ(copy.state(5)[0], 11U);
  EXPECT_EQ(copy.state(6)[0], 0U);
  EXPECT_TRUE(std::equal(copy.state(6), copy.state(6) + copy.block_words(), memory.state(6)));
}

TEST(MemoryOfBlocks, IsClearWhenTheNextProgramBegins) {
  Memory memory;
  memory.begin({}, emulator::kBlocks);
  memory.state(5)[0] = 11;
  memory.begin({}, emulator::kBlocks);
  Memory copy = memory;
  EXPECT_EQ(copy.state(5)[0], 0U);
  EXPECT_EQ(memory.state(5)[0], 0U);
}

}  // namespace
}  // namespace gdr::tests
