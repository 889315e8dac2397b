#include "gdr/interconnect/pingpong.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "gdr/base/error.h"
#include "gdr/interconnect/ha_pacs_tca.h"
#include "gdr/interconnect/network.h"

namespace gdr::interconnect {
namespace {

GdrPath path_named(std::string_view name) {
  if (name == "same-socket") return GdrPath::same_socket;
  if (name == "qpi") return GdrPath::qpi;
  if (name == "qpi-tuned") return GdrPath::qpi_tuned;
  throw Error(fmt::format("path '{}' is refused: it must be same-socket, qpi or qpi-tuned", name));
}

const std::map<std::string, std::string>& machines() {
  static const std::map<std::string, std::string> all{{"pio", "peach2"},
                                                      {"dma-register", "peach2"},
                                                      {"dma-descriptor", "peach2"},
                                                      {"cuda-p2p", "peach2"},
                                                      {"dma-internal", "ha-pacs-tca"},
                                                      {"mvapich2", "peach2"},
                                                      {"mvapich2-gdr", "ha-pacs-tca"},
                                                      {"dma-block-stride", "ha-pacs-tca"}};
  return all;
}

[[noreturn]] void refuse(const Pingpong& message, const std::string& why) {
  throw Error(
      fmt::format("{} from {} to {} is refused: {}", message.method, name_of(message.from), name_of(message.to), why));
}

void require_gpus(const Pingpong& message) {
  if (message.from != Memory::gpu || message.to != Memory::gpu) refuse(message, "it goes from gpu to gpu");
}

double on_bench(const Peach2& board, const Pingpong& of) {
  if (of.method == "pio") {
    if (of.from != Memory::cpu) refuse(of, "the CPU stores");
    return board.pio(of.bytes, of.to);
  }
  if (of.method == "dma-register") {
    if (of.staged) {
      require_gpus(of);
      return board.staged(of.bytes);
    }
    return of.within_node ? board.local_register(of.bytes, of.from) : board.dma_register(of.bytes, of.from);
  }
  if (of.method == "dma-descriptor") {
    return of.within_node ? board.local_chain(of.bytes, of.count, of.from)
                          : board.dma_chain(of.bytes, of.count, of.from);
  }
  require_gpus(of);
  return of.method == "cuda-p2p" ? board.cuda_peer(of.bytes, !of.no_uva) : board.mvapich2(of.bytes);
}

double on_cluster(const HaPacsTca& cluster, const Pingpong& of) {
  require_gpus(of);
  if (of.method == "dma-descriptor") return cluster.tca_chain(of.bytes, of.count, Descriptors::host);
  if (of.method == "dma-internal") {
    if (of.count > cluster.own_descriptor_max) {
      throw Error(
          fmt::format("count {} is refused: the chip holds {} descriptors", of.count, cluster.own_descriptor_max));
    }
    return cluster.tca_chain(of.bytes, of.count, Descriptors::own);
  }
  if (of.method == "dma-block-stride") return cluster.tca_face(Pattern::block_stride, of.bytes);
  return cluster.mpi_message(of.bytes, path_named(of.path));
}

void require_effect(const Pingpong& of) {
  const auto require = [&](bool given, std::string_view member) {
    const std::vector<std::string> methods = pingpong_methods_with(member);
    if (!given || std::ranges::find(methods, of.method) != methods.end()) return;
    throw Error(
        fmt::format("{} has no effect on {}: it belongs to {}", member, of.method, fmt::join(methods, " and ")));
  };
  require(of.staged, "staged");
  require(of.within_node, "local");
  require(of.no_uva, "no_uva");
  require(of.path != Pingpong().path, "path");
  require(of.count != 1, "count");
  if (of.staged && of.within_node) throw Error("staged and local are refused together");
}

}  // namespace

std::string_view name_of(Memory memory) { return memory == Memory::gpu ? "gpu" : "cpu"; }

std::vector<std::string> pingpong_methods() {
  std::vector<std::string> methods;
  for (const auto& [method, machine] : machines()) methods.push_back(method);
  return methods;
}

std::vector<std::string> pingpong_methods_with(std::string_view member) {
  if (member == "staged") return {"dma-register"};
  if (member == "local") return {"dma-register", "dma-descriptor"};
  if (member == "no_uva") return {"cuda-p2p"};
  if (member == "path") return {"mvapich2-gdr"};
  if (member == "count") return {"dma-descriptor", "dma-internal"};
  throw Error(fmt::format("'{}' is refused: it must be count, path, staged, local or no_uva", member));
}

const std::string& pingpong_machine(const std::string& method) { return machines().at(method); }

std::vector<base::DescriptionKind> pingpong_machine_kinds() {
  return {network_kind("peach2"), network_kind("ha-pacs-tca")};
}

double pingpong_seconds(const Pingpong& message, const std::string& machine) {
  require_effect(message);
  const std::string kind = base::load_description(machine, pingpong_machine_kinds()).kind;
  const std::string& measured = pingpong_machine(message.method);
  const bool of_cluster = measured == "ha-pacs-tca" || (message.method == "dma-descriptor" && !message.within_node);
  if (kind == "peach2" && measured == "peach2") return on_bench(load_peach2(machine), message);
  if (kind == "ha-pacs-tca" && of_cluster) return on_cluster(load_ha_pacs_tca(machine), message);
  throw Error(fmt::format("network {} is refused: {} was measured on {}", machine, message.method, measured));
}

}  // namespace gdr::interconnect
