// The boards of libgdrblas, one by one, so that calls from several threads share them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "gdr/hostlib/dgemm.h"
#include "gdr/hostlib/dgemm_model.h"

namespace gdr::blas {

/// What a product on boards gave.
struct Product {
  std::vector<double> elements;  // column major, leading dimension m
  unsigned boards = 1;           // that worked on it
  double executed_flops = 0;     // padding included
  double emulated_seconds = 0;
};

/// Thread safe. Results do not depend on the number of boards: each computes rows of its own.
class BoardPool {
 public:
  /// Opens `options.boards` boards on first use. Throws gdr::Error as Device does.
  BoardPool(const DeviceOptions& options, DgemmPrecision precision);

  /// A B on all boards that are free, at least one; waits until one is. Where the machine would take at least a tenth
  /// less time for the transposed product B^T A^T, computes that: a turn takes two columns of B for 256 rows of A, so
  /// tall matrices suit the machine better than wide ones. Throws what a board throws; that board is opened anew next
  /// time.
  [[nodiscard]] Product multiply(const MatrixView& a, const MatrixView& b, std::size_t m, std::size_t n, std::size_t k);

 private:
  class Lease;
  [[nodiscard]] const DgemmModel& model(unsigned boards) const { return models_.at(boards - 1); }
  [[nodiscard]] Product multiply_rows(const MatrixView& a, const MatrixView& b, std::size_t m, std::size_t n,
                                      std::size_t k);
  BoardDgemm& board(unsigned number);

  DeviceOptions options_;  // of one board
  DgemmTransfer transfer_;
  isa::Program program_;
  DgemmBlocking blocking_;
  unsigned chips_ = 1;
  std::vector<DgemmModel> models_;  // of 1, 2, ... boards
  std::vector<std::unique_ptr<BoardDgemm>> boards_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<unsigned> free_;
};

}  // namespace gdr::blas
