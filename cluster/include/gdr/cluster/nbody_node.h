// What a rank's board and host take for their parts of an N-body block: GRAPE-DR boards, and boards of pipelines for
// gravity alone, as those of GRAPE-6.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "gdr/base/description.h"
#include "gdr/cluster/cluster.h"
#include "gdr/emulator/board_time.h"
#include "gdr/isa/program.h"

namespace gdr::cluster {

class NbodyNode {
 public:
  virtual ~NbodyNode() = default;

  /// Forces of `j` particles, held by the board, on `i` particles: sending these, computing, the sum on the host.
  [[nodiscard]] virtual emulator::StageSeconds run_seconds(std::uint64_t i, std::uint64_t j) const = 0;
  /// The host integrates `particles` of the `n` that it holds.
  [[nodiscard]] virtual double integration_seconds(std::uint64_t particles, std::uint64_t n) const = 0;
  /// Particles are written to the board, as j-particles.
  [[nodiscard]] virtual double j_seconds(std::uint64_t particles) const = 0;
  /// Of the host, where ranks add up forces; 0: in no time.
  [[nodiscard]] virtual double additions_per_second() const = 0;
  /// j-particles that the board holds.
  [[nodiscard]] virtual double room() const = 0;
  /// i-particles of a run; fewer take as long.
  [[nodiscard]] virtual unsigned i_of_run() const = 0;

 protected:
  NbodyNode() = default;
  NbodyNode(const NbodyNode&) = default;
  NbodyNode& operator=(const NbodyNode&) = default;
};

/// GRAPE-DR boards of a rank, with the host that their description has in it.
class BoardNode final : public NbodyNode {
 public:
  BoardNode(const isa::Program& program, const Cluster& cluster, emulator::TransferMode transfer);

  [[nodiscard]] emulator::StageSeconds run_seconds(std::uint64_t i, std::uint64_t j) const override;
  [[nodiscard]] double integration_seconds(std::uint64_t particles, std::uint64_t n) const override;
  [[nodiscard]] double j_seconds(std::uint64_t particles) const override;
  [[nodiscard]] double additions_per_second() const override;
  [[nodiscard]] double room() const override;
  [[nodiscard]] unsigned i_of_run() const override;

 private:
  emulator::BoardTime board_;
  double room_;
};

/// Chips of pipelines that compute one force a clock, each on `virtual_pipelines` i-particles in turn; all chips of a
/// board work on the same i-particles, each with its share of the j-particles, and the board adds up [Makino et al.
/// 2003].
struct PipelineBoard {
  std::string name;
  std::string title;
  unsigned chips = 0;
  unsigned pipelines = 0;  // of a chip
  unsigned virtual_pipelines = 0;
  double clock_mhz = 0;
  double particles = 0;  // j-particles that the board's memory holds
  double flops = 0;      // counted for a force with its jerk
  double i_bytes = 0;    // over the bus, of a particle
  double j_bytes = 0;
  double result_bytes = 0;
  double bus_mb = 0;      // MB/s
  double run_us = 0;      // host, per run of as many i-particles as a chip works on
  double add_rate = 0;    // additions/s of the host
  double host_us = 0;     // host, per particle and step, data in its cache
  double miss_us = 0;     // more for a particle that is not
  double host_cache = 0;  // bytes
  double host_particle = 0;

  /// Of all pipelines, flops/s.
  [[nodiscard]] double peak() const;
};
[[nodiscard]] const base::DescriptionKind& pipelines_kind();
/// Throws gdr::Error as base::load_description() does.
[[nodiscard]] PipelineBoard load_pipeline_board(std::string_view name_or_file);

/// Such a board and its host.
class PipelineNode final : public NbodyNode {
 public:
  explicit PipelineNode(PipelineBoard board) : board_(std::move(board)) {}

  [[nodiscard]] emulator::StageSeconds run_seconds(std::uint64_t i, std::uint64_t j) const override;
  [[nodiscard]] double integration_seconds(std::uint64_t particles, std::uint64_t n) const override;
  [[nodiscard]] double j_seconds(std::uint64_t particles) const override;
  [[nodiscard]] double additions_per_second() const override { return board_.add_rate; }
  [[nodiscard]] double room() const override { return board_.particles; }
  [[nodiscard]] unsigned i_of_run() const override { return board_.pipelines * board_.virtual_pipelines; }

 private:
  PipelineBoard board_;
};

}  // namespace gdr::cluster
