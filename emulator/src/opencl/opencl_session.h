// A session whose chips are on an OpenCL device: their states, their external memories and their runs.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "board/transfer.h"
#include "chip/collect.h"
#include "device_memory.h"
#include "gdr/emulator/session.h"
#include "gdr/emulator/thread_pool.h"
#include "loop_body.h"
#include "machine.h"

namespace gdr::emulator::opencl {

/// A program lowered for this engine.
class LoweredOpenCl final : public Lowered {
 public:
  LoweredOpenCl(const isa::Program& program, std::shared_ptr<Machine> on, JitUse use);
  [[nodiscard]] const isa::Program& program() const override { return decoded.program; }

  const DecodedProgram decoded;
  const ProgramCode code;
  const bool may_fault;
  const std::shared_ptr<Machine> machine;
  const LoopBody body;
};

class OpenClSession final : public Session {
 public:
  OpenClSession(std::shared_ptr<const LoweredOpenCl> program, const SessionOptions& options);
  ~OpenClSession() override;

  [[nodiscard]] const isa::Program& program() const override { return program_->program(); }
  [[nodiscard]] unsigned chips() const override { return static_cast<unsigned>(chips_.size()); }

  void write_memory(unsigned chip, std::uint64_t address, std::span<const LongWord> words) override;
  [[nodiscard]] std::vector<LongWord> read_memory(unsigned chip, std::uint64_t address,
                                                  std::uint64_t count) const override;
  void broadcast(unsigned address, std::span<const LongWord> words) override;
  void initialize() override;
  void write_particles(ChipRange chips, BlockRange blocks, unsigned particles,
                       std::span<const LongWord> words) override;
  Ticket run(std::span<const Piece> pieces) override;
  Ticket collect(unsigned chip, unsigned particles, std::span<LongWord> into) override;
  void wait(Ticket ticket) override;

  [[nodiscard]] FpEvents events(unsigned chip) const override;
  [[nodiscard]] std::vector<PlacedEvent> first_events() const override;
  [[nodiscard]] std::vector<JunctionEvent> first_tree_events() const override;
  [[nodiscard]] FpLanes fp_lanes(unsigned chip) const override;

  [[nodiscard]] std::vector<LongWord> read_pe(unsigned chip, unsigned block, unsigned pe,
                                              const PeWords& where) const override;
  [[nodiscard]] PeRegisters registers(unsigned chip, unsigned block, unsigned pe) const override;
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned chip, unsigned block, unsigned address,
                                              unsigned count) const override;
  void set_breakpoints(std::vector<Breakpoint> lines, std::function<void(const Stop&)> stopped) override;
  [[nodiscard]] BlockState state(unsigned chip, unsigned block) const override;
  void set_state(unsigned chip, unsigned block, const BlockState& state) override;

 private:
  struct OneChip {
    Piece last{0, {0, kBlocks}, 0, 0};
    FpEvents tree;
    FirstJunctionEvents tree_events;
    std::optional<Fault> fault;
    /// True if words were written from outside since a run began. Values that were equal in all PEs may then differ.
    bool touched = false;
  };
  /// Turns of a block that run in doubles, and the progress.
  struct BodyTask {
    TaskCode task{};  // first_turn: the next turn to run
    unsigned refusals = 0;
    [[nodiscard]] bool done() const { return task.first_turn >= task.end_turn; }
  };
  /// Tasks on the device, from one of a buffer's on.
  struct SentTasks {
    const Buffer* buffer = nullptr;
    std::size_t first = 0;
    /// First of as many tasks that follow them, each for a block that reaches its end at once; 0: there are none.
    std::size_t first_behind = 0;
  };
  /// What collect() was asked for.
  struct ChipResults {
    unsigned chip = 0;
    Piece piece;
    unsigned particles = 0;
    std::span<LongWord> into;
  };
  /// Results of several chips, requested one after the other and read from the device at once: its latency is longer
  /// than the results of one chip take.
  class ResultsTogether {
   public:
    explicit ResultsTogether(const ChipResults& first) : all_{first} {}
    /// Adds nothing and returns false if the number of particles is another one, or after close().
    bool add(const ChipResults& results);
    [[nodiscard]] std::vector<ChipResults> close();

   private:
    std::mutex mutex_;
    bool closed_ = false;
    std::vector<ChipResults> all_;
  };
  /// The words of a block with the device's layout.
  struct BlockWords {
    std::vector<ulong> rows;  // [row][PE]
    std::vector<ulong> bm;    // [short word]
    std::vector<uint> flags;  // [PE]
    [[nodiscard]] LongWord long_word(unsigned row, unsigned pe) const;
  };

  void require_place(unsigned chip, unsigned block) const;
  void require_memory(std::uint64_t address, std::uint64_t count) const;
  void provide_memory(std::uint64_t end);
  void provide_collected(std::uint64_t words);
  [[nodiscard]] std::uint64_t iterations_of(const Piece& piece) const;
  [[nodiscard]] std::uint64_t collected_by(const Piece& piece) const;
  [[nodiscard]] std::uint64_t words_out_of(const Piece& piece) const;

  void post(std::function<void()> work);
  void wait_for(unsigned chip);
  void finish_and_throw();

  void put_particles(ChipRange chips, BlockRange blocks, unsigned particles, std::span<const LongWord> words);
  void run_pieces(const std::vector<Piece>& pieces);
  void run_wave(std::span<const Piece> pieces);
  [[nodiscard]] TaskCode task_of(const Piece& piece, unsigned block) const;
  void run_tasks(std::span<const TaskCode> tasks);
  void run_sent(const SentTasks& sent, std::size_t count, const Buffer* turns_done = nullptr);
  [[nodiscard]] const CompiledBody* body_for(std::span<const Piece> pieces);
  void run_wave_in_doubles(std::span<const Piece> pieces, const CompiledBody& compiled);
  [[nodiscard]] std::vector<bool> run_body(std::vector<BodyTask>& tasks, const CompiledBody& compiled, SentTasks sent);
  void run_in_doubles(const CompiledBody& compiled, std::span<BodyTask* const> tasks, std::optional<SentTasks> sent);
  [[nodiscard]] std::vector<ulong> turns_reached(const CompiledBody& compiled, std::span<const TaskCode> codes,
                                                 const SentTasks& sent);
  void pass(TaskCode& task, std::uint64_t turn) const;
  void look_for_faults();
  [[nodiscard]] Fault fault_of(unsigned chip, unsigned block, unsigned pe, const PeFault& fault) const;

  void take_results(std::vector<ChipResults> results);
  void take_collected(unsigned chip, const Piece& piece, std::span<LongWord> into);
  void place_events_of_results(unsigned chip, const Piece& piece, const Entry& entry, unsigned particles);
  void place_events_of_collected(unsigned chip, const Piece& piece, const Collected& batch);
  static void add_tree_events(OneChip& one, std::span<const uint> counts);

  [[nodiscard]] std::vector<PeEvents> pe_events(unsigned chip) const;
  [[nodiscard]] BlockWords read_block(unsigned chip, unsigned block) const;

  std::shared_ptr<const LoweredOpenCl> program_;
  std::uint64_t memory_words_;
  std::shared_ptr<ThreadPool> pool_;
  std::vector<OneChip> chips_;
  std::vector<Entry> entries_in_;
  std::vector<Entry> entries_out_;
  std::uint64_t tickets_ = 0;
  std::shared_ptr<ResultsTogether> waiting_results_;  // null if other work was posted behind them
  std::uint64_t collected_room_ = 0;                  // words of each block
  std::uint64_t memory_room_ = 0;                     // words of each chip

  mutable DeviceMemory device_;
  std::unique_ptr<Buffer> sections_;
  std::unique_ptr<Buffer> steps_;
  std::unique_ptr<Buffer> lines_;
  std::unique_ptr<Buffer> states_;     // [chip][block]
  std::unique_ptr<Buffer> flags_;      // [chip][block][PE]
  std::unique_ptr<Buffer> memory_;     // [chip][word]
  std::unique_ptr<Buffer> collected_;  // [chip][block][word]
  std::unique_ptr<Buffer> events_;     // [chip][block][PE]
  std::unique_ptr<Buffer> faults_;     // [chip][block][PE]
  std::unique_ptr<Buffer> fields_in_;
  std::unique_ptr<Buffer> fields_out_;
  // Used by one step at a time.
  std::unique_ptr<Buffer> tasks_;
  std::unique_ptr<Buffer> more_tasks_;  // while those in tasks_ are still needed
  std::unique_ptr<Buffer> scratch_;
  std::unique_ptr<Buffer> parts_done_;
  std::unique_ptr<Buffer> turns_done_;
  std::unique_ptr<Buffer> words_in_;
  std::unique_ptr<Buffer> chips_out_;
  std::vector<uint> chips_there_;  // in chips_out_
  std::unique_ptr<Buffer> words_out_;
  std::unique_ptr<Buffer> counts_;
  ThreadPool::Lane lane_;
};

// ---- between the session's files ------------------------------------------------------------------------------------

inline constexpr std::size_t kLongBytes = 2 * kWordBytes;
static_assert(sizeof(LongWord) == kLongBytes && offsetof(LongWord, low) == kWordBytes,
              "long words go to the device as they are; what stands behind their last byte is cut off there");

[[nodiscard]] inline unsigned first_row(isa::Memory memory) { return memory == isa::Memory::gpr ? 0 : simd::kLmRow; }

/// Converts pairs of 64-bit words, the device's format, to long words.
[[nodiscard]] std::vector<LongWord> long_words(const std::vector<ulong>& pairs);
/// Place of an event or a fault, from the key that the device recorded.
[[nodiscard]] PePlace place_of(const ulong (&key)[3], unsigned chip, unsigned block, unsigned pe);

}  // namespace gdr::emulator::opencl
