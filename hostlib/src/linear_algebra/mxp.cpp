#include "gdr/hostlib/mxp.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "factorisation.h"
#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "gdr/base/units.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/node_memory.h"

namespace gdr {
namespace {

constexpr base::Names<MxpRefinement> kRefinementNames({{MxpRefinement::gmres, "gmres"},
                                                       {MxpRefinement::classical, "classical"}});

/// A x = b in doubles, column major.
struct MxpSystem {
  std::size_t n;
  std::vector<double> a;
  std::vector<double> b;

  MxpSystem(std::size_t order, std::uint64_t seed) : n(order), a(order * order), b(order) {
    std::mt19937_64 random(seed);
    // The upper 53 bits as a fraction, so that every host draws the same numbers.
    const auto draw = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; };
    for (double& value : a) value = draw();
    for (double& value : b) value = draw();
    std::vector<double> sums(n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) sums[i] += std::abs(a[j * n + i]);
    }
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] = sums[i];
  }

  /// b - A x, each element summed up in doubles.
  [[nodiscard]] std::vector<double> defect(std::span<const double> x) const {
    std::vector<double> left = multiplied(x);
    for (std::size_t i = 0; i < n; ++i) left[i] = b[i] - left[i];
    return left;
  }
  [[nodiscard]] std::vector<double> multiplied(std::span<const double> x) const {
    std::vector<double> sums(n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) sums[i] += a[j * n + i] * x[j];
    }
    return sums;
  }
  [[nodiscard]] double residual(std::span<const double> x) const {
    return hpl_residuals_of({a.data(), 1, static_cast<std::ptrdiff_t>(n)}, x, b).scaled;
  }
};

/// A = L U in single precision, without pivoting.
class ShortFactors {
 public:
  ShortFactors(const MxpSystem& system, std::size_t nb, const Product& product,
               const std::function<void(double)>& progress)
      : n_(system.n), lu_(system.a.begin(), system.a.end()) {
    for (std::size_t first = 0; first < n_; first += nb) {
      const std::size_t end = std::min(n_, first + nb);
      factor(first, end);
      if (end == n_) break;
      solve_rows(first, end);
      update(first, end, product);
      const double left = static_cast<double>(n_ - end) / static_cast<double>(n_);
      if (progress) progress(1 - left * left * left);
    }
  }

  /// (L U)^-1 of a vector, in doubles.
  [[nodiscard]] std::vector<double> solved(std::vector<double> x) const {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = j + 1; i < n_; ++i) x[i] -= static_cast<double>(at(i, j)) * x[j];
    }
    for (std::size_t j = n_; j-- > 0;) {
      x[j] /= static_cast<double>(at(j, j));
      for (std::size_t i = 0; i < j; ++i) x[i] -= static_cast<double>(at(i, j)) * x[j];
    }
    return x;
  }

 private:
  [[nodiscard]] float at(std::size_t i, std::size_t j) const { return lu_[j * n_ + i]; }

  void factor(std::size_t first, std::size_t end) {
    for (std::size_t j = first; j < end; ++j) {
      float* pivots = lu_.data() + j * n_;
      for (std::size_t i = j + 1; i < n_; ++i) pivots[i] /= pivots[j];
      for (std::size_t column = j + 1; column < end; ++column) eliminate(pivots, column, j, j + 1, n_);
    }
  }
  void solve_rows(std::size_t first, std::size_t end) {
    for (std::size_t column = end; column < n_; ++column) {
      for (std::size_t j = first; j < end; ++j) eliminate(lu_.data() + j * n_, column, j, j + 1, end);
    }
  }
  void eliminate(const float* pivots, std::size_t column, std::size_t row, std::size_t first, std::size_t end) {
    float* values = lu_.data() + column * n_;
    const float factor = values[row];
    for (std::size_t i = first; i < end; ++i) values[i] -= pivots[i] * factor;
  }
  void update(std::size_t first, std::size_t end, const Product& product) {
    const std::size_t rest = n_ - end;
    const std::size_t depth = end - first;
    std::vector<double> left(rest * depth);
    std::vector<double> right(depth * rest);
    for (std::size_t l = 0; l < depth; ++l) {
      for (std::size_t i = 0; i < rest; ++i) left[l * rest + i] = static_cast<double>(at(end + i, first + l));
    }
    for (std::size_t j = 0; j < rest; ++j) {
      for (std::size_t l = 0; l < depth; ++l) right[j * depth + l] = static_cast<double>(at(first + l, end + j));
    }
    const std::vector<double> c = product(rest, rest, depth, {left.data(), 1, static_cast<std::ptrdiff_t>(rest)},
                                          {right.data(), 1, static_cast<std::ptrdiff_t>(depth)});
    for (std::size_t j = 0; j < rest; ++j) {
      float* values = lu_.data() + (end + j) * n_ + end;
      for (std::size_t i = 0; i < rest; ++i) {
        values[i] = static_cast<float>(static_cast<double>(values[i]) - c[j * rest + i]);
      }
    }
  }

  std::size_t n_;
  std::vector<float> lu_;  // column major
};

double dot(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}
void add_scaled(std::vector<double>& x, double factor, std::span<const double> y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * y[i];
}

/// x += (L U)^-1 (b - A x), until the residual passes.
void refine_classically(const MxpSystem& system, const ShortFactors& factors, std::vector<double>& x,
                        MxpResult& result) {
  while (!(result.residual < kHplThreshold) && result.steps < kMxpMostSteps) {
    add_scaled(x, 1, factors.solved(system.defect(x)));
    ++result.steps;
    result.residual = system.residual(x);
  }
}

/// GMRES of Saad and Schultz 1986 for (L U)^-1 A, with modified Gram-Schmidt and Givens rotations. It is not restarted:
/// the benchmark allows fewer steps than the reference's Krylov space has vectors. After each step the solution so far
/// is looked at.
class MxpGmres {
 public:
  MxpGmres(const MxpSystem& system, const ShortFactors& factors, std::vector<double>& x)
      : system_(system), factors_(factors), x_(x), start_(x) {}

  void run(MxpResult& result) {
    std::vector<double> first = factors_.solved(system_.defect(x_));
    const double norm = std::sqrt(dot(first, first));
    if (!(norm > 0)) return;  // solved, or no numbers
    for (double& value : first) value /= norm;
    basis_.push_back(std::move(first));
    right_.push_back(norm);
    bool goes_on = true;
    while (goes_on && !(result.residual < kHplThreshold) && result.steps < kMxpMostSteps) {
      goes_on = step();
      ++result.steps;
      form_solution();
      result.residual = system_.residual(x_);
    }
  }

 private:
  /// False if the space cannot grow any more.
  bool step() {
    const std::size_t j = basis_.size() - 1;
    std::vector<double> next = factors_.solved(system_.multiplied(basis_[j]));
    std::vector<double> column(j + 2);
    for (std::size_t i = 0; i <= j; ++i) {
      column[i] = dot(next, basis_[i]);
      add_scaled(next, -column[i], basis_[i]);
    }
    const double norm = std::sqrt(dot(next, next));
    column[j + 1] = norm;
    for (std::size_t i = 0; i < j; ++i) rotate(i, column[i], column[i + 1]);
    const double length = std::hypot(column[j], column[j + 1]);
    cosines_.push_back(column[j] / length);
    sines_.push_back(column[j + 1] / length);
    rotate(j, column[j], column[j + 1]);
    right_.push_back(0);
    rotate(j, right_[j], right_[j + 1]);
    column.pop_back();
    upper_.push_back(std::move(column));
    if (!(norm > 0)) return false;
    for (double& value : next) value /= norm;
    basis_.push_back(std::move(next));
    return true;
  }
  void rotate(std::size_t by, double& upper, double& lower) const {
    const double old = upper;
    upper = cosines_[by] * old + sines_[by] * lower;
    lower = cosines_[by] * lower - sines_[by] * old;
  }
  void form_solution() {
    std::vector<double> y(right_.begin(), right_.begin() + static_cast<std::ptrdiff_t>(upper_.size()));
    for (std::size_t j = upper_.size(); j-- > 0;) {
      y[j] /= upper_[j][j];
      for (std::size_t i = 0; i < j; ++i) y[i] -= upper_[j][i] * y[j];
    }
    x_ = start_;
    for (std::size_t j = 0; j < y.size(); ++j) add_scaled(x_, y[j], basis_[j]);
  }

  const MxpSystem& system_;
  const ShortFactors& factors_;
  std::vector<double>& x_;
  const std::vector<double> start_;
  std::vector<std::vector<double>> basis_;
  std::vector<std::vector<double>> upper_;  // columns of R of the Hessenberg matrix
  std::vector<double> right_;
  std::vector<double> cosines_;
  std::vector<double> sines_;
};

}  // namespace

std::string_view name_of(MxpRefinement refinement) { return kRefinementNames[refinement]; }

MxpResult mxp_solve(std::size_t n, std::size_t nb, std::uint64_t seed, const Product& product, MxpRefinement refinement,
                    const std::function<void(double done)>& progress) {
  if (n == 0) throw Error("n = 0 is refused: it must be at least 1");
  if (nb == 0) throw Error("nb = 0 is refused: it must be at least 1");
  const MxpSystem system(n, seed);
  const ShortFactors factors(system, nb, product, progress);
  std::vector<double> x = factors.solved(system.b);
  MxpResult result;
  result.before = result.residual = system.residual(x);
  switch (refinement) {
    case MxpRefinement::gmres:
      MxpGmres(system, factors, x).run(result);
      break;
    case MxpRefinement::classical:
      refine_classically(system, factors, x, result);
      break;
  }
  return result;
}

isa::Program sgemm_program() { return hostlib::kernel_program("sgemm"); }

HostDescription in_single_precision(const HostDescription& host) {
  HostDescription single = host;
  for (double* rate : {&single.dgemm_gflops, &single.narrow_gflops, &single.alone_swap_mb, &single.memory_mb}) {
    *rate *= 2;
  }
  return single;
}

double mxp_refinement_seconds(const HostDescription& host, double n, unsigned steps, double ranks) {
  const double solution = kMxpElementBytes * n * n;
  const double bytes = solution + steps * (kDoubleBytes * n * n + solution);
  return bytes / (host.memory_mb * kMega) / ranks;
}

MxpStages mxp_with_board(const HostDescription& host, const DgemmModel& board, const DgemmTransfer& transfer,
                         ProductRule rule, std::uint64_t n, std::uint64_t nb, unsigned steps) {
  const HostDescription single = in_single_precision(host);
  const HplNode node(single, &board, transfer, rule);
  // Without pivots, rows stay where they are.
  const HplStages factors =
      factorisation_stages(node, {n, nb, kMxpElementBytes, host.memory}, [](double, double, double) { return 0; });
  return {factors.panel, factors.update, mxp_refinement_seconds(host, static_cast<double>(n), steps, 1), factors.board,
          factors.clocks};
}

}  // namespace gdr
