// Event model of the sub-cluster's paths: when chains of puts from several nodes finish if they run at the same time.
// Packets of several chips that meet on a link or at a receiver share its bandwidth, and part of it is lost. IPSJ ACS
// 8(4), 2015, section 5.3.
#pragma once

#include <vector>

#include "gdr/interconnect/peach2.h"

namespace gdr::interconnect {

struct TimedPut {
  int destination = 0;
  double bytes = 0;  // length in full packets; shorter runs are lengthened by Peach2::burst_factor()
  double rate = 0;   // most that source and path allow, bytes per second
};

/// Puts of one channel, one after another.
struct TimedChain {
  int node = 0;
  double start = 0;  // s
  double setup = 0;  // s from the start to the arrival of the first byte
  std::vector<TimedPut> puts;
};

struct TimedResult {
  double finished = 0;       // s: arrival of the last byte
  bool collided = false;     // its packets met those of another chip
  std::vector<double> puts;  // s: arrival of each put's last byte
};

struct PathModel {
  double rate = 0;       // of each directed link and of each host port, bytes per second
  double collision = 1;  // share of `rate` that is left while packets of several chips meet
  double hop = 0;        // s for each chip between source and destination
};

/// Runs all chains; flows get max-min fair shares, which change only at events. shape of the result: [chains]. Throws
/// LinkDown if a route is down, and gdr::Error for nodes that do not exist.
[[nodiscard]] std::vector<TimedResult> run_chains(const SubCluster& cluster, const PathModel& path,
                                                  const std::vector<TimedChain>& chains);

}  // namespace gdr::interconnect
