#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "command/command.h"
#include "command/kernel_source.h"
#include "dgemm_options.h"
#include "gdr/base/description.h"
#include "gdr/hostlib/dgemm_model.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/lu.h"
#include "gdr/hostlib/node_memory.h"

namespace gdr::cli {
namespace {

struct DgemmOptions {
  BoardOptions board;
  ReportOptions report;
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  bool transa = false;
  bool transb = false;
  std::string overlap = "on";
  std::uint64_t buffer = 0;
  std::string small_depths = "own-rows";
  std::string kernel = "dgemm";
  std::string host = "core-i7-920";
  std::uint64_t seed = 1;
};

std::vector<double> random_matrix(std::size_t size, std::mt19937_64& random) {
  std::vector<double> values(size);
  for (double& value : values) value = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
  return values;
}

/// A product in the orientation in which the board computes it.
struct Oriented {
  std::size_t m;
  std::size_t n;
  MatrixView a;
  MatrixView b;
};

std::vector<double> multiplied(BoardDgemm& board, const DgemmOptions& options, const Oriented& product) {
  Progress progress("multiplying", options.report.progress_shown());
  board.on_progress([&](double done) { progress.show(done); });
  std::vector<double> c = board.multiply(product.m, product.n, options.k, product.a, product.b);
  board.on_progress({});
  return c;
}

int dgemm(const DgemmOptions& options) {
  require_known(options.host, base::description_names({&host_kind(), 1}), "--host");
  from_command_line("-m, -n, -k", [&] {
    require_dgemm_memory(options.m, options.n, options.k, load_host(options.host).memory);
    return true;
  });
  const isa::Program program = load_kernel(options.kernel);
  const DeviceOptions device = options.board.options_of_model();
  const emulator::MachineDescription machine = options.board.description();
  const DgemmModel model(program, machine, device.boards);
  const auto [transposed, times] = model.product(
      options.m, options.n, options.k,
      {options.overlap == "on", options.buffer, device.transfer, small_depths_named(options.small_depths)});

  const bool exact = options.board.exact();
  Json json = options.report.begin(machine.name, options.board.engine, exact);
  add_digests(json, program, machine);
  json["emulated_seconds"] = times.total();
  if (times.total() > 0) json["emulated_gflops"] = times.useful_flops / times.total() / 1e9;
  json["clocks"] = times.clocks;
  json["m"] = options.m;
  json["n"] = options.n;
  json["k"] = options.k;
  json["transfer"] = name_of(options.board.transfer);
  json["small_depths"] = options.small_depths;
  json["transposed"] = transposed;
  const DgemmPrecision precision = options.kernel == "dgemm" ? DgemmPrecision::paper : DgemmPrecision::full;
  const double bound = dgemm_error_bound(precision, options.k);
  json["max_rel_error"] = nullptr;
  json["error_bound"] = bound;
  json["clocks_per_unit"] = model.clocks_per_turn();
  json["useful_flops"] = times.useful_flops;
  json["executed_flops"] = times.executed_flops;
  json["stages"] = {
      {"b_send", times.b_send}, {"a_send", times.a_send}, {"a_load", times.a_load}, {"compute", times.compute}};
  double error = 0;
  if (!options.board.timing()) {
    const auto words = [](std::uint64_t rows, std::uint64_t columns) {
      return static_cast<double>(rows) * static_cast<double>(columns);
    };
    require_memory(
        sizeof(double) * (words(options.m, options.k) + words(options.k, options.n) + words(options.m, options.n)),
        "A, B and C");
    std::mt19937_64 random(options.seed);
    const std::vector<double> a = random_matrix(options.m * options.k, random);
    const std::vector<double> b = random_matrix(options.k * options.n, random);
    const auto view = [](const std::vector<double>& values, std::uint64_t rows, std::uint64_t columns,
                         bool transposed) {
      return transposed ? MatrixView{values.data(), static_cast<std::ptrdiff_t>(columns), 1}
                        : MatrixView{values.data(), 1, static_cast<std::ptrdiff_t>(rows)};
    };
    const MatrixView a_view = view(a, options.m, options.k, options.transa);
    const MatrixView b_view = view(b, options.k, options.n, options.transb);
    BoardDgemm board(device, program);
    const Oriented product = transposed ? Oriented{options.n, options.m, b_view.transposed(), a_view.transposed()}
                                        : Oriented{options.m, options.n, a_view, b_view};
    const std::vector<double> c = multiplied(board, options, product);
    Progress progress("checking", options.report.progress_shown());
    error = product_error(product.m, product.n, options.k, product.a, product.b, c,
                          [&](double done) { progress.show(done); });
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
  command.add_option("-m,--m", options->m, "rows of A and C", whole_in_range(1, kLargest)).required();
  command.add_option("-n,--n", options->n, "columns of B and C", whole_in_range(1, kLargest)).required();
  command.add_option("-k,--k", options->k, "columns of A, rows of B", whole_in_range(1, kLargest)).required();
  const Option transa = command.add_flag("--transa", options->transa, "A is stored transposed");
  const Option transb = command.add_flag("--transb", options->transb, "B is stored transposed");
  command.add_flag("--overlap", options->overlap, "on", {"on", "off"},
                   "send the next block of A while the board computes; default: on");
  const Option buffer =
      command.add_option("--overlap-buffer", options->buffer,
                         "size of the buffer for the next block of A in long words; default: that of the machine",
                         whole_in_range(1, 33554432));
  add_product_kernel(command, options->kernel);
  command.add_option("--host=NAME", options->host,
                     "host description, whose memory must hold A, B and C: a name or FILE.toml");
  const Option seed = command.add_option("--seed", options->seed, "seed of the matrices");
  add_small_depths(command, options->small_depths);
  options->board.add_to(command);
  std::vector<Option> of_run = options->board.of_computing;
  of_run.insert(of_run.end(), {seed, transa, transb});
  command.refuse_if(of_run, [options = options] { return options->board.why_nothing_is_computed(); });
  command.refuse_if({buffer}, [options = options] { return options->overlap == "off" ? "with --overlap off" : ""; });
  options->report.add_to(command);
}

}  // namespace gdr::cli
