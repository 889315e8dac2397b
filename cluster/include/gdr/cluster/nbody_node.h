// Times of a rank's board and host for an N-body block: for GRAPE-DR boards, and for boards of pipelines that compute
// only gravity, such as those of GRAPE-6.
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

/// Times of a rank's boards and its host, in seconds.
class NbodyNode {
 public:
  virtual ~NbodyNode() = default;

  /// Forces of the board's `j` particles on `i` particles: sending the latter, computing, and summing on the host.
  [[nodiscard]] virtual emulator::StageSeconds run_seconds(std::uint64_t i, std::uint64_t j) const = 0;
  /// Integration of `particles` of the `n` particles that the host holds.
  [[nodiscard]] virtual double integration_seconds(std::uint64_t particles, std::uint64_t n) const = 0;
  /// Writing this many j-particles to the board.
  [[nodiscard]] virtual double j_seconds(std::uint64_t particles) const = 0;
  /// Speed at which the host adds up the forces of ranks; 0: additions take no time.
  [[nodiscard]] virtual double additions_per_second() const = 0;
  /// j-particles for which the board has room.
  [[nodiscard]] virtual double room() const = 0;
  /// i-particles of a run; a run with fewer takes as long.
  [[nodiscard]] virtual unsigned i_of_run() const = 0;

 protected:
  NbodyNode() = default;
  NbodyNode(const NbodyNode&) = default;
  NbodyNode& operator=(const NbodyNode&) = default;
};

/// GRAPE-DR boards of a rank, with the host that the board's description contains.
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

/// A board of chips with pipelines [Makino et al. 2003]. Each pipeline computes one force per clock, on
/// `virtual_pipelines` i-particles in turn. All chips work on the same i-particles, each with its share of the
/// j-particles, and the board adds up their forces.
struct PipelineBoard {
  std::string name;
  std::string title;
  unsigned chips = 0;
  unsigned pipelines = 0;  // of a chip
  unsigned virtual_pipelines = 0;
  double clock_mhz = 0;
  double particles = 0;  // j-particles that the board's memory holds
  double flops = 0;      // counted for a force with its jerk
  double i_bytes = 0;    // over the bus, per i-particle; next: per j-particle and per result
  double j_bytes = 0;
  double result_bytes = 0;
  double bus_mb = 0;      // MB/s
  double run_us = 0;      // host time per run of all i-particles that a chip works on
  double add_rate = 0;    // additions/s of the host
  double host_us = 0;     // host time per particle and step, if its data are in the cache
  double miss_us = 0;     // extra time for a particle whose data are not in the cache
  double host_cache = 0;  // bytes; below: bytes of a particle
  double host_particle = 0;

  /// Peak speed of all pipelines, in flops/s.
  [[nodiscard]] double peak() const;
};
[[nodiscard]] const base::DescriptionKind& pipelines_kind();
/// Throws gdr::Error as base::load_description() does.
[[nodiscard]] PipelineBoard load_pipeline_board(std::string_view name_or_file);

/// A board of pipelines and its host.
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
