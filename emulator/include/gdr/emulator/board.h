// All boards of one host: distribute j-particles over their chips, and add up the results of the chips.
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

/// How the results of a board's chips are added. Results of several boards are always added on the host.
enum class Combination : std::uint8_t {
  host,  // doubles, or words of integers, added on the host as ((c0 + c1) + c2) + c3
  ring   // long words added in the ring in the same order, one rounding per step
};

/// Neighbouring chips of one board whose results the ring adds up as ((c0 + c1) + c2) + c3. One chip is a ring, too. If
/// every collect of the program names blocks, there is nothing to add, and the chips may be of several boards.
struct Ring {
  unsigned first_chip = 0;
  unsigned chips = 1;
};

/// Extent of a run of a Type II kernel. Blocks and PEs whose results are not needed can be left out: the results of
/// blocks from `live_blocks` on are zero, the results of PEs from `live_pes` on are undefined.
struct TurnRun {
  std::uint64_t first_record = 0;  // index on each chip; a turn reads 16 records
  std::uint64_t turns = 0;
  unsigned live_blocks = kBlocks;
  unsigned live_pes = kPesPerBlock;
};

/// The chips of all boards, numbered board after board, and the transfers to and from them. A record has one field of
/// 8 bytes for each element of each variable, variables in declaration order. Results never depend on `threads`. Throws
/// gdr::Error, naming argument, value and range, for arguments outside their range. Every call that needs a program
/// throws gdr::Error before load().
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

  /// Clears external memory and counters, sets parameters to their defaults, and runs section `initialization`. Throws
  /// Fault for code that no run could execute.
  void load(const isa::Program& program);
  /// Throws gdr::Error for NaN and for values that the parameter's conversion refuses.
  void set_parameter(const isa::Parameter& parameter, double value);
  /// Writes j-particle k. It becomes record k / C of chip k mod C, where C is the number of chips. Throws gdr::Error,
  /// naming variable and record, for values that a conversion refuses.
  void write_record(std::uint64_t k, std::span<const std::uint64_t> fields);
  /// Writes record `index` of one chip. Errors give the record the number `name`.
  void write_chip_record(unsigned chip, std::uint64_t index, std::span<const std::uint64_t> fields, std::size_t name);
  /// One run. Every chip gets the same i-particles, at most kParticlesPerRun; j-particles 0 .. records - 1 act on them.
  /// `particles` has shape [count][fields]. Returns the results, shape [count][record_fields(rrn)], added up over the
  /// chips of each board and then over the boards, in their order. Errors number the particles from `first_index` on.
  [[nodiscard]] std::vector<std::uint64_t> run(std::span<const std::uint64_t> particles, unsigned count,
                                               std::size_t first_index, std::uint64_t records,
                                               Combination combination = Combination::host);
  /// Writes the i-data of a Type II kernel to one chip. `particles` has whole records, at most 16 x 128; record n goes
  /// to block n / 128. In a PE that gets fewer records than it has elements, the last one is repeated. PEs that get
  /// none keep their data.
  void write_block_particles(unsigned chip, std::span<const std::uint64_t> particles);
  /// Runs a Type II kernel on all rings side by side, each on the j-records of its own chips. `rings` must be in the
  /// order of their chips. Returns the results, shape [ring][word], in the order of the kernel's `collect` lines. The
  /// ring adds up the words of its chips, except where a collect names blocks: then the words of each chip follow,
  /// first chip first, with the words of block 0 first.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> run_turns(std::span<const Ring> rings, const TurnRun& run);

  /// Sum over all chips.
  [[nodiscard]] Counters counters() const;
  /// As Session::first_events().
  [[nodiscard]] std::vector<PlacedEvent> first_events() const;
  /// Adds an event to those of the run that was last, for callers that combine results themselves.
  void count(JunctionEvent event);
  /// The first kKeptEvents at all junctions, in their order.
  [[nodiscard]] std::vector<JunctionEvent> first_junction_events() const;
  [[nodiscard]] Inspector& inspect();

 private:
  struct Loaded;

  [[nodiscard]] Loaded& loaded();
  [[nodiscard]] const Loaded& loaded() const;
  /// Throws gdr::Error unless a chip's external memory has room for `count` records from `first` on.
  void require_records(std::uint64_t first, std::uint64_t count) const;

  MachineDescription machine_;
  unsigned boards_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<ThreadPool> pool_;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace gdr::emulator
