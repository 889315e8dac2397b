// What a line becomes: micro-operations that each run over all elements and PEs of a block, and the block's state they
// work on. Shared by the scheduler, which makes them, and the kernels, which run them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/host_isa.h"

namespace gdr::emulator::simd {

// ---- state ---------------------------------------------------------------------------------------------------------
//
// The state of a block is one array of 64-bit words; places in it are offsets in words. A row is one plane of a word of
// all 32 PEs, PE fastest. A long word at address a takes rows a (bits 71..8) and a + 1 (bits 7..0). A pair that holds
// two short words has each in its own row, left-justified, so that it reads like a double. Which of the two a pair
// holds is known when the program is scheduled; it is not stored.

inline constexpr std::uint32_t kRowWords = kPesPerBlock;
/// Words of the widest host vector.
inline constexpr std::uint32_t kVectorWords = 8;

/// Register rows: GPR, then LM, then T (two rows per element).
inline constexpr unsigned kLmRow = isa::kGprShortWords;
inline constexpr unsigned kTRow = kLmRow + isa::kLmShortWords;
inline constexpr unsigned kRegisterRows = kTRow + isa::kTShortWords;

/// Bits of a left-justified short word.
inline constexpr std::uint64_t kShortBitsMask = isa::kShortMask << (64 - isa::kShortBits);
inline constexpr int kShortShift = 64 - isa::kShortBits;

/// Room for what one line needs beside the registers; see Scheduler.
inline constexpr std::uint32_t kBankWords = 8192;

namespace place {
inline constexpr std::uint32_t kRegisters = 0;
inline constexpr std::uint32_t kZero = kRegisters + kRegisterRows * kRowWords;  // 8 rows of zeros
inline constexpr std::uint32_t kPeIdShort = kZero + 8 * kRowWords;              // as a short word
inline constexpr std::uint32_t kPeIdLow = kPeIdShort + kRowWords;               // low plane of a long word
inline constexpr std::uint32_t kBlockIdShort = kPeIdLow + kRowWords;            // one word
inline constexpr std::uint32_t kBlockIdLow = kBlockIdShort + kVectorWords;      // one word
inline constexpr std::uint32_t kFlags = kBlockIdLow + kVectorWords;             // [5][4]; flag 0: always true
inline constexpr std::uint32_t kBm =
    kFlags + (isa::kFlags + 1) * isa::kVectorElements + 4;         // right-aligned short words
inline constexpr std::uint32_t kBanks = kBm + isa::kBmShortWords;  // of even lines, odd lines, edge
// A value equal in all PEs is one word instead of a row: those of a vector's elements stand side by side, so that one
// host vector computes them all. High planes of long words (by pair), their low planes, short words (by row).
inline constexpr std::uint32_t kUniformHigh = kBanks + 3 * kBankWords;
inline constexpr std::uint32_t kUniformLow = kUniformHigh + kRegisterRows / 2 + kVectorWords;
inline constexpr std::uint32_t kUniformShort = kUniformLow + kRegisterRows / 2 + kVectorWords;
inline constexpr std::uint32_t kConstants = kUniformShort + kRegisterRows + kVectorWords;  // two words each
}  // namespace place
static_assert(place::kBm % kVectorWords == 0 && place::kBanks % kVectorWords == 0, "rows are aligned");

[[nodiscard]] constexpr std::uint32_t row_place(unsigned row) { return place::kRegisters + row * kRowWords; }
/// Of a row whose pair holds a long word, or two short ones.
[[nodiscard]] constexpr std::uint32_t uniform_place(unsigned row, bool is_long) {
  if (!is_long) return place::kUniformShort + row;
  return (row % 2 == 0 ? place::kUniformHigh : place::kUniformLow) + row / 2;
}
[[nodiscard]] constexpr std::uint32_t flag_place(unsigned flag) { return place::kFlags + flag * isa::kVectorElements; }

/// What a block's kernels counted since load().
struct Tally {
  FpEvents events;
  FirstEvents first_events;
  FpLanes lanes;
};

/// Blocks at work, all at the same place of the program. A kernel goes through all of them: with few live PEs one
/// block's lanes alone would leave the host waiting for its own latencies.
struct Lanes {
  std::uint64_t* state = nullptr;  // of the first block
  std::uint32_t blocks = 1;
  std::uint32_t block_words = 0;  // from one block's state to the next one's
  std::uint32_t live_pes = kPesPerBlock;
  std::uint32_t live_bits = ~std::uint32_t{0};  // bit p: PE p is live
  std::uint32_t record_base = 0;                // short words
  Tally* tallies = nullptr;                     // of each block
  unsigned first_block = 0;                     // for faults and events, as what follows
  std::uint64_t run = 0;                        // 0: section `initialization`
  std::uint64_t iteration = 0;                  // of the loop body
  const isa::Program* program = nullptr;        // for faults
  isa::LongWord* collected = nullptr;           // where the first block's next word for the tree goes
  std::size_t collected_step = 0;               // to the next block's
  bool first_turn = false;
  isa::Section section = isa::Section::initialization;
};

// ---- micro-operations ----------------------------------------------------------------------------------------------

/// Where an operand stands; steps are in words.
struct Operand {
  std::uint32_t high = place::kZero;
  std::uint32_t low = place::kZero;
  std::uint32_t element_step = 0;
  std::uint32_t lane_step = 1;  // 0: one word for all
};

/// A bit per PE and element that must be set for a write: the word at `flag` + element, flipped where `flip` is set.
struct Gate {
  std::uint32_t flag = flag_place(0);
  std::uint32_t flip = 0;
};

inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

/// Where a result goes. With `mask_slot` all lanes are stored, and the bits of those that the write is meant for go to
/// the four words from there on, for a commit later.
struct Destination {
  std::uint32_t high = 0;
  std::uint32_t low = kNowhere;  // of a short result: set to zero, if anywhere
  std::uint32_t element_step = 0;
  std::uint32_t mask_slot = kNowhere;
  Gate gate;
};

/// Where a flag goes; with `mask_slot` as for Destination.
struct FlagDestination {
  std::uint32_t place = kNowhere;
  std::uint32_t mask_slot = kNowhere;
  isa::Condition condition = isa::Condition::negative;
  Gate gate;
};

struct MicroOp;
using Kernel = void (*)(const MicroOp&, Lanes&);

struct MicroOp {
  Kernel run = nullptr;
  std::uint8_t elements = 1;
  std::uint8_t destinations = 0;
  bool uniform = false;    // equal in all PEs: the lanes are the line's elements instead
  std::uint8_t lanes = 0;  // of a uniform operation
  bool record = false;     // BM addresses count from the current record
  Width width = Width::long_word;
  std::uint16_t line = 0;  // for faults and events
  isa::Unit unit = isa::Unit::none;
  std::uint32_t count = 0;
  Operand a;
  Operand b;
  std::uint64_t flip_a = 0;  // sign bit of a negated operand
  std::uint64_t flip_b = 0;
  std::array<Destination, 3> to;
  Gate mask;
  std::uint32_t lane_mask = ~std::uint32_t{0};
  FlagDestination flag;
};

/// Picks a kernel of an operation. `general` kernels know masks, flags, several widths of bookkeeping; the others store
/// every lane, in one destination at least. A short operand has zeros below its upper 36 bits.
struct KernelKey {
  isa::Op op = isa::Op::NOP;
  Width width = Width::long_word;  // of the result
  bool a_short = false;            // floating point alone
  bool b_short = false;
  bool negated = false;  // an operand is negated
  bool general = false;
  bool native = false;  // floating point of the host
};

/// Whether the kernel flips the signs of operands as the micro-operation says; to a general one the two instructions do
/// not matter. None of them subtracts, unless in the host's arithmetic: FADD with b flipped does.
[[nodiscard]] inline bool flips_signs(const KernelKey& key) { return key.negated || key.general; }

[[nodiscard]] Kernel find_kernel(HostIsa isa, const KernelKey& key);

// ---- micro-operations that move words, the same on every host ----------------------------------------------------
namespace moves {

/// BM words to single words: `elements` words of `width` from BM address a.high (short words, step a.element_step).
extern const Kernel fetch_bm;
/// Pairs of register rows, `count` of them from a.high on, from one layout to the other in place.
extern const Kernel longs_to_shorts;
extern const Kernel shorts_to_longs;
/// Views of one word in the other layout; a is the pair, to[0] the place.
extern const Kernel upper_of_long;
extern const Kernel lower_of_long;
extern const Kernel long_of_shorts;
/// Rows, `count` words from a.high to to[0].high.
extern const Kernel copy_words;
/// Zeros, `count` words at to[0].high.
extern const Kernel clear_words;
/// A word to all PEs of a row: a.high to to[0].high.
extern const Kernel spread;
/// Writes that were held back: a to to[0], lanes of to[0].mask_slot if there is one, `elements` in order.
extern const Kernel commit;
/// A flag that was held back: value a.high, lanes to[0].mask_slot, flag to[0].high.
extern const Kernel commit_flag;
/// Row numbers of an indirect access: address a.high, step a.element_step, to rows of numbers at to[0], for the lanes
/// of the mask and of to[0].gate, which go to to[0].mask_slot. Throws Fault for an address outside.
extern const Kernel indirect_rows;
/// Words from the rows numbered at b to to[0]; `to[0].mask_slot` the lanes. LM holds longs if `count`, else shorts.
extern const Kernel gather;
/// Words from a to the rows numbered at b, element after element, lanes `to[0].mask_slot`.
extern const Kernel scatter;
/// The words of PE `count` and where in BM they go, to the slot at to[0].high: per element two short words, address,
/// and whether it is stored.
extern const Kernel capture_store;
/// The words of a slot at a.high to BM.
extern const Kernel commit_store;
/// Long words of BM, `count` from a.high on, to the tree; nothing in the first turn if `uniform`.
void collect_words(const MicroOp&, Lanes&);

}  // namespace moves

/// Lanes of one element with an event, bit 0 being lane `first`.
struct EventLanes {
  unsigned element = 0;
  unsigned first = 0;
  std::uint32_t invalid = 0;
  std::uint32_t overflow = 0;
  std::uint32_t underflow = 0;
};
/// Keeps the places of these events of live PEs. Called by the slow path alone, and there if something happened.
void note_events(const MicroOp& op, const Lanes& lanes, Tally& tally, const EventLanes& events);

/// Words of a store slot per element.
inline constexpr std::uint32_t kStoreSlotWords = 4;

}  // namespace gdr::emulator::simd
