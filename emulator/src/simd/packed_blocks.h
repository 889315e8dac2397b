// Blocks with few live PEs side by side in the lanes of host vectors, for compiled loop bodies.
//
// In a run of few i-particles most lanes of a vector have no live PE. All blocks compute the same for PEs with the same
// numbers, but each has its own record. So the live PEs of several blocks are packed into the states of as few blocks
// as can hold them. The loop's sections run there, and the results are copied back.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

#include "block_memory.h"
#include "decoded_program.h"
#include "jit/loop_jit.h"
#include "row_set.h"
#include "scheduler.h"
#include "sequence.h"

namespace gdr::emulator::simd {

/// Data that a program's sections around the loop body read and write.
struct PackingPlan {
  PackingPlan(const DecodedProgram& program, const Schedule& schedule);

  bool possible = false;          // true if nothing depends on the block or PE in which it runs
  std::vector<unsigned> taken;    // rows of registers that the sections read and never write
  std::vector<unsigned> kept;     // rows that they write, and in which they read values of the run before
  std::vector<unsigned> left;     // rows that they write, including `kept`
  std::vector<unsigned> bm;       // short words of broadcast memory that they read
  RowSet left_rows;               // as `left`
  RowSet written_in_termination;  // those of `left_rows` that loop termination writes
  RowSet of_body;                 // those of `left_rows` that only the body uses and no later run reads
};

/// Progress of a packed run.
struct PackedProgress {
  std::uint64_t turns = 0;  // 0: nothing was done
  bool ended = false;       // loop termination has run, too
};

/// Layout of the packed live PEs of some blocks: first PE 0 of each block, then PE 1, and so on. A lane of a host
/// vector therefore belongs to the same block in every vector. The number of places for blocks is a power of two.
/// Places after the last block are copies of it, and places after the last PE in its vector are copies of that PE.
class Packing {
 public:
  Packing() = default;
  /// At most as many blocks as a vector has lanes.
  Packing(BlockRange blocks, unsigned live_pes, unsigned lanes)
      : blocks_(blocks),
        live_pes_(live_pes),
        lanes_(lanes),
        places_(std::bit_ceil(blocks.count)),
        vectors_(vectors(blocks.count, live_pes, lanes)),
        pes_(all_lanes() / places_) {}

  [[nodiscard]] const BlockRange& blocks() const { return blocks_; }
  [[nodiscard]] unsigned live_pes() const { return live_pes_; }
  [[nodiscard]] unsigned places() const { return places_; }
  [[nodiscard]] unsigned vectors() const { return vectors_; }
  [[nodiscard]] unsigned all_lanes() const { return vectors_ * lanes_; }
  /// Number of PEs of a block that have lanes.
  [[nodiscard]] unsigned pes() const { return pes_; }
  /// Index, from the first word of the packed states, of the word of a row for this PE of the first block. The words of
  /// the other blocks follow.
  [[nodiscard]] std::size_t word(const Memory& packed, unsigned row, unsigned pe) const {
    const unsigned lane = pe * places_;
    return std::size_t{lane / kPesPerBlock} * packed.block_words() + row_place(row) + lane % kPesPerBlock;
  }

  /// Two packings are equal if they put every PE in the same place.
  friend bool operator==(const Packing& a, const Packing& b) {
    return a.blocks_.first == b.blocks_.first && a.blocks_.count == b.blocks_.count && a.live_pes_ == b.live_pes_ &&
           a.lanes_ == b.lanes_;
  }

  [[nodiscard]] static unsigned vectors(unsigned blocks, unsigned live_pes, unsigned lanes) {
    return (live_pes * std::bit_ceil(blocks) + lanes - 1) / lanes;
  }

 private:
  BlockRange blocks_{0, 0};
  unsigned live_pes_ = 0;
  unsigned lanes_ = 0;
  unsigned places_ = 0;
  unsigned vectors_ = 0;
  unsigned pes_ = 0;
};

/// Copies in pieces of a constant size: for a few words a call of std::memmove() would take longer than the copy.
inline void copy_words(const std::uint64_t* from, std::size_t words, std::uint64_t* to) {
  constexpr std::size_t kAtOnce = 4;
  if (words < kAtOnce) {
    for (std::size_t n = 0; n < words; ++n) to[n] = from[n];
    return;
  }
  for (std::size_t n = 0; n + kAtOnce < words; n += kAtOnce) std::memcpy(to + n, from + n, kAtOnce * sizeof *to);
  std::memcpy(to + words - kAtOnce, from + words - kAtOnce, kAtOnce * sizeof *to);
}

/// Rows to which the host wrote the same words in all blocks. They are kept here until a block's own state is needed,
/// so that packed PEs read them from one place. A copy of this object is empty, like that of PackedGroups.
class AlikeRows {
 public:
  AlikeRows() = default;
  AlikeRows(const AlikeRows& /*other*/) {}
  AlikeRows& operator=(const AlikeRows& other) {
    if (this != &other) clear();
    return *this;
  }
  ~AlikeRows() = default;

  /// Sets the words of the first PEs for all blocks. No other thread may use the blocks meanwhile.
  void put(unsigned row, std::span<const std::uint64_t> words, Memory& memory) {
    if (lacking_ != kAll) {  // blocks that have the rows may have changed them
      give({0, kBlocks}, memory);
      clear();
      lacking_ = kAll;  // stored only if needed, since the store takes long
    }
    if (number_[row] == 0) {
      rows_.push_back({row, 0, {}});
      number_[row] = static_cast<std::uint16_t>(rows_.size());
    }
    Row& own = rows_[number_[row] - 1U];
    std::ranges::copy(words, own.words.begin());
    own.pes = std::max(own.pes, static_cast<unsigned>(words.size()));
  }
  [[nodiscard]] bool has(unsigned row) const { return number_[row] != 0; }

  /// True if words() has all rows that any of these blocks lacks, for this many PEs.
  [[nodiscard]] bool serve(BlockRange blocks, unsigned pes) const {
    const unsigned lack = lacking_ & bits(blocks);
    return lack == 0 ||
           (lack == bits(blocks) && std::ranges::all_of(rows_, [&](const Row& row) { return row.pes >= pes; }));
  }
  /// Words of a row; null if these blocks have the row in their states.
  [[nodiscard]] const std::uint64_t* words(unsigned row, BlockRange blocks) const {
    return has(row) && (lacking_ & bits(blocks)) != 0 ? rows_[number_[row] - 1U].words.data() : nullptr;
  }

  /// Copies the rows into the states of those blocks that lack them.
  void give(BlockRange blocks, Memory& memory) {
    if ((lacking_ & bits(blocks)) == 0) return;
    const std::lock_guard lock(mutex_);
    for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) {
      if ((lacking_ & bits({block, 1})) == 0) continue;
      for (const Row& row : rows_) copy_words(row.words.data(), row.pes, memory.state(block) + row_place(row.row));
    }
    lacking_ &= ~bits(blocks);
  }

 private:
  void clear() {
    rows_.clear();
    number_ = {};
    lacking_ = 0;
  }

  struct Row {
    unsigned row = 0;
    unsigned pes = 0;
    std::array<std::uint64_t, kRowWords> words{};
  };
  static constexpr unsigned kAll = (1U << kBlocks) - 1;
  static unsigned bits(BlockRange blocks) { return ((1U << blocks.count) - 1) << blocks.first; }

  std::vector<Row> rows_;
  std::array<std::uint16_t, kRegisterRows> number_{};  // number of each row, from 1 on
  std::atomic<unsigned> lacking_{0};                   // a bit for each block
  std::mutex mutex_;                                   // several threads may need blocks
};

/// States of packed PEs.
struct PackedStates {
  Memory memory;
  std::vector<std::uint64_t> late;  // after a run that has ended, as in jit::PackedTurns
};

/// The states of some blocks, and the packed states that hold their live PEs.
class PackedBlocks {
 public:
  struct Program {
    const DecodedProgram& code;
    const Schedule& schedule;
    const jit::LoopJit& loop;
    const PackingPlan& plan;
  };
  PackedBlocks(const Program& program, Memory& memory, PackedStates& packed, const Packing& packing)
      : program_(program), memory_(memory), packed_(packed.memory), late_(packed.late), packing_(packing) {}

  /// Turns for all the blocks and vectors, without records.
  [[nodiscard]] jit::PackedTurns turns();

  /// True if the blocks' broadcast memories have the same words where sections read them.
  [[nodiscard]] bool bm_is_alike() const;
  void take_bm(unsigned states);
  /// Packs rows from `alike`, or from the blocks' states.
  void take_rows(const std::vector<unsigned>& rows, const AlikeRows& alike);
  void give_rows(const std::vector<unsigned>& rows);
  void give_flags();
  void give_invariants();
  /// Copies back all rows that a run that has ended has written.
  void give_ended();

 private:
  void take_row(unsigned row);
  template <unsigned at_once>
  void spread_row(unsigned row, const std::uint64_t* words);

  Program program_;
  Memory& memory_;
  Memory& packed_;
  std::vector<std::uint64_t>& late_;
  Packing packing_;
};

/// Packed states by the first of their blocks, with a note of those that hold data that the blocks' own states lack. A
/// copy of this object is empty: the owner copies everything back to the blocks before.
class PackedGroups {
 public:
  PackedGroups() = default;
  PackedGroups(const PackedGroups& /*other*/) {}
  PackedGroups& operator=(const PackedGroups& other) {
    if (this == &other) return *this;
    groups_ = {};
    kept_ = 0;
    return *this;
  }
  ~PackedGroups() = default;

  [[nodiscard]] PackedStates& states(unsigned first_block, const std::vector<isa::LongWord>& constants,
                                     unsigned states) {
    PackedStates& packed = groups_[first_block].states;
    if (packed.memory.block_words() == 0) {
      packed.memory.begin(constants, states);
      static_cast<void>(packed.memory.states({0, states}));  // made now: users step by block_words()
    }
    return packed;
  }
  /// Notes that the results of these blocks are only in the packed states.
  void keep(const Packing& packing) {
    const std::lock_guard lock(mutex_);
    groups_[packing.blocks().first].kept = packing;
    ++kept_;
  }
  /// True if the kept data have this packing. They then no longer count as kept, and the caller continues with them.
  [[nodiscard]] bool resume(const Packing& packing) {
    if (kept_ == 0) return false;
    const std::lock_guard lock(mutex_);
    Packing& kept = groups_[packing.blocks().first].kept;
    if (!(kept == packing)) return false;
    kept = {};
    --kept_;
    return true;
  }
  /// Calls function(packing, states) for all kept data of any of the blocks, which then no longer count as kept. Data
  /// for which spared(packing) is true are left out.
  template <class Spared, class Function>
  void take(BlockRange blocks, Spared spared, Function function) {
    if (kept_ == 0) return;
    const std::lock_guard lock(mutex_);
    for (Group& group : groups_) {
      const BlockRange& own = group.kept.blocks();
      if (own.first >= blocks.first + blocks.count || blocks.first >= own.first + own.count) continue;
      if (spared(group.kept)) continue;
      function(group.kept, group.states);
      group.kept = {};
      --kept_;
    }
  }
  /// Calls function(packing, memory) for all kept data. Must not be called while blocks run.
  template <class Function>
  void for_each(Function function) const {
    if (kept_ == 0) return;
    for (const Group& group : groups_) {
      if (group.kept.blocks().count > 0) function(group.kept, group.states.memory);
    }
  }

 private:
  struct Group {
    PackedStates states;
    Packing kept;
  };

  std::array<Group, kBlocks> groups_;
  std::atomic<unsigned> kept_{0};
  std::mutex mutex_;  // several threads may need blocks of one group
};

/// True if packing saves at least an eighth of the vectors of this many lanes.
[[nodiscard]] bool packing_pays(unsigned blocks, unsigned live_pes, unsigned lanes);

/// One run of some blocks, at most as many as a host vector has lanes.
class PackedRun {
 public:
  /// `resumes`: the data of the run before are in `packed` in the same packing, and nowhere else.
  PackedRun(const PackedBlocks::Program& program, Memory& memory, const AlikeRows& alike, PackedStates& packed,
            const Packing& packing, const LoopRun& loop, bool resumes);

  /// Runs loop initialization, `turns` turns of the body, all with a record, and, if `terminates` is true, loop
  /// termination. It stops earlier if compiled code gives up. `all`: these are all turns with a record. Counts in
  /// `tallies`, one for each block. If the run has not ended, its registers and flags are copied back to the blocks'
  /// states. If it has ended, they stay packed, and the caller must copy them back before they are read or written. If
  /// nothing was done, the blocks' states have all data that a run reads.
  PackedProgress run(std::uint64_t turns, bool all, bool terminates, Tally* tallies);

 private:
  void give_records(std::uint64_t turns);
  /// False if a floating-point event happened; its place would name a wrong block.
  bool run_section(isa::Section section);
  /// `terminates`: rows that only the body uses go to late_ instead of the states.
  [[nodiscard]] std::uint64_t run_turns(std::uint64_t turns, bool all, bool terminates);
  bool terminate();
  PackedProgress give_up();

  /// Words of these rows in all packed states, one state after the other.
  [[nodiscard]] std::vector<std::uint64_t> words_of(const std::vector<unsigned>& rows);
  void put_words(const std::vector<unsigned>& rows, const std::vector<std::uint64_t>& words);

  [[nodiscard]] const SectionCode& code_of(isa::Section section) const {
    return program_.schedule.sections[static_cast<std::size_t>(section)];
  }

  PackedBlocks::Program program_;
  Memory& memory_;
  const AlikeRows& alike_;
  Memory& packed_;
  std::vector<std::uint64_t>& late_;
  Packing packing_;
  PackedBlocks states_;
  const LoopRun& loop_;
  bool resumes_;
  std::vector<std::uint64_t> kept_before_;  // data of the run before
  std::vector<Tally> tallies_;              // one for each packed state
  std::vector<Sequence> sequences_;         // one for the full states and one for the last state
};

}  // namespace gdr::emulator::simd
