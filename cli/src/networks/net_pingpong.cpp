// gdr net pingpong: one message between neighbours, as Hanawa et al. 2013 and IPSJ ACS 8(4), 2015 measured it.
#include "gdr/interconnect/pingpong.h"

#include <algorithm>

#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::Memory;

struct NetPingpongOptions {
  interconnect::Pingpong message;
  std::string machine;
  ReportOptions report;
};

int run(const NetPingpongOptions& options) {
  const interconnect::Pingpong& message = options.message;
  const std::string& machine =
      options.machine.empty() ? interconnect::pingpong_machine(message.method) : options.machine;
  require_known(machine, base::description_names(interconnect::pingpong_machine_kinds()), "--network");
  const double seconds =
      from_command_line("--method", [&] { return interconnect::pingpong_seconds(message, machine); });
  const double all_bytes = message.count * message.bytes;
  Json json = options.report.begin(machine, "timing", false);
  json["emulated_seconds"] = seconds;
  json["method"] = message.method;
  json["from"] = name_of(message.from);
  json["to"] = name_of(message.to);
  json["bytes"] = message.bytes;
  json["count"] = message.count;
  json["seconds"] = seconds;
  json["bytes_per_second"] = seconds > 0 ? all_bytes / seconds : 0;
  options.report.show(json, {{"all_bytes", all_bytes}});
  return kSuccess;
}

}  // namespace

void add_net_pingpong(Command net) {
  const auto [command, options] = net.add_command<NetPingpongOptions>(
      "pingpong", "one message between neighbours over PEACH2, CUDA or MPI, one way",
      "gdr net pingpong --method dma-register --from gpu --to gpu --bytes 4096", run);
  interconnect::Pingpong& message = options->message;
  command.add_option("--method", message.method, "transfer method", one_of(interconnect::pingpong_methods()))
      .required();
  const Option network = command.add_option("--network", options->machine).by_default("that of the method");
  command.keep_old_name("--machine", network);
  command.add_choice("--from", message.from, {Memory::cpu, Memory::gpu}, "memory to read from");
  command.add_choice("--to", message.to, {Memory::cpu, Memory::gpu}, "memory to write to");
  command.add_option("--bytes message", message.bytes).required();
  const auto of_some_methods = [&, options = options](const Option& option, const char* member) {
    command.refuse_if({option}, [options, methods = interconnect::pingpong_methods_with(member)] {
      const std::string& method = options->message.method;
      return std::ranges::find(methods, method) == methods.end() ? "with --method " + method : "";
    });
  };
  of_some_methods(command.add_option("--count", message.count, "descriptors in the chain", whole_in_range(1, 1048576)),
                  "count");
  of_some_methods(
      command.add_option("--path", message.path, "mvapich2-gdr: GPU on the socket of the adapter, or across QPI",
                         one_of({"same-socket", "qpi", "qpi-tuned"})),
      "path");
  of_some_methods(
      command.add_flag("--staged", message.staged, "dma-register: copy out of the GPU first, then put from CPU memory"),
      "staged");
  of_some_methods(command.add_flag("--local", message.within_node, "DMA within one node, as the driver sees it"),
                  "local");
  of_some_methods(command.add_flag("--no-uva", message.no_uva, "cuda-p2p without unified addresses"), "no_uva");
  options->report.add_to(command);
}

}  // namespace gdr::cli
