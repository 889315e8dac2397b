// Parallel matrix product C = A B by SUMMA with the communication algorithms CA0 to CA4 of Urino 2020, section 3: which
// rank holds which block, which pieces are sent in each step, what is multiplied after it, and the closed forms of the
// paper's tables.
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

/// How blocks are distributed over nodes: on a square grid, or on a cube in which each layer computes one summand of
/// the product (section 3.3).
enum class SummaLayout { square, cube };

/// What a message carries.
enum class Matrix : std::uint8_t { a, b, c };
struct Piece {
  Matrix matrix = Matrix::a;
  std::uint32_t row = 0;  // of the block
  std::uint32_t column = 0;
  std::uint32_t layer = 0;  // 0: the block itself; l + 1: the summand of C that layer l of a cube has computed
  std::uint32_t part = 0;   // of the block, if it is sent in parts
  std::uint32_t parts = 1;  // 1: the whole block
  bool operator==(const Piece&) const = default;
};
/// A piece as one number, for Message::piece. Holds up to 2^13 rows and columns, 2^7 layers, 2^14 parts.
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
  std::uint32_t tree_radix = 2;  // of CA0; load_tree_radix() gives that of an MPI library
};

/// The product A(row, k) B(k, column), which a rank adds to its block C(row, column).
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

/// Makes the schedule and the products of every rank. Elements are doubles. Throws gdr::Error naming argument, value
/// and allowed range for a number of nodes that is no square (or no cube), n = 0, CA0, CA2 or CA4 on a cube, which the
/// paper does not define, and rows and columns without CA4.
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

/// Words of memory that a node needs (Urino 2020, table 4). CA0 needs as many as CA1.
[[nodiscard]] double summa_memory_words(SummaAlgorithm algorithm, SummaLayout layout, double nodes, double n);
/// The same for many nodes, without the smaller terms (table 5).
[[nodiscard]] double summa_memory_words_for_many_nodes(SummaAlgorithm algorithm, SummaLayout layout, double nodes,
                                                       double n);

/// Number of messages one after another, their size and the time on an optical hub without latency (Urino 2020, table
/// 3).
struct SummaTheory {
  double messages = 0;  // M
  double words = 0;     // s
  double seconds = 0;   // M s / b, b = B / N
};
/// `node_bytes_per_second` is B. On a two-dimensional hub (table 8; CA4 alone) b = B / (2 sqrt(N)). Throws gdr::Error
/// for algorithms and layouts that the table does not contain.
[[nodiscard]] SummaTheory summa_theory(SummaAlgorithm algorithm, SummaLayout layout, double nodes, double n,
                                       double node_bytes_per_second, bool two_dimensional_hub = false);

/// One rank's share of a product whose elements are really computed.
class SummaRank {
 public:
  /// Copies the rank's own blocks out of `a` and `b`: n x n, row-major, the same for all ranks. `plan` must outlive the
  /// object.
  SummaRank(const SummaPlan& plan, Rank rank, std::span<const double> a, std::span<const double> b);

  /// The elements that a message of the plan carries. Throws gdr::Error if the rank does not have them.
  [[nodiscard]] std::vector<double> outgoing(const Message& message) const;
  void incoming(const Message& message, std::span<const double> elements);
  /// Adds the products that follow a step. Throws gdr::Error if a block that they need is missing.
  void multiply(std::size_t step);
  /// True for the ranks that hold a block of C at the end.
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

/// Computes C = A B by running a plan in this process: every piece really moves between the ranks. A, B and C are n x
/// n, row-major. Throws gdr::Error if a rank is to send a piece that it does not have.
[[nodiscard]] std::vector<double> run_summa_blocks(const SummaPlan& plan, std::span<const double> a,
                                                   std::span<const double> b);

/// Puts a rank's block of C into `c`, n x n, row-major, without the padding.
void place_block(const SummaPlan& plan, Rank rank, std::span<const double> block, std::span<double> c);

}  // namespace gdr::interconnect
