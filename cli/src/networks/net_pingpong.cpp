// gdr net pingpong: one message between neighbours, as Hanawa et al. 2013 and IPSJ ACS 8(4), 2015 measured it.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "gdr/interconnect/ha_pacs_tca.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/peach2.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::Descriptors;
using interconnect::GdrPath;
using interconnect::HaPacsTca;
using interconnect::Memory;
using interconnect::Pattern;
using interconnect::Peach2;

struct NetPingpongOptions {
  std::string method;
  std::string machine;
  std::string from = "cpu";
  std::string to = "cpu";
  double bytes = 0;
  int count = 1;
  std::string path = "same-socket";
  bool staged = false;
  bool local = false;
  bool no_uva = false;
  ReportOptions report;
};

const std::map<std::string, GdrPath> kPaths{
    {"same-socket", GdrPath::same_socket}, {"qpi", GdrPath::qpi}, {"qpi-tuned", GdrPath::qpi_tuned}};

/// The machine on which each method was measured.
const std::map<std::string, std::string> kMachines{{"pio", "peach2"},
                                                   {"dma-register", "peach2"},
                                                   {"dma-descriptor", "peach2"},
                                                   {"dma-internal", "ha-pacs-tca"},
                                                   {"dma-block-stride", "ha-pacs-tca"},
                                                   {"cuda-p2p", "peach2"},
                                                   {"mvapich2", "peach2"},
                                                   {"mvapich2-gdr", "ha-pacs-tca"}};

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for (const auto& [name, machine] : kMachines) names.push_back(name);
  return names;
}

Memory memory(const std::string& name) { return name == "gpu" ? Memory::gpu : Memory::cpu; }

[[noreturn]] void refuse(const NetPingpongOptions& o, const std::string& why) {
  throw UsageError(fmt::format("--method {} with --from {} --to {} is refused: {}", o.method, o.from, o.to, why));
}

void require_gpus(const NetPingpongOptions& o) {
  if (o.from != "gpu" || o.to != "gpu") refuse(o, "it goes from gpu to gpu");
}

double on_bench(const Peach2& board, const NetPingpongOptions& o) {
  const Memory from = memory(o.from);
  if (o.method == "pio") {
    if (o.from != "cpu") refuse(o, "the CPU stores; --from is cpu");
    return board.pio(o.bytes, memory(o.to));
  }
  if (o.method == "dma-register") {
    if (o.staged) {
      require_gpus(o);
      return board.staged(o.bytes);
    }
    return o.local ? board.local_register(o.bytes, from) : board.dma_register(o.bytes, from);
  }
  if (o.method == "dma-descriptor") {
    return o.local ? board.local_chain(o.bytes, o.count, from) : board.dma_chain(o.bytes, o.count, from);
  }
  require_gpus(o);
  return o.method == "cuda-p2p" ? board.cuda_peer(o.bytes, !o.no_uva) : board.mvapich2(o.bytes);
}

double on_cluster(const HaPacsTca& cluster, const NetPingpongOptions& o) {
  require_gpus(o);
  if (o.method == "dma-descriptor") return cluster.tca_chain(o.bytes, o.count, Descriptors::host);
  if (o.method == "dma-internal") {
    if (o.count > cluster.own_descriptor_max) {
      throw UsageError(
          fmt::format("--count {} is refused: the chip holds {} descriptors", o.count, cluster.own_descriptor_max));
    }
    return cluster.tca_chain(o.bytes, o.count, Descriptors::own);
  }
  if (o.method == "dma-block-stride") return cluster.tca_face(Pattern::block_stride, o.bytes);
  return cluster.mpi_message(o.bytes, kPaths.at(o.path));
}

void require_effect(const NetPingpongOptions& o) {
  const auto only = [&](bool given, std::string_view option, bool has_effect, std::string_view with) {
    if (given && !has_effect) throw UsageError(fmt::format("{} is refused: it needs --method {}", option, with));
  };
  only(o.staged, "--staged", o.method == "dma-register", "dma-register");
  only(o.local, "--local", o.method == "dma-register" || o.method == "dma-descriptor",
       "dma-register or dma-descriptor");
  only(o.no_uva, "--no-uva", o.method == "cuda-p2p", "cuda-p2p");
  only(o.path != "same-socket", "--path", o.method == "mvapich2-gdr", "mvapich2-gdr");
  only(o.count != 1, "--count", o.method == "dma-descriptor" || o.method == "dma-internal",
       "dma-descriptor or dma-internal");
  if (o.staged && o.local) throw UsageError("--staged and --local are refused together");
}

std::vector<base::DescriptionKind> machine_kinds() {
  return {interconnect::network_kind("peach2"), interconnect::network_kind("ha-pacs-tca")};
}

int run(const NetPingpongOptions& o) {
  require_effect(o);
  const std::string& machine = o.machine.empty() ? kMachines.at(o.method) : o.machine;
  require_known(machine, base::description_names(machine_kinds()), "--network");
  const std::string kind = base::load_description(machine, machine_kinds()).kind;
  const bool of_cluster = kMachines.at(o.method) == "ha-pacs-tca" || (o.method == "dma-descriptor" && !o.local);
  const bool of_bench = kMachines.at(o.method) == "peach2";
  double seconds = 0;
  if (kind == "peach2" && of_bench) {
    seconds = on_bench(interconnect::load_peach2(machine), o);
  } else if (kind == "ha-pacs-tca" && of_cluster) {
    seconds = on_cluster(interconnect::load_ha_pacs_tca(machine), o);
  } else {
    throw UsageError(
        fmt::format("--network {} is refused: {} was measured on {}", machine, o.method, kMachines.at(o.method)));
  }
  const double rate = seconds > 0 ? o.count * o.bytes / seconds : 0;
  Json json = o.report.begin(machine, "timing", false);
  json["emulated_seconds"] = seconds;
  json["method"] = o.method;
  json["from"] = o.from;
  json["to"] = o.to;
  json["bytes"] = o.bytes;
  json["count"] = o.count;
  json["seconds"] = seconds;
  json["bytes_per_second"] = rate;
  o.report.show(json, {{"all_bytes", o.count * o.bytes}});
  return kSuccess;
}

}  // namespace

void add_net_pingpong(Command net) {
  const auto [command, o] = net.add_command<NetPingpongOptions>(
      "pingpong", "one message between neighbours over PEACH2, CUDA or MPI, one way",
      "gdr net pingpong --method dma-register --from gpu --to gpu --bytes 4096", run);
  command.add_option("--method", o->method, "transfer method", one_of(methods())).required();
  const Option network = command.add_option("--network=NAME", o->machine,
                                            "network description: a name or FILE.toml; default: that of the method");
  command.keep_old_name("--machine", network);
  command.add_option("--from", o->from, "memory to read from", one_of({"cpu", "gpu"}));
  command.add_option("--to", o->to, "memory to write to", one_of({"cpu", "gpu"}));
  command
      .add_option("--bytes", o->bytes, "size of a message, of a descriptor if there are several",
                  in_range(0, 1e12, ValueUnit::bytes))
      .required();
  command.add_option("--count", o->count, "descriptors in the chain", whole_in_range(1, 1048576));
  command.add_option("--path", o->path, "mvapich2-gdr: GPU on the socket of the adapter, or across QPI",
                     one_of({"same-socket", "qpi", "qpi-tuned"}));
  command.add_flag("--staged", o->staged, "dma-register: copy out of the GPU first, then put from CPU memory");
  command.add_flag("--local", o->local, "DMA within one node, as the driver sees it");
  command.add_flag("--no-uva", o->no_uva, "cuda-p2p without unified addresses");
  o->report.add_to(command);
}

}  // namespace gdr::cli
