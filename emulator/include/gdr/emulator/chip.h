// One SING chip as the control processor sees it: memories that can be written and read, code that can be run. Every
// engine is a Chip; what they compute is bit for bit the same.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/emulator/arithmetic.h"
#include "gdr/emulator/events.h"
#include "gdr/isa/program.h"

namespace gdr::emulator {

using isa::kBlocks;
using isa::kPesPerBlock;
/// i-particles of one run of a chip: four vector elements in each PE of a block, the same in all blocks.
inline constexpr unsigned kParticlesPerRun = kPesPerBlock * isa::kVectorElements;

enum class FaultKind : std::uint8_t {
  undefined,        // the instruction set gives it no meaning
  address,          // an address outside its memory
  unproven_product  // fmulh and fmull that are no pair
};

/// What a program did that the machine refuses: where, and why.
class Fault : public Error {
 public:
  /// `place` says which element of which PE ran into it; none: no run could execute the line.
  Fault(FaultKind kind, const isa::Program& program, isa::Section section, std::size_t line, const std::string& why,
        const std::optional<PePlace>& place = {});
  [[nodiscard]] FaultKind kind() const { return kind_; }
  [[nodiscard]] isa::Section section() const { return section_; }
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] const std::optional<PePlace>& place() const { return place_; }
  /// The same on this chip.
  [[nodiscard]] Fault on_chip(unsigned chip) const;

 private:
  Fault(FaultKind kind, isa::Section section, std::size_t line, std::string text, const std::optional<PePlace>& place);

  FaultKind kind_;
  isa::Section section_;
  std::size_t line_;
  std::string text_;  // without the PE
  std::optional<PePlace> place_;
};

/// `FILE:LINE:COLUMN` of a line of the program, or its section and index if its source is not known.
[[nodiscard]] std::string source_place(const isa::Program& program, isa::Section section, std::size_t line);
/// `chip 0, block 3, PE 4, element 1, loop body, iteration 2`.
[[nodiscard]] std::string text_of(const PePlace& place);
/// `invalid`, `overflow`, `underflow`.
[[nodiscard]] std::string_view name_of(FpEvent event);
/// `underflow of the adder at chip 0, ...`.
[[nodiscard]] std::string text_of(const PlacedEvent& event);
/// `overflow in the tree of chip 0, blocks 4 to 5: result 17 of pot, run 2`.
[[nodiscard]] std::string text_of(const isa::Program& program, const JunctionEvent& event);

/// A program as an engine runs it, decoded and scheduled; any number of its chips share it.
class Lowered {
 public:
  virtual ~Lowered() = default;
  [[nodiscard]] virtual const isa::Program& program() const = 0;

 protected:
  Lowered() = default;
  Lowered(const Lowered&) = default;
  Lowered& operator=(const Lowered&) = default;
};

/// A run of consecutive words in the same memory of a PE. `address` counts short words; a long word has an even one.
struct PeWords {
  isa::Memory memory = isa::Memory::lm;  // gpr or lm
  std::uint16_t address = 0;
  Width width = Width::long_word;
  std::uint16_t count = 1;
};

/// The j-records of one chip in the order they are worked on. Record r stands in words[r * record_words] and following;
/// block b works on record 16 k + b in iteration k. A block without a record in the last iteration gets a record of
/// zero words and sees $jvalid false.
struct RecordStream {
  std::span<const LongWord> words;
  unsigned record_words = 0;
  std::uint64_t records = 0;

  [[nodiscard]] std::uint64_t iterations() const { return (records + kBlocks - 1) / kBlocks; }
};

/// One start of the loop: loop initialization, the body once per iteration, loop termination.
struct LoopRun {
  RecordStream stream;
  /// PEs that hold i-data and whose results will be collected, from PE 0 on. Words of the others are undefined
  /// afterwards and their floating-point events are not counted.
  unsigned live_pes = kPesPerBlock;
  /// A long run of a kernel of Type II may come in pieces, each of an even number of iterations but the last: what is
  /// on its way when a piece ends lands there. `begins` runs loop initialization, `ends` loop termination.
  bool begins = true;
  bool ends = true;
  /// Where this is, for events and faults: the number of the run, and that of the piece's first iteration.
  std::uint64_t run = 1;
  std::uint64_t first_iteration = 0;
  /// Takes the words that `collect` lines bring to the tree, in order: room for collected_words() of each block of the
  /// range, one block after the other.
  std::span<LongWord> collected{};
};

/// Words that one block brings to the tree in a run, or a piece of one, of this many iterations.
[[nodiscard]] std::uint64_t collected_words(const isa::Program& program, std::uint64_t iterations, bool begins,
                                            bool ends);

/// Consecutive blocks of a chip.
struct BlockRange {
  unsigned first = 0;
  unsigned count = 1;
};

/// Floating-point results of live PEs that an engine formed, and those of them that needed its slow path. The machine
/// knows nothing of it; an engine with one algorithm counts nothing.
struct FpLanes {
  std::uint64_t all = 0;
  std::uint64_t slow = 0;
  FpLanes& operator+=(const FpLanes& other) {
    all += other.all;
    slow += other.slow;
    return *this;
  }
};

/// Which results leave a chip, and how the tree reduces them over the 16 blocks.
struct Collection {
  PeWords where;  // count: words of one PE
  unsigned results = 0;
  std::optional<isa::Op> reduction;
  Width node_width = Width::long_word;
};

/// T and flags of one PE, which no `bm` store shows.
struct PeRegisters {
  std::array<LongWord, isa::kVectorElements> t;
  std::array<std::uint8_t, isa::kVectorElements> flags;  // bit k - 1 is flag k
  friend bool operator==(const PeRegisters&, const PeRegisters&) = default;
};

/// State is zero after load(). Calls that name different blocks may come from different threads at the same time; all
/// others may not. Before load() every other call throws gdr::Error, and so does one whose block, PE, address or count
/// is outside the chip; it names argument, value and range.
class Chip {
 public:
  virtual ~Chip() = default;

  /// What load() takes, for any number of chips of this engine. Throws Fault for code that no run could execute,
  /// whatever the data.
  [[nodiscard]] std::shared_ptr<const Lowered> lower(const isa::Program& program) const { return do_lower(program); }
  /// Takes a program and clears all state. Throws gdr::Error if another engine lowered it.
  void load(std::shared_ptr<const Lowered> program);
  void load(const isa::Program& program) { load(lower(program)); }
  /// Other code for the state as it is, to look closer at what a run did. Throws Fault.
  void patch(const isa::Program& program);
  /// The same state and program; never while a block runs.
  [[nodiscard]] std::unique_ptr<Chip> clone() const;
  /// Section `initialization`, once.
  void run_initialization(unsigned block);
  /// The three loop sections in each of the blocks. Throws the Fault of the first block that has one; the state of the
  /// later ones is then undefined. Throws gdr::Error for a stream that is not of the program's records, and for
  /// `collected` without room for what the blocks collect.
  void run_loop(BlockRange blocks, const LoopRun& run);
  /// True if the loop body on so many pairs of an i-record and a j-record takes no longer than to wake another thread
  /// for a share of them.
  [[nodiscard]] bool ends_soon(std::uint64_t interactions) const;

  /// BM of one block; `address` counts long words.
  void write_bm(unsigned block, unsigned address, std::span<const LongWord> words);
  /// `where.count` words into one PE, as IDP to BM and a `bm` load into that PE do it. A short word stands in the upper
  /// half.
  void write_pe(unsigned block, unsigned pe, const PeWords& where, std::span<const LongWord> words);
  /// The same for consecutive PEs, `where.count` words each, equal in all of these blocks.
  void write_pes(BlockRange blocks, unsigned first_pe, const PeWords& where, std::span<const LongWord> words);
  void write_registers(unsigned block, unsigned pe, const PeRegisters& registers);
  /// The words that a `bm` store of that PE would bring to BM; short ones in the upper half.
  [[nodiscard]] std::vector<LongWord> read_pe(unsigned block, unsigned pe, const PeWords& where) const;
  [[nodiscard]] PeRegisters registers(unsigned block, unsigned pe) const;
  /// `count` long words of a BM.
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned block, unsigned address, unsigned count) const;
  /// Result n is element n mod 4 of PE n / 4 (or, of a scalar variable, PE n), reduced over the blocks: neighbours
  /// first, (0+1), (2+3), ..., every node rounding to `node_width`. Without a reduction block 0 passes. Events of the
  /// nodes are added to `events`.
  [[nodiscard]] std::vector<LongWord> collect(const Collection& collection, FpEvents& events) const;
  /// Floating-point events of the live PEs of one block since load(), and the first of them; their chip is 0.
  [[nodiscard]] FpEvents events(unsigned block) const;
  [[nodiscard]] FirstEvents first_events(unsigned block) const;
  /// Of one block since load().
  [[nodiscard]] FpLanes fp_lanes(unsigned block) const;

  /// The reduction tree: word n of every block, neighbours first, every node rounding to `node_width`. `sums` has as
  /// many words as each of the 16 `blocks`. Events of the nodes are added to `events`. Touches no state.
  void reduce_blocks(isa::Op op, Width node_width, std::span<const std::span<const LongWord>> blocks,
                     std::span<LongWord> sums, FpEvents& events) const;

 protected:
  Chip() = default;
  Chip(const Chip&) = default;
  Chip& operator=(const Chip&) = default;

  // What an engine does; arguments are inside the chip, and a program is loaded.
  [[nodiscard]] virtual std::shared_ptr<const Lowered> do_lower(const isa::Program& program) const = 0;
  virtual void do_load(std::shared_ptr<const Lowered> program) = 0;
  virtual void do_patch(std::shared_ptr<const Lowered> program) = 0;
  [[nodiscard]] virtual std::unique_ptr<Chip> do_clone() const = 0;
  virtual void do_run_initialization(unsigned block) = 0;
  virtual void do_run_loop(BlockRange blocks, const LoopRun& run) = 0;
  /// Of an engine that is slow it is never true.
  [[nodiscard]] virtual bool do_ends_soon(std::uint64_t /*interactions*/) const { return false; }
  virtual void do_write_bm(unsigned block, unsigned address, std::span<const LongWord> words) = 0;
  virtual void do_write_pe(unsigned block, unsigned pe, const PeWords& where, std::span<const LongWord> words) = 0;
  virtual void do_write_pes(BlockRange blocks, unsigned first_pe, const PeWords& where,
                            std::span<const LongWord> words);
  virtual void do_write_registers(unsigned block, unsigned pe, const PeRegisters& registers) = 0;
  [[nodiscard]] virtual std::vector<LongWord> do_read_pe(unsigned block, unsigned pe, const PeWords& where) const = 0;
  [[nodiscard]] virtual PeRegisters do_registers(unsigned block, unsigned pe) const = 0;
  [[nodiscard]] virtual std::vector<LongWord> do_read_bm(unsigned block, unsigned address, unsigned count) const = 0;
  [[nodiscard]] virtual std::vector<LongWord> do_collect(const Collection& collection, FpEvents& events) const;
  [[nodiscard]] virtual FpEvents do_events(unsigned block) const = 0;
  [[nodiscard]] virtual FirstEvents do_first_events(unsigned block) const = 0;
  [[nodiscard]] virtual FpLanes do_fp_lanes(unsigned) const { return {}; }
  virtual void do_reduce_blocks(isa::Op op, Width node_width, std::span<const std::span<const LongWord>> blocks,
                                std::span<LongWord> sums, FpEvents& events) const;

 private:
  void require_block(unsigned block) const;
  void require_blocks(BlockRange blocks) const;

  std::shared_ptr<const Lowered> program_;  // null before load()
};

/// What a line of the reference engine is about to do, and a look at any PE of its block before it does.
struct IssueEvent {
  const Chip& chip;
  isa::Section section;
  std::size_t line;  // index into the section's code
  unsigned block;
  std::uint64_t iteration;  // of the loop body; 0 elsewhere
  bool jvalid;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_issue(const IssueEvent&) {}
};

/// One PE at a time, written to be read: the oracle of all engines.
class ReferenceChip : public Chip {
 public:
  /// Called before every line; not owned, may be null.
  virtual void set_observer(Observer* observer) = 0;
};

[[nodiscard]] std::unique_ptr<ReferenceChip> make_reference_chip();

/// Pre-decoded, PEs in host vectors; the instruction set of the host is chosen at run time.
[[nodiscard]] std::unique_ptr<Chip> make_simd_chip();

/// As the simd engine, but floating-point operations are the host's own on doubles: a long word is one with eight zero
/// bits behind it, and a short word that holds a result is one, too. Integers keep their 72 and 36 bits, so that seeds
/// and index tests work. Not bit exact, and no events.
[[nodiscard]] std::unique_ptr<Chip> make_native_chip();

/// What a node of the reduction tree, or a step of the ring, makes of two words; `op` is one that reduces. An event is
/// added to `events`.
[[nodiscard]] LongWord reduce(isa::Op op, LongWord a, LongWord b, Width node_width, FpEvents& events);
/// The same; an event is also added to `first`, at `place`.
[[nodiscard]] LongWord reduce(isa::Op op, LongWord a, LongWord b, Width node_width, JunctionEvent place,
                              FpEvents& events, FirstJunctionEvents& first);

}  // namespace gdr::emulator
