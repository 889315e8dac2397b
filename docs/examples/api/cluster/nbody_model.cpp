// Models an N-body run with individual time steps on 1 to 64 ranks of a cluster.
#include <gdr/cluster/nbody_model.h>
#include <gdr/hostlib/kernel_program.h>

#include <cstdio>
#include <string>

using namespace gdr::cluster;

int main() {
  const Cluster cluster = load_cluster("grape-dr-64");
  const gdr::isa::Program kernel = gdr::hostlib::kernel_program("gravity_jerk");
  // Blocks of a Plummer sphere, measured with few particles and scaled to many.
  const gdr::hostlib::HermiteOptions hermite{.eta = 0.1, .eps = 0.01};
  const auto steps = gdr::hostlib::scaled_block_steps({gdr::hostlib::measure_block_steps(128, 1, hermite, 0.25),
                                                       gdr::hostlib::measure_block_steps(256, 1, hermite, 0.25)},
                                                      100'000);
  std::printf("%.0f particles: %.2e steps in %.2e blocks per unit of time\n", steps.n, steps.steps(), steps.blocks());

  for (const Rank ranks : {1u, 4u, 16u, 64u}) {
    const gdr::interconnect::Platform platform = platform_for(cluster, cluster.nodes_of(ranks));
    for (const NbodyAlgorithm algorithm : {NbodyAlgorithm::copy, NbodyAlgorithm::two_dimensional}) {
      NbodyModelOptions options;
      options.algorithm = algorithm;
      options.ranks = ranks;
      const NbodyModelTimes times = nbody_times(cluster, platform.topology, kernel, steps, options);
      std::printf("ranks %2u, %-4s  %5.0f s per unit of time, bound by %s\n", ranks,
                  std::string(name_of(algorithm)).c_str(), times.seconds, std::string(bound_by(times.parts)).c_str());
    }
  }
}
