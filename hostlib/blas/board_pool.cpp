#include "board_pool.h"

#include <algorithm>
#include <future>
#include <system_error>

#include "gdr/emulator/machine.h"

namespace gdr::blas {
namespace {

/// The transposed product has to be this much faster, since it writes C across its columns.
constexpr double kWorthTransposing = 0.9;

}  // namespace

/// Boards that one call works on.
class BoardPool::Lease {
 public:
  Lease(BoardPool& pool, std::size_t most) : pool_(pool) {
    std::unique_lock lock(pool_.mutex_);
    pool_.freed_.wait(lock, [this] { return !pool_.free_.empty(); });
    const std::size_t count = std::min(most, pool_.free_.size());
    const auto first = pool_.free_.end() - static_cast<std::ptrdiff_t>(count);
    boards_.assign(first, pool_.free_.end());
    pool_.free_.erase(first, pool_.free_.end());
  }
  ~Lease() {
    {
      const std::lock_guard lock(pool_.mutex_);
      pool_.free_.insert(pool_.free_.end(), boards_.begin(), boards_.end());  // within its capacity: never throws
    }
    pool_.freed_.notify_all();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  [[nodiscard]] const std::vector<unsigned>& boards() const { return boards_; }

 private:
  BoardPool& pool_;
  std::vector<unsigned> boards_;
};

BoardPool::BoardPool(const DeviceOptions& options, DgemmPrecision precision)
    : options_(options),
      transfer_{.mode = options.transfer},
      program_(dgemm_program(precision)),
      blocking_(dgemm_blocking(program_)) {
  const emulator::MachineDescription machine = emulator::load_machine(options.machine);
  chips_ = machine.chips;
  options_.boards = 1;
  for (unsigned number = 0; number < options.boards; ++number) {
    models_.emplace_back(program_, machine, number + 1);
    free_.push_back(number);
  }
  boards_.resize(options.boards);
  static_cast<void>(board(0));  // a description that is wrong is refused here
}

BoardDgemm& BoardPool::board(unsigned number) {
  std::unique_ptr<BoardDgemm>& place = boards_[number];
  if (!place) place = std::make_unique<BoardDgemm>(options_, program_);
  return *place;
}

Product BoardPool::multiply(const MatrixView& a, const MatrixView& b, std::size_t m, std::size_t n, std::size_t k) {
  const auto seconds = [&](std::size_t rows, std::size_t columns) {
    return model(static_cast<unsigned>(models_.size())).times(rows, columns, k, transfer_).total();
  };
  if (seconds(n, m) >= kWorthTransposing * seconds(m, n)) return multiply_rows(a, b, m, n, k);
  Product product = multiply_rows(b.transposed(), a.transposed(), n, m, k);
  std::vector<double> elements(m * n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) elements[i + j * m] = product.elements[j + i * n];
  }
  product.elements = std::move(elements);
  return product;
}

Product BoardPool::multiply_rows(const MatrixView& a, const MatrixView& b, std::size_t m, std::size_t n,
                                 std::size_t k) {
  // A board takes whole steps of rows: as many as its rings work on side by side.
  const std::size_t step = std::size_t{share_dgemm(blocking_, k, chips_, 1).rings} * blocking_.rows();
  const std::size_t steps = (m + step - 1) / step;
  const Lease lease(*this, steps);
  const std::size_t boards = lease.boards().size();

  struct Part {
    std::size_t first = 0;
    std::size_t rows = 0;
    std::vector<double> elements;
    double executed = 0;
  };
  std::vector<Part> parts(boards);
  for (std::size_t n_part = 0; n_part < boards; ++n_part) {
    parts[n_part].first = n_part * steps / boards * step;
    parts[n_part].rows = std::min(m, (n_part + 1) * steps / boards * step) - parts[n_part].first;
  }
  const auto compute = [&](std::size_t number) {
    Part& part = parts[number];
    std::unique_ptr<BoardDgemm>& place = boards_[lease.boards()[number]];
    try {
      BoardDgemm& own = board(lease.boards()[number]);
      const double before = own.executed_flops();
      MatrixView rows = a;
      rows.data += static_cast<std::ptrdiff_t>(part.first) * a.row_step;
      part.elements = own.multiply(part.rows, n, k, rows, b);
      part.executed = own.executed_flops() - before;
    } catch (...) {
      place.reset();
      throw;
    }
  };
  std::vector<std::future<void>> others;
  others.reserve(boards);
  std::vector<std::size_t> own{0};
  own.reserve(boards);
  for (std::size_t number = 1; number < boards; ++number) {
    try {
      others.push_back(std::async(std::launch::async, compute, number));
    } catch (const std::system_error&) {  // no more threads on this host
      own.push_back(number);
    }
  }
  for (const std::size_t number : own) compute(number);
  for (std::future<void>& other : others) other.get();

  Product product;
  product.boards = static_cast<unsigned>(boards);
  product.emulated_seconds = model(product.boards).times(m, n, k, transfer_).total();
  if (boards == 1) {
    product.executed_flops = parts[0].executed;
    product.elements = std::move(parts[0].elements);
    return product;
  }
  product.elements.resize(m * n);
  for (const Part& part : parts) {
    product.executed_flops += part.executed;
    for (std::size_t j = 0; j < n; ++j) {
      std::copy_n(part.elements.begin() + static_cast<std::ptrdiff_t>(j * part.rows), part.rows,
                  product.elements.begin() + static_cast<std::ptrdiff_t>(j * m + part.first));
    }
  }
  return product;
}

}  // namespace gdr::blas
