#include "gdr/interconnect/summa.h"

#include <cmath>

#include "gdr/interconnect/network.h"
#include "gdr/interconnect/platform.h"
#include "gdr/interconnect/summa_closed_form.h"
#include "summa_builder.h"

namespace gdr::interconnect {

SummaSize summa_size(const SummaOptions& options) {
  const double ranks = options.nodes;
  if (options.layout == SummaLayout::cube) {
    const double lines = std::cbrt(ranks);
    if (options.algorithm == SummaAlgorithm::ca1) return {3 * ranks, ranks, 3 * ranks};
    const double messages = 4 * ranks * ranks + 2 * ranks * lines * lines;
    return {messages, ranks * ranks, messages};
  }
  const double lines = std::sqrt(ranks);
  const double messages = 2 * lines * ranks;
  switch (options.algorithm) {
    case SummaAlgorithm::ca0:
    case SummaAlgorithm::ca1:
      break;
    case SummaAlgorithm::ca2:
      return {messages, messages, messages};
    case SummaAlgorithm::ca3:
      return {messages * (lines + ranks), 2 * ranks * ranks, messages * lines + 2 * ranks * ranks};
    case SummaAlgorithm::ca4: {
      const double of_step = 2 * ranks * (options.by_rows_and_columns ? lines : ranks);
      return {lines * of_step, of_step, 2 * of_step};
    }
  }
  return {messages, ranks, messages};
}

std::uint32_t load_tree_radix(std::string_view name_or_file) {
  return static_cast<std::uint32_t>(load_network(name_or_file, "mpi-library").value("bcast_radix"));
}

SummaPlan make_summa(const SummaOptions& options) { return SummaBuilder(options).build(); }

SummaClosedForm summa_closed_form(const SummaOptions& options, const Topology& topology, double flops_per_second) {
  return SummaBuilder(options, topology, flops_per_second).count();
}

double ca1_on_hub_seconds(Rank nodes, std::uint64_t n, Cable wavelength, double flops_per_second) {
  const SummaOptions options{.nodes = nodes, .n = n, .algorithm = SummaAlgorithm::ca1};
  const std::uint32_t side = square_side(nodes, "nodes for a square");
  const auto block = static_cast<double>((options.n + side - 1) / side);
  const double broadcast = wavelength.latency_seconds + block * block * kElementBytes / wavelength.bytes_per_second;
  const double product = flops_per_second > 0 ? 2 * block * block * block / flops_per_second : 0;
  double seconds = 0;
  for (std::uint32_t k = 0; k < side; ++k) {
    seconds += broadcast;
    seconds += broadcast + product;
  }
  return seconds;
}

}  // namespace gdr::interconnect
