// The model of High Performance LINPACK on a host with a board.
#include "gdr/hostlib/hpl_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "gdr/base/error.h"
#include "gdr/hostlib/lu.h"
#include "gdr/hostlib/mxp.h"
#include "gdr/hostlib/node_memory.h"

namespace gdr {
namespace {

TEST(HplModel, SwapsMoveEachCacheLineOfAPanelsRowsOnce) {
  constexpr std::uint64_t kInLine = 8;
  std::mt19937 random(1);
  using Panel = std::pair<std::uint64_t, std::uint64_t>;  // rows, columns
  for (const auto& [rows, nb] : {Panel{8192, 512}, Panel{4096, 2048}, Panel{2048, 2048}}) {
    constexpr int kPanels = 20;
    double lines = 0;
    for (int panel = 0; panel < kPanels; ++panel) {
      std::set<std::uint64_t> touched;
      for (std::uint64_t row = 0; row < nb; ++row) {
        touched.insert(row / kInLine);
        touched.insert((row + random() % (rows - row)) / kInLine);
      }
      lines += static_cast<double>(touched.size()) / kPanels;
    }
    const auto bytes = swap_bytes(static_cast<double>(rows), static_cast<double>(nb), 8 * kInLine);
    EXPECT_NEAR(bytes / (2 * 8 * kInLine * lines), 1, 0.01) << rows;
  }
}

TEST(HplModel, TwiceEveryRateIsHalfOfEveryStage) {
  const HostDescription slow = load_host("core-i7-920");
  HostDescription fast = slow;
  for (double* rate : {&fast.dgemm_gflops, &fast.narrow_gflops, &fast.alone_swap_mb, &fast.memory_mb}) *rate *= 2;
  for (const std::uint64_t n : {1024U, 4096U, 34816U}) {
    const HplStages one = hpl_on_host(slow, n, 256);
    const HplStages two = hpl_on_host(fast, n, 256);
    EXPECT_DOUBLE_EQ(one.panel, 2 * two.panel);
    EXPECT_DOUBLE_EQ(one.update, 2 * two.update);
    EXPECT_DOUBLE_EQ(one.swap, 2 * two.swap);
    EXPECT_DOUBLE_EQ(one.backsub, 2 * two.backsub);
  }
}

/// The board of the record and its host.
struct Published {
  HostDescription host = load_host("core-i7-920");
  DgemmModel board{dgemm_program(DgemmPrecision::paper), emulator::load_machine("model1800"), 1};
  [[nodiscard]] HplStages stages(ProductRule rule, std::uint64_t n, std::uint64_t nb) const {
    return hpl_with_board(host, board, {.small_depths = usual_small_depths(rule)}, rule, n, nb);
  }
};

TEST(HplModel, WhoComputesIsChargedWithTheTime) {
  const Published node;
  // Below K = 512 the rule of the record leaves everything to the host.
  const HplStages recorded = node.stages(ProductRule::record, 16384, 256);
  EXPECT_EQ(recorded.board, 0);
  EXPECT_EQ(recorded.clocks, 0U);
  const HplStages faster = node.stages(ProductRule::faster, 16384, 256);
  EXPECT_GT(faster.board, faster.total() / 2);
  EXPECT_LT(faster.board, faster.panel + faster.update);
  EXPECT_LT(faster.total(), recorded.total() / 2);
  EXPECT_LT(faster.total(), hpl_on_host(node.host, 16384, 256).total());
}

TEST(HplModel, TheFasterSideIsNeverSlowerThanEitherOfThem) {
  const Published node;
  const DgemmTransfer transfer;
  const HplNode faster(node.host, &node.board, transfer, ProductRule::faster);
  const HplNode host(node.host, nullptr, transfer, ProductRule::faster);
  for (const double m : {1.0, 100.0, 3000.0, 40000.0}) {
    for (const double n : {1.0, 100.0, 3000.0, 40000.0}) {
      for (const double k : {1.0, 64.0, 512.0, 2048.0}) {
        const auto whole = [](double size) { return static_cast<std::uint64_t>(size); };
        const double board = node.board.product(whole(m), whole(n), whole(k), transfer).times.total();
        const NodeSeconds found = faster.product(m, n, k);
        EXPECT_DOUBLE_EQ(found.total(), std::min(board, host.product(m, n, k).total()));
        EXPECT_TRUE(found.board == 0 || found.host == 0);
        EXPECT_LE(faster.solve(k, n).total(), host.solve(k, n).total());
      }
    }
  }
}

TEST(HplModel, NoColumnIsFactorisedFasterThanMemoryReadsIt) {
  const Published node;
  const double read = 8.0 * 20000 * 20000 / 2 / (node.host.memory_mb * 1e6);
  EXPECT_GE(node.stages(ProductRule::faster, 20000, 1).panel, read);
  EXPECT_GE(node.stages(ProductRule::faster, 20000, 1).update, 2.0 / 3 * 20000 * read);  // a pass over the rest each
}

TEST(HplModel, MatricesAndPanelsWithoutColumnsAreRefused) {
  const HostDescription host = load_host("core-i7-920");
  const DgemmModel board(dgemm_program(DgemmPrecision::paper), emulator::load_machine("model1800"), 1);
  for (const auto& [n, nb] : {std::pair(16U, 0U), std::pair(0U, 16U)}) {
    EXPECT_THROW(static_cast<void>(hpl_on_host(host, n, nb)), Error);
    EXPECT_THROW(static_cast<void>(hpl_with_board(host, board, {}, ProductRule::faster, n, nb)), Error);
    EXPECT_THROW(static_cast<void>(hpl_residual(n, nb, 1, host_product)), Error);
  }
}

template <class Call>
std::string words_of_refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(HplModel, MatricesThatANodeCannotHoldAreRefusedWithTheLargestOneThatFits) {
  Published node;
  node.host.memory = 8e6;  // 1000 x 1000 doubles
  EXPECT_NO_THROW(static_cast<void>(node.stages(ProductRule::record, 1000, 64)));
  const std::string expected = "n = 1001 is refused: 1 node of 0.008 GB holds a matrix of n = 1000 at most";
  EXPECT_EQ(words_of_refusal([&] { static_cast<void>(node.stages(ProductRule::record, 1001, 64)); }), expected);
  EXPECT_EQ(words_of_refusal([&] { static_cast<void>(hpl_on_host(node.host, 1001, 64)); }), expected);
  const DgemmModel short_words(sgemm_program(), emulator::load_machine("model1800"), 1);
  const auto in_short_words = [&](std::uint64_t n) {
    static_cast<void>(mxp_with_board(node.host, short_words, {}, ProductRule::faster, n, 64, 1));
  };
  EXPECT_NO_THROW(in_short_words(816));  // 12 bytes an element: the factors, and the matrix in doubles
  EXPECT_EQ(words_of_refusal([&] { in_short_words(817); }),
            "n = 817 is refused: 1 node of 0.008 GB holds a matrix of n = 816 at most");
  EXPECT_EQ(words_of_refusal([&] { require_hpl_memory(1 << 24, 8, 64, 18e9); }),
            "n = 16777216 is refused: 64 nodes of 18 GB hold a matrix of n = 379473 at most");
}

TEST(DgemmModel, ProductsThatANodeCannotHoldAreRefusedWithTheLargestOrderThatFits) {
  EXPECT_NO_THROW(require_dgemm_memory(1000, 1000, 1000, 24e6));
  EXPECT_EQ(
      words_of_refusal([] { require_dgemm_memory(1000, 1001, 1000, 24e6); }),
      "m = 1000, n = 1001, k = 1000 are refused: A, B and C take 0.024016 GB, and a node has 0.024 GB, which hold "
      "three square matrices of order 1000 at most");
  EXPECT_THROW(require_dgemm_memory(1 << 20, 1 << 20, 1 << 20, 18e9), Error);
}

}  // namespace
}  // namespace gdr
