// Times of messages between GPUs of HA-PACS/TCA. IPSJ ACS 8(4), 2015, section 4.
#include "gdr/interconnect/ha_pacs_tca.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gdr/interconnect/network.h"
#include "kinds.h"
#include "known_parameters.h"

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

namespace {

const std::vector<KnownParameter<HaPacsTca>>& ha_pacs_parameters() {
  using M = HaPacsTca;
  static const auto parameters = with_peach2_wire<M>({
      known<M>("nodes", "nodes", 1, 65536, &M::nodes),
      known<M>("host_descriptors", "us", 0, 1e6, &M::host_descriptors),
      known<M>("own_descriptors", "us", 0, 1e6, &M::own_descriptors),
      known<M>("own_descriptor_max", "descriptors", 1, 1e9, &M::own_descriptor_max),
      known<M>("tca_rate", "MB/s", 1e-3, 1e9, &M::tca_rate),
      known<M>("gdr_start", "us", 0, 1e6, &M::gdr_start),
      known<M>("gdr_max", "B", 0, 1e12, &M::gdr_max),
      known<M>("gdr_rate", "MB/s", 1e-3, 1e9, &M::gdr_rate),
      known<M>("copied_start", "us", 0, 1e6, &M::copied_start),
      known<M>("copied_max", "B", 0, 1e12, &M::copied_max),
      known<M>("copy_rate", "MB/s", 1e-3, 1e9, &M::copy_rate),
      known<M>("infiniband_rate", "MB/s", 1e-3, 1e9, &M::infiniband_rate),
      known<M>("pipeline_start", "us", 0, 1e6, &M::pipeline_start),
      known<M>("qpi_start", "us", 0, 1e6, &M::qpi_start),
      known<M>("qpi_rate", "MB/s", 1e-3, 1e9, &M::qpi_rate),
      known<M>("request", "us", 0, 1e6, &M::request),
      known<M>("mpi_pack_start", "us", 0, 1e6, &M::mpi_pack_start),
      known<M>("tca_pack_start", "us", 0, 1e6, &M::tca_pack_start),
      known<M>("pack_rate", "MB/s", 1e-3, 1e9, &M::pack_rate),
      known<M>("exchange_overhead", "us", 0, 1e6, &M::exchange_overhead),
      known<M>("iteration_overhead", "us", 0, 1e6, &M::iteration_overhead),
      known<M>("memory_rate", "MB/s", 1e-3, 1e9, &M::memory_rate),
      known<M>("himeno_point", "B", 1, 1e6, &M::himeno_point),
      known<M>("laplace_point", "B", 1, 1e6, &M::laplace_point),
      known<M>("himeno_flops", "per point", 0, 1e6, &M::himeno_flops),
      known<M>("laplace_flops", "per point", 0, 1e6, &M::laplace_flops),
      known<M>("node_speed", "Gflops", 1e-6, 1e9, &M::node_speed),
  });
  return parameters;
}

}  // namespace

base::DescriptionKind ha_pacs_tca_kind() { return {"ha-pacs-tca", rules_of(ha_pacs_parameters())}; }

HaPacsTca load_ha_pacs_tca(std::string_view name_or_file) {
  return make_ha_pacs_tca(load_network(name_or_file, "ha-pacs-tca"));
}

HaPacsTca make_ha_pacs_tca(const base::Description& description) {
  auto machine = read(ha_pacs_parameters(), description);
  machine.tca_rate = machine.rate_of(machine.tca_rate, "tca_rate");
  return machine;
}

double HaPacsTca::tca_chain(double bytes, double count, Descriptors where) const {
  return (where == Descriptors::own ? own_descriptors : host_descriptors) + data_time(bytes, count, tca_rate);
}

double HaPacsTca::tca_put(double bytes, Descriptors where) const { return tca_chain(bytes, 1, where); }

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
  if (pattern == Pattern::block_stride) {
    constexpr double kFloat = 4;  // bytes
    const double rows = std::sqrt(bytes / kFloat);
    return rows > 0 ? tca_chain(bytes / rows, rows) : tca_put(0);
  }
  return tca_put(bytes) + (pattern == Pattern::stride ? tca_pack(bytes) : 0);
}

double HaPacsTca::mpi_face(Pattern pattern, double bytes, GdrPath path) const {
  return mpi_message(bytes, path) + (pattern == Pattern::block ? 0 : mpi_pack(bytes));
}

}  // namespace gdr::interconnect
