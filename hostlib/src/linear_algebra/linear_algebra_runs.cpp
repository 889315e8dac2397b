#include "gdr/hostlib/linear_algebra_runs.h"

#include <random>
#include <string>
#include <vector>

#include "gdr/emulator/transfer_mode.h"

namespace gdr {

using base::Json;

namespace {

std::vector<double> random_matrix(std::size_t size, std::mt19937_64& random) {
  std::vector<double> values(size);
  for (double& value : values) value = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
  return values;
}

MatrixView view_of(const std::vector<double>& values, std::uint64_t rows, std::uint64_t columns, bool transposed) {
  return transposed ? MatrixView{values.data(), static_cast<std::ptrdiff_t>(columns), 1}
                    : MatrixView{values.data(), 1, static_cast<std::ptrdiff_t>(rows)};
}

/// A product in the orientation in which the board computes it.
struct Oriented {
  std::size_t m;
  std::size_t n;
  MatrixView a;
  MatrixView b;
};

}  // namespace

double DgemmSizes::bytes() const {
  const auto words = [](std::uint64_t rows, std::uint64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns);
  };
  return sizeof(double) * (words(m, k) + words(k, n) + words(m, n));
}

double checked_product(BoardDgemm& board, const DgemmSizes& sizes, bool transposed, std::uint64_t seed,
                       const std::function<void(double done)>& multiplying,
                       const std::function<void(double done)>& checking) {
  std::mt19937_64 random(seed);
  const std::vector<double> a = random_matrix(sizes.m * sizes.k, random);
  const std::vector<double> b = random_matrix(sizes.k * sizes.n, random);
  const MatrixView a_view = view_of(a, sizes.m, sizes.k, sizes.transa);
  const MatrixView b_view = view_of(b, sizes.k, sizes.n, sizes.transb);
  const Oriented product = transposed ? Oriented{sizes.n, sizes.m, b_view.transposed(), a_view.transposed()}
                                      : Oriented{sizes.m, sizes.n, a_view, b_view};
  board.on_progress(multiplying);
  const std::vector<double> c = board.multiply(product.m, product.n, sizes.k, product.a, product.b);
  board.on_progress({});
  return product_error(product.m, product.n, sizes.k, product.a, product.b, c, checking);
}

void add_product(Json& json, const DgemmSizes& sizes, const DgemmModel& model, const BoardProduct& product,
                 const DgemmTransfer& transfer, double error_bound) {
  const DgemmTimes& times = product.times;
  json["emulated_seconds"] = times.total();
  if (times.total() > 0) json["emulated_gflops"] = times.useful_flops / times.total() / 1e9;
  json["clocks"] = times.clocks;
  json["m"] = sizes.m;
  json["n"] = sizes.n;
  json["k"] = sizes.k;
  json["transfer"] = name_of(transfer.mode);
  json["small_depths"] = name_of(transfer.small_depths);
  json["transposed"] = product.transposed;
  json["max_rel_error"] = nullptr;
  json["error_bound"] = error_bound;
  json["clocks_per_unit"] = model.clocks_per_turn();
  json["useful_flops"] = times.useful_flops;
  json["executed_flops"] = times.executed_flops;
  json["stages"] = {
      {"b_send", times.b_send}, {"a_send", times.a_send}, {"a_load", times.a_load}, {"compute", times.compute}};
}

double hpl_gflops(std::uint64_t n, double seconds) { return hpl_flops(static_cast<double>(n)) / seconds / 1e9; }

Product product_on(BoardDgemm& board) {
  return [&board](std::size_t m, std::size_t n, std::size_t k, const MatrixView& a, const MatrixView& b) {
    return board.multiply(m, n, k, a, b);
  };
}

void add_linpack(Json& json, double seconds, double board_seconds, std::uint64_t clocks, std::uint64_t n,
                 std::uint64_t nb, const DgemmTransfer& transfer, ProductRule rule) {
  json["emulated_seconds"] = seconds;
  json["emulated_gflops"] = hpl_gflops(n, seconds);
  json["clocks"] = clocks;
  json["n"] = n;
  json["nb"] = nb;
  json["transfer"] = name_of(transfer.mode);
  json["products"] = name_of(rule);
  json["small_depths"] = name_of(transfer.small_depths);
  json["board_busy"] = board_seconds / seconds;
}

void add_hpl(Json& json, const HplStages& stages, std::uint64_t n, std::uint64_t nb, const DgemmTransfer& transfer,
             ProductRule rule) {
  add_linpack(json, stages.total(), stages.board, stages.clocks, n, nb, transfer, rule);
  json["stages"] = {
      {"panel", stages.panel}, {"update", stages.update}, {"swap", stages.swap}, {"backsub", stages.backsub}};
  json["residual"] = nullptr;
  json["residual_host"] = nullptr;
}

void add_mxp(Json& json, const MxpStages& stages, std::uint64_t n, std::uint64_t nb, const DgemmTransfer& transfer,
             ProductRule rule, MxpRefinement refinement, unsigned steps) {
  add_linpack(json, stages.total(), stages.board, stages.clocks, n, nb, transfer, rule);
  json["stages"] = {{"panel", stages.panel}, {"update", stages.update}, {"refinement", stages.refinement}};
  json["refinement"] = name_of(refinement);
  json["refinement_steps"] = steps;
}

}  // namespace gdr
