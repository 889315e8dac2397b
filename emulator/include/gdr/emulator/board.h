// All boards of one host: their chips, the dealing of j-particles to them, and the sum of what they give.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/emulator/counters.h"
#include "gdr/emulator/machine.h"
#include "gdr/emulator/session.h"

namespace gdr::emulator {

/// How the results of a board's chips become one. Those of several boards are added on the host.
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

/// The chips of all boards, numbered board after board, and the way of data to and from them: fields of 8 bytes each,
/// records with one field per element of the variables in declaration order. Results never depend on `threads`.
/// Arguments outside their range throw gdr::Error naming argument, value and range, and so does every call that needs a
/// program before load().
class Boards {
 public:
  /// `engine` is one of engine_names(); `boards` and `threads` at least 1.
  Boards(MachineDescription machine, unsigned boards, std::string_view engine, unsigned threads);
  /// The same on an engine that has no name.
  Boards(MachineDescription machine, unsigned boards, std::unique_ptr<Engine> engine, unsigned threads);
  ~Boards();
  Boards(Boards&&) noexcept;
  Boards& operator=(Boards&&) noexcept;

  [[nodiscard]] const MachineDescription& machine() const { return machine_; }
  [[nodiscard]] unsigned chips() const { return boards_ * machine_.chips; }
  [[nodiscard]] EngineTraits engine() const { return engine_->traits(); }

  /// Clears external memory and counters, sets parameters to their defaults, runs section `initialization`. Throws
  /// Fault for code that no run could execute.
  void load(const isa::Program& program);
  /// Throws gdr::Error for NaN and for what the parameter's conversion refuses.
  void set_parameter(const isa::Parameter& parameter, double value);
  /// j-particle k lies on chip k mod C as its record k / C. Throws gdr::Error for what conversions refuse, naming
  /// variable and record.
  void write_record(std::uint64_t k, std::span<const std::uint64_t> fields);
  /// Record `index` of one chip; `name` numbers it in errors.
  void write_chip_record(unsigned chip, std::uint64_t index, std::span<const std::uint64_t> fields, std::size_t name);
  /// One run: the same i-particles, at most kParticlesPerRun, on every chip, against j-particles 0 .. records - 1.
  /// Returns their results, record_fields(rrn) fields each: chips of a board added up, then boards, in their order.
  /// `first_index` numbers the particles in errors.
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
  /// As Session::first_events().
  [[nodiscard]] std::vector<PlacedEvent> first_events() const;
  /// The first kKeptEvents in the chips' trees and in the rings between chips, in their order.
  [[nodiscard]] std::vector<JunctionEvent> first_junction_events() const;
  [[nodiscard]] Inspector& inspect();

 private:
  struct Loaded;

  [[nodiscard]] Loaded& loaded();
  [[nodiscard]] const Loaded& loaded() const;
  /// Records of one chip, `first` and following, that external memory holds.
  void require_records(std::uint64_t first, std::uint64_t count) const;

  MachineDescription machine_;
  unsigned boards_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<ThreadPool> pool_;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace gdr::emulator
