// Parallel matrix product C = A B by SUMMA with the communication algorithms CA0 to CA4 of Urino 2020, section 3: who
// holds which block, who sends which piece in which step, what is multiplied after it, and the closed forms of its
// tables.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "gdr/interconnect/schedule.h"

namespace gdr::interconnect {

enum class SummaAlgorithm {
  ca0,  // each broadcast by a k-nomial tree
  ca1,  // each broadcast by direct messages, A and B in turn (figure 5a to c)
  ca2,  // all broadcasts at once (figure 5d)
  ca3,  // each broadcast over all nodes as relays: scatter, then allgather (figure 6)
  ca4,  // all scatters at once, then allgathers that use every link (figure 7)
};

/// How blocks lie on nodes: a square grid, or a cube whose layers take one summand of the product each (section 3.3).
enum class SummaLayout { square, cube };

/// What a message carries.
enum class Matrix : std::uint8_t { a, b, c };
struct Piece {
  Matrix matrix = Matrix::a;
  std::uint32_t row = 0;  // of the block
  std::uint32_t column = 0;
  std::uint32_t layer = 0;  // 0: the block itself; l + 1: the part of C that layer l of a cube has summed up
  std::uint32_t part = 0;   // of the block, if it is sent in parts
  std::uint32_t parts = 1;  // 1: the whole block
  bool operator==(const Piece&) const = default;
};
/// As one number, for Message::piece. Sizes up to 2^13 rows and columns, 2^7 layers, 2^14 parts.
[[nodiscard]] std::uint64_t pack(const Piece& piece);
[[nodiscard]] Piece unpack(std::uint64_t packed);
/// First element and number of elements of a piece of a block of `elements`; parts differ by at most one element.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
};
[[nodiscard]] Extent extent_of(const Piece& piece, std::uint64_t elements);

struct SummaOptions {
  Rank nodes = 0;
  std::uint64_t n = 0;  // order of the matrices
  SummaAlgorithm algorithm = SummaAlgorithm::ca4;
  SummaLayout layout = SummaLayout::square;
  bool by_rows_and_columns =
      false;                     // CA4 with relays within rows for A and within columns for B: the two-dimensional hub
  bool a_with_b = true;          // CA3 and CA4: pieces of A and B go at once, not one matrix after the other
  std::uint32_t tree_radix = 2;  // of CA0; a library's own: load_tree_radix()
};

/// A product of two blocks that a rank adds to its block of C.
struct BlockProduct {
  std::uint32_t k = 0;
};

struct SummaPlan {
  SummaOptions options;
  std::uint64_t padded_n = 0;  // a multiple of the grid's side; rows and columns beyond n are zero
  std::uint32_t side = 0;      // blocks along a side
  std::uint64_t block = 0;     // elements along a side of a block
  Schedule schedule;
  std::vector<std::vector<std::vector<BlockProduct>>> products;  // shape: [ranks][steps][products after the step]
};

/// Elements are doubles. Throws gdr::Error naming argument, value and allowed range: a number of nodes that is no
/// square (or no cube), n of 0, CA0 or CA2 or CA4 on a cube, which the paper does not define, rows and columns without
/// CA4.
[[nodiscard]] SummaPlan make_summa(const SummaOptions& options);

/// The radix of the tree by which an MPI library broadcasts between nodes, from a description of kind "mpi-library".
/// Throws gdr::Error as load_network().
[[nodiscard]] std::uint32_t load_tree_radix(std::string_view name_or_file);

/// Rank that holds a block of A, B or C at the beginning and end.
[[nodiscard]] Rank owner(const SummaPlan& plan, std::uint32_t row, std::uint32_t column);
/// The block of C that a rank adds to.
struct BlockPosition {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::uint32_t layer = 0;
};
[[nodiscard]] BlockPosition position(const SummaPlan& plan, Rank rank);

/// Words of memory that a node needs (Urino 2020, table 4). For CA0 as for CA1.
[[nodiscard]] double summa_memory_words(SummaAlgorithm algorithm, SummaLayout layout, double nodes, double n);
/// The same for many nodes, without the smaller terms (table 5).
[[nodiscard]] double summa_memory_words_for_many_nodes(SummaAlgorithm algorithm, SummaLayout layout, double nodes,
                                                       double n);

/// Number of messages in a row, their size and the time on an optical hub, latency left out (Urino 2020, table 3).
struct SummaTheory {
  double messages = 0;  // M
  double words = 0;     // s
  double seconds = 0;   // M s / b, b = B / N
};
/// `node_bytes_per_second` is B. On a two-dimensional hub (table 8; CA4 alone) b = B / (2 sqrt(N)). Throws gdr::Error
/// for what the table does not hold.
[[nodiscard]] SummaTheory summa_theory(SummaAlgorithm algorithm, SummaLayout layout, double nodes, double n,
                                       double node_bytes_per_second, bool two_dimensional_hub = false);

/// One rank's share of a product that is really computed.
class SummaRank {
 public:
  /// Takes its own blocks out of `a` and `b`: n x n, row-major, the same for all ranks. `plan` outlives it.
  SummaRank(const SummaPlan& plan, Rank rank, std::span<const double> a, std::span<const double> b);

  /// What a message of the plan carries. Throws gdr::Error if the rank does not have it.
  [[nodiscard]] std::vector<double> outgoing(const Message& message) const;
  void incoming(const Message& message, std::span<const double> elements);
  /// Adds the products that follow a step. Throws gdr::Error if a block of them is not there.
  void multiply(std::size_t step);
  /// True for the ranks that hold a block of C in the end.
  [[nodiscard]] bool has_result() const;
  /// The block of C, row-major.
  [[nodiscard]] std::vector<double> result() const;

 private:
  using Key = std::tuple<Matrix, std::uint32_t, std::uint32_t, std::uint32_t>;  // matrix, row, column, layer
  struct Block {
    std::vector<double> elements;
    std::vector<bool> is_there;
  };

  void store(const Piece& piece, std::span<const double> elements);
  [[nodiscard]] std::vector<double> find(const Piece& piece) const;

  const SummaPlan& plan_;
  Rank rank_;
  std::map<Key, Block> blocks_;
};

/// Runs a plan in this process: every piece really moves between the ranks. A and B are n x n, row-major; so is the
/// result. Throws gdr::Error if the plan sends what its sender does not have.
[[nodiscard]] std::vector<double> run_summa_blocks(const SummaPlan& plan, std::span<const double> a,
                                                   std::span<const double> b);

/// Puts a rank's block of C into `c`, n x n, row-major, without the padding.
void place_block(const SummaPlan& plan, Rank rank, std::span<const double> block, std::span<double> c);

}  // namespace gdr::interconnect
