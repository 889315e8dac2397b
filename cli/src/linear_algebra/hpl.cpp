#include <fmt/format.h>

#include <algorithm>

#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/base/units.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/lu.h"
#include "gdr/hostlib/node_memory.h"
#include "hpl_options.h"

namespace gdr::cli {
namespace {

double residual_of(const HplRunOptions& options, const char* what, const Product& product) {
  Progress progress(what, options.report.progress_shown());
  return hpl_residual(options.n, options.nb, options.seed, product, [&](double done) { progress.show(done); });
}

/// The runs of an HPL.dat: the boards are those of the cluster.
int of_dat(const HplRunOptions& options) {
  ClusterOptions cluster;
  cluster.names = {options.cluster};
  cluster.clock_mhz = options.board.clock_mhz;
  cluster.transfer = options.board.transfer;
  HplOptions hpl;
  hpl.kernel = options.kernel;
  hpl.products = options.products;
  HplDatOptions dat = options.dat;
  dat.seed = options.seed;
  return hpl_of_dat(cluster, hpl, dat, options.board, options.report);
}

int hpl(const HplRunOptions& asked) {
  if (!asked.dat.file.empty()) return of_dat(asked);
  HplRunOptions options = asked;
  options.nb = asked.given_nb.value_or(std::min(kPublishedNb, asked.n));
  if (options.n == 0) throw UsageError("--n is required, or --dat: order of the matrix, or the file with all of a run");
  from_command_line("--nb", [&] { require_hpl_panel(options.nb, options.n); });
  require_known(options.host, base::description_names({&host_kind(), 1}), "--host");
  const HostDescription host = load_host(options.host);
  from_command_line("--n", [&] {
    require_hpl_memory(options.n, options.mxp.on ? kMxpElementBytes : kDoubleBytes, 1, host.memory);
    return true;
  });
  if (!options.board.timing()) {
    require_memory(sizeof(double) * static_cast<double>(options.n) * static_cast<double>(options.n), "the matrix");
  }
  if (options.mxp.on) return mxp_on_one_node(options);
  const isa::Program program = load_kernel(options.kernel);
  const DeviceOptions device = options.board.options_of_model();
  const emulator::MachineDescription machine = options.board.description();
  const ProductRule rule = options.products.chosen().rule_of(options.nb);
  const DgemmTransfer transfer{.mode = device.transfer, .small_depths = options.products.chosen().depths_of(rule)};
  const HplStages stages =
      hpl_with_board(host, DgemmModel(program, machine, device.boards), transfer, rule, options.n, options.nb);

  Json json = options.report.begin(machine.name, options.board.engine, options.board.exact());
  add_digests(json, program, machine);
  add_hpl(json, stages, options.n, options.nb, transfer, rule);
  double residual = 0;
  Json words = words_of(options, machine, rule, host);
  if (!options.board.timing()) {
    BoardDgemm board(device, program);
    residual = residual_of(options, "factorising on the board", product_on(board));
    json["residual"] = residual;
    json["counters"] = counters_json(board.counters(), true);
    if (options.with_host) {
      const double on_host = residual_of(options, "factorising on the host", host_product);
      json["residual_host"] = on_host;
      words["of_host"] = residual / on_host;
    }
  }
  options.report.show(json, words);
  if (!(residual < kHplThreshold)) {
    throw Error(fmt::format("HPL's check fails: the residual is {}, and it must be below {}", residual, kHplThreshold));
  }
  return kSuccess;
}

}  // namespace

Json words_of(const HplRunOptions& options, const emulator::MachineDescription& machine, ProductRule rule,
              const HostDescription& host) {
  return {{"machine", machine.title},
          {"clock_mhz", machine.clock_mhz},
          {"host", options.host},
          {"products", in_words(rule, host)},
          {"arithmetic", options.board.inexactness()},
          {"threshold", kHplThreshold}};
}

void add_hpl(Command program, const std::string& name) {
  const auto [command, options] = program.add_command<HplRunOptions>(
      name, "High Performance LINPACK: time by stages, and the residual of a real factorisation",
      "gdr hpl --n 34816 --nb 2048 --timing-only", hpl);
  const Option dat =
      command.add_option("--dat=HPL.dat", options->dat.file,
                         "input file of HPL: model all of its runs on a cluster and print the table of HPL");
  command
      .add_option("--check-up-to", options->dat.check_up_to,
                  "largest N of HPL.dat whose residual is computed, on emulated boards", whole_in_range(0, 1 << 24))
      .needs(dat);
  const Option order = command.add_option("--n order", options->n);
  const Option nb =
      command.add_option("--nb", options->given_nb).by_default(fmt::format("{}, or n if that is less", kPublishedNb));
  command.add_option("--cluster", options->cluster).needs(dat);
  const Option host = command.add_option("--host", options->host);
  const Option kernel = command.add_option("--kernel products", options->kernel);
  const Option seed = command.add_option("--seed", options->seed);
  const Option with_host =
      command.add_flag("--with-host", options->with_host, "factorise again with products of the host, for comparison");
  for (const Option& not_of_dat : {host, with_host, order, nb}) not_of_dat.excludes(dat);
  const Option mxp = command.add_flag("--mxp", options->mxp.on);
  const Option refinement =
      command.add_choice("--refinement", options->mxp.refinement, {MxpRefinement::gmres, MxpRefinement::classical},
                         "method of refinement of --mxp");
  const Option steps = command.add_option("--steps refinement", options->mxp.steps);
  for (const Option& of_mxp : {refinement, steps}) static_cast<void>(of_mxp.needs(mxp));
  static_cast<void>(with_host.excludes(mxp));
  static_cast<void>(mxp.excludes(dat));
  command.refuse_if({kernel},
                    [options = options] { return options->mxp.on ? "with --mxp, whose kernel is sgemm" : ""; });
  command.refuse_if({refinement}, [options = options] { return options->board.why_nothing_is_computed(); });
  command.refuse_if({steps}, [options = options] {
    return options->mxp.on && !options->board.timing() ? "where --mxp computes: steps are counted" : "";
  });
  options->products.add_to(command);
  options->board.add_to(command);
  options->report.add_to(command);
  std::vector<Option> of_run = options->board.of_computing;
  of_run.insert(of_run.end(), {seed, with_host});
  command.refuse_if(of_run, [options = options] { return options->board.why_nothing_is_computed(); });
  command.refuse_if(options->report.of_rows, [options = options] {
    return options->dat.file.empty() ? "without --dat: the rows are the runs of the file" : "";
  });
  command.refuse_if(options->board.of_machine, [options = options] {
    return options->dat.file.empty() ? "" : "with --dat: boards are those of --cluster";
  });
}

}  // namespace gdr::cli
