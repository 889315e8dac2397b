// When chains of puts of several nodes finish if they run at the same time: an event model of the sub-cluster's paths.
// Packets of several chips that meet on a link or at a receiver share it and lose bandwidth. IPSJ ACS 8(4), 2015, 5.3.
#pragma once

#include <vector>

#include "gdr/interconnect/peach2.h"

namespace gdr::interconnect {

struct TimedPut {
  int destination = 0;
  double bytes = 0;  // as long as full packets carry them; shorter runs are scaled by Peach2::burst_factor()
  double rate = 0;   // what the source reads and the path carries, bytes per second
};

/// Puts of one channel, one after another.
struct TimedChain {
  int node = 0;
  double start = 0;  // s
  double setup = 0;  // s from the start to the first byte, arrival included
  std::vector<TimedPut> puts;
};

struct TimedResult {
  double finished = 0;       // s: arrival of the last byte
  bool collided = false;     // packets of another chip were met
  std::vector<double> puts;  // s: arrival of each put's last byte
};

struct PathModel {
  double rate = 0;       // of each directed link and of each host port, bytes per second
  double collision = 1;  // share of it left while packets of several chips meet
  double hop = 0;        // s for each chip between neighbours
};

/// Max-min shares between events. Throws LinkDown, and gdr::Error for nodes that are not there.
[[nodiscard]] std::vector<TimedResult> run_chains(const SubCluster& cluster, const PathModel& path,
                                                  const std::vector<TimedChain>& chains);

}  // namespace gdr::interconnect
