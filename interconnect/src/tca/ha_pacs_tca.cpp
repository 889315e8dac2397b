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

namespace {

/// Parts of a message's time: before any data, before the adapter has data, on the adapter.
struct MessageCost {
  double start = 0;
  double lead = 0;
  double wire = 0;
};

MessageCost cost_of(const HaPacsTca& m, double bytes, GdrPath path) {
  const bool across_qpi = path != GdrPath::same_socket;
  switch (m.protocol(bytes, path)) {
    case GdrProtocol::direct:
      if (across_qpi) return {m.qpi_start, 0, bytes / m.qpi_rate};
      return {m.gdr_start, 0, bytes / m.gdr_rate};
    case GdrProtocol::copied:
      // The copy to host memory is quick on either path; the remote write into the GPU crosses QPI.
      if (across_qpi) return {m.qpi_start + m.copied_start, 0, bytes / m.qpi_rate};
      return {m.gdr_start + m.copied_start, bytes / m.copy_rate, bytes / m.infiniband_rate};
    case GdrProtocol::pipelined:
      return {m.pipeline_start, 0, bytes / m.infiniband_rate};
  }
  return {};
}

}  // namespace

double HaPacsTca::mpi_message(double bytes, GdrPath path) const { return mpi_messages({&bytes, 1}, path); }

double HaPacsTca::mpi_messages(std::span<const double> bytes, GdrPath path) const {
  if (bytes.empty()) return 0;
  MessageCost all;
  for (const double message : bytes) {
    const MessageCost cost = cost_of(*this, message, path);
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
