// All boards of one host: their chips, the dealing of j-particles to them, and the sum of what they give.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/emulator/control_processor.h"
#include "gdr/emulator/machine.h"

namespace gdr::emulator {

enum class Engine : std::uint8_t {
  reference,  // one PE at a time
  simd,       // PEs in host vectors
  native,     // as simd, with the host's own doubles: not bit exact
  lockstep,   // reference and simd side by side; throws Divergence where they differ
  timing      // nothing: chips stay as they were loaded
};
[[nodiscard]] std::string_view name_of(Engine engine);
[[nodiscard]] std::optional<Engine> engine_named(std::string_view name);
[[nodiscard]] std::vector<std::string> engine_names();
/// True if results are the machine's, bit for bit.
[[nodiscard]] bool is_exact(Engine engine);

/// How the chips' results become one.
enum class Combination : std::uint8_t {
  host,  // 64-bit fields added on the host as ((c0 + c1) + c2) + c3
  ring   // long words added in the ring in the same order, one rounding per step
};

/// Neighbours on one board whose results the ring adds up, ((c0 + c1) + c2) + c3; one chip is a ring, too.
struct Ring {
  unsigned first_chip = 0;
  unsigned chips = 1;
};

/// What a run of a kernel of Type II works on. Blocks without data that matters and PEs whose results nobody wants
/// need not be computed: what a block beyond `live_blocks` gives is zero, what a PE beyond `live_pes` gives undefined.
struct TurnRun {
  std::uint64_t first_record = 0;  // of each chip; 16 a turn
  std::uint64_t turns = 0;
  unsigned live_blocks = kBlocks;
  unsigned live_pes = kPesPerBlock;
};

/// The chips of all boards, numbered board after board. Results never depend on `threads`. Arguments outside their
/// range throw gdr::Error naming argument, value and range, and so does every call that needs a program before load().
class Boards {
 public:
  /// `boards` and `threads` at least 1.
  Boards(MachineDescription machine, unsigned boards, Engine engine, unsigned threads);
  ~Boards();
  Boards(Boards&&) noexcept;
  Boards& operator=(Boards&&) noexcept;

  [[nodiscard]] const MachineDescription& machine() const { return machine_; }
  [[nodiscard]] unsigned chips() const { return static_cast<unsigned>(chips_.size()); }
  [[nodiscard]] ControlProcessor& chip(unsigned number);

  void load(const isa::Program& program);
  void set_parameter(const isa::Parameter& parameter, double value);
  /// j-particle k lies on chip k mod C as its record k / C.
  void write_record(std::uint64_t k, std::span<const std::uint64_t> fields);
  /// One run: the same i-particles, at most kParticlesPerRun, on every chip, against j-particles 0 .. records - 1.
  /// Returns their results, record_fields(rrn) fields each. `first_index` numbers the particles in errors.
  [[nodiscard]] std::vector<std::uint64_t> run(std::span<const std::uint64_t> particles, unsigned count,
                                               std::size_t first_index, std::uint64_t records,
                                               Combination combination = Combination::host);
  /// A run of a kernel of Type II. i-record n of `particles`, whole records and at most 16 x 128 of them, belongs to
  /// block n / 128. Places given none keep what they have, but those of a PE that got a record repeat its last one.
  void write_block_particles(unsigned chip, std::span<const std::uint64_t> particles);
  /// Runs the rings, which come in the order of their chips, side by side, each over its own chips' j-records; returns
  /// the results of each, word by word in the order of the kernel's `collect` lines.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> run_turns(std::span<const Ring> rings, const TurnRun& run);

  /// Sum over the chips.
  [[nodiscard]] Counters counters() const;

 private:
  void require_loaded() const;
  /// Records of one chip, `first` and following, that external memory holds.
  void require_records(std::uint64_t first, std::uint64_t count) const;

  MachineDescription machine_;
  isa::Program program_;
  bool loaded_ = false;
  std::vector<ControlProcessor> chips_;
  std::unique_ptr<class ThreadPool> pool_;
};

}  // namespace gdr::emulator
