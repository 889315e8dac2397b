#include "board_pool.h"

#include <algorithm>
#include <future>
#include <system_error>

#include "gdr/emulator/machine.h"
#include "gdr/hostlib/mxp.h"

namespace gdr::blas {
BoardPool::BoardPool(const DeviceOptions& options, DgemmPrecision precision)
    : options_(options), precision_(precision), transfer_{.mode = options.transfer}, boards_(options.boards) {
  chips_ = emulator::load_machine(options.machine).chips;
  options_.boards = 1;
  for (unsigned number = 0; number < options.boards; ++number) free_.push_back(number);
  static_cast<void>(board(0, Numbers::doubles));  // a description that is wrong is refused here
}

const BoardPool::Kernel& BoardPool::kernel(Numbers numbers) {
  const std::lock_guard lock(making_);
  std::optional<Kernel>& place = kernels_[static_cast<std::size_t>(numbers)];
  if (place) return *place;
  isa::Program program = numbers == Numbers::singles ? sgemm_program() : dgemm_program(precision_);
  const DgemmBlocking blocking = dgemm_blocking(program);
  const emulator::MachineDescription machine = emulator::load_machine(options_.machine);
  std::vector<DgemmModel> models;
  models.reserve(boards_.size());
  while (models.size() < boards_.size())
    models.emplace_back(program, machine, static_cast<unsigned>(models.size()) + 1);
  return place.emplace(std::move(program), blocking, std::move(models));
}

BoardDgemm& BoardPool::board(unsigned number, Numbers numbers) {
  std::unique_ptr<BoardDgemm>& place = boards_[number][static_cast<std::size_t>(numbers)];
  if (!place) place = std::make_unique<BoardDgemm>(options_, kernel(numbers).program);
  return *place;
}

BoardPool::Work::Work(BoardPool& pool, Numbers numbers, std::size_t m, std::size_t n, std::size_t k)
    : pool_(pool),
      numbers_(numbers),
      kernel_(pool.kernel(numbers)),
      m_(m),
      k_(k),
      transposed_(kernel_.models.back().product(m, n, k, pool.transfer_).transposed),
      step_(std::size_t{share_dgemm(kernel_.blocking, transposed_ ? n : m, k, pool.chips_, 1).rings} *
            kernel_.blocking.rows()) {
  const auto all = static_cast<unsigned>(pool.boards_.size());
  const std::size_t most = share_dgemm(kernel_.blocking, transposed_ ? n : m, k, pool.chips_, all).boards;
  boards_.reserve(most);
  std::unique_lock lock(pool_.mutex_);
  pool_.freed_.wait(lock, [this] { return !pool_.free_.empty(); });
  const std::size_t count = std::min(most, pool_.free_.size());
  const auto first = pool_.free_.end() - static_cast<std::ptrdiff_t>(count);
  boards_.assign(first, pool_.free_.end());
  pool_.free_.erase(first, pool_.free_.end());
}

BoardPool::Work::~Work() {
  {
    const std::lock_guard lock(pool_.mutex_);
    pool_.free_.insert(pool_.free_.end(), boards_.begin(), boards_.end());  // within its capacity: never throws
  }
  pool_.freed_.notify_all();
}

double BoardPool::Work::seconds(std::size_t columns) const {
  const DgemmModel& model = kernel_.models.at(boards() - 1);
  return (transposed_ ? model.times(columns, m_, k_, pool_.transfer_) : model.times(m_, columns, k_, pool_.transfer_))
      .total();
}

ProductPart BoardPool::Work::multiply(const MatrixView& a, const MatrixView& b, std::size_t columns) {
  if (!transposed_) return multiply_rows(a, b, m_, columns);
  ProductPart part = multiply_rows(b.transposed(), a.transposed(), columns, m_);
  std::vector<double> elements(m_ * columns);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < m_; ++i) elements[i + j * m_] = part.elements[j + i * columns];
  }
  part.elements = std::move(elements);
  return part;
}

ProductPart BoardPool::Work::multiply_rows(const MatrixView& a, const MatrixView& b, std::size_t rows,
                                           std::size_t columns) {
  // A board takes whole steps of rows.
  const std::size_t steps = (rows + step_ - 1) / step_;
  const std::size_t boards = std::min(boards_.size(), steps);
  struct Part {
    std::size_t first = 0;
    std::size_t rows = 0;
    std::vector<double> elements;
    double executed = 0;
  };
  std::vector<Part> parts(boards);
  for (std::size_t n_part = 0; n_part < boards; ++n_part) {
    parts[n_part].first = n_part * steps / boards * step_;
    parts[n_part].rows = std::min(rows, (n_part + 1) * steps / boards * step_) - parts[n_part].first;
  }
  const auto compute = [&](std::size_t number) {
    Part& part = parts[number];
    std::unique_ptr<BoardDgemm>& place = pool_.boards_[boards_[number]][static_cast<std::size_t>(numbers_)];
    try {
      BoardDgemm& own = pool_.board(boards_[number], numbers_);
      const double before = own.executed_flops();
      MatrixView of_part = a;
      of_part.data += static_cast<std::ptrdiff_t>(part.first) * a.row_step;
      part.elements = own.multiply(part.rows, columns, k_, of_part, b);
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

  ProductPart product;
  if (boards == 1) {
    product.executed_flops = parts[0].executed;
    product.elements = std::move(parts[0].elements);
    return product;
  }
  product.elements.resize(rows * columns);
  for (const Part& part : parts) {
    product.executed_flops += part.executed;
    for (std::size_t j = 0; j < columns; ++j) {
      std::copy_n(part.elements.begin() + static_cast<std::ptrdiff_t>(j * part.rows), part.rows,
                  product.elements.begin() + static_cast<std::ptrdiff_t>(j * rows + part.first));
    }
  }
  return product;
}

}  // namespace gdr::blas
