// Messages between GPUs of HA-PACS/TCA. IPSJ ACS 8(4), 2015, section 4.
#include "gdr/interconnect/ha_pacs_tca.h"

#include <algorithm>
#include <array>

#include "gdr/interconnect/network.h"
#include "units.h"

namespace gdr::interconnect {

std::string_view name_of(GdrPath path) {
  constexpr std::array<std::string_view, 3> kNames{"same socket", "QPI", "QPI tuned"};
  return kNames.at(static_cast<std::size_t>(path));
}

std::string_view name_of(GdrProtocol protocol) {
  constexpr std::array<std::string_view, 3> kNames{"direct", "copied", "pipelined"};
  return kNames.at(static_cast<std::size_t>(protocol));
}

std::string_view name_of(Pattern pattern) {
  constexpr std::array<std::string_view, 3> kNames{"block", "block-stride", "stride"};
  return kNames.at(static_cast<std::size_t>(pattern));
}

HaPacsTca load_ha_pacs_tca(std::string_view name_or_file) {
  const base::Description file = load_network(name_or_file, "ha-pacs-tca");
  const auto time = [&](std::string_view key) { return file.value(key) * kMicrosecond; };
  const auto rate = [&](std::string_view key) { return file.value(key) * kMegabyte; };
  const auto whole = [&](std::string_view key) { return static_cast<int>(file.value(key)); };
  HaPacsTca m;
  m.nodes = whole("nodes");
  m.rings = whole("rings");
  m.ring_nodes = whole("ring_nodes");
  m.host_descriptors = time("host_descriptors");
  m.own_descriptors = time("own_descriptors");
  m.own_descriptor_max = whole("own_descriptor_max");
  m.tca_rate = rate("tca_rate");
  m.gdr_start = time("gdr_start");
  m.gdr_max = file.value("gdr_max");
  m.gdr_rate = rate("gdr_rate");
  m.copied_start = time("copied_start");
  m.copied_max = file.value("copied_max");
  m.copy_rate = rate("copy_rate");
  m.infiniband_rate = rate("infiniband_rate");
  m.pipeline_start = time("pipeline_start");
  m.qpi_start = time("qpi_start");
  m.qpi_rate = rate("qpi_rate");
  m.request = time("request");
  m.mpi_pack_start = time("mpi_pack_start");
  m.tca_pack_start = time("tca_pack_start");
  m.pack_rate = rate("pack_rate");
  m.collision = file.value("collision");
  m.hop = time("hop");
  m.exchange_overhead = time("exchange_overhead");
  m.iteration_overhead = time("iteration_overhead");
  m.memory_rate = rate("memory_rate");
  m.himeno_point = file.value("himeno_point");
  m.laplace_point = file.value("laplace_point");
  return m;
}

double HaPacsTca::tca_put(double bytes, Descriptors where) const {
  return (where == Descriptors::own ? own_descriptors : host_descriptors) + bytes / tca_rate;
}

GdrProtocol HaPacsTca::protocol(double bytes, GdrPath path) const {
  if (bytes <= gdr_max) return GdrProtocol::direct;
  const bool through_hosts = path == GdrPath::qpi_tuned || bytes > copied_max;
  return through_hosts ? GdrProtocol::pipelined : GdrProtocol::copied;
}

MessageCost HaPacsTca::message_cost(double bytes, GdrPath path) const {
  const bool across_qpi = path != GdrPath::same_socket;
  switch (protocol(bytes, path)) {
    case GdrProtocol::direct:
      if (across_qpi) return {qpi_start, 0, bytes / qpi_rate};
      return {gdr_start, 0, bytes / gdr_rate};
    case GdrProtocol::copied:
      // The copy to host memory is quick on either path; the remote write into the GPU crosses QPI.
      if (across_qpi) return {qpi_start + copied_start, 0, bytes / qpi_rate};
      return {gdr_start + copied_start, bytes / copy_rate, bytes / infiniband_rate};
    case GdrProtocol::pipelined:
      return {pipeline_start, 0, bytes / infiniband_rate};
  }
  return {};
}

double HaPacsTca::mpi_message(double bytes, GdrPath path) const { return mpi_messages({&bytes, 1}, path); }

double HaPacsTca::mpi_messages(std::span<const double> bytes, GdrPath path) const {
  if (bytes.empty()) return 0;
  MessageCost all;
  for (const double message : bytes) {
    const MessageCost cost = message_cost(message, path);
    all.start = std::max(all.start, cost.start);
    all.lead = std::max(all.lead, cost.lead);
    all.wire += cost.wire;
  }
  return all.start + static_cast<double>(bytes.size() - 1) * request + all.lead + all.wire;
}

double HaPacsTca::tca_face(Pattern pattern, double bytes) const {
  return tca_put(bytes) + (pattern == Pattern::stride ? tca_pack(bytes) : 0);
}

double HaPacsTca::mpi_face(Pattern pattern, double bytes, GdrPath path) const {
  return mpi_message(bytes, path) + (pattern == Pattern::block ? 0 : mpi_pack(bytes));
}

}  // namespace gdr::interconnect
