// A program at work on chips: external memory, particles, runs in the background, results. What is computed there, an
// engine, stays behind this interface: threads of the host, or a device with memory of its own.
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

/// What a session may use. It numbers its chips from 0.
struct SessionOptions {
  unsigned chips = 1;
  std::uint64_t memory_words = 0;            // long words of external memory of each chip
  std::shared_ptr<ThreadPool> threads = {};  // shared with whoever opens it; none: the caller's thread alone
};

/// Consecutive chips.
struct ChipRange {
  unsigned first = 0;
  unsigned count = 1;
};

/// A run of the loop on some blocks of a chip, or a part of one: over records that stand one after the other in
/// external memory, 16 in each iteration.
struct Piece {
  unsigned chip = 0;
  BlockRange blocks{0, kBlocks};
  std::uint64_t address = 0;  // of the first record, in long words
  std::uint64_t records = 0;
  unsigned live_pes = kPesPerBlock;   // as LoopRun
  std::uint64_t run = 1;              // as LoopRun
  std::uint64_t first_iteration = 0;  // as LoopRun
  bool begins = true;                 // as LoopRun
  bool ends = true;
};

/// Work that was given to a session; see Session::wait().
struct Ticket {
  std::uint64_t number = 0;
};

/// A line at which blocks stop.
struct Breakpoint {
  isa::Section section = isa::Section::loop_body;
  std::size_t line = 0;                    // index into the section's code
  std::optional<std::uint64_t> iteration;  // of the loop body; none: every one
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

/// A look into the machine, for debuggers and comparisons. Reads what stands there between runs, or in a block that has
/// stopped. Throws gdr::Error for a chip, block, PE or address that there is not, naming argument, value and range.
class Inspector {
 public:
  virtual ~Inspector() = default;
  [[nodiscard]] virtual unsigned chips() const = 0;
  /// The words that a `bm` store of that PE would bring to BM; short ones in the upper half.
  [[nodiscard]] virtual std::vector<LongWord> read_pe(unsigned chip, unsigned block, unsigned pe,
                                                      const PeWords& where) const = 0;
  [[nodiscard]] virtual PeRegisters registers(unsigned chip, unsigned block, unsigned pe) const = 0;
  /// `count` long words of a BM, `address` in long words.
  [[nodiscard]] virtual std::vector<LongWord> read_bm(unsigned chip, unsigned block, unsigned address,
                                                      unsigned count) const = 0;
  /// Calls `stopped` whenever a block is about to execute one of these lines; an empty list ends that. A block's calls
  /// come in order, those of different blocks from the threads that compute them. Throws gdr::Error if the engine does
  /// not stop at lines.
  virtual void set_breakpoints(std::vector<Breakpoint> lines, std::function<void(const Stop&)> stopped) = 0;
};

/// All words of a block.
struct BlockState {
  std::vector<LongWord> gpr;           // [PE][long word]
  std::vector<LongWord> lm;            // [PE][long word]
  std::vector<PeRegisters> registers;  // [PE]
  std::vector<LongWord> bm;            // [long word]
};

/// A program on some chips. State is zero at the beginning. Work is done chip by chip in the order in which it was
/// given, chips side by side; results never depend on threads. Words that a call takes or fills as a span must live
/// until that work has been waited for, unless the call says that it is done when it returns. Not thread safe.
///
/// Arguments outside their range throw gdr::Error naming argument, value and range.
class Session : public Inspector {
 public:
  [[nodiscard]] virtual const isa::Program& program() const = 0;

  /// Into a chip's external memory; done when it returns. Words never written are zero.
  virtual void write_memory(unsigned chip, std::uint64_t address, std::span<const LongWord> words) = 0;
  [[nodiscard]] virtual std::vector<LongWord> read_memory(unsigned chip, std::uint64_t address,
                                                          std::uint64_t count) const = 0;
  /// The same words into all broadcast memories of all chips; done when it returns.
  virtual void broadcast(unsigned address, std::span<const LongWord> words) = 0;
  /// Section `initialization` on all chips; done when it returns.
  virtual void initialize() = 0;

  /// i-particles for some blocks of some chips, the same for each of them. `words` has, for one field after the other,
  /// those of all particles: shape [fields][particles], a multiple of four particles, at most kParticlesPerRun. Places
  /// beyond keep what they have.
  virtual void write_particles(ChipRange chips, BlockRange blocks, unsigned particles,
                               std::span<const LongWord> words) = 0;
  /// Begins the pieces; those of one chip run one after the other.
  virtual Ticket run(std::span<const Piece> pieces) = 0;
  /// What the last piece of a chip leaves for the host, reduced over its blocks. Of a program of Type I the results of
  /// `particles` i-particles, shape [particles][fields]; of one of Type II the words that `collect` lines brought to
  /// the tree, in their order, blocks that did not run bringing zeros, and `particles` is 0. `into` has their number.
  virtual Ticket collect(unsigned chip, unsigned particles, std::span<LongWord> into) = 0;
  /// Returns when this work, and what was given before it, is done; later work may have to be done as well. Throws the
  /// Fault of the first chip that had one; the state of all chips is then undefined.
  virtual void wait(Ticket ticket) = 0;

  /// Floating-point events since the session was opened: of the live PEs, and of the nodes of the reduction tree.
  [[nodiscard]] virtual FpEvents events(unsigned chip) const = 0;
  /// The first kKeptEvents of live PEs on all chips, in their order.
  [[nodiscard]] virtual std::vector<PlacedEvent> first_events() const = 0;
  /// The first kKeptEvents in the trees of all chips, in their order; none from an engine that does not place them.
  [[nodiscard]] virtual std::vector<JunctionEvent> first_tree_events() const { return {}; }
  [[nodiscard]] virtual FpLanes fp_lanes(unsigned chip) const = 0;

  [[nodiscard]] virtual BlockState state(unsigned chip, unsigned block) const = 0;
  /// Shapes as state() gives them.
  virtual void set_state(unsigned chip, unsigned block, const BlockState& state) = 0;
};

struct EngineTraits {
  bool exact = true;       // results are the machine's, bit for bit
  bool computes = true;    // false: runs leave the chips as they are
  bool on_device = false;  // needs one, which a host may lack
};

/// What computes. Engines that are exact give the same bits.
class Engine {
 public:
  // Those that gdr has.
  static constexpr std::string_view reference = "reference";  // one PE at a time
  static constexpr std::string_view simd = "simd";            // PEs in host vectors
  static constexpr std::string_view native = "native";        // as simd, with the host's own doubles: not bit exact
  static constexpr std::string_view lockstep = "lockstep";    // reference and simd; throws Divergence where they differ
  static constexpr std::string_view opencl = "opencl";        // chips on a device of OpenCL
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

/// An engine whose chips are computed one by one, on threads of the host; `make_chip` makes an empty one.
[[nodiscard]] std::unique_ptr<Engine> make_chip_engine(std::function<std::unique_ptr<Chip>()> make_chip,
                                                       EngineTraits traits = {});

using EngineFactory = std::function<std::unique_ptr<Engine>()>;
/// Makes an engine known by name to everything that takes one, in this process. Throws gdr::Error for a name that is
/// empty or taken. Thread safe.
void register_engine(std::string_view name, EngineFactory factory);
/// `opencl:DEVICE` makes the engine opencl on that device (gdr/emulator/opencl.h).
/// `lockstep:EXPECTED,FOUND` makes two engines known by name run in lockstep. Throws gdr::Error naming the engines that
/// there are, and for lockstep with one that computes nothing.
[[nodiscard]] std::unique_ptr<Engine> make_engine(std::string_view name);
[[nodiscard]] bool is_engine(std::string_view name);
/// Those of gdr, then those registered, in order.
[[nodiscard]] std::vector<std::string> engine_names();

}  // namespace gdr::emulator
