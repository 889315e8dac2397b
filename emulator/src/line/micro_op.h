// Lines are translated to micro-operations, each of which processes all elements and PEs of a block. This header
// defines them and the state of a block that they work on. The scheduler makes micro-operations, the kernels execute
// them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/host_isa.h"

namespace gdr::emulator::simd {

// ---- state ---------------------------------------------------------------------------------------------------------
//
// The state of a block is one array of 64-bit words; places in it are offsets in words. A row holds one plane of a word
// for all 32 PEs, PE fastest. A long word at address a takes rows a (bits 71..8) and a + 1 (bits 7..0). A pair of rows
// can instead hold two short words, each left-justified in its own row, so that it reads like a double. Which of the
// two a pair holds is known when the program is scheduled; it is not stored.

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

/// Space for the temporary words of one line; see Scheduler.
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
// A value that is equal in all PEs is stored as one word instead of a row. The words of a vector's elements are
// adjacent, so that one host vector computes them all. High planes of long words (by pair), their low planes, short
// words (by row).
inline constexpr std::uint32_t kUniformHigh = kBanks + 3 * kBankWords;
inline constexpr std::uint32_t kUniformLow = kUniformHigh + kRegisterRows / 2 + kVectorWords;
inline constexpr std::uint32_t kUniformShort = kUniformLow + kRegisterRows / 2 + kVectorWords;
inline constexpr std::uint32_t kConstants = kUniformShort + kRegisterRows + kVectorWords;  // two words each
}  // namespace place
static_assert(place::kBm % kVectorWords == 0 && place::kBanks % kVectorWords == 0, "rows are aligned");

[[nodiscard]] constexpr std::uint32_t row_place(unsigned row) { return place::kRegisters + row * kRowWords; }
/// Place of the uniform word of a row, whose pair holds a long word or two short words.
[[nodiscard]] constexpr std::uint32_t uniform_place(unsigned row, bool is_long) {
  if (!is_long) return place::kUniformShort + row;
  return (row % 2 == 0 ? place::kUniformHigh : place::kUniformLow) + row / 2;
}
[[nodiscard]] constexpr std::uint32_t flag_place(unsigned flag) { return place::kFlags + flag * isa::kVectorElements; }

/// Counts of a block's kernels since load().
struct Tally {
  FpEvents events;
  FirstEvents first_events;
  FpLanes lanes;
};

/// Blocks that execute the same place of the program together. A kernel processes all of them: with few live PEs, the
/// lanes of one block would not be enough to hide the host's latencies.
struct Lanes {
  std::uint64_t* state = nullptr;  // of the first block
  std::uint32_t blocks = 1;
  std::uint32_t block_words = 0;  // from one block's state to the next one's
  std::uint32_t live_pes = kPesPerBlock;
  std::uint32_t live_bits = ~std::uint32_t{0};  // bit p: PE p is live
  std::uint32_t record_base = 0;                // short words
  Tally* tallies = nullptr;                     // of each block
  unsigned first_block = 0;                     // for faults and events, like the following members
  std::uint64_t run = 0;                        // 0: section `initialization`
  std::uint64_t iteration = 0;                  // of the loop body
  const isa::Program* program = nullptr;        // for faults
  isa::LongWord* collected = nullptr;           // place of the first block's next word for the tree
  std::size_t collected_step = 0;               // distance to the next block's place
  bool first_turn = false;
  isa::Section section = isa::Section::initialization;
};

// ---- micro-operations ----------------------------------------------------------------------------------------------

/// Place of an operand. Steps are in words.
struct Operand {
  std::uint32_t high = place::kZero;
  std::uint32_t low = place::kZero;
  std::uint32_t element_step = 0;
  std::uint32_t lane_step = 1;  // 0: one word for all lanes
};

/// Condition of a write, with one bit for each PE and element: the word at `flag` + element, with the bits of `flip`
/// inverted.
struct Gate {
  std::uint32_t flag = flag_place(0);
  std::uint32_t flip = 0;
};

inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

/// Place of a result. With `mask_slot` all lanes are stored; the bits of the lanes that are really to be written go to
/// the four words from there on, for a later commit.
struct Destination {
  std::uint32_t high = 0;
  std::uint32_t low = kNowhere;  // for a short result: set to zero, unless kNowhere
  std::uint32_t element_step = 0;
  std::uint32_t mask_slot = kNowhere;
  Gate gate;
};

/// Place of a flag; `mask_slot` as in Destination.
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
  std::uint8_t lanes = 0;  // number of lanes of a uniform operation
  bool record = false;     // BM addresses are relative to the current record
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

/// Selects a kernel of an operation. `general` kernels handle masks, flags and held-back writes; the others store every
/// lane, in at least one destination. A short operand has zeros below its upper 36 bits.
struct KernelKey {
  isa::Op op = isa::Op::NOP;
  Width width = Width::long_word;  // of the result
  bool a_short = false;            // only for floating point
  bool b_short = false;
  bool negated = false;  // an operand is negated
  bool general = false;
  bool native = false;  // host floating point
};

/// Whether the kernel applies the sign flips of the micro-operation. General kernels always do, since the two extra
/// instructions do not matter there. Such kernels do not subtract, except in host arithmetic; FADD with b flipped is
/// used instead.
[[nodiscard]] inline bool flips_signs(const KernelKey& key) { return key.negated || key.general; }

[[nodiscard]] Kernel find_kernel(HostIsa isa, const KernelKey& key);

// ---- micro-operations that move words, the same on every host ----------------------------------------------------
namespace moves {

/// BM words to single words: `elements` words of `width` from BM address a.high (short words, step a.element_step).
extern const Kernel fetch_bm;
/// Convert `count` pairs of register rows from a.high on to the other layout, in place.
extern const Kernel longs_to_shorts;
extern const Kernel shorts_to_longs;
/// Copies of one word in the other layout: `a` is the pair, to[0] the place of the copy.
extern const Kernel upper_of_long;
extern const Kernel lower_of_long;
extern const Kernel long_of_shorts;
/// Copies `count` words from a.high to to[0].high.
extern const Kernel copy_words;
/// Sets `count` words at to[0].high to zero.
extern const Kernel clear_words;
/// Copies the word at a.high to all PEs of the row at to[0].high.
extern const Kernel spread;
/// Completes writes that were held back: `a` to to[0], only the lanes in to[0].mask_slot if there is one, `elements` in
/// order.
extern const Kernel commit;
/// Completes the write of a flag that was held back: value a.high, lanes to[0].mask_slot, flag to[0].high.
extern const Kernel commit_flag;
/// Computes the row numbers of an indirect access with address a.high and step a.element_step. They go to rows at
/// to[0], for the lanes of the mask and of to[0].gate; these lanes go to to[0].mask_slot. Throws Fault for an address
/// outside.
extern const Kernel indirect_rows;
/// Reads words from the rows whose numbers are at `b` into to[0], for the lanes in `to[0].mask_slot`. LM holds long
/// words if `count` is set, else short words.
extern const Kernel gather;
/// Writes words from `a` to the rows whose numbers are at `b`, element after element, for the lanes in
/// `to[0].mask_slot`.
extern const Kernel scatter;
/// Keeps a store of PE `count` in the slot at to[0].high: for each element two short words, the BM address, and whether
/// the element is stored.
extern const Kernel capture_store;
/// Writes the words of a slot at a.high to BM.
extern const Kernel commit_store;
/// Sends `count` long words of BM from a.high on to the tree. If `uniform` is set, the first turn sends nothing.
void collect_words(const MicroOp&, Lanes&);

}  // namespace moves

/// Lanes of one element that have an event; bit 0 is lane `first`.
struct EventLanes {
  unsigned element = 0;
  unsigned first = 0;
  std::uint32_t invalid = 0;
  std::uint32_t overflow = 0;
  std::uint32_t underflow = 0;
};
/// Records the places of these events of live PEs. Only the slow path calls it, and only if there are events.
void note_events(const MicroOp& op, const Lanes& lanes, Tally& tally, const EventLanes& events);

/// Words of a store slot per element.
inline constexpr std::uint32_t kStoreSlotWords = 4;

}  // namespace gdr::emulator::simd
