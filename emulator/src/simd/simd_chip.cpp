// The vector engine: state, runs, host access. Lines were translated to micro-operations when the program was lowered.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "host_isas.h"
#include "jit/loop_jit.h"
#include "line/decoded_program.h"
#include "line/scheduler.h"
#include "native_limits.h"
#include "packed_run.h"
#include "row_move.h"
#include "row_store.h"
#include "sequence.h"
#include "word/host_arithmetic.h"

namespace gdr::emulator {
namespace simd {
namespace {

using isa::Section;

constexpr BlockRange kAllBlocks{0, kBlocks};

// Lines of compiled bodies, each for one pair of an i- and a j-particle, that one thread executes sooner than two
// threads can share them. Measured with the 48 lines of gravity_jerk, for which a thread takes 5 ns: with 6,144
// interactions one thread is done as soon as two threads; with 16,384 it takes 1.15 times as long.
constexpr std::uint64_t kSoon = 400'000;

/// The reduction tree on rows of words, one row from each block. A thread can use only one at a time, since the rows
/// belong to the thread.
class Tree {
 public:
  Tree(KernelSet kernels, isa::Op op, Width width) {
    KernelKey key;
    key.op = op;
    key.width = width;
    key.native = kernels.arithmetic == Arithmetic::host;
    node_.run = find_kernel(kernels.isa, key);
    node_.width = width;
    node_.destinations = 1;
  }

  /// Distance from a block's rows to those of the next block.
  static constexpr std::size_t kBlockWords = 2 * kRowWords;

  [[nodiscard]] std::uint64_t* high(unsigned block) { return rows_.data() + block * kBlockWords; }
  [[nodiscard]] std::uint64_t* low(unsigned block) { return high(block) + kRowWords; }

  /// Reduces the rows, neighbours first. Only the first `pes` lanes count.
  FpEvents reduce(unsigned pes) {
    Tally tally;
    Lanes lanes;
    lanes.state = rows_.data();
    lanes.live_pes = pes;
    lanes.live_bits = static_cast<std::uint32_t>((std::uint64_t{1} << pes) - 1);
    lanes.tallies = &tally;
    for (std::uint32_t distance = 1; distance < kBlocks; distance *= 2) {
      const std::uint32_t step = distance * 2 * kRowWords;
      const std::uint32_t pairs = kBlocks / (2 * distance);
      node_.elements = static_cast<std::uint8_t>(std::min(pairs, isa::kVectorElements));
      for (std::uint32_t pair = 0; pair < pairs; pair += node_.elements) {
        const std::uint32_t at = pair * 2 * step;
        node_.a = {at, at + kRowWords, 2 * step, 1};
        node_.b = {at + step, at + step + kRowWords, 2 * step, 1};
        node_.to[0] = {at, at + kRowWords, 2 * step, kNowhere, {}};
        node_.run(node_, lanes);
      }
    }
    return tally.events;
  }

  [[nodiscard]] isa::LongWord result(unsigned pe) { return {high(0)[pe], static_cast<std::uint8_t>(low(0)[pe])}; }

 private:
  // Not cleared: the lanes that do not count may hold anything.
  using Rows = std::array<std::uint64_t, kBlocks * kBlockWords>;
  static Rows& rows_of_thread() {
    alignas(kVectorWords * sizeof(std::uint64_t)) thread_local Rows rows;
    return rows;
  }

  Rows& rows_ = rows_of_thread();
  MicroOp node_;
};

class SimdChip final : public Chip {
 public:
  SimdChip(KernelSet kernels, JitUse jit) : kernels_(kernels), jit_(jit) {}

 private:
  std::shared_ptr<const Lowered> do_lower(const isa::Program& program) const override {
    auto lowered = std::make_shared<const LoweredSimd>(program, kernels_, jit_);
    if (kernels_.arithmetic == Arithmetic::host) refuse_rounding_by_constants(lowered->code);
    return lowered;
  }

  void do_load(std::shared_ptr<const Lowered> program) override {
    code_ = lowered_here<LoweredSimd>(program);
    rows_.begin(*code_);
    tallies_ = {};
    blocks_in_runs_ = 0;
    equal_rows_were_written_ = false;
  }

  void do_patch(std::shared_ptr<const Lowered> program) override {
    auto patched = lowered_here<LoweredSimd>(program);
    if (blocks_in_runs_ != 0 || equal_rows_were_written_) return take_equal_rows_as_others(patched->code.program);
    rows_.patch(*patched);
    code_ = std::move(patched);
  }

  /// Goes on with a program whose loop body reads every row itself. For rows that are equal in all PEs since loop
  /// initialization it otherwise reads one word, which does not know what the host or section initialization write
  /// between the pieces of a run.
  void take_equal_rows_as_others(const isa::Program& program) {
    equal_rows_were_written_ = true;
    auto careful = std::make_shared<const LoweredSimd>(program, kernels_, jit_, EqualRows::in_their_own_words);
    rows_.patch(*careful);
    code_ = std::move(careful);
  }

  std::unique_ptr<Chip> do_clone() const override { return std::make_unique<SimdChip>(*this); }

  void do_run_initialization(unsigned block) override {
    const bool is_between_pieces = (blocks_in_runs_ >> block & 1U) != 0;
    if (is_between_pieces && !equal_rows_were_written_) take_equal_rows_as_others(code_->code.program);
    const HostArithmetic arithmetic(Subnormals::zero);
    Sequence run(code_->code.program, rows_.in_blocks({block, 1}), {block, 1}, tallies_.data(), kPesPerBlock);
    run.section(Section::initialization, section(Section::initialization));
    run.land();
  }

  void do_run_loop(BlockRange blocks, const LoopRun& loop) override {
    const HostArithmetic arithmetic(Subnormals::zero);
    // Only in the last iteration can some blocks lack a record; the first blocks have one.
    const RecordStream& stream = loop.stream;
    const auto in_last = static_cast<unsigned>(stream.records - (stream.iterations() - 1) * kBlocks);
    const std::size_t share = loop.collected.size() / blocks.count;
    const unsigned lanes = code_->loop.lanes();
    const unsigned end = blocks.first + blocks.count;
    const unsigned bits = ((1U << blocks.count) - 1) << blocks.first;
    if (loop.ends) {
      std::atomic_ref(blocks_in_runs_).fetch_and(~bits);  // other threads may have other blocks
    } else {
      std::atomic_ref(blocks_in_runs_).fetch_or(bits);
    }
    for (unsigned first = blocks.first; first < end;) {
      const unsigned boundary = stream.records > 0 && first < in_last ? in_last : kBlocks;
      const unsigned most = std::min(end, boundary) - first;
      unsigned count = std::min(lanes, most);
      PackedProgress progress;
      if (packing_pays(count, loop.live_pes, lanes)) {
        progress = run_packed(Packing({first, count}, loop.live_pes, lanes), loop, first < in_last);
      }
      if (progress.turns == 0) count = std::min(blocks_at_once(loop.live_pes), most);
      LoopRun own = loop;
      own.collected = loop.collected.subspan((first - blocks.first) * share, count * share);
      if (!progress.ended) run_side_by_side({first, count}, own, first < in_last, progress.turns);
      first += count;
    }
  }

  bool do_ends_soon(std::uint64_t interactions) const override {
    return code_->loop.has_code() && interactions * code_->code.steps(Section::loop_body).size() <= kSoon;
  }

  void do_write_bm(unsigned block, unsigned address, std::span<const isa::LongWord> words) override {
    std::uint64_t* bm = rows_.bm(block) + 2 * address;
    for (const isa::LongWord word : words) {
      *bm++ = word.upper().bits;
      *bm++ = word.lower().bits;
    }
  }

  void do_write_pe(unsigned block, unsigned pe, const PeWords& where, std::span<const isa::LongWord> words) override {
    do_write_pes({block, 1}, pe, where, words);
  }

  std::vector<isa::LongWord> do_read_pe(unsigned block, unsigned pe, const PeWords& where) const override {
    const std::uint64_t* lane = rows_.in_blocks({block, 1}).state(block) + pe;
    std::vector<isa::LongWord> words;
    words.reserve(where.count);
    for (std::size_t n = 0; n < where.count; ++n) {
      const unsigned row = row_of(where, n);
      const isa::LongWord pair = get_pair(lane, row & ~1u, code_->schedule.long_pairs[row / 2]);
      const bool is_long = where.width == Width::long_word;
      words.push_back(is_long ? pair : isa::widen(row % 2 == 0 ? pair.upper() : pair.lower()));
    }
    return words;
  }

  PeRegisters do_registers(unsigned block, unsigned pe) const override {
    const std::uint64_t* state = rows_.in_blocks({block, 1}).state(block);
    PeRegisters registers{};
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      const std::uint64_t* t = state + row_place(kTRow + 2 * element) + pe;
      registers.t[element] = {t[0], static_cast<std::uint8_t>(t[kRowWords])};
      for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
        const std::uint64_t bit = (state[flag_place(flag) + element] >> pe) & 1;
        registers.flags[element] |= static_cast<std::uint8_t>(bit << (flag - 1));
      }
    }
    return registers;
  }

  std::vector<isa::LongWord> do_read_bm(unsigned block, unsigned address, unsigned count) const override {
    const std::uint64_t* bm = rows_.bm(block) + 2 * address;
    std::vector<isa::LongWord> words;
    for (unsigned n = 0; n < count; ++n) words.push_back(isa::join({bm[2 * n]}, {bm[2 * n + 1]}));
    return words;
  }

  void do_write_registers(unsigned block, unsigned pe, const PeRegisters& registers) override {
    std::uint64_t* state = rows_.in_blocks({block, 1}).state(block);
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      std::uint64_t* t = state + row_place(kTRow + 2 * element) + pe;
      t[0] = registers.t[element].high;
      t[kRowWords] = registers.t[element].low;
      for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
        std::uint64_t& lanes = state[flag_place(flag) + element];
        const std::uint64_t bit = (registers.flags[element] >> (flag - 1)) & 1;
        lanes = (lanes & ~(std::uint64_t{1} << pe)) | (bit << pe);
      }
    }
  }

  void do_write_pes(BlockRange blocks, unsigned first_pe, const PeWords& where,
                    std::span<const isa::LongWord> words) override {
    const RowSet& equal = code_->schedule.invariant;
    for (unsigned n = 0; n < where.count; ++n) {
      const unsigned row = row_of(where, n);
      if (!equal.has(row & ~1U) && !equal.has(row | 1U)) continue;
      take_equal_rows_as_others(code_->code.program);
      break;
    }
    const std::size_t pes = words.size() / where.count;
    const unsigned lanes = code_->loop.lanes();
    const bool are_for_packed_runs = blocks.count == kBlocks && first_pe == 0 && code_->packing.possible &&
                                     packing_pays(lanes, static_cast<unsigned>(pes), lanes);
    for (unsigned n = 0, taken = 1; n < where.count; n += taken) {
      const unsigned row = row_of(where, n);
      const bool in_long_pair = code_->schedule.long_pairs[row / 2];
      // Two short words that fill a long pair are a long word.
      const bool fill_pair = where.width != Width::long_word && in_long_pair && row % 2 == 0 && n + 1 < where.count;
      taken = fill_pair ? 2 : 1;
      const bool is_short = where.width != Width::long_word && !fill_pair;
      // A short word in a long pair shares a plane with its neighbour.
      const std::uint64_t neighbours = !is_short || !in_long_pair ? 0 : row % 2 == 0 ? ~kShortBitsMask : kShortBitsMask;
      const unsigned first_row = is_short && !in_long_pair ? row : row & ~1U;
      const bool has_second = !is_short || neighbours == kShortBitsMask;
      std::array<std::uint64_t, kRowWords> first;
      std::array<std::uint64_t, kRowWords> second;
      for (std::size_t pe = 0; pe < pes; ++pe) {
        const isa::LongWord* const given = &words[pe * where.count + n];
        const isa::LongWord word = fill_pair ? isa::join(given[0].upper(), given[1].upper()) : *given;
        const isa::LongWord placed = neighbours == kShortBitsMask ? isa::join({}, word.upper()) : word;
        first[pe] = in_long_pair ? placed.high & ~neighbours : word.upper().bits << kShortShift;
        second[pe] = in_long_pair ? placed.low : word.lower().bits << kShortShift;
      }
      const bool runs_write = code_->packing.left_rows.has(row);
      if (are_for_packed_runs && neighbours == 0 && !runs_write) {
        rows_.put_alike(first_row, std::span(first).first(pes));
        if (has_second) rows_.put_alike(first_row + 1, std::span(second).first(pes));
        continue;
      }
      Memory& memory = rows_.in_blocks(blocks, runs_write ? Need::everything : Need::host_rows);
      for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) {
        std::uint64_t* const to = memory.state(block) + first_pe;
        if (neighbours == 0) {
          copy_words(first.data(), pes, to + row_place(first_row));
        } else {
          std::uint64_t* const shared = to + row_place(first_row);
          for (std::size_t pe = 0; pe < pes; ++pe) shared[pe] = (shared[pe] & neighbours) | first[pe];
        }
        if (has_second) copy_words(second.data(), pes, to + row_place(first_row + 1));
      }
    }
  }

  std::vector<isa::LongWord> do_collect(const Collection& collection, FpEvents& events) const override {
    if (!collection.reduction || collection.where.width != collection.node_width) {
      return Chip::do_collect(collection, events);
    }
    const HostArithmetic arithmetic(Subnormals::zero);
    const unsigned per_pe = collection.where.count;
    Tree tree(kernels_, *collection.reduction, collection.node_width);
    std::vector<isa::LongWord> results(collection.results);
    // As many words of all PEs as fit into a row, one after the other.
    for (unsigned first = 0; first < per_pe && first < collection.results;) {
      unsigned lanes = 0;
      unsigned n = first;
      for (; n < per_pe; ++n) {
        const unsigned wanted = wanted_pes(collection, n);
        if (lanes + wanted > kRowWords) break;
        if (wanted == 0) break;
        take(collection.where, n, wanted, lanes, tree);
        lanes += wanted;
      }
      events += tree.reduce(lanes);
      unsigned lane = 0;
      for (; first < n; ++first) {
        const unsigned wanted = wanted_pes(collection, first);
        for (unsigned pe = 0; pe < wanted; ++pe) results[pe * per_pe + first] = tree.result(lane++);
      }
    }
    return results;
  }

  FpLanes do_fp_lanes(unsigned block) const override { return tallies_[block].lanes; }
  FirstEvents do_first_events(unsigned block) const override { return tallies_[block].first_events; }
  FpEvents do_events(unsigned block) const override { return tallies_[block].events; }

  void do_reduce_blocks(isa::Op op, Width node_width, std::span<const std::span<const isa::LongWord>> blocks,
                        std::span<isa::LongWord> sums, FpEvents& events) const override {
    if (node_width == Width::short_word) return Chip::do_reduce_blocks(op, node_width, blocks, sums, events);
    const HostArithmetic arithmetic(Subnormals::zero);
    Tree tree(kernels_, op, node_width);
    for (std::size_t at = 0; at < sums.size(); at += kRowWords) {
      const auto lanes = static_cast<unsigned>(std::min<std::size_t>(kRowWords, sums.size() - at));
      for (unsigned block = 0; block < kBlocks; ++block) {
        for (unsigned lane = 0; lane < lanes; ++lane) {
          const isa::LongWord word = blocks[block][at + lane];
          tree.high(block)[lane] = word.high;
          tree.low(block)[lane] = word.low;
        }
      }
      events += tree.reduce(lanes);
      for (unsigned lane = 0; lane < lanes; ++lane) sums[at + lane] = tree.result(lane);
    }
  }

  /// Number of blocks that run together: more if there are few live PEs, but one if a block might fault, so that no
  /// later block has run.
  [[nodiscard]] unsigned blocks_at_once(unsigned live_pes) const {
    constexpr unsigned kVectorsAtOnce = 32;
    if (code_->schedule.may_fault) return 1;
    return std::max(1U, kVectorsAtOnce * kVectorWords / (live_pes + kVectorWords));
  }

  /// Runs packed blocks as far as compiled code can; `valid` as for run_side_by_side().
  PackedProgress run_packed(const Packing& packing, const LoopRun& loop, bool valid) {
    const BlockRange& blocks = packing.blocks();
    const std::uint64_t iterations = loop.stream.iterations();
    if (!code_->packing.possible || !loop.begins || !loop.ends || !code_->loop.may_begin()) return {};
    if (!code_->loop.ready_packed(iterations * blocks.count * loop.live_pes * isa::kVectorElements)) return {};
    const std::uint64_t with_record = valid ? iterations : iterations - std::min<std::uint64_t>(1, iterations);
    const std::uint64_t turns =
        with_record - (code_->loop.may_end_packed() ? 0 : std::min<std::uint64_t>(1, with_record));
    if (turns == 0) return {};
    RowStore::Packed packed = rows_.in_packing(packing, need_of(loop, blocks));
    if (!packed) return {};
    return PackedRun(*code_, packed, loop).run(turns, turns == with_record, turns == iterations, tallies_.data());
  }

  /// Blocks without a record do not overwrite what is written under `/j`.
  static Need need_of(const LoopRun& loop, BlockRange blocks) {
    const bool all_have_records = loop.stream.records >= blocks.first + blocks.count;
    return loop.begins && all_have_records ? Need::what_a_run_reads : Need::everything;
  }

  /// `valid`: the blocks have a record in the last iteration, too. `done`: number of iterations that have already run.
  void run_side_by_side(BlockRange blocks, const LoopRun& loop, bool valid, std::uint64_t done) {
    Memory& memory = rows_.in_blocks(blocks, done == 0 ? need_of(loop, blocks) : Need::everything);
    Sequence run(code_->code.program, memory, blocks, tallies_.data(), loop.live_pes);
    run.number(loop.run, loop.first_iteration);
    run.collect_into(loop.collected, blocks.count);
    if (loop.begins && done == 0) run.section(Section::loop_initialization, section(Section::loop_initialization));
    const SectionCode& body = section(Section::loop_body);
    const std::uint64_t iterations = loop.stream.iterations();
    const std::uint64_t with_record = valid ? iterations : iterations - 1;
    const bool compiled = code_->loop.ready(iterations * blocks.count * loop.live_pes * isa::kVectorElements);
    for (std::uint64_t iteration = done; iteration < iterations; ++iteration) {
      const bool may_begin = iteration > 0 || !loop.begins || code_->loop.may_begin();
      const std::uint64_t end =
          with_record - (code_->loop.may_end() ? 0 : 1);  // otherwise the interpreter runs the last turn
      if (compiled && with_record > 0 && iteration < end && may_begin) {
        run.land();
        run_compiled(memory, blocks, loop, iteration, end, end == with_record, run);
        // A broadcast memory holds two records.
        if (end > iteration + 1) run.receive_records(loop.stream, end - 2, true);
        run.receive_records(loop.stream, end - 1, true);
        iteration = end;
        if (iteration == iterations) break;
      }
      const bool has_record = iteration < with_record;
      run.receive_records(loop.stream, iteration, has_record);
      run.first_turn(loop.begins && iteration == 0);
      if (has_record) {
        run.section(Section::loop_body, body);
        if (iteration + 1 == with_record) run.operations(body.spread);
      } else {
        run.section(Section::loop_body, code_->schedule.body_without_record);
      }
    }
    if (loop.ends) run.section(Section::loop_termination, section(Section::loop_termination));
    run.land();
  }

  /// Runs turns `begin` to `end` of the loop body, all with a record, on compiled code as far as possible. `with_last`:
  /// the last of them is the last turn with a record.
  void run_compiled(Memory& memory, BlockRange blocks, const LoopRun& loop, std::uint64_t begin, std::uint64_t end,
                    bool with_last, Sequence& of_all) {
    const RecordStream& stream = loop.stream;
    const SectionCode& body = section(Section::loop_body);
    for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) {
      isa::LongWord* to = of_all.collected(block - blocks.first);
      for (std::uint64_t first = begin; first < end; first += code_->loop.turns()) {
        jit::BlockTurns turns;
        turns.state = memory.state(block);
        turns.record = stream.words.data() + (first * kBlocks + block) * stream.record_words;
        turns.record_step = std::size_t{kBlocks} * stream.record_words;
        turns.record_words = stream.record_words;
        turns.turns = static_cast<unsigned>(std::min<std::uint64_t>(code_->loop.turns(), end - first));
        turns.live_pes = loop.live_pes;
        turns.begins = loop.begins && first == 0;
        turns.ends = with_last && first + turns.turns == end;
        turns.collected = to;
        if (code_->loop.run(turns)) {
          tallies_[block].lanes.all += std::uint64_t{body.fp_elements} * loop.live_pes * turns.turns;
        } else {
          interpret_turns(memory, block, loop, first, turns);
        }
        to += code_->loop.collected_words(turns.turns, turns.begins);
      }
    }
    const auto count = static_cast<unsigned>(end - begin);
    of_all.skip_collected(code_->loop.collected_words(count, loop.begins && begin == 0));
  }

  /// Interprets turns that compiled code has refused.
  void interpret_turns(Memory& memory, unsigned block, const LoopRun& loop, std::uint64_t first,
                       const jit::BlockTurns& turns) {
    const SectionCode& body = section(Section::loop_body);
    Sequence interpreted(code_->code.program, memory, {block, 1}, tallies_.data(), loop.live_pes);
    interpreted.number(loop.run, loop.first_iteration);
    interpreted.collect_at(turns.collected);
    for (unsigned turn = 0; turn < turns.turns; ++turn) {
      interpreted.receive_records(loop.stream, first + turn, true);
      interpreted.first_turn(turns.begins && turn == 0);
      interpreted.section(Section::loop_body, body);
    }
    if (turns.ends) interpreted.operations(body.spread);
    interpreted.land();
  }

  [[nodiscard]] const SectionCode& section(Section section) const { return code_->section(section); }

  static unsigned row_of(const PeWords& where, std::size_t n) {
    const std::size_t address = where.address + n * isa::short_words(where.width);
    return static_cast<unsigned>(address) + (where.memory == isa::Memory::gpr ? 0 : kLmRow);
  }

  /// Number of PEs whose word n is wanted; of the last PE possibly not all elements are wanted.
  static unsigned wanted_pes(const Collection& collection, unsigned n) {
    const unsigned per_pe = collection.where.count;
    return (collection.results - std::min(n, collection.results) + per_pe - 1) / per_pe;
  }

  /// Copies words from the packed layout, where a PE has the words of all blocks in sequence, to a row of the tree for
  /// each block, two PEs at a time.
  static void unpack(const std::uint64_t* from, std::span<const std::size_t> words, unsigned blocks,
                     std::uint64_t* to) {
    using Two [[gnu::vector_size(2 * sizeof(std::uint64_t))]] = std::uint64_t;
    const auto pes = static_cast<unsigned>(words.size());
    const unsigned in_twos = pes > 1 ? blocks & ~1U : 0;
    for (unsigned pe = 0; in_twos > 0 && pe < pes; pe += 2) {
      const unsigned one = std::min(pe, pes - 2);  // the last step of an odd number overlaps the one before
      const std::uint64_t* const of_one = from + words[one];
      const std::uint64_t* const of_other = from + words[one + 1];
      for (unsigned block = 0; block < in_twos; block += 2) {
        Two a;
        Two b;
        std::memcpy(&a, of_one + block, sizeof a);
        std::memcpy(&b, of_other + block, sizeof b);
        const Two first = __builtin_shufflevector(a, b, 0, 2);
        const Two second = __builtin_shufflevector(a, b, 1, 3);
        std::uint64_t* const row = to + block * Tree::kBlockWords + one;
        std::memcpy(row, &first, sizeof first);
        std::memcpy(row + Tree::kBlockWords, &second, sizeof second);
      }
    }
    for (unsigned block = in_twos; block < blocks; ++block) {
      for (unsigned pe = 0; pe < pes; ++pe) to[block * Tree::kBlockWords + pe] = from[words[pe] + block];
    }
  }

  /// Copies word n of the first PEs of every block into the tree, from `lane` on.
  void take(const PeWords& where, unsigned n, unsigned pes, unsigned lane, Tree& tree) const {
    const unsigned row = row_of(where, n);
    if (where.width != Width::long_word || !code_->schedule.long_pairs[row / 2]) {
      const Memory& memory = rows_.in_blocks(kAllBlocks);
      for (unsigned block = 0; block < kBlocks; ++block) {
        take_pairs(memory.state(block), row, where.width, pes, tree.high(block) + lane, tree.low(block) + lane);
      }
      return;
    }
    const RowView view = rows_.view(row, pes);
    for (const RowView::Part& part : view.parts()) {
      if (part.packing != nullptr) {
        take_packed(part, row, pes, lane, tree);
        continue;
      }
      for (unsigned block = part.blocks.first; block < part.blocks.first + part.blocks.count; ++block) {
        const std::uint64_t* const state = part.memory->state(block);
        copy_words(state + row_place(row), pes, tree.high(block) + lane);
        copy_words(state + row_place(row + 1), pes, tree.low(block) + lane);
      }
    }
  }

  static void take_packed(const RowView::Part& part, unsigned row, unsigned pes, unsigned lane, Tree& tree) {
    std::array<std::size_t, kPesPerBlock> words;
    for (unsigned pe = 0; pe < pes; ++pe) words[pe] = part.packing->word(*part.memory, row, pe);
    for (const bool low : {false, true}) {
      const std::uint64_t* const from = part.memory->state(0) + (low ? kRowWords : 0);
      std::uint64_t* const to = (low ? tree.low(part.blocks.first) : tree.high(part.blocks.first)) + lane;
      unpack(from, std::span(words).first(pes), part.blocks.count, to);
    }
  }

  void take_pairs(const std::uint64_t* lane, unsigned row, Width width, unsigned pes, std::uint64_t* high,
                  std::uint64_t* low) const {
    for (unsigned pe = 0; pe < pes; ++pe) {
      const isa::LongWord pair = get_pair(lane + pe, row & ~1u, code_->schedule.long_pairs[row / 2]);
      const isa::LongWord word =
          width == Width::long_word ? pair : isa::widen(row % 2 == 0 ? pair.upper() : pair.lower());
      high[pe] = word.high;
      low[pe] = word.low;
    }
  }

  KernelSet kernels_;
  JitUse jit_;
  std::shared_ptr<const LoweredSimd> code_;
  mutable RowStore rows_;  // reading may move words, which nobody sees
  std::array<Tally, kBlocks> tallies_{};
  unsigned blocks_in_runs_ = 0;  // a bit for each whose run goes on with a further piece
  bool equal_rows_were_written_ = false;
};

}  // namespace

void note_events(const MicroOp& op, const Lanes& lanes, Tally& tally, const EventLanes& events) {
  const auto block = lanes.first_block + static_cast<unsigned>(&tally - lanes.tallies);
  // If the value is equal in all PEs, each lane is an element, and its event happens in every live PE.
  const unsigned pes = op.uniform ? std::min<unsigned>(lanes.live_pes, kKeptEvents) : 1;
  const auto note = [&](std::uint32_t with, FpEvent event) {
    for (unsigned lane = events.first; with != 0; ++lane, with >>= 1) {
      if ((with & 1) == 0) continue;
      for (unsigned pe = 0; pe < pes; ++pe) {
        tally.first_events.add({{lanes.run, lanes.section, lanes.iteration, op.line, 0, block, op.uniform ? pe : lane,
                                 op.uniform ? lane : events.element},
                                op.unit,
                                event});
      }
    }
  };
  note(events.invalid, FpEvent::invalid);
  note(events.overflow, FpEvent::overflow);
  note(events.underflow, FpEvent::underflow);
}

}  // namespace simd

bool can_compile_loops(HostIsa isa) {
  const std::vector<HostIsa> available = available_host_isas();
  return std::find(available.begin(), available.end(), isa) != available.end() && jit::code_target(isa) &&
         jit::can_compile();
}

bool can_compile_loops() { return can_compile_loops(available_host_isas().back()); }

namespace {

std::unique_ptr<Chip> make_vector_chip(const char* caller, simd::KernelSet kernels, JitUse jit) {
  require_host_isa(caller, kernels.isa);
  if (jit == JitUse::always && !can_compile_loops(kernels.isa)) {
    throw Error(fmt::format("{}: loop bodies cannot be compiled for {} on this host", caller, name_of(kernels.isa)));
  }
  return std::make_unique<simd::SimdChip>(kernels, jit);
}

}  // namespace

std::unique_ptr<Chip> make_simd_chip(HostIsa isa, JitUse jit) {
  return make_vector_chip("make_simd_chip", {isa, simd::Arithmetic::chip}, jit);
}

std::unique_ptr<Chip> make_native_chip(HostIsa isa, JitUse jit) {
  return make_vector_chip("make_native_chip", {isa, simd::Arithmetic::host}, jit);
}

std::unique_ptr<Chip> make_native_chip() { return make_native_chip(default_host_isa(), simd::default_jit_use()); }

std::unique_ptr<Chip> make_simd_chip() { return make_simd_chip(default_host_isa(), simd::default_jit_use()); }

}  // namespace gdr::emulator
