// gdr hpl --mxp: LINPACK in short words, refined in doubles.
#include "gdr/hostlib/mxp.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gdr/base/counted.h"
#include "hpl_options.h"

namespace gdr::cli {
namespace {

MxpResult mxp_computed(const HplRunOptions& options, const DeviceOptions& device, Json& json) {
  BoardDgemm board(device, sgemm_program());
  Progress progress("factorising in short words", options.report.progress_shown());
  const MxpResult result = mxp_solve(options.n, options.nb, options.seed, product_on(board), options.mxp.refinement,
                                     [&](double done) { progress.show(done); });
  json["residual"] = result.residual;
  json["residual_before"] = result.before;
  json["counters"] = counters_json(board.counters(), true);
  return result;
}

}  // namespace

int mxp_on_one_node(const HplRunOptions& options) {
  const DeviceOptions device = options.board.options_of_model();
  const emulator::MachineDescription machine = options.board.description();
  const HostDescription host = load_host(options.host);
  const isa::Program program = sgemm_program();
  Json json = options.report.begin(machine.name, options.board.engine, options.board.exact());
  add_digests(json, program, machine);
  json["residual"] = nullptr;
  json["residual_before"] = nullptr;
  std::optional<MxpResult> result;
  if (!options.board.timing()) result = mxp_computed(options, device, json);

  const unsigned steps = result ? result->steps : options.mxp.steps;
  const ProductRule rule = options.products.chosen().rule_of_any_nb();
  const DgemmTransfer transfer{.mode = device.transfer, .small_depths = options.products.chosen().depths_of(rule)};
  const DgemmModel board(program, machine, device.boards);
  const MxpStages stages = mxp_with_board(host, board, transfer, rule, options.n, options.nb, steps);
  const DgemmModel in_doubles(load_kernel(options.kernel), machine, device.boards);
  const ProductRule rule_of_hpl = options.products.chosen().rule_of(options.nb);
  const double seconds_of_hpl =
      hpl_with_board(host, in_doubles,
                     {.mode = device.transfer, .small_depths = options.products.chosen().depths_of(rule_of_hpl)},
                     rule_of_hpl, options.n, options.nb)
          .total();
  add_mxp(json, stages, options.n, options.nb, transfer, rule, options.mxp.refinement, steps);
  json["hpl_seconds"] = seconds_of_hpl;
  Json words = words_of(options, machine, rule, host);
  words["hpl_gflops"] = hpl_gflops(options.n, seconds_of_hpl);
  options.report.show(json, words);
  if (result && !(result->residual < kHplThreshold)) {
    throw Error(fmt::format("the check fails: after {} the residual is {}, and it must be below {}",
                            base::counted(steps, "step"), result->residual, kHplThreshold));
  }
  return kSuccess;
}

}  // namespace gdr::cli
