#include "gdr/cluster/nbody_node.h"

#include <algorithm>
#include <cmath>

#include "gdr/base/units.h"

namespace gdr::cluster {

BoardNode::BoardNode(const isa::Program& program, const Cluster& cluster, emulator::TransferMode transfer)
    : board_(program, cluster.board_of_rank(), cluster.boards_per_rank(), transfer),
      room_(std::floor(static_cast<double>(cluster.board.em_words) / std::max<unsigned>(1, program.record_words)) *
            cluster.board.chips * cluster.boards_per_rank()) {}

emulator::StageSeconds BoardNode::run_seconds(std::uint64_t i, std::uint64_t j) const {
  return board_.run_seconds(i, j);
}
double BoardNode::integration_seconds(std::uint64_t particles, std::uint64_t n) const {
  return board_.integration_seconds(particles, n);
}
double BoardNode::j_seconds(std::uint64_t particles) const { return board_.j_seconds(particles); }
double BoardNode::additions_per_second() const { return board_.machine().host_add_rate; }
double BoardNode::room() const { return room_; }
unsigned BoardNode::i_of_run() const { return emulator::kParticlesPerRun; }

double PipelineBoard::peak() const { return flops * chips * pipelines * clock_mhz * kMega; }

const base::DescriptionKind& pipelines_kind() {
  static const base::DescriptionKind kind{"pipelines",
                                          {{"chips", "1", 1, 64, true},
                                           {"pipelines", "1 per chip", 1, 1024, true},
                                           {"virtual_pipelines", "1 per pipeline", 1, 1024, true},
                                           {"clock", "MHz", 1, 1e5, false},
                                           {"particles", "j-particles", 1, 1e12, true},
                                           {"flops", "1 per pair", 1, 1000, false},
                                           {"i_bytes", "bytes per particle", 1, 1e4, false},
                                           {"j_bytes", "bytes per particle", 1, 1e4, false},
                                           {"result_bytes", "bytes per particle", 1, 1e4, false},
                                           {"bus_rate", "MB/s", 1e-3, 1e6, false},
                                           {"run_start", "us per run", 0, 1e6, false},
                                           {"host_add_rate", "additions/s", 1, 1e15, false},
                                           {"host_step", "us per particle and step", 0, 1e6, false},
                                           {"host_miss", "us per particle and step", 0, 1e6, false},
                                           {"host_cache", "bytes", 1, 1e15, false},
                                           {"host_particle", "bytes", 1, 1e6, false}}};
  return kind;
}

PipelineBoard load_pipeline_board(std::string_view name_or_file) {
  const base::Description read = base::load_description(name_or_file, {&pipelines_kind(), 1});
  PipelineBoard board;
  board.name = read.name;
  board.title = read.title;
  board.chips = static_cast<unsigned>(read.value("chips"));
  board.pipelines = static_cast<unsigned>(read.value("pipelines"));
  board.virtual_pipelines = static_cast<unsigned>(read.value("virtual_pipelines"));
  board.clock_mhz = read.value("clock");
  board.particles = read.value("particles");
  board.flops = read.value("flops");
  board.i_bytes = read.value("i_bytes");
  board.j_bytes = read.value("j_bytes");
  board.result_bytes = read.value("result_bytes");
  board.bus_mb = read.value("bus_rate");
  board.run_us = read.value("run_start");
  board.add_rate = read.value("host_add_rate");
  board.host_us = read.value("host_step");
  board.miss_us = read.value("host_miss");
  board.host_cache = read.value("host_cache");
  board.host_particle = read.value("host_particle");
  return board;
}

emulator::StageSeconds PipelineNode::run_seconds(std::uint64_t i, std::uint64_t j) const {
  const double runs = std::ceil(static_cast<double>(i) / i_of_run());
  const double of_chip = std::ceil(static_cast<double>(j) / board_.chips);
  const double results = static_cast<double>(i) * board_.result_bytes / (board_.bus_mb * kMega);
  emulator::StageSeconds stages;
  stages.i_send = static_cast<double>(i) * board_.i_bytes / (board_.bus_mb * kMega);
  stages.compute =
      runs * (board_.run_us * kMicro + of_chip * board_.virtual_pipelines / (board_.clock_mhz * kMega)) + results;
  return stages;
}

double PipelineNode::integration_seconds(std::uint64_t particles, std::uint64_t n) const {
  const double held = board_.host_cache / (static_cast<double>(std::max<std::uint64_t>(n, 1)) * board_.host_particle);
  const double missed = std::max(0.0, 1 - held);
  return static_cast<double>(particles) * (board_.host_us + missed * board_.miss_us) * kMicro;
}

double PipelineNode::j_seconds(std::uint64_t particles) const {
  return static_cast<double>(particles) * board_.j_bytes / (board_.bus_mb * kMega);
}

}  // namespace gdr::cluster
