// Models for the rows of Hanawa et al. 2013 and IPSJ ACS 8(4), 2015, from those of PEACH2 and HA-PACS/TCA.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "gdr/base/units.h"
#include "gdr/interconnect/ha_pacs_tca.h"
#include "gdr/interconnect/peach2.h"
#include "gdr/interconnect/stencil.h"
#include "systems.h"

namespace gdr::validation {
namespace {

using interconnect::GdrPath;
using interconnect::HaloMethod;
using interconnect::HaPacsTca;
using interconnect::Memory;
using interconnect::Pattern;
using interconnect::Peach2;
using interconnect::Stencil;
using interconnect::StencilTime;

constexpr double kKilobyte = 1024;

using Split = std::array<int, interconnect::kHaloDimensions>;

/// Decompositions in two dimensions, up to 16 nodes, in which all neighbours are one hop apart (section 6).
constexpr std::array<Split, 13> kSplits{{{2, 1, 1},
                                         {1, 2, 1},
                                         {2, 2, 1},
                                         {4, 1, 1},
                                         {1, 4, 1},
                                         {4, 2, 1},
                                         {2, 4, 1},
                                         {8, 1, 1},
                                         {1, 8, 1},
                                         {8, 2, 1},
                                         {2, 8, 1},
                                         {16, 1, 1},
                                         {1, 16, 1}}};

/// The system, read when first needed. The rows take turns.
class TcaInputs {
 public:
  std::mutex mutex;

  const interconnect::HaloSystem& system() {
    if (!system_) system_ = interconnect::HaloSystem::load();
    return *system_;
  }
  const Peach2& board() { return system().board; }
  const HaPacsTca& cluster() { return system().cluster; }

  StencilTime time(Stencil stencil, const char* size, const Split& split, HaloMethod method) {
    return interconnect::stencil_time(interconnect::stencil_problem(stencil, size), split, method, system());
  }
  /// How many times as fast `method` is as `over`.
  double gain(Stencil stencil, const char* size, const Split& split, HaloMethod method, HaloMethod over) {
    return time(stencil, size, split, over).iteration / time(stencil, size, split, method).iteration;
  }
  interconnect::HaloPlans plans(Stencil stencil, const char* size, const Split& split) {
    return interconnect::plan_halo(interconnect::stencil_problem(stencil, size).shape(split), HaloMethod::hybrid,
                                   system());
  }
  /// Bytes that the busiest rank sends, in one pattern or in all.
  std::int64_t sent(Stencil stencil, const char* size, const Split& split, std::optional<Pattern> pattern = {}) {
    std::int64_t most = 0;
    for (const interconnect::HaloPlan& plan : plans(stencil, size, split).ranks) {
      most = std::max(most, plan.bytes(pattern));
    }
    return most;
  }
  /// The most that a rank sends along one dimension in any decomposition, in KB: the paper's "size of the messages".
  double most_along_a_dimension(const char* size) {
    std::int64_t most = 0;
    for (const Split& split : kSplits) {
      for (const Pattern pattern : {Pattern::block, Pattern::block_stride}) {
        most = std::max(most, sent(Stencil::himeno, size, split, pattern));
      }
    }
    return static_cast<double>(most) / kKilobyte;
  }

 private:
  std::optional<interconnect::HaloSystem> system_;
};

// Hanawa et al. 2013.

Ours pcie_rate(TcaInputs& in) { return in.board().peak_rate() / kGiga; }
Ours share_of_peak(TcaInputs& in) { return in.board().dma_rate / in.board().peak_rate() * kPercent; }
Ours local_share_of_peak(TcaInputs& in) { return in.board().local_rate / in.board().peak_rate() * kPercent; }
Ours pio_latency(TcaInputs& in) { return in.board().pio(0, Memory::cpu) / kMicro; }
Ours dma_latency(TcaInputs& in) { return in.board().dma_register(0, Memory::cpu) / kMicro; }
Ours gpu_latency(TcaInputs& in) { return in.board().dma_register(0, Memory::gpu) / kMicro; }
Ours dma_rate(TcaInputs& in) { return in.board().dma_rate / kGiga; }
Ours local_rate(TcaInputs& in) { return in.board().local_rate / kGiga; }
Ours gpu_read_rate(TcaInputs& in) { return in.board().gpu_read_rate / kMega; }
Ours local_gpu_read_rate(TcaInputs& in) { return in.board().local_gpu_read_rate / kMega; }
Ours mvapich2_gdr_latency(TcaInputs& in) { return in.board().mvapich2_gdr / kMicro; }
Ours dma_8kb(TcaInputs& in) { return in.board().dma_register(8 * kKilobyte, Memory::cpu) / kMicro; }

Ours chained(TcaInputs& in) {
  constexpr double kPage = 4 * kKilobyte;
  constexpr int kCount = 4;
  return kCount * kPage / in.board().local_chain(kPage, kCount, Memory::cpu) / in.board().local_rate * kPercent;
}

Ours register_mode(TcaInputs& in) {
  // "30 to 40 %" is taken to mean: 30 or 40 % when rounded to tens, from 64 bytes to 2 KB.
  for (double bytes = 64; bytes <= 2 * kKilobyte; bytes *= 2) {
    const double gain = in.board().local_chain(bytes, 1, Memory::cpu) / in.board().local_register(bytes, Memory::cpu);
    const double tens = std::round((gain - 1) * 10);
    if (tens < 3 || tens > 4) return false;
  }
  return true;
}

Ours descriptors_do_not_matter(TcaInputs& in) {
  constexpr double kLimit = 0.05;  // differences that a figure shows
  for (int count = 2; count <= 128; count *= 2) {
    const double one = in.board().local_chain(count * 4 * kKilobyte, 1, Memory::cpu);
    if (std::abs(in.board().local_chain(4 * kKilobyte, count, Memory::cpu) / one - 1) > kLimit) return false;
  }
  return true;
}

Ours gpu_source_of_1kb(TcaInputs& in) {
  constexpr double kComparable = 0.75;
  return in.board().dma_register(kKilobyte, Memory::cpu) / in.board().dma_register(kKilobyte, Memory::gpu) >=
         kComparable;
}

/// Size in KB at which a transfer between CPUs reaches half of the peak.
Ours half_of_peak(TcaInputs& in) {
  double bytes = 1;
  while (bytes / in.board().dma_register(bytes, Memory::cpu) < in.board().peak_rate() / 2) ++bytes;
  return bytes / kKilobyte;
}

Ours worst_hops_of_8(TcaInputs& in) {
  const Peach2& board = in.board();
  return static_cast<double>(interconnect::SubCluster(2, 4, board.window_bytes, board.devices).worst_hops());
}

Ours before_peers(TcaInputs& in) {
  const Peach2& board = in.board();
  for (double bytes = 8; bytes <= kKilobyte; bytes *= 2) {
    const double peach2 = board.dma_register(bytes, Memory::gpu);
    if (peach2 >= board.cuda_peer(bytes, true) || peach2 >= board.mvapich2(bytes) || peach2 >= board.mvapich2_gdr) {
      return false;
    }
  }
  return true;
}

Ours staged(TcaInputs& in) {
  for (double bytes = 32 * kKilobyte; bytes <= 128 * kKilobyte; bytes *= 2) {
    if (in.board().staged(bytes) >= in.board().mvapich2(bytes)) return false;
  }
  return true;
}

// Nakao, PEACH2-Benchmarks.

Ours put_time(TcaInputs& in, const Row& row) { return in.cluster().tca_put(*row.what.bytes) / kMicro; }

Ours mpi_time(TcaInputs& in, const Row& row) {
  return in.cluster().mpi_message(*row.what.bytes, GdrPath::same_socket) / kMicro;
}

/// The put with the rate of the wire fitted to the measured put of 512 KB, and the start as it is.
Ours refitted_put_time(TcaInputs& in, const Row& row) {
  constexpr double kFittedBytes = 512 * kKilobyte;
  constexpr double kMeasured = 203.98 * kMicro;
  const double start = in.cluster().own_descriptors;
  HaPacsTca refitted = in.cluster();
  refitted.tca_rate *= (refitted.tca_put(kFittedBytes) - start) / (kMeasured - start);
  return refitted.tca_put(*row.what.bytes) / kMicro;
}

// IPSJ ACS 8(4), 2015.

Ours host_descriptors(TcaInputs& in) { return in.cluster().host_descriptors / kMicro; }
Ours own_descriptors(TcaInputs& in) { return in.cluster().own_descriptors / kMicro; }
Ours qpi_rate(TcaInputs& in) { return in.cluster().qpi_rate / kMega; }

Ours own_descriptor_limit(TcaInputs& in) { return static_cast<double>(in.cluster().own_descriptor_max); }

Ours qpi_beyond_512kb(TcaInputs& in) {
  for (double bytes = 512 * kKilobyte; bytes <= 4096 * kKilobyte; bytes *= 2) {
    if (in.cluster().mpi_message(bytes, GdrPath::qpi) != in.cluster().mpi_message(bytes, GdrPath::same_socket)) {
      return false;
    }
  }
  return true;
}

/// The largest power of two, in KB, up to which sending directly across QPI is not slower than through the hosts.
Ours best_direct_limit(TcaInputs& in) {
  HaPacsTca direct = in.cluster();
  HaPacsTca hosts = in.cluster();
  direct.gdr_max = 1e9;
  hosts.gdr_max = 0;
  double bytes = 1;
  while (direct.mpi_message(2 * bytes, GdrPath::qpi_tuned) <= hosts.mpi_message(2 * bytes, GdrPath::qpi_tuned)) {
    bytes *= 2;
  }
  return bytes / kKilobyte;
}

Ours crossover_of_messages(TcaInputs& in) {
  double kilobytes = 0;
  while (in.cluster().tca_put((kilobytes + 1) * kKilobyte) <=
         in.cluster().mpi_message((kilobytes + 1) * kKilobyte, GdrPath::same_socket)) {
    ++kilobytes;
  }
  return kilobytes;
}

Ours crossover_of_faces(TcaInputs& in, Pattern pattern) {
  constexpr double kFloat = 4;
  double n = 0;
  while (in.cluster().tca_face(pattern, kFloat * (n + 1) * (n + 1)) <=
         in.cluster().mpi_face(pattern, kFloat * (n + 1) * (n + 1), GdrPath::same_socket)) {
    ++n;
  }
  return n;
}

Ours block_crossover(TcaInputs& in) { return crossover_of_faces(in, Pattern::block); }
Ours block_stride_crossover(TcaInputs& in) { return crossover_of_faces(in, Pattern::block_stride); }
Ours stride_crossover(TcaInputs& in) { return crossover_of_faces(in, Pattern::stride); }

Ours laplace_columns(TcaInputs& in, const char* size) {
  return static_cast<double>(in.sent(Stencil::laplace, size, {2, 8, 1}, Pattern::stride)) / kKilobyte;
}
Ours laplace_columns_small(TcaInputs& in) { return laplace_columns(in, "S"); }
Ours laplace_columns_large(TcaInputs& in) { return laplace_columns(in, "L"); }

/// True if MV2GDR is the slowest of the three methods.
Ours laplace_order(TcaInputs& in, const char* size) {
  return in.gain(Stencil::laplace, size, {2, 8, 1}, HaloMethod::tca, HaloMethod::mv2gdr) > 1 &&
         in.gain(Stencil::laplace, size, {2, 8, 1}, HaloMethod::hybrid, HaloMethod::mv2gdr) > 1;
}
Ours laplace_order_small(TcaInputs& in) { return laplace_order(in, "S"); }
Ours laplace_order_large(TcaInputs& in) { return laplace_order(in, "L"); }

Ours laplace_share(TcaInputs& in) {
  double most = 0;
  for (const char* size : {"S", "L"}) {
    for (const Split& split : kSplits) {
      for (const HaloMethod method : {HaloMethod::tca, HaloMethod::mv2gdr, HaloMethod::hybrid}) {
        const StencilTime time = in.time(Stencil::laplace, size, split, method);
        most = std::max(most, time.halo.total / time.iteration);
      }
    }
  }
  return most * kPercent;
}

Ours reflect_do(TcaInputs& in) {
  return in.time(Stencil::laplace, "S", {2, 8, 1}, HaloMethod::hybrid).halo.total / kMicro;
}

Ours himeno_message_small(TcaInputs& in) { return in.most_along_a_dimension("S"); }
Ours himeno_message_middle(TcaInputs& in) { return in.most_along_a_dimension("M"); }
Ours himeno_message_large(TcaInputs& in) { return in.most_along_a_dimension("L"); }
Ours himeno_middle_block_stride(TcaInputs& in) {
  return static_cast<double>(in.sent(Stencil::himeno, "M", {2, 4, 1}, Pattern::block_stride)) / kKilobyte;
}

Ours himeno_middle_block(TcaInputs& in) {
  return static_cast<double>(in.sent(Stencil::himeno, "M", {2, 4, 1}, Pattern::block)) / kKilobyte;
}

/// How far the speeds of the three methods lie apart: the difference of the largest and the least, by the least.
double spread(TcaInputs& in, Stencil stencil, const char* size, const Split& split) {
  double most = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const HaloMethod method : {HaloMethod::tca, HaloMethod::mv2gdr, HaloMethod::hybrid}) {
    const double speed = 1 / in.time(stencil, size, split, method).iteration;
    most = std::max(most, speed);
    least = std::min(least, speed);
  }
  return most / least - 1;
}

/// True if the methods lie further apart on the 16 nodes of (2,8) than in every decomposition among fewer nodes.
Ours laplace_few(TcaInputs& in) {
  constexpr int kAllNodes = 16;
  for (const char* size : {"S", "L"}) {
    const double of_all = spread(in, Stencil::laplace, size, {2, 8, 1});
    for (const Split& split : kSplits) {
      if (split[0] * split[1] < kAllNodes && spread(in, Stencil::laplace, size, split) >= of_all) return false;
    }
  }
  return true;
}

/// By how many times the three methods differ more at Small than at Middle and at Large: the least over the
/// decompositions of 16 nodes in both dimensions.
Ours spread_of_small(TcaInputs& in) {
  const auto of = [&](const char* size, const Split& split) { return spread(in, Stencil::himeno, size, split); };
  double least = std::numeric_limits<double>::infinity();
  for (const Split& split : {Split{8, 2, 1}, Split{2, 8, 1}}) {
    for (const char* size : {"M", "L"}) least = std::min(least, of("S", split) / of(size, split));
  }
  return least;
}

Ours block_stride_share(TcaInputs& in, const Split& split) {
  return static_cast<double>(in.sent(Stencil::himeno, "M", split, Pattern::block_stride)) /
         static_cast<double>(in.sent(Stencil::himeno, "M", split)) * kPercent;
}
Ours share_241(TcaInputs& in) { return block_stride_share(in, {2, 4, 1}); }
Ours share_281(TcaInputs& in) { return block_stride_share(in, {2, 8, 1}); }

Ours small_tca(TcaInputs& in) { return in.gain(Stencil::himeno, "S", {2, 8, 1}, HaloMethod::tca, HaloMethod::mv2gdr); }
Ours small_hybrid(TcaInputs& in) {
  return in.gain(Stencil::himeno, "S", {2, 8, 1}, HaloMethod::hybrid, HaloMethod::mv2gdr);
}

/// The largest gain over the decompositions that split both dimensions, in which both networks carry faces.
Ours largest_hybrid_gain(TcaInputs& in) {
  double most = 0;
  for (const Stencil stencil : {Stencil::laplace, Stencil::himeno}) {
    for (const char* size : {"S", "M", "L"}) {
      if (stencil == Stencil::laplace && size[0] == 'M') continue;
      for (const Split& split : kSplits) {
        if (split[0] == 1 || split[1] == 1) continue;
        most = std::max(most, in.gain(stencil, size, split, HaloMethod::hybrid, HaloMethod::mv2gdr));
      }
    }
  }
  return most;
}

/// True if TCA is before MV2GDR in every decomposition.
Ours middle_tca(TcaInputs& in) {
  return std::ranges::all_of(kSplits, [&](const Split& split) {
    return in.gain(Stencil::himeno, "M", split, HaloMethod::tca, HaloMethod::mv2gdr) > 1;
  });
}
Ours middle_281(TcaInputs& in) {
  return in.gain(Stencil::himeno, "M", {2, 8, 1}, HaloMethod::hybrid, HaloMethod::mv2gdr) > 1;
}
Ours middle_281_tca(TcaInputs& in) {
  return in.gain(Stencil::himeno, "M", {2, 8, 1}, HaloMethod::hybrid, HaloMethod::tca) <= 1;
}
Ours middle_241(TcaInputs& in) {
  return in.gain(Stencil::himeno, "M", {2, 4, 1}, HaloMethod::hybrid, HaloMethod::tca) > 1 &&
         in.gain(Stencil::himeno, "M", {2, 4, 1}, HaloMethod::hybrid, HaloMethod::mv2gdr) > 1;
}
Ours middle_241_balance(TcaInputs& in) {
  const interconnect::HaloTime halo = in.time(Stencil::himeno, "M", {2, 4, 1}, HaloMethod::hybrid).halo;
  return halo.mpi / halo.tca;
}
Ours middle_421_balance(TcaInputs& in) {
  return in.time(Stencil::himeno, "M", {4, 2, 1}, HaloMethod::hybrid).halo.mpi /
         in.time(Stencil::himeno, "M", {4, 2, 1}, HaloMethod::tca).halo.tca;
}
Ours small_421_parts(TcaInputs& in) {
  const double small = in.time(Stencil::himeno, "S", {4, 2, 1}, HaloMethod::hybrid).halo.mpi /
                       in.time(Stencil::himeno, "S", {4, 2, 1}, HaloMethod::tca).halo.tca;
  return small > std::get<double>(middle_421_balance(in));
}
Ours tca_before_hybrid_421(TcaInputs& in) {
  const double small = in.gain(Stencil::himeno, "S", {4, 2, 1}, HaloMethod::tca, HaloMethod::hybrid);
  const double middle = in.gain(Stencil::himeno, "M", {4, 2, 1}, HaloMethod::tca, HaloMethod::hybrid);
  return small > 1 && middle > 1 && middle < small;
}

/// True if PEACH2 is not faster than MVAPICH2-GDR along a dimension with more than 512 KB of contiguous data. Splits of
/// the second dimension are left out, since their gain comes from packing.
Ours large(TcaInputs& in) {
  constexpr double kBranch = 512 * kKilobyte;
  for (const Split& split : kSplits) {
    if (static_cast<double>(in.sent(Stencil::himeno, "L", split, Pattern::block)) <= kBranch || split[1] > 1) continue;
    if (in.gain(Stencil::himeno, "L", split, HaloMethod::tca, HaloMethod::mv2gdr) > 1) return false;
  }
  return true;
}

}  // namespace

std::vector<Model> hanawa_tca_models() {
  const auto inputs = std::make_shared<TcaInputs>();
  const auto with = [inputs](Ours (*compute)(TcaInputs&)) {
    return [inputs, compute](const Row&) -> Ours {
      const std::scoped_lock lock(inputs->mutex);
      return compute(*inputs);
    };
  };
  const auto with_row = [inputs](Ours (*compute)(TcaInputs&, const Row&)) {
    return [inputs, compute](const Row& row) -> Ours {
      const std::scoped_lock lock(inputs->mutex);
      return compute(*inputs, row);
    };
  };
  return {{"tca.put_time", {CaseField::bytes}, with_row(put_time)},
          {"tca.refitted_put_time", {CaseField::bytes}, with_row(refitted_put_time)},
          {"tca.mpi_time", {CaseField::bytes}, with_row(mpi_time)},
          {"peach2.pcie_rate", {}, with(pcie_rate)},
          {"peach2.share_of_peak", {}, with(share_of_peak)},
          {"peach2.local_share_of_peak", {}, with(local_share_of_peak)},
          {"peach2.pio_latency", {}, with(pio_latency)},
          {"peach2.dma_latency", {}, with(dma_latency)},
          {"peach2.dma_rate", {}, with(dma_rate)},
          {"peach2.local_rate", {}, with(local_rate)},
          {"peach2.gpu_read_rate", {}, with(gpu_read_rate)},
          {"peach2.local_gpu_read_rate", {}, with(local_gpu_read_rate)},
          {"peach2.gpu_latency", {}, with(gpu_latency)},
          {"peach2.mvapich2_gdr_latency", {}, with(mvapich2_gdr_latency)},
          {"peach2.dma_8kb", {}, with(dma_8kb)},
          {"peach2.chained", {}, with(chained)},
          {"peach2.register_mode", {}, with(register_mode)},
          {"peach2.descriptors_do_not_matter", {}, with(descriptors_do_not_matter)},
          {"peach2.gpu_source_of_1kb", {}, with(gpu_source_of_1kb)},
          {"peach2.half_of_peak", {}, with(half_of_peak)},
          {"peach2.worst_hops_of_8", {}, with(worst_hops_of_8)},
          {"peach2.before_peers", {}, with(before_peers)},
          {"peach2.staged", {}, with(staged)},
          {"tca.host_descriptors", {}, with(host_descriptors)},
          {"tca.own_descriptors", {}, with(own_descriptors)},
          {"tca.qpi_rate", {}, with(qpi_rate)},
          {"tca.qpi_beyond_512kb", {}, with(qpi_beyond_512kb)},
          {"tca.best_direct_limit", {}, with(best_direct_limit)},
          {"tca.crossover_of_messages", {}, with(crossover_of_messages)},
          {"tca.block_crossover", {}, with(block_crossover)},
          {"tca.block_stride_crossover", {}, with(block_stride_crossover)},
          {"tca.stride_crossover", {}, with(stride_crossover)},
          {"tca.laplace_columns_small", {}, with(laplace_columns_small)},
          {"tca.laplace_columns_large", {}, with(laplace_columns_large)},
          {"tca.laplace_order_small", {}, with(laplace_order_small)},
          {"tca.laplace_order_large", {}, with(laplace_order_large)},
          {"tca.laplace_few", {}, with(laplace_few)},
          {"tca.laplace_share", {}, with(laplace_share)},
          {"tca.reflect_do", {}, with(reflect_do)},
          {"tca.himeno_message_small", {}, with(himeno_message_small)},
          {"tca.himeno_middle_block_stride", {}, with(himeno_middle_block_stride)},
          {"tca.himeno_middle_block", {}, with(himeno_middle_block)},
          {"tca.spread_of_small", {}, with(spread_of_small)},
          {"tca.own_descriptor_limit", {}, with(own_descriptor_limit)},
          {"tca.himeno_message_middle", {}, with(himeno_message_middle)},
          {"tca.himeno_message_large", {}, with(himeno_message_large)},
          {"tca.share_241", {}, with(share_241)},
          {"tca.share_281", {}, with(share_281)},
          {"tca.small_tca", {}, with(small_tca)},
          {"tca.small_hybrid", {}, with(small_hybrid)},
          {"tca.largest_hybrid_gain", {}, with(largest_hybrid_gain)},
          {"tca.middle_tca", {}, with(middle_tca)},
          {"tca.middle_281", {}, with(middle_281)},
          {"tca.middle_281_tca", {}, with(middle_281_tca)},
          {"tca.middle_241", {}, with(middle_241)},
          {"tca.middle_241_balance", {}, with(middle_241_balance)},
          {"tca.middle_421_balance", {}, with(middle_421_balance)},
          {"tca.small_421_parts", {}, with(small_421_parts)},
          {"tca.tca_before_hybrid_421", {}, with(tca_before_hybrid_421)},
          {"tca.large", {}, with(large)}};
}

}  // namespace gdr::validation
