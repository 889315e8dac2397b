#include "gdr/interconnect/network.h"

#include <algorithm>

#include "gdr/base/error.h"

namespace gdr::interconnect {

namespace {

/// Rules of a platform for schedules: its shape, and what all of them have.
std::vector<base::ParameterRule> platform(std::vector<base::ParameterRule> shape) {
  shape.push_back({"bandwidth", "GB/s per node", 1e-6, 1e6, false});
  shape.push_back({"latency", "us", 0, 1e6, false});
  shape.push_back({"node_speed", "Gflops", 1e-6, 1e9, false});
  return shape;
}

}  // namespace

const std::vector<base::DescriptionKind>& network_kinds() {
  static const std::vector<base::DescriptionKind> kinds{
      {"optical-hub", platform({{"nodes", "1", 1, 4096, true}})},
      {"optical-hub-2d", platform({{"rows", "1", 1, 1024, true}, {"columns", "1", 1, 1024, true}})},
      {"torus",
       platform({{"x", "nodes", 1, 65536, true}, {"y", "nodes", 1, 65536, true}, {"z", "nodes", 1, 65536, true}})},
      {"fat-tree", platform({{"leaves", "switches", 1, 1024, true},
                             {"nodes_per_leaf", "nodes", 1, 1024, true},
                             {"spines", "switches", 1, 1024, true},
                             {"cables", "cables from each leaf to each spine", 1, 1024, true}})},
      {"peach2",
       {{"rings", "1", 1, 2, true},
        {"ring_nodes", "nodes", 2, 8, true},
        {"window", "GiB", 1, 65536, true},
        {"devices", "slots per node", 4, 64, true},
        {"link_rate", "MB/s", 1e-3, 1e9, false},
        {"payload", "B", 1, 4096, true},
        {"packet_overhead", "B", 0, 1024, true},
        {"channels", "1", 1, 64, true},
        {"descriptor", "B", 1, 4096, true},
        {"register_transfers", "transfers", 1, 1024, true},
        {"pio_latency", "us", 0, 1e6, false},
        {"pio_payload", "B", 1, 4096, true},
        {"gpu_latency", "us", 0, 1e6, false},
        {"dma_latency", "us", 0, 1e6, false},
        {"dma_rate", "MB/s", 1e-3, 1e9, false},
        {"gpu_read_rate", "MB/s", 1e-3, 1e9, false},
        {"local_rate", "MB/s", 1e-3, 1e9, false},
        {"local_gpu_read_rate", "MB/s", 1e-3, 1e9, false},
        {"chain_start", "us", 0, 1e6, false},
        {"hop", "us", 0, 1e6, false},
        {"collision", "1", 1e-3, 1, false},
        {"interrupt", "us", 0, 1e6, false},
        {"cuda_uva_start", "us", 0, 1e6, false},
        {"cuda_start", "us", 0, 1e6, false},
        {"cuda_rate", "MB/s", 1e-3, 1e9, false},
        {"staged_start", "us", 0, 1e6, false},
        {"mvapich2_start", "us", 0, 1e6, false},
        {"mvapich2_rate", "MB/s", 1e-3, 1e9, false},
        {"mvapich2_block", "B", 1, 1e12, true},
        {"mvapich2_gdr", "us", 0, 1e6, false}}},
      {"ha-pacs-tca",
       {{"nodes", "nodes", 1, 65536, true},
        {"rings", "1", 1, 2, true},
        {"ring_nodes", "nodes", 2, 8, true},
        {"host_descriptors", "us", 0, 1e6, false},
        {"own_descriptors", "us", 0, 1e6, false},
        {"own_descriptor_max", "descriptors", 1, 1e9, true},
        {"tca_rate", "MB/s", 1e-3, 1e9, false},
        {"gdr_start", "us", 0, 1e6, false},
        {"gdr_max", "B", 0, 1e12, true},
        {"gdr_rate", "MB/s", 1e-3, 1e9, false},
        {"copied_start", "us", 0, 1e6, false},
        {"copied_max", "B", 0, 1e12, true},
        {"copy_rate", "MB/s", 1e-3, 1e9, false},
        {"infiniband_rate", "MB/s", 1e-3, 1e9, false},
        {"pipeline_start", "us", 0, 1e6, false},
        {"qpi_start", "us", 0, 1e6, false},
        {"qpi_rate", "MB/s", 1e-3, 1e9, false},
        {"request", "us", 0, 1e6, false},
        {"mpi_pack_start", "us", 0, 1e6, false},
        {"tca_pack_start", "us", 0, 1e6, false},
        {"pack_rate", "MB/s", 1e-3, 1e9, false},
        {"collision", "1", 1e-3, 1, false},
        {"hop", "us", 0, 1e6, false},
        {"exchange_overhead", "us", 0, 1e6, false},
        {"iteration_overhead", "us", 0, 1e6, false},
        {"memory_rate", "MB/s", 1e-3, 1e9, false},
        {"himeno_point", "B", 1, 1e6, false},
        {"laplace_point", "B", 1, 1e6, false}}},
      // Links of meshes and tori whose extents the command line gives.
      {"grid", {{"bandwidth", "GB/s per link", 1e-6, 1e6, false}, {"latency", "us", 0, 1e6, false}}},
      {"optical-hub-cost",
       {{"nodes", "1", 1, 65536, true},
        {"wavelengths", "1", 1, 65536, true},
        {"ports", "per node", 1, 65536, true},
        {"routers", "wavelength routers", 1, 65536, true},
        {"port_rate", "Gbps", 1e-3, 1e6, false},
        {"laser", "USD", 0, 1e9, false},
        {"amplifier", "USD", 0, 1e9, false},
        {"splitter", "USD", 0, 1e9, false},
        {"router_grating", "USD", 0, 1e9, false},
        {"transceiver", "USD", 0, 1e9, false},
        {"node_grating", "USD", 0, 1e9, false},
        {"fpga", "USD", 0, 1e9, false}}},
  };
  return kinds;
}

base::Description load_network(std::string_view name_or_file, std::string_view kind) {
  const auto known = std::ranges::find(network_kinds(), kind, &base::DescriptionKind::name);
  GDR_ASSERT(known != network_kinds().end(), "a kind of network is one of network_kinds()");
  return base::load_description(name_or_file, std::span(&*known, 1));
}

}  // namespace gdr::interconnect
