// Replay: how long a program of messages takes on a network, with ranks placed on any nodes. The program becomes an
// activity graph, which run_s4u() and run_critical_path() run.
#pragma once

#include <cstdint>
#include <vector>

#include "gdr/interconnect/activities.h"
#include "gdr/interconnect/program.h"

namespace gdr::interconnect {

/// Parts of the activities of a replay.
enum class ReplayPart : PartId { network, compute };

struct ReplayOptions {
  /// Messages below this size do not hold up their sender, bytes. SMPI calls it smpi/send-is-detached-thresh, and has
  /// this default.
  double eager_bytes = 65536;
  double envelope_bytes = 0;               // that a message library adds to each message
  double flops_per_second = 0;             // of a node; 0: arithmetic takes no time
  std::vector<double> flops_of_node = {};  // of each, if they differ. shape: [nodes]
  /// Node of each rank; several ranks may share a node. Empty: rank r on node r. shape: [ranks]
  std::vector<NodeId> node_of_rank = {};
};

/// The envelope of SMPI (SimGrid 3.32), bytes.
inline constexpr double kSmpiEnvelope = 16;

/// The activities of a program on `nodes` nodes. The messages of a pair of ranks with the same tag are matched in their
/// order. A message begins when both sides have posted it. A send of at least `eager_bytes`, and every receive, ends
/// with its message. Messages between ranks of a node take no time. Throws gdr::Error for nodes that do not exist,
/// ranks without node, sends without receive and receives without send, receives that are too short, and ranks that
/// wait for ever, each with rank, file and line.
[[nodiscard]] ActivityGraph replay_graph(const Program& program, NodeId nodes, const ReplayOptions& options = {});

}  // namespace gdr::interconnect
