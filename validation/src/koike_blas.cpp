// Models for the rows of Koike et al. 2009, section 4: those of DGEMM and HPL, and exact factorisations.
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include "gdr/base/data_file.h"
#include "gdr/base/units.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/lu.h"
#include "gdr/hostlib/table.h"
#include "systems.h"

namespace gdr::validation {
namespace {

/// Inputs that the rows share, each read when first needed. The rows take turns.
struct BlasInputs {
  std::mutex mutex;
  static constexpr std::uint64_t kDepth = 2048;  // Koike et al. 2009, section 4.2

  const emulator::MachineDescription& board() {
    if (board_.name.empty()) board_ = emulator::load_machine("model1800");
    return board_;
  }
  const DgemmModel& dgemm() {
    if (!dgemm_) dgemm_.emplace(hostlib::kernel_program("dgemm"), board(), 1);
    return *dgemm_;
  }
  const HostDescription& host() {
    if (host_.name.empty()) host_ = load_host("core-i7-920");
    return host_;
  }

 private:
  emulator::MachineDescription board_;
  std::optional<DgemmModel> dgemm_;
  HostDescription host_;
};

constexpr std::uint64_t kHplOrder = 34816;  // Koike et al. 2009, section 4.3
constexpr std::uint64_t kPanel = 2048;
constexpr DgemmTransfer kPublished{.small_depths = SmallDepths::fixed_unit};  // section 4.1

double seconds(BlasInputs& inputs, std::uint64_t size, const DgemmTransfer& transfer) {
  return inputs.dgemm().times(size, size, BlasInputs::kDepth, transfer).total();
}

Ours kernel_speed(BlasInputs& inputs, const Row&) { return inputs.dgemm().kernel_gflops(); }

Ours large_product(BlasInputs& inputs, const Row&) {
  const DgemmTimes times = inputs.dgemm().times(32768, 32768, BlasInputs::kDepth, {});
  return times.useful_flops / times.total() / 1e9;
}

/// True if transfers are hidden from size 16384 on and not below.
Ours is_hidden_from_16384(BlasInputs& inputs, const Row&) {
  bool holds = true;
  for (std::uint64_t size = 2048; size <= 32768; size *= 2) {
    const DgemmTransfer unlimited{.buffer_words = std::uint64_t{1} << 30};
    const bool hidden = seconds(inputs, size, {}) <= seconds(inputs, size, unlimited);
    holds = holds && hidden == (size >= 16384);
  }
  return holds;
}

/// True if the planned buffer hides the transfer of A completely: the lines take no longer than without transfers.
Ours does_planned_buffer_hide(BlasInputs& inputs, const Row&) {
  constexpr std::uint64_t kSize = 2048;          // Koike et al. 2009, section 5
  constexpr std::uint64_t kPlannedWords = 8192;  // the same
  const auto compute = [&](const DgemmTransfer& transfer) {
    return inputs.dgemm().times(kSize, kSize, kSize, transfer).compute;
  };
  return compute({.buffer_words = kPlannedWords}) <= compute({.overlap = false});
}

constexpr double kPublishedPeak = 800;  // Gflops of four chips, Koike et al. 2009, section 4.2

Ours chip_peak(BlasInputs& inputs, const Row&) {
  return peak_gflops_in_doubles(inputs.board(), 1) / inputs.board().chips;
}
Ours product_share(BlasInputs& inputs, const Row& row) {
  return std::get<double>(large_product(inputs, row)) / kPublishedPeak * kPercent;
}

Ours stage_of(BlasInputs& inputs, const Row& row) {
  const HplStages stages =
      *row.what.system == HplSystem::host
          ? hpl_on_host(inputs.host(), kHplOrder, kPanel)
          : hpl_with_board(inputs.host(), inputs.dgemm(), kPublished, ProductRule::record, kHplOrder, kPanel);
  switch (*row.what.stage) {
    case HplStage::panel:
      return stages.panel;
    case HplStage::update:
      return stages.update;
    case HplStage::swap:
      return stages.swap;
    case HplStage::backsub:
      return stages.backsub;
    case HplStage::total:
      return stages.total();
    case HplStage::speed:
      return hpl_flops(kHplOrder) / stages.total() / 1e9;
  }
  return {};
}

/// Speed of the factorisation with the board as a share of the board's peak, in percent.
Ours hpl_share(BlasInputs& inputs, const Row&) {
  const HplStages stages =
      hpl_with_board(inputs.host(), inputs.dgemm(), kPublished, ProductRule::record, kHplOrder, kPanel);
  return hpl_flops(kHplOrder) / stages.total() / kGiga / kPublishedPeak * kPercent;
}

/// Residual with the board's products divided by that with the host's; geometric mean over seeds.
double residual_ratio(std::size_t n, std::size_t nb, unsigned seeds) {
  BoardDgemm board({}, hostlib::kernel_program("dgemm"));
  const auto on_board = [&](std::size_t m, std::size_t columns, std::size_t k, const MatrixView& a,
                            const MatrixView& b) { return board.multiply(m, columns, k, a, b); };
  double sum = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    sum += std::log(hpl_residual(n, nb, seed, on_board) / hpl_residual(n, nb, seed, host_product));
  }
  return std::exp(sum / seeds);
}

/// The same ratio from docs/hpl_residuals.csv, for a matrix that takes too long here. Nightly tests compute the rows of
/// that file again.
Ours kept_residual_ratio(double n, double nb) {
  const auto real = hostlib::NumberType::real;
  const hostlib::ColumnType columns[] = {{"n", real}, {"nb", real}, {"board", real}, {"host", real}};
  const hostlib::Table table =
      hostlib::read_table(base::data_file("docs/hpl_residuals.csv"), columns, {true, std::nullopt});
  const auto at = [&](std::size_t column, std::size_t row) {
    return std::get<std::vector<double>>(table.columns()[column].numbers)[row];
  };
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (at(0, row) == n && at(1, row) == nb) return at(2, row) / at(3, row);
  }
  return {};
}

}  // namespace

std::vector<Model> koike_blas_models() {
  const auto inputs = std::make_shared<BlasInputs>();
  const auto with = [inputs](Ours (*compute)(BlasInputs&, const Row&)) {
    return [inputs, compute](const Row& row) {
      const std::scoped_lock lock(inputs->mutex);
      return compute(*inputs, row);
    };
  };
  return {{"dgemm.speed", {}, with(large_product)},
          {"dgemm.hidden_from_16384", {}, with(is_hidden_from_16384)},
          {"dgemm.planned_buffer_hides", {}, with(does_planned_buffer_hide)},
          {"dgemm.chip_peak", {}, with(chip_peak)},
          {"dgemm.share_of_peak", {}, with(product_share)},
          {"hpl.share_of_peak", {}, with(hpl_share)},
          {"dgemm.kernel_speed", {}, with(kernel_speed)},
          {"hpl.stage", {CaseField::system, CaseField::stage}, with(stage_of)},
          {"hpl.residual_ratio", {}, [](const Row&) { return Ours{residual_ratio(768, 256, 10)}; }},
          {"hpl.kept_residual_ratio", {}, [](const Row&) { return kept_residual_ratio(4096, 512); }}};
}

}  // namespace gdr::validation
