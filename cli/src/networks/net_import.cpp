// gdr net import: networks and task graphs in files of other programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/import_file.h"
#include "net.h"

namespace gdr::cli {
namespace {

struct NetImportOptions {
  ReportOptions report;
  std::string file;
  std::string format = "auto";
  std::string output;
  double bandwidth = 12.5;   // GB/s, of 100 Gbit Ethernet
  double latency = 0.5;      // us
  double node_speed = 1000;  // Gflops
};

/// Throws UsageError if the files of a network cannot have this name.
void check_output(const NetImportOptions& options, std::string_view format) {
  if (!interconnect::is_network_format(format)) return;
  if (base::ending_of(options.output) != ".toml") {
    throw UsageError(
        fmt::format("--output: '{}' is refused: a network needs a name that ends in .toml", options.output));
  }
  options.report.command->try_outputs(
      "--output", interconnect::imported_files(options.output, interconnect::network_format_named(format)));
}

int import(const NetImportOptions& options) {
  const std::string text = base::read_file(options.file);
  const std::string format =
      options.format == "auto" ? interconnect::guess_import_format(text, options.file) : options.format;
  check_output(options, format);
  const interconnect::Imported made =
      interconnect::import_file(options.file, text, format, options.output,
                                {options.bandwidth * kGiga, options.latency * kMicro, options.node_speed * kGiga});
  Json json = options.report.begin(options.file, nullptr, true);
  interconnect::add_imported(json, made);
  options.report.show(json, {{"files", fmt::format("{}", fmt::join(made.files, ", "))}});
  return kSuccess;
}

}  // namespace

void add_net_import(Command net) {
  const auto [command, options] =
      net.add_command<NetImportOptions>("import", "networks and task graphs in files of other programs",
                                        "gdr net import topology.conf -o cluster.toml", import);
  command.add_option("file=FILE", options->file, "file to read").required();
  command.add_option("--as", options->format, "format of the file; auto: by its content",
                     one_of(interconnect::import_formats()));
  command.add_output("-o,--output", options->output, "description of the network, FILE.toml, or task graph as CSV")
      .required();
  const Option bandwidth = command.add_option("--bandwidth", options->bandwidth);
  const Option latency = command.add_option("--latency", options->latency);
  const Option speed = command.add_option("--node-speed", options->node_speed, "Gflops of a node", in_range(1e-6, 1e9));
  command.refuse_if({bandwidth, latency, speed}, [options = options] {
    const std::string& format = options->format;
    const bool takes_them = format == "auto" || (format != "simgrid" && interconnect::is_network_format(format));
    return takes_them ? "" : fmt::format("with --as {}", format);
  });
  options->report.add_to(command);
}

}  // namespace gdr::cli
