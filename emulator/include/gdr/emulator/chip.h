// One SING chip as the control processor sees it: memories that it can write and read, and code that it can run. The
// reference, the vector engine, lockstep and native are Chips; all but native compute the same bits.
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
  undefined,        // code that the instruction set does not define
  address,          // an address outside its memory
  unproven_product  // fmulh and fmull that do not form a pair
};

/// An operation of a program that the machine refuses, with its place and the reason.
class Fault : public Error {
 public:
  /// `place` is the element of the PE that caused the fault. It is empty if no run could execute the line.
  Fault(FaultKind kind, const isa::Program& program, isa::Section section, std::size_t line, const std::string& why,
        const std::optional<PePlace>& place = {});
  [[nodiscard]] FaultKind kind() const { return kind_; }
  [[nodiscard]] isa::Section section() const { return section_; }
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] const std::optional<PePlace>& place() const { return place_; }
  /// The same fault with this chip in its place.
  [[nodiscard]] Fault on_chip(unsigned chip) const;

 private:
  Fault(FaultKind kind, isa::Section section, std::size_t line, std::string text, const std::optional<PePlace>& place);

  FaultKind kind_;
  isa::Section section_;
  std::size_t line_;
  std::string text_;  // without the PE
  std::optional<PePlace> place_;
};

/// `FILE:LINE:COLUMN` of what a unit does in a line of the program, or its section and index if its source is not
/// known.
[[nodiscard]] std::string source_place(const isa::Program& program, isa::Section section, std::size_t line,
                                       isa::Unit unit = isa::Unit::none);
/// `chip 0, block 3, PE 4, element 1, loop body, iteration 2`.
[[nodiscard]] std::string text_of(const PePlace& place);
/// `invalid`, `overflow`, `underflow`.
[[nodiscard]] std::string_view name_of(FpEvent event);
/// `underflow of the adder at chip 0, ...`.
[[nodiscard]] std::string text_of(const PlacedEvent& event);
/// `tree`, `ring`, `host`, `board`, `rank`.
[[nodiscard]] std::string_view name_of(Junction junction);
/// `overflow in the tree of chip 0, blocks 4 to 5: result 17 of pot, run 2`.
[[nodiscard]] std::string text_of(const isa::Program& program, const JunctionEvent& event);

/// A program decoded and scheduled by an engine. Any number of the engine's chips can share it.
class Lowered {
 public:
  virtual ~Lowered() = default;
  [[nodiscard]] virtual const isa::Program& program() const = 0;

 protected:
  Lowered() = default;
  Lowered(const Lowered&) = default;
  Lowered& operator=(const Lowered&) = default;
};

/// Consecutive words in one memory of a PE. `address` is in short words; it is even for long words.
struct PeWords {
  isa::Memory memory = isa::Memory::lm;  // gpr or lm
  std::uint16_t address = 0;
  Width width = Width::long_word;
  std::uint16_t count = 1;
};

/// The j-records of one chip in the order in which they are processed. Record r begins at words[r * record_words].
/// Block b processes record 16 k + b in iteration k. A block without a record in the last iteration gets a record of
/// zero words and sees $jvalid false.
struct RecordStream {
  std::span<const LongWord> words;
  unsigned record_words = 0;
  std::uint64_t records = 0;

  [[nodiscard]] std::uint64_t iterations() const { return (records + kBlocks - 1) / kBlocks; }
};

/// One run of the loop: loop initialization, the body once per iteration, loop termination.
struct LoopRun {
  RecordStream stream;
  /// Number of PEs, from PE 0 on, that hold i-data and whose results will be collected. Of the other PEs, words that no
  /// section of the loop writes keep their values, i-data among them. Their other words are undefined afterwards, and
  /// their floating-point events are not counted.
  unsigned live_pes = kPesPerBlock;
  /// A long run of a Type II kernel may be split into pieces; each of them but the last has an even number of
  /// iterations. Pending writes are completed at the end of a piece. A piece runs loop initialization if `begins` is
  /// true, and loop termination if `ends` is true.
  bool begins = true;
  bool ends = true;
  /// Number of the run and number of the piece's first iteration, as events and faults report them.
  std::uint64_t run = 1;
  std::uint64_t first_iteration = 0;
  /// Receives the words that `collect` lines send to the tree, in order: collected_words() for each block of the range,
  /// one block after the other.
  std::span<LongWord> collected{};
};

/// Number of words that one block sends to the tree in a run, or in a piece of one, with this many iterations.
[[nodiscard]] std::uint64_t collected_words(const isa::Program& program, std::uint64_t iterations, bool begins,
                                            bool ends);
/// Number of words that leave the chip in such a run or piece. It differs from collected_words() if a collect names
/// each block, so that the words of all blocks leave.
[[nodiscard]] std::uint64_t words_out(const isa::Program& program, std::uint64_t iterations, bool begins, bool ends);

/// Consecutive blocks of a chip.
struct BlockRange {
  unsigned first = 0;
  unsigned count = 1;
};

/// Number of floating-point results that an engine computed for live PEs, and how many of them were in slow lanes. This
/// is a property of the engine, not of the machine. An engine with only one algorithm counts nothing.
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
  PeWords where;  // where.count: words of one PE
  unsigned results = 0;
  std::optional<isa::Op> reduction;
  Width node_width = Width::long_word;
  unsigned block = 0;  // whose words are returned if there is no reduction
};

/// T register and flags of one PE, which a `bm` store cannot read.
struct PeRegisters {
  std::array<LongWord, isa::kVectorElements> t;
  std::array<std::uint8_t, isa::kVectorElements> flags;  // bit k - 1 is flag k
  friend bool operator==(const PeRegisters&, const PeRegisters&) = default;
};

/// All state is zero after load(). Calls for different blocks may come from different threads at the same time; all
/// other calls may not. Before load() every other call except lower() and ends_soon() throws gdr::Error. A call whose
/// block, PE, address or count is outside the chip throws gdr::Error, naming argument, value and range.
class Chip {
 public:
  virtual ~Chip() = default;

  /// Decodes a program for load(), for any number of chips of this engine. Throws Fault for code that no run could
  /// execute, whatever the data.
  [[nodiscard]] std::shared_ptr<const Lowered> lower(const isa::Program& program) const { return do_lower(program); }
  /// Loads a program and clears all state. Throws gdr::Error if another engine lowered it.
  void load(std::shared_ptr<const Lowered> program);
  void load(const isa::Program& program) { load(lower(program)); }
  /// Replaces the program and keeps the state, to examine what a run did. Throws Fault as lower() does.
  void patch(const isa::Program& program);
  /// Returns a copy with the same state and program. Must not be called while a block runs.
  [[nodiscard]] std::unique_ptr<Chip> clone() const;
  /// Runs section `initialization` once.
  void run_initialization(unsigned block);
  /// Runs the three loop sections in each of the blocks. Throws the Fault of the first block that has one; the state of
  /// the later blocks is then undefined. Throws gdr::Error if the size of the stream's records is not the program's, or
  /// if `collected` is too small for the words that the blocks collect.
  void run_loop(BlockRange blocks, const LoopRun& run);
  /// True if executing the loop body for this many pairs of an i- and a j-particle takes no longer than waking another
  /// thread for a share of them.
  [[nodiscard]] bool ends_soon(std::uint64_t interactions) const;

  /// Writes to the BM of one block; `address` is in long words.
  void write_bm(unsigned block, unsigned address, std::span<const LongWord> words);
  /// Writes `where.count` words into one PE, with the effect of a transfer from IDP to BM and a `bm` load into that PE.
  /// Short words are in the upper halves of `words`.
  void write_pe(unsigned block, unsigned pe, const PeWords& where, std::span<const LongWord> words);
  /// The same for consecutive PEs, `where.count` words each. All of these blocks get the same words.
  void write_pes(BlockRange blocks, unsigned first_pe, const PeWords& where, std::span<const LongWord> words);
  void write_registers(unsigned block, unsigned pe, const PeRegisters& registers);
  /// Returns the words that a `bm` store of that PE would write to BM; short words are in the upper half.
  [[nodiscard]] std::vector<LongWord> read_pe(unsigned block, unsigned pe, const PeWords& where) const;
  [[nodiscard]] PeRegisters registers(unsigned block, unsigned pe) const;
  /// Returns `count` long words of the BM of one block.
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned block, unsigned address, unsigned count) const;
  /// Returns results that are reduced over the blocks. Result n is element n mod 4 of PE n / 4, or PE n for a scalar
  /// variable. Neighbours are combined first, (0+1), (2+3), ..., and every node rounds to `node_width`. Without a
  /// reduction the words of one block are returned. Events of the nodes are added to `events`.
  [[nodiscard]] std::vector<LongWord> collect(const Collection& collection, FpEvents& events) const;
  /// Number of floating-point events of the live PEs of one block since load(), and the first of them. The chip in
  /// their places is 0.
  [[nodiscard]] FpEvents events(unsigned block) const;
  [[nodiscard]] FirstEvents first_events(unsigned block) const;
  /// Lanes of one block since load().
  [[nodiscard]] FpLanes fp_lanes(unsigned block) const;

  /// Applies the reduction tree to word n of every block, neighbours first; every node rounds to `node_width`. `sums`
  /// has as many words as each of the 16 `blocks`. Events of the nodes are added to `events`. The chip's state does not
  /// change.
  void reduce_blocks(isa::Op op, Width node_width, std::span<const std::span<const LongWord>> blocks,
                     std::span<LongWord> sums, FpEvents& events) const;

 protected:
  Chip() = default;
  Chip(const Chip&) = default;
  Chip& operator=(const Chip&) = default;

  // Implemented by each engine. Arguments are inside the chip, and a program is loaded.
  [[nodiscard]] virtual std::shared_ptr<const Lowered> do_lower(const isa::Program& program) const = 0;
  virtual void do_load(std::shared_ptr<const Lowered> program) = 0;
  virtual void do_patch(std::shared_ptr<const Lowered> program) = 0;
  [[nodiscard]] virtual std::unique_ptr<Chip> do_clone() const = 0;
  virtual void do_run_initialization(unsigned block) = 0;
  virtual void do_run_loop(BlockRange blocks, const LoopRun& run) = 0;
  /// Never true for a slow engine.
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

/// A line that a block of the reference engine is about to execute. `chip` shows the state before the line.
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

/// The reference engine: computes one PE at a time, is written for readability, and is what other engines are tested
/// against.
class ReferenceChip : public Chip {
 public:
  /// The observer is called before every line. It is not owned and may be null.
  virtual void set_observer(Observer* observer) = 0;
};

[[nodiscard]] std::unique_ptr<ReferenceChip> make_reference_chip();

/// A chip of the engine simd: decodes lines in advance and computes PEs in vectors of the host. The host's instruction
/// set is chosen at run time.
[[nodiscard]] std::unique_ptr<Chip> make_simd_chip();

/// Like the simd engine, but with the host's floating-point operations on doubles. A long word is a double followed by
/// eight zero bits, and a short word that holds a result is a double, too. Integers keep their 72 and 36 bits, so that
/// seeds and index tests work. Results are not bit exact, and events are not counted.
[[nodiscard]] std::unique_ptr<Chip> make_native_chip();

/// Combines two words as a node of the reduction tree, a step of the ring or, for integers and bits, the host does.
/// `op` must be a reduction. An event is added to `events`.
[[nodiscard]] LongWord reduce(isa::Op op, LongWord a, LongWord b, Width node_width, FpEvents& events);
/// The same; an event is also added to `first`, at `place`.
[[nodiscard]] LongWord reduce(isa::Op op, LongWord a, LongWord b, Width node_width, JunctionEvent place,
                              FpEvents& events, FirstJunctionEvents& first);

}  // namespace gdr::emulator
