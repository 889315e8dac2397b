// Where the words of a chip are.
//
// A run of few live PEs goes on in the packed states of groups of blocks (packing.h), and often the next run does, too.
// Copying words back to the blocks after each run would take up to two thirds of its time. So a word may be in one of
// several places, and this class alone knows in which.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "block_memory.h"
#include "lowered.h"
#include "packing.h"
#include "row_transitions.h"

namespace gdr::emulator::simd {

/// The words of blocks that the next step needs.
enum class Need : std::uint8_t {
  everything,
  /// What a run reads that begins in blocks that all have a record. It overwrites all other words that runs write, and
  /// all flags, before it reads them.
  what_a_run_reads,
  host_rows  // rows that no section writes
};

/// Where a row of all blocks can be read.
struct RowView {
  struct Part {
    BlockRange blocks;
    const Memory* memory = nullptr;
    const Packing* packing = nullptr;  // null: the memory holds the blocks' own states
  };
  [[nodiscard]] std::span<const Part> parts() const { return std::span(all).first(count); }

  std::array<Part, kBlocks> all{};
  unsigned count = 0;
};

/// All words of a chip. Invariant, for the words that loop sections of the program write (PackingPlan::left, flags):
/// each block has exactly one home, its own state or the packed states of one group; a group is home to all of its
/// blocks or to none. Rows that no section writes are in the block's own state, or, if the host gave them alike to all
/// blocks, in alike_ for the blocks of alike_.lacking. Broadcast memory and places of uniform values are always in the
/// block's own state. In debug builds the places that are no longer home are filled with garbage.
///
/// Calls for different blocks may come from different threads at the same time if each thread calls in_blocks() or
/// in_packing() for a block before it touches it; all other calls may not.
class RowStore {
 public:
  class Packed;

  RowStore();
  /// The copy has the same words, all of them in the blocks' own states. The original does not change.
  RowStore(const RowStore& other);
  RowStore& operator=(const RowStore&) = delete;
  ~RowStore() = default;

  /// All words are zero, and all homes the blocks'. The program must live as long as it is in use here.
  void begin(const LoweredSimd& program);
  /// Puts another program in the place of this one and keeps the words.
  void patch(const LoweredSimd& program);

  /// The blocks' own states, with the words that `need` names, which are at home there afterwards.
  Memory& in_blocks(BlockRange blocks, Need need = Need::everything);
  /// Packed states, with the words that `need` names; those of other groups of these blocks come to the blocks before.
  /// Empty if the blocks cannot be packed, because they differ in a word of broadcast memory that the sections read.
  [[nodiscard]] Packed in_packing(const Packing& packing, Need need);
  /// Sets the words of the first PEs in all blocks, in a row that no section writes.
  void put_alike(unsigned row, std::span<const std::uint64_t> words);
  /// Where a row of long words can be read, for this many PEs.
  [[nodiscard]] RowView view(unsigned row, unsigned pes);

  /// Broadcast memory of a block, a short word each.
  [[nodiscard]] std::uint64_t* bm(unsigned block) { return memory_.state(block) + place::kBm; }

 private:
  struct Group {
    Memory states{Pages::small};      // packed rows take few of their words
    std::vector<std::uint64_t> late;  // as in jit::PackedTurns
    bool late_waits = false;          // `late` holds words that the states lack
    Packing packing;
  };
  struct AlikeRow {
    unsigned row = 0;
    unsigned pes = 0;
    std::array<std::uint64_t, kRowWords> words{};
  };
  struct AlikeRows {
    std::vector<AlikeRow> rows;
    std::array<std::uint16_t, kRegisterRows> number{};  // of each row, from 1 on
    std::atomic<unsigned> lacking{0};                   // a bit for each block whose own state lacks the rows
  };
  static constexpr std::uint8_t kOwn = kBlocks;  // a home; others are the first block of a group
  static constexpr BlockRange kAllBlocks{0, kBlocks};

  void give_alike(BlockRange blocks);
  /// Brings home the words of groups that have any of these blocks, except a group of the packing `spared`.
  void bring_home(BlockRange blocks, Need need, const Packing* spared, Transition why);
  /// Brings a group's words to its blocks.
  void dissolve(Group& group, Need need);
  void land_late(Group& group) const;
  void unpack(Group& group, Memory& blocks) const;
  void set_home(const Packing& packing, std::uint8_t home);
  [[nodiscard]] bool is_home(std::uint8_t group, BlockRange blocks) const;
  [[nodiscard]] bool bm_is_alike(BlockRange blocks) const;
  void pack_rows(const std::vector<unsigned>& rows, const Packing& packing, Memory& packed);
  static unsigned bits(BlockRange blocks) { return ((1U << blocks.count) - 1) << blocks.first; }

  const LoweredSimd* program_ = nullptr;
  Memory memory_;                      // the blocks' own states
  std::array<Group, kBlocks> groups_;  // by first block
  std::array<std::atomic<std::uint8_t>, kBlocks> home_;
  AlikeRows alike_;
  std::mutex moving_;  // several threads may have blocks of one old group
};

/// Packed states of a group while a run changes them. If it goes away before keep() or bring_back(), the blocks have
/// the words of before.
class RowStore::Packed {
 public:
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  ~Packed();

  explicit operator bool() const { return store_ != nullptr; }
  [[nodiscard]] const Packing& packing() const { return packing_; }
  [[nodiscard]] Memory& states() { return group().states; }
  [[nodiscard]] std::vector<std::uint64_t>& late() { return group().late; }
  /// The blocks' own states, for their broadcast memory.
  [[nodiscard]] Memory& blocks() { return store_->memory_; }
  [[nodiscard]] unsigned states_in_use() const { return (packing_.all_lanes() + kPesPerBlock - 1) / kPesPerBlock; }

  /// The words of these rows in all states in use, one state after the other.
  [[nodiscard]] std::vector<std::uint64_t> words_of(const std::vector<unsigned>& rows);
  void put_words(const std::vector<unsigned>& rows, const std::vector<std::uint64_t>& words);

  /// The run has ended; its words stay here, those of LoopJit::late() in late().
  void keep();
  /// The run has stopped after some iterations; the words that it has written come to the blocks. `with_flags`: flags,
  /// too, since the last iteration with a record has run.
  void bring_back(bool with_flags);

 private:
  friend class RowStore;
  Packed() = default;
  Packed(RowStore& store, const Packing& packing, Need need);
  [[nodiscard]] Group& group() { return store_->groups_[packing_.blocks().first]; }

  RowStore* store_ = nullptr;
  Packing packing_;
  bool goes_on_ = false;                    // the group was home to its blocks
  std::vector<std::uint64_t> kept_before_;  // then: the words that the run reads, before it
};

}  // namespace gdr::emulator::simd
