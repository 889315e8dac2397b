// The boards of libgdrblas, one by one, so that calls from several threads share them.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "gdr/hostlib/dgemm.h"
#include "gdr/hostlib/dgemm_model.h"

namespace gdr::blas {

/// What boards gave for columns of a product.
struct ProductPart {
  std::vector<double> elements;  // column major, leading dimension m
  double executed_flops = 0;     // padding included
};

/// What the elements of the matrices are: they choose the program of the boards.
enum class Numbers : std::uint8_t { doubles, singles };

/// Thread safe. Results do not depend on the number of boards: each computes rows of its own.
class BoardPool {
 public:
  /// Opens `options.boards` boards on first use. Throws gdr::Error as Device does.
  BoardPool(const DeviceOptions& options, DgemmPrecision precision);

  /// One product, on all boards that are free when it begins, at least one. They belong to it until it ends.
  class Work;

 private:
  static constexpr std::size_t kNumbers = 2;
  struct Kernel {
    isa::Program program;
    DgemmBlocking blocking;
    std::vector<DgemmModel> models;  // of 1, 2, ... boards
  };
  using Board = std::array<std::unique_ptr<BoardDgemm>, kNumbers>;  // emulated with either program

  const Kernel& kernel(Numbers numbers);
  BoardDgemm& board(unsigned number, Numbers numbers);

  DeviceOptions options_;  // of one board
  DgemmPrecision precision_;
  DgemmTransfer transfer_;
  unsigned chips_ = 1;
  std::vector<Board> boards_;
  std::mutex making_;
  std::array<std::optional<Kernel>, kNumbers> kernels_;  // made on first use
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<unsigned> free_;
};

class BoardPool::Work {
 public:
  /// A product of an m x k and a k x n matrix. Waits until a board is free. The model of all boards chooses the
  /// orientation (DgemmModel::product), so that it does not depend on which boards are free.
  Work(BoardPool& pool, Numbers numbers, std::size_t m, std::size_t n, std::size_t k);
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  /// A B, where B is some of the product's columns. Throws what a board throws; that board is opened anew next time.
  [[nodiscard]] ProductPart multiply(const MatrixView& a, const MatrixView& b, std::size_t columns);
  /// Emulated time of the product's first `columns` columns as one product: a host that computes them in parts, to save
  /// memory, does not change what the machine would do.
  [[nodiscard]] double seconds(std::size_t columns) const;
  [[nodiscard]] unsigned boards() const { return static_cast<unsigned>(boards_.size()); }

 private:
  [[nodiscard]] ProductPart multiply_rows(const MatrixView& a, const MatrixView& b, std::size_t rows,
                                          std::size_t columns);

  BoardPool& pool_;
  Numbers numbers_;
  const Kernel& kernel_;
  std::size_t m_;
  std::size_t k_;
  bool transposed_;
  std::size_t step_;  // rows that the rings of a board work on side by side
  std::vector<unsigned> boards_;
};

}  // namespace gdr::blas
