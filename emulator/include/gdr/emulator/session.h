// Sessions: a program loaded on chips, with external memory, i-particles, runs in the background and results. The
// interface hides which engine computes: threads of the host, or a device with its own memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/emulator/chip.h"

namespace gdr::emulator {

class ThreadPool;

/// Resources of a session. Its chips are numbered from 0.
struct SessionOptions {
  unsigned chips = 1;
  std::uint64_t memory_words = 0;            // long words of external memory of each chip
  std::shared_ptr<ThreadPool> threads = {};  // shared with the caller; null: only the caller's thread works
};

/// Consecutive chips.
struct ChipRange {
  unsigned first = 0;
  unsigned count = 1;
};

/// A run of the loop on some blocks of a chip, or a part of such a run. Its j-records are consecutive in external
/// memory, 16 for each iteration.
struct Piece {
  unsigned chip = 0;
  BlockRange blocks{0, kBlocks};
  std::uint64_t address = 0;  // of the first record, in long words
  std::uint64_t records = 0;
  unsigned live_pes = kPesPerBlock;   // as in LoopRun
  std::uint64_t run = 1;              // as in LoopRun
  std::uint64_t first_iteration = 0;  // as in LoopRun
  bool begins = true;                 // as in LoopRun
  bool ends = true;
};

/// Identifies work that was given to a session; see Session::wait().
struct Ticket {
  std::uint64_t number = 0;
};

/// A line at which blocks stop.
struct Breakpoint {
  isa::Section section = isa::Section::loop_body;
  std::size_t line = 0;                    // index into the section's code
  std::optional<std::uint64_t> iteration;  // of the loop body; empty: every iteration
  friend bool operator==(const Breakpoint&, const Breakpoint&) = default;
};

/// A block that is about to execute the line of a breakpoint.
struct Stop {
  unsigned chip = 0;
  unsigned block = 0;
  isa::Section section = isa::Section::loop_body;
  std::size_t line = 0;
  std::uint64_t iteration = 0;  // of the loop body; 0 elsewhere
  bool jvalid = true;
};

/// Reads the state of the machine between runs, or of a block that has stopped, for debuggers and comparisons. Throws
/// gdr::Error, naming argument, value and range, for a chip, block, PE or address that does not exist.
class Inspector {
 public:
  virtual ~Inspector() = default;
  [[nodiscard]] virtual unsigned chips() const = 0;
  /// The words that a `bm` store of that PE would write to BM; short words are in the upper half.
  [[nodiscard]] virtual std::vector<LongWord> read_pe(unsigned chip, unsigned block, unsigned pe,
                                                      const PeWords& where) const = 0;
  [[nodiscard]] virtual PeRegisters registers(unsigned chip, unsigned block, unsigned pe) const = 0;
  /// `count` long words of a BM, `address` in long words.
  [[nodiscard]] virtual std::vector<LongWord> read_bm(unsigned chip, unsigned block, unsigned address,
                                                      unsigned count) const = 0;
  /// Calls `stopped` whenever a block is about to execute one of these lines; an empty list ends that. The calls of one
  /// block come in order; those of different blocks come from the threads that compute the blocks. Throws gdr::Error if
  /// the engine cannot stop at lines.
  virtual void set_breakpoints(std::vector<Breakpoint> lines, std::function<void(const Stop&)> stopped) = 0;
};

/// All words of a block.
struct BlockState {
  std::vector<LongWord> gpr;           // [PE][long word]
  std::vector<LongWord> lm;            // [PE][long word]
  std::vector<PeRegisters> registers;  // [PE]
  std::vector<LongWord> bm;            // [long word]
};

/// A program on some chips. All state is zero at the beginning. A chip does its work in the order in which it was
/// given; different chips work side by side. Results never depend on threads. A span that a call takes must live until
/// wait() has returned for that work, unless the call is marked "done on return". Not thread safe.
///
/// Arguments outside their range throw gdr::Error naming argument, value and range.
class Session : public Inspector {
 public:
  [[nodiscard]] virtual const isa::Program& program() const = 0;

  /// Writes to a chip's external memory; done on return. Words that were never written are zero.
  virtual void write_memory(unsigned chip, std::uint64_t address, std::span<const LongWord> words) = 0;
  [[nodiscard]] virtual std::vector<LongWord> read_memory(unsigned chip, std::uint64_t address,
                                                          std::uint64_t count) const = 0;
  /// Writes the same words into all broadcast memories of all chips; done on return.
  virtual void broadcast(unsigned address, std::span<const LongWord> words) = 0;
  /// Runs section `initialization` on all chips; done on return.
  virtual void initialize() = 0;

  /// Writes the same i-particles into each of these blocks. `words` has shape [fields][particles]. `particles` is a
  /// multiple of four, at most kParticlesPerRun. Further PEs keep their data.
  virtual void write_particles(ChipRange chips, BlockRange blocks, unsigned particles,
                               std::span<const LongWord> words) = 0;
  /// Starts the pieces. Those of one chip run one after the other.
  virtual Ticket run(std::span<const Piece> pieces) = 0;
  /// Collects the results of the last piece of a chip, reduced over its blocks. For a Type I program these are the
  /// results of `particles` i-particles, shape [particles][fields]. For a Type II program they are the words that
  /// `collect` lines bring out, words_out() in order; blocks that did not run send zeros, and `particles` is 0. `into`
  /// must have exactly as many words.
  virtual Ticket collect(unsigned chip, unsigned particles, std::span<LongWord> into) = 0;
  /// Returns when this work and all work before it is done; it may wait for later work, too. Throws the Fault of the
  /// first chip that had one; the state of all chips is then undefined.
  virtual void wait(Ticket ticket) = 0;

  /// Number of floating-point events since the session was opened, of live PEs and of the nodes of the reduction tree.
  [[nodiscard]] virtual FpEvents events(unsigned chip) const = 0;
  /// The first kKeptEvents events of live PEs on all chips, in order.
  [[nodiscard]] virtual std::vector<PlacedEvent> first_events() const = 0;
  /// The first kKeptEvents events in the trees of all chips, in order; empty if the engine does not record their
  /// places.
  [[nodiscard]] virtual std::vector<JunctionEvent> first_tree_events() const { return {}; }
  [[nodiscard]] virtual FpLanes fp_lanes(unsigned chip) const = 0;

  [[nodiscard]] virtual BlockState state(unsigned chip, unsigned block) const = 0;
  /// `state` has the shapes that state() returns.
  virtual void set_state(unsigned chip, unsigned block, const BlockState& state) = 0;
};

struct EngineTraits {
  bool exact = true;       // results equal the machine's, bit for bit
  bool computes = true;    // false: runs do not change the chips
  bool on_device = false;  // needs a device, which a host may lack
};

/// Executes programs. All exact engines give the same bits.
class Engine {
 public:
  // The engines of gdr.
  static constexpr std::string_view reference = "reference";  // one PE at a time
  static constexpr std::string_view simd = "simd";            // PEs in host vectors
  static constexpr std::string_view native = "native";        // like simd, but with the host's doubles: not bit exact
  static constexpr std::string_view lockstep = "lockstep";    // reference and simd; throws Divergence where they differ
  static constexpr std::string_view opencl = "opencl";        // on an OpenCL device
  static constexpr std::string_view timing = "timing";        // computes nothing

  virtual ~Engine() = default;
  /// Decodes and schedules a program, once for any number of sessions and chips. Throws Fault for code that no run
  /// could execute, whatever the data.
  [[nodiscard]] virtual std::shared_ptr<const Lowered> lower(const isa::Program& program) const = 0;
  /// `program` must come from lower() of an engine of the same name.
  [[nodiscard]] virtual std::unique_ptr<Session> open(std::shared_ptr<const Lowered> program,
                                                      const SessionOptions& options) const = 0;
  [[nodiscard]] virtual EngineTraits traits() const { return {}; }
};

/// An engine that computes chips, each an object of class Chip, on threads of the host. `make_chip` returns a new chip
/// without a program.
[[nodiscard]] std::unique_ptr<Engine> make_chip_engine(std::function<std::unique_ptr<Chip>()> make_chip,
                                                       EngineTraits traits = {});

using EngineFactory = std::function<std::unique_ptr<Engine>()>;
/// Registers an engine under a name, for everything in this process that takes engine names. Throws gdr::Error for a
/// name that is empty or taken. Thread safe.
void register_engine(std::string_view name, EngineFactory factory);
/// Makes the engine of this name. `opencl:DEVICE` is the engine opencl on that device (gdr/emulator/opencl.h).
/// `lockstep:EXPECTED,FOUND` runs two named engines in lockstep. Throws gdr::Error, listing the engines, for an unknown
/// name, and for lockstep with an engine that computes nothing.
[[nodiscard]] std::unique_ptr<Engine> make_engine(std::string_view name);
[[nodiscard]] bool is_engine(std::string_view name);
/// The engines of gdr, then the registered ones, in order.
[[nodiscard]] std::vector<std::string> engine_names();

}  // namespace gdr::emulator
