// What the tests of several models share.
#pragma once

#include "gdr/cluster/cluster.h"
#include "gdr/hostlib/dgemm_model.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/interconnect/topology.h"
#include "gdr/isa/program.h"

namespace gdr::cluster {

constexpr interconnect::Cable kInfiniBand{1.5e9, 1e-6};  // the tests hold for any

inline const Cluster& cluster() {
  static const Cluster loaded = load_cluster("grape-dr-64");
  return loaded;
}

/// The forces of N-body models.
inline const isa::Program& kernel() {
  static const isa::Program program = hostlib::kernel_program("gravity_jerk");
  return program;
}

/// Products on one board of the cluster.
inline const DgemmModel& board() {
  static const DgemmModel model(hostlib::kernel_program("dgemm"), cluster().board, 1);
  return model;
}

}  // namespace gdr::cluster
