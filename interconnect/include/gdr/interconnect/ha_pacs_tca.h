// HA-PACS/TCA: how long messages between GPUs take over PEACH2 and over InfiniBand with MVAPICH2-GDR. Times are in
// seconds, rates in bytes per second. IPSJ ACS 8(4), 2015, section 4.
#pragma once

#include <span>
#include <string_view>

#include "gdr/base/description.h"
#include "gdr/interconnect/peach2.h"

namespace gdr::interconnect {

/// Where descriptors lie: in the host's memory (no limit) or in the chip's own (at most 1,024). Section 2.3.
enum class Descriptors { host, own };

/// The GPU that MPI sends from, and how MPI is configured to switch protocols. Section 4.
enum class GdrPath {
  same_socket,  // GPU2, beside the InfiniBand adapter
  qpi,          // GPU0, beside PEACH2: everything up to copied_max crosses QPI from device to device
  qpi_tuned,    // as qpi, but through host memory from gdr_max on
};
[[nodiscard]] std::string_view name_of(GdrPath path);

enum class GdrProtocol { direct, copied, pipelined };
[[nodiscard]] std::string_view name_of(GdrProtocol protocol);

/// How a face of an array lies in memory. Section 5.3.
enum class Pattern { block, block_stride, stride };
[[nodiscard]] std::string_view name_of(Pattern pattern);

/// Parts of an MPI message's time, s: until data move, until the adapter has data, on the adapter.
struct MessageCost {
  double start = 0;
  double lead = 0;
  double wire = 0;
};

/// The cluster, as in machines/ha-pacs-tca.toml, which also gives the sources. `tca_rate` is the rate on the cluster's
/// own PEACH2 link.
struct HaPacsTca : PcieWire {
  int nodes = 0;
  int rings = 0;
  int ring_nodes = 0;
  double host_descriptors = 0;
  double own_descriptors = 0;
  int own_descriptor_max = 0;
  double tca_rate = 0;
  double gdr_start = 0;
  double gdr_max = 0;
  double gdr_rate = 0;
  double copied_start = 0;
  double copied_max = 0;
  double copy_rate = 0;
  double infiniband_rate = 0;
  double pipeline_start = 0;
  double qpi_start = 0;
  double qpi_rate = 0;
  double request = 0;
  double mpi_pack_start = 0;
  double tca_pack_start = 0;
  double pack_rate = 0;
  double collision = 0;
  double hop = 0;
  double exchange_overhead = 0;
  double iteration_overhead = 0;
  double memory_rate = 0;
  double himeno_point = 0;
  double laplace_point = 0;
  double himeno_flops = 0;
  double laplace_flops = 0;
  double node_speed = 0;  // flops per second

  [[nodiscard]] int sub_cluster_nodes() const { return rings * ring_nodes; }

  /// Time from the start of a chain of `count` puts of `bytes` bytes each to the arrival of its last byte at a
  /// neighbour, GPU to GPU. A block-stride put of `count` rows takes the same time.
  [[nodiscard]] double tca_chain(double bytes, double count, Descriptors where = Descriptors::own) const;
  /// The same for one put of `bytes` bytes in one run.
  [[nodiscard]] double tca_put(double bytes, Descriptors where = Descriptors::own) const;

  /// The protocol that MVAPICH2-GDR uses for a message.
  [[nodiscard]] GdrProtocol protocol(double bytes, GdrPath path) const;
  [[nodiscard]] MessageCost message_cost(double bytes, GdrPath path) const;
  /// Time of one message, GPU to GPU.
  [[nodiscard]] double mpi_message(double bytes, GdrPath path) const;
  /// Time of messages that a rank posts at once. Their data share the adapter, and each request after the first costs
  /// the CPU `request`. For one message, this equals mpi_message().
  [[nodiscard]] double mpi_messages(std::span<const double> bytes, GdrPath path) const;

  /// Time to pack and unpack `bytes` bytes of one exchange.
  [[nodiscard]] double mpi_pack(double bytes) const { return mpi_pack_start + 2 * bytes / pack_rate; }
  [[nodiscard]] double tca_pack(double bytes) const { return tca_pack_start + 2 * bytes / pack_rate; }

  /// One-way time of a ping-pong of a face of N x N floats. Section 4, figures 8 and 9: with PEACH2 only Stride faces
  /// are packed, with MPI also Block Stride faces.
  [[nodiscard]] double tca_face(Pattern pattern, double bytes) const;
  [[nodiscard]] double mpi_face(Pattern pattern, double bytes, GdrPath path) const;
};

/// The cluster of a description that is loaded, and of one by name or file. Throws gdr::Error as load_network() does.
[[nodiscard]] HaPacsTca make_ha_pacs_tca(const base::Description& description);
[[nodiscard]] HaPacsTca load_ha_pacs_tca(std::string_view name_or_file = "ha-pacs-tca");

}  // namespace gdr::interconnect
