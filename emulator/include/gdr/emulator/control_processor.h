// The FPGA beside each chip: between host link, external memory and chip. Its units keep the names of Koike et al.
// 2009, section 2.4; each counts what passes through it, which is where the timing model looks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/conversion.h"
#include "gdr/emulator/machine.h"

namespace gdr::emulator {

/// Host PCIe interface: PIO writes in, DMA out. Counts bytes.
struct Hic {
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// Host to external memory (and to the chip): 64-bit host fields become 72- or 36-bit words. One 8-byte field holds a
/// double (flt conversions) or a two's complement integer (fix).
struct Het {
  ConversionEvents events;
  /// A short word stands in the upper half of the result. Throws gdr::Error naming `where` for NaN and out-of-range
  /// integers.
  LongWord convert(std::uint64_t field, isa::Conversion conversion, Width width, HostElement where);
};

/// External memory and its interface: long words, allocated as far as they were written. Unwritten words are zero.
class Emi {
 public:
  explicit Emi(std::uint64_t capacity) : capacity_(capacity) {}
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  /// Throws gdr::Error with address, length and capacity if the words do not fit.
  void write(std::uint64_t address, std::span<const LongWord> words);
  /// As write().
  [[nodiscard]] std::span<const LongWord> read(std::uint64_t address, std::uint64_t count);

  std::uint64_t words_written = 0;
  std::uint64_t words_read = 0;

 private:
  void require(std::uint64_t address, std::uint64_t count);
  std::uint64_t capacity_;
  std::vector<LongWord> memory_;
};

/// External memory to IDP: what a run streams beside the chip.
struct Eit {
  std::uint64_t address = 0;  // in external memory
  unsigned record_words = 0;
  std::uint64_t records = 0;  // to be dealt out to the 16 blocks
};

/// Holds the chip's code and starts it.
struct Coc {
  isa::Program program;
  std::uint64_t lines = 0;       // lines given to the chip, all PEs together one
  std::uint64_t iterations = 0;  // of the loop body
  std::uint64_t runs = 0;
};

/// ODP to host: words become 64-bit fields.
struct Oht {
  ConversionEvents events;
  [[nodiscard]] std::uint64_t convert(LongWord word, isa::Conversion conversion, Width width);
};

/// Chip data interface: IDP and ODP. Counts long words.
struct Sdi {
  std::uint64_t words_in = 0;
  std::uint64_t words_out = 0;
};

/// Chip instruction interface: counts lines that crossed into the chip's clock.
struct Sci {
  std::uint64_t lines = 0;
};

/// Chip configuration: what reset leaves behind.
struct Cfg {
  bool configured = false;
};

/// Ring reduction between the chips of a board. Counts the words that left towards the next chip.
struct Odprrn {
  std::uint64_t words = 0;
  /// One step: what came from the chip before, reduced with our own word.
  [[nodiscard]] LongWord step(isa::Op op, LongWord incoming, LongWord own, Width width, FpEvents& chip_events);
};

/// What a chip, its control processor and its links did since the program was loaded.
struct Counters {
  std::uint64_t runs = 0;
  std::uint64_t iterations = 0;
  std::uint64_t lines = 0;
  std::uint64_t adder_lines = 0;  // lines that keep the unit busy
  std::uint64_t multiplier_lines = 0;
  std::uint64_t alu_lines = 0;
  std::uint64_t bm_lines = 0;
  std::uint64_t host_bytes_in = 0;
  std::uint64_t host_bytes_out = 0;
  std::uint64_t em_words_written = 0;
  std::uint64_t em_words_read = 0;
  std::uint64_t idp_words = 0;
  std::uint64_t odp_words = 0;
  std::uint64_t ring_words = 0;
  FpEvents fp;
  FpLanes fp_lanes;  // what the engine did, not the machine
  ConversionEvents conversions;
  Counters& operator+=(const Counters& other);
  /// Modulo 2^64 each.
  Counters& operator-=(const Counters& other);
};

/// The variable of each field of a result record.
[[nodiscard]] std::vector<const isa::Variable*> result_fields(const isa::Program& program);

/// One chip with its control processor. Fields are 8 bytes each; records hold one field per element of the variables in
/// declaration order. Not thread safe, except run_blocks() for different blocks.
class ControlProcessor {
 public:
  ControlProcessor(const MachineDescription& machine, std::unique_ptr<Chip> chip);

  /// Configures the chip, clears external memory and counters, loads code, sets parameters to their defaults, runs
  /// section `initialization`.
  void load(const isa::Program& program);
  /// Throws gdr::Error for NaN and for what the parameter's conversion refuses.
  void set_parameter(const isa::Parameter& parameter, double value);
  /// j-record `index` of this chip. Throws gdr::Error if external memory cannot hold it; `where` names the caller's
  /// record in errors.
  void write_record(std::uint64_t index, std::span<const std::uint64_t> fields, std::size_t where);
  /// i-records of one run, at most kParticlesPerRun. Missing particles of the last PE repeat the last one.
  void write_particles(std::span<const std::uint64_t> fields, unsigned count, std::size_t first_index);
  /// Prepares a run over the first `records` j-records with `particles` i-particles; then every block must run once.
  void start(std::uint64_t records, unsigned particles);
  void run_blocks(BlockRange blocks);
  /// Results of the run as words, particle after particle, one word per field.
  [[nodiscard]] std::vector<LongWord> collect_words();
  /// Words of collect_words() (or their sums over a ring) as fields, sent to the host.
  [[nodiscard]] std::vector<std::uint64_t> send_to_host(std::span<const LongWord> words);

  [[nodiscard]] Counters counters() const;
  [[nodiscard]] const Emi& external_memory() const { return emi_; }
  [[nodiscard]] Chip& chip() { return *chip_; }

  // Kernels of Type II: i-data of each block's own, and a run in pieces, out of which results come all the time.

  /// i-records of one block, kParticlesPerRun of them. Missing ones at the end keep what they had.
  void write_block_particles(unsigned block, std::span<const std::uint64_t> fields, std::size_t first_index);
  /// Prepares `turns` turns of the body over j-records `first_record` and following, 16 a turn. Of the words collected
  /// only those of PEs below `live_pes` are defined.
  void start_turns(std::uint64_t first_record, std::uint64_t turns, unsigned live_pes);
  /// Turns `first` to `first + count` of some blocks; pieces come in order, of an even number of turns but the last.
  void run_turns(BlockRange blocks, std::uint64_t first, std::uint64_t count, std::span<LongWord> collected);
  /// Words through the tree: the same conversion and reduction for all of them. Thread safe.
  void reduce(const isa::Variable& result, std::span<const std::span<const LongWord>> blocks, std::span<LongWord> sums,
              FpEvents& events) const;
  /// Books what reduce() and the ways behind it did for these words.
  void count_collected(std::uint64_t words, bool to_next_chip, bool to_host, const FpEvents& tree,
                       const ConversionEvents& conversions);

  /// Reduces what the chip before sent around the ring with this chip's words, field by field, and leaves the sums in
  /// `own`; words that are not reduced pass.
  void add_in_ring(std::span<LongWord> own, std::span<const LongWord> incoming);

 private:
  /// Through the HET; `entry` of the variable in record `where` names the field in errors.
  [[nodiscard]] LongWord to_machine(std::uint64_t field, const isa::Variable& variable, unsigned entry,
                                    std::size_t where);
  void count_section(isa::Section section, std::uint64_t times);

  Hic hic_;
  Het het_;
  Emi emi_;
  Eit eit_;
  Coc coc_;
  Oht oht_;
  Sdi sdi_;
  Sci sci_;
  Cfg cfg_;
  Odprrn odprrn_;
  std::unique_ptr<Chip> chip_;
  LoopRun run_;
  std::uint64_t turns_ = 0;  // of a run of a Type II kernel
  unsigned particles_ = 0;
  FpEvents tree_events_;
  std::array<Counters, isa::kSections> section_lines_;  // of one pass, by unit that they keep busy
  Counters lines_;                                      // the unit occupancies
  bool has_bm_stores_ = false;
};

}  // namespace gdr::emulator
