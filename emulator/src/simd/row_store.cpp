#include "row_store.h"

#include <algorithm>
#include <utility>

#include "gdr/base/error.h"
#include "row_move.h"

namespace gdr::emulator::simd {
namespace {

#ifdef NDEBUG
constexpr bool kPoisons = false;
#else
constexpr bool kPoisons = true;  // whoever reads words where they are no longer at home gets garbage
#endif
constexpr std::uint64_t kPoison = 0xa5a5'a5a5'a5a5'a5a5;

void poison_rows(std::uint64_t* state, const std::vector<unsigned>& rows, unsigned pes) {
  for (const unsigned row : rows) std::fill_n(state + row_place(row), pes, kPoison);
}

void poison_flags(std::uint64_t* state, const std::vector<jit::Left>& flags, unsigned pes) {
  const std::uint64_t live = ~std::uint64_t{0} >> (64 - pes);
  for (const jit::Left& left : flags) {
    std::uint64_t& lanes = state[flag_place(left.place / isa::kVectorElements) + left.place % isa::kVectorElements];
    lanes = (lanes & ~live) | (kPoison & live);
  }
}

}  // namespace

RowStore::RowStore() {
  for (std::atomic<std::uint8_t>& home : home_) home = kOwn;
}

RowStore::RowStore(const RowStore& other) : RowStore() {
  program_ = other.program_;
  memory_ = other.memory_;
  for (unsigned block = 0; block < kBlocks; ++block) {
    if ((other.alike_.lacking & bits({block, 1})) == 0) continue;
    for (const AlikeRow& row : other.alike_.rows) {
      copy_words(row.words.data(), row.pes, memory_.state(block) + row_place(row.row));
    }
  }
  for (unsigned first = 0; first < kBlocks; ++first) {
    if (other.home_[first] != first) continue;
    Group copy = other.groups_[first];
    unpack(copy, memory_);
    count(Transition::copied);
  }
}

void RowStore::begin(const LoweredSimd& program) {
  program_ = &program;
  memory_.begin(program.schedule.constants, kBlocks);
  groups_ = {};
  for (std::atomic<std::uint8_t>& home : home_) home = kOwn;
  alike_.rows.clear();
  alike_.number = {};
  alike_.lacking = 0;
}

void RowStore::patch(const LoweredSimd& program) {
  const auto& was_long = program_->schedule.long_pairs;
  const Memory before = std::move(in_blocks(kAllBlocks));
  memory_ = Memory();
  begin(program);
  for (unsigned block = 0; block < kBlocks; ++block) {
    const std::uint64_t* const from = before.state(block);
    std::uint64_t* const to = memory_.state(block);
    std::copy_n(from, place::kConstants, to);
    for (unsigned row = 0; row < kTRow; row += 2) {
      const bool is_long = program.schedule.long_pairs[row / 2];
      if (was_long[row / 2] == is_long) continue;
      for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
        put_pair(to + pe, row, is_long, get_pair(from + pe, row, was_long[row / 2]));
      }
    }
  }
}

Memory& RowStore::in_blocks(BlockRange blocks, Need need) {
  give_alike(blocks);
  if (need != Need::host_rows) {
    bring_home(blocks, need, nullptr, need == Need::everything ? Transition::ended_by_look : Transition::ended_by_run);
  }
  return memory_;
}

RowStore::Packed RowStore::in_packing(const Packing& packing, Need need) {
  const bool continues = need == Need::what_a_run_reads;
  bring_home(packing.blocks(), need, continues ? &packing : nullptr, Transition::ended_by_packing);
  if (!bm_is_alike(packing.blocks())) return {};
  return {*this, packing, need};
}

void RowStore::put_alike(unsigned row, std::span<const std::uint64_t> words) {
  if (alike_.lacking != bits(kAllBlocks)) {  // blocks that have the rows may have changed them
    give_alike(kAllBlocks);
    alike_.rows.clear();
    alike_.number = {};
    alike_.lacking = bits(kAllBlocks);
    count(Transition::alike_put);
  }
  std::uint16_t& number = alike_.number[row];
  if (number == 0) {
    alike_.rows.push_back({row, 0, {}});
    number = static_cast<std::uint16_t>(alike_.rows.size());
  }
  AlikeRow& alike = alike_.rows[number - 1U];
  std::ranges::copy(words, alike.words.begin());
  alike.pes = std::max(alike.pes, static_cast<unsigned>(words.size()));
}

RowView RowStore::view(unsigned row, unsigned pes) {
  RowView view;
  // A row that no run writes is in the blocks' own states, whatever the home of the others is.
  const bool is_left = program_->packing.left_rows.has(row);
  if (!is_left) give_alike(kAllBlocks);
  unsigned packed = 0;
  for (unsigned block = 0; block < kBlocks;) {
    const std::uint8_t home = home_[block];
    if (home == kOwn || !is_left) {
      if (view.count > 0 && view.all[view.count - 1].packing == nullptr) {
        ++view.all[view.count - 1].blocks.count;
      } else {
        view.all[view.count++] = {{block, 1}, &memory_, nullptr};
      }
      ++block;
      continue;
    }
    Group& group = groups_[home];
    if (group.packing.live_pes() < pes) {  // results of PEs that no run had; they are undefined
      count(Transition::ended_by_look);
      dissolve(group, Need::everything);
      continue;
    }
    if (group.late_waits && program_->loop.late().has(row)) land_late(group);
    view.all[view.count++] = {group.packing.blocks(), &group.states, &group.packing};
    block += group.packing.blocks().count;
    ++packed;
  }
  if (packed > 0) count(packed == view.count ? Transition::viewed : Transition::viewed_in_part);
  return view;
}

void RowStore::give_alike(BlockRange blocks) {
  if ((alike_.lacking.load(std::memory_order_relaxed) & bits(blocks)) == 0) return;
  for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) {
    if ((alike_.lacking.load(std::memory_order_relaxed) & bits({block, 1})) == 0) continue;
    for (const AlikeRow& row : alike_.rows) {
      copy_words(row.words.data(), row.pes, memory_.state(block) + row_place(row.row));
    }
  }
  alike_.lacking &= ~bits(blocks);
  count(Transition::alike_given);
}

void RowStore::bring_home(BlockRange blocks, Need need, const Packing* spared, Transition why) {
  const unsigned end = blocks.first + blocks.count;
  const auto is_own = [&](unsigned block) { return home_[block].load(std::memory_order_acquire) == kOwn; };
  unsigned block = blocks.first;
  while (block < end && is_own(block)) ++block;
  if (block == end) return;
  const std::lock_guard lock(moving_);
  for (; block < end; ++block) {
    if (is_own(block)) continue;
    Group& group = groups_[home_[block]];
    if (spared != nullptr && group.packing == *spared) return;  // it has exactly these blocks
    const BlockRange& own = group.packing.blocks();
    const bool all_asked_for = own.first >= blocks.first && own.first + own.count <= end;
    count(all_asked_for ? why : Transition::ended_across);
    dissolve(group, all_asked_for ? need : Need::everything);
  }
}

void RowStore::dissolve(Group& group, Need need) {
  GDR_ASSERT(is_home(static_cast<std::uint8_t>(group.packing.blocks().first), group.packing.blocks()),
             "a group is home to all of its blocks");
  const PackingPlan& plan = program_->packing;
  if (need == Need::what_a_run_reads) {
    unpack_rows(group.states, group.packing, plan.kept, memory_);
  } else {
    unpack(group, memory_);
  }
  group.late_waits = false;
  if (kPoisons) {
    for (unsigned lane = 0; lane < group.packing.all_lanes(); lane += kPesPerBlock) {
      poison_rows(group.states.state(lane / kPesPerBlock), plan.left, kPesPerBlock);
    }
  }
  set_home(group.packing, kOwn);
}

void RowStore::land_late(Group& group) const {
  if (!group.late_waits) return;
  jit::PackedTurns ended = turns_of(group.packing, group.states);
  ended.late = &group.late;
  program_->loop.land_late(ended);
  group.late_waits = false;
  count(Transition::landed);
}

void RowStore::unpack(Group& group, Memory& blocks) const {
  land_late(group);
  unpack_rows(group.states, group.packing, program_->packing.left, blocks);
  unpack_flags(group.states, group.packing, program_->loop.flags_left(), blocks);
}

void RowStore::set_home(const Packing& packing, std::uint8_t home) {
  for (unsigned n = 0; n < packing.blocks().count; ++n) {
    home_[packing.blocks().first + n].store(home, std::memory_order_release);
  }
}

bool RowStore::is_home(std::uint8_t group, BlockRange blocks) const {
  const auto begin = home_.begin() + blocks.first;
  return std::all_of(begin, begin + blocks.count, [&](const auto& home) { return home == group; });
}

bool RowStore::bm_is_alike(BlockRange blocks) const {
  const std::uint64_t* const first = memory_.state(blocks.first) + place::kBm;
  for (unsigned n = 1; n < blocks.count; ++n) {
    const std::uint64_t* const other = memory_.state(blocks.first + n) + place::kBm;
    for (const unsigned word : program_->packing.bm) {
      if (other[word] != first[word]) return false;
    }
  }
  return true;
}

void RowStore::pack_rows(const std::vector<unsigned>& rows, const Packing& packing, Memory& packed) {
  const bool are_alike = (alike_.lacking.load(std::memory_order_relaxed) & bits(packing.blocks())) != 0;
  for (const unsigned row : rows) {
    const unsigned number = are_alike ? alike_.number[row] : 0;
    if (number == 0) {
      pack_row(memory_, row, packing, packed);
    } else {
      pack_alike(alike_.rows[number - 1U].words.data(), row, packing, packed);
    }
  }
}

RowStore::Packed::Packed(RowStore& store, const Packing& packing, Need need) : store_(&store), packing_(packing) {
  const BlockRange& blocks = packing.blocks();
  const LoweredSimd& program = *store.program_;
  Memory& states = group().states;
  if (states.block_words() == 0) {
    states.begin(program.schedule.constants, program.loop.lanes());
    static_cast<void>(states.states({0, program.loop.lanes()}));  // made now: users step by block_words()
  }
  // Alike rows serve if all of the blocks lack them, with words for all live PEs.
  const unsigned lacking = store.alike_.lacking.load(std::memory_order_relaxed) & bits(blocks);
  const auto reaches = [&](const AlikeRow& row) { return row.pes >= packing.live_pes(); };
  if (lacking != bits(blocks) || !std::ranges::all_of(store.alike_.rows, reaches)) store.give_alike(blocks);

  const std::uint64_t* const bm = store.bm(blocks.first);
  for (unsigned state = 0; state < states_in_use(); ++state) {
    for (const unsigned word : program.packing.bm) states.state(state)[place::kBm + word] = bm[word];
  }
  store.pack_rows(program.packing.taken, packing, states);
  goes_on_ = need == Need::what_a_run_reads && store.home_[blocks.first] == blocks.first;
  if (goes_on_) {
    kept_before_ = words_of(program.packing.kept);
    count(Transition::gone_on);
  } else {
    store.pack_rows(program.packing.kept, packing, states);
    count(Transition::packed);
  }
}

RowStore::Packed::~Packed() {
  if (store_ == nullptr) return;
  count(goes_on_ ? Transition::given_up_going_on : Transition::given_up);
  if (!goes_on_) return;
  put_words(store_->program_->packing.kept, kept_before_);
  const std::lock_guard lock(store_->moving_);
  store_->dissolve(group(), Need::what_a_run_reads);
}

std::vector<std::uint64_t> RowStore::Packed::words_of(const std::vector<unsigned>& rows) {
  std::vector<std::uint64_t> words;
  words.reserve(std::size_t{states_in_use()} * rows.size() * kRowWords);
  for (unsigned state = 0; state < states_in_use(); ++state) {
    for (const unsigned row : rows) {
      const std::uint64_t* const from = states().state(state) + row_place(row);
      words.insert(words.end(), from, from + kRowWords);
    }
  }
  return words;
}

void RowStore::Packed::put_words(const std::vector<unsigned>& rows, const std::vector<std::uint64_t>& words) {
  const std::uint64_t* from = words.data();
  for (unsigned state = 0; state < states_in_use(); ++state) {
    for (const unsigned row : rows) {
      std::copy_n(from, kRowWords, states().state(state) + row_place(row));
      from += kRowWords;
    }
  }
}

void RowStore::Packed::keep() {
  RowStore& store = *std::exchange(store_, nullptr);
  const BlockRange& blocks = packing_.blocks();
  if (kPoisons) {
    for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) {
      poison_rows(store.memory_.state(block), store.program_->packing.left, packing_.live_pes());
      poison_flags(store.memory_.state(block), store.program_->loop.flags_left(), packing_.live_pes());
    }
  }
  Group& group = store.groups_[blocks.first];
  group.packing = packing_;
  group.late_waits = true;
  if (!goes_on_) store.set_home(packing_, static_cast<std::uint8_t>(blocks.first));
}

void RowStore::Packed::bring_back(bool with_flags) {
  RowStore& store = *std::exchange(store_, nullptr);
  const LoweredSimd& program = *store.program_;
  const Memory& states = store.groups_[packing_.blocks().first].states;
  unpack_rows(states, packing_, program.packing.left, store.memory_);
  if (with_flags) unpack_flags(states, packing_, program.loop.flags_left(), store.memory_);
  unpack_invariants(states, packing_, program.schedule, store.memory_);
  store.groups_[packing_.blocks().first].late_waits = false;
  if (goes_on_) store.set_home(packing_, kOwn);
  count(Transition::stopped);
}

}  // namespace gdr::emulator::simd
