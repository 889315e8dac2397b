#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/base/description.h"
#include "gdr/hostlib/linear_algebra_runs.h"
#include "gdr/hostlib/node_memory.h"
#include "hpl_options.h"

namespace gdr::cli {
namespace {

struct DgemmOptions {
  BoardOptions board;
  ReportOptions report;
  DgemmSizes sizes;
  std::string overlap = "on";
  std::uint64_t buffer = 0;
  std::string small_depths = "own-rows";
  std::string kernel = "dgemm";
  std::string host = "core-i7-920";
  std::uint64_t seed = 1;
};

int dgemm(const DgemmOptions& options) {
  require_known(options.host, base::description_names({&host_kind(), 1}), "--host");
  const DgemmSizes& sizes = options.sizes;
  from_command_line("-m, -n, -k", [&] {
    require_dgemm_memory(sizes.m, sizes.n, sizes.k, load_host(options.host).memory);
    return true;
  });
  const isa::Program program = load_kernel(options.kernel);
  const DeviceOptions device = options.board.options_of_model();
  const emulator::MachineDescription machine = options.board.description();
  const DgemmModel model(program, machine, device.boards);
  const DgemmTransfer transfer{options.overlap == "on", options.buffer, device.transfer,
                               small_depths_named(options.small_depths)};
  const BoardProduct product = model.product(sizes.m, sizes.n, sizes.k, transfer);
  const DgemmTimes& times = product.times;
  const bool exact = options.board.exact();
  const DgemmPrecision precision = options.kernel == "dgemm" ? DgemmPrecision::paper : DgemmPrecision::full;
  const double bound = dgemm_error_bound(precision, sizes.k);
  Json json = options.report.begin(machine.name, options.board.engine, exact);
  add_digests(json, program, machine);
  add_product(json, sizes, model, product, transfer, bound);
  double error = 0;
  if (!options.board.timing()) {
    require_memory(sizes.bytes(), "A, B and C");
    BoardDgemm board(device, program);
    std::optional<Progress> progress(std::in_place, "multiplying", options.report.progress_shown());
    std::optional<Progress> checking;
    error = checked_product(
        board, sizes, product.transposed, options.seed, [&](double done) { progress->show(done); },
        [&](double done) {
          progress.reset();
          if (!checking) checking.emplace("checking", options.report.progress_shown());
          checking->show(done);
        });
    json["max_rel_error"] = error;
    json["counters"] = counters_json(board.counters(), true);
  }

  options.report.show(json, {{"kernel", options.kernel},
                             {"machine", machine.title},
                             {"clock_mhz", machine.clock_mhz},
                             {"arithmetic", options.board.inexactness()},
                             {"turns_gflops", model.kernel_gflops()},
                             {"useful", times.useful_flops / std::max(times.executed_flops, 1.0)}});
  if (exact && !(error <= bound)) {
    throw Error(fmt::format("the largest error is {:.3e} of |A||B|, allowed are {:.3e}", error, bound));
  }
  return kSuccess;
}

}  // namespace

void add_dgemm(Command program, const std::string& name) {
  constexpr std::uint64_t kLargest = 1 << 20;
  const auto [command, options] = program.add_command<DgemmOptions>(
      name, "multiply two matrices on the board, and check the product in long double",
      "gdr dgemm -m 32768 -n 32768 -k 2048 --timing-only", dgemm);
  command.add_option("-m,--m", options->sizes.m, "rows of A and C", whole_in_range(1, kLargest)).required();
  command.add_option("--n columns", options->sizes.n).required();
  command.add_option("-k,--k", options->sizes.k, "columns of A, rows of B", whole_in_range(1, kLargest)).required();
  const Option transa = command.add_flag("--transa", options->sizes.transa, "A is stored transposed");
  const Option transb = command.add_flag("--transb", options->sizes.transb, "B is stored transposed");
  command.add_flag("--overlap products", options->overlap, "on", {"on", "off"}).by_default("on");
  const Option buffer =
      command.add_option("--overlap-buffer", options->buffer,
                         "size of the buffer for the next block of A in long words; default: that of the machine",
                         whole_in_range(1, 33554432));
  command.add_option("--kernel products", options->kernel);
  command.add_option("--host", options->host);
  const Option seed = command.add_option("--seed", options->seed);
  command.add_option("--small-depths", options->small_depths);
  options->board.add_to(command);
  std::vector<Option> of_run = options->board.of_computing;
  of_run.insert(of_run.end(), {seed, transa, transb});
  command.refuse_if(of_run, [options = options] { return options->board.why_nothing_is_computed(); });
  command.refuse_if({buffer}, [options = options] { return options->overlap == "off" ? "with --overlap off" : ""; });
  options->report.add_to(command);
}

}  // namespace gdr::cli
