// The vector engine: state, runs, host access. What a line does was settled when the program was loaded.
#include <fmt/format.h>

#include <algorithm>

#include "decoded_program.h"
#include "gdr/emulator/host_isa.h"
#include "host_arithmetic.h"
#include "scheduler.h"

namespace gdr::emulator {
namespace simd {
namespace {

using isa::Section;

struct alignas(kSplatWords * sizeof(std::uint64_t)) Splat {
  std::array<std::uint64_t, kSplatWords> words{};
};

struct Block {
  std::vector<Splat> memory;
  FpEvents events;

  [[nodiscard]] std::uint64_t* state() { return memory.front().words.data(); }
  [[nodiscard]] const std::uint64_t* state() const { return memory.front().words.data(); }
};

Block make_block(unsigned id, const std::vector<isa::LongWord>& constants) {
  Block block;
  block.memory.resize((place::kConstants + constants.size() * 2 * kSplatWords) / kSplatWords);
  std::uint64_t* state = block.state();
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    state[place::kPeIdShort + pe] = std::uint64_t{pe} << kShortShift;
    state[place::kPeIdLow + pe] = pe;
  }
  std::fill_n(state + place::kBlockIdShort, kSplatWords, std::uint64_t{id} << kShortShift);
  std::fill_n(state + place::kBlockIdLow, kSplatWords, std::uint64_t{id});
  std::fill_n(state + flag_place(0), isa::kVectorElements, 0xffffffff);
  for (std::size_t n = 0; n < constants.size(); ++n) {
    std::uint64_t* high = state + place::kConstants + n * 2 * kSplatWords;
    std::fill_n(high, kSplatWords, constants[n].high);
    std::fill_n(high + kSplatWords, kSplatWords, std::uint64_t{constants[n].low});
  }
  return block;
}

/// Sections of one block, one after the other, with the writes that the last one has left over.
class Sequence {
 public:
  Sequence(const isa::Program& program, Block& block, unsigned live_pes) {
    lanes_.state = block.state();
    lanes_.live_pes = live_pes;
    lanes_.live_bits = static_cast<std::uint32_t>((std::uint64_t{1} << live_pes) - 1);
    lanes_.events = &block.events;
    lanes_.program = &program;
  }

  void receive_record(const RecordStream& stream, std::uint64_t iteration, unsigned block, bool valid) {
    lanes_.record_base = record_base(stream.record_words, iteration);
    std::uint64_t* to = lanes_.state + place::kBm + lanes_.record_base;
    const isa::LongWord* words = stream.words.data() + (iteration * kBlocks + block) * stream.record_words;
    for (unsigned n = 0; n < stream.record_words; ++n) {
      const isa::LongWord word = valid ? words[n] : isa::LongWord{};
      to[2 * n] = word.upper().bits;
      to[2 * n + 1] = word.lower().bits;
    }
  }

  void section(Section section, const SectionCode& code) {
    if (code.empty) return;
    lanes_.section = section;
    const MicroOp* const ops = code.ops.data();
    for (std::size_t n = 0; n < code.hook; ++n) ops[n].run(ops[n], lanes_);
    land();
    for (std::size_t n = code.hook; n < code.ops.size(); ++n) ops[n].run(ops[n], lanes_);
    left_over_ = &code.edge;
  }

  void operations(const std::vector<MicroOp>& ops) {
    for (const MicroOp& op : ops) op.run(op, lanes_);
  }

  void land() {
    if (left_over_ != nullptr) operations(*left_over_);
    left_over_ = nullptr;
  }

 private:
  Lanes lanes_;
  const std::vector<MicroOp>* left_over_ = nullptr;
};

class SimdChip final : public Chip {
 public:
  explicit SimdChip(HostIsa isa) : isa_(isa) {}

  void load(const isa::Program& program) override {
    code_ = decode_program(program);
    schedule_ = make_schedule(code_, isa_);
    blocks_.clear();
    for (unsigned block = 0; block < kBlocks; ++block) blocks_.push_back(make_block(block, schedule_.constants));
  }

  void run_initialization(unsigned block) override {
    const HostArithmetic arithmetic;
    Sequence run(code_.program, blocks_.at(block), kPesPerBlock);
    run.section(Section::initialization, section(Section::initialization));
    run.land();
  }

  void run_loop(unsigned block, const LoopRun& loop) override {
    GDR_ASSERT(loop.live_pes <= kPesPerBlock, "no more PEs are live than a block has");
    const HostArithmetic arithmetic;
    Sequence run(code_.program, blocks_.at(block), loop.live_pes);
    run.section(Section::loop_initialization, section(Section::loop_initialization));
    const RecordStream& stream = loop.stream;
    const SectionCode& body = section(Section::loop_body);
    const std::uint64_t iterations = stream.iterations();
    // Only in the last iteration a block may be without a record.
    const std::uint64_t valid = iterations * kBlocks - kBlocks + block < stream.records ? iterations : iterations - 1;
    for (std::uint64_t iteration = 0; iteration < iterations; ++iteration) {
      const bool has_record = iteration < valid;
      run.receive_record(stream, iteration, block, has_record);
      if (has_record) {
        run.section(Section::loop_body, body);
        if (iteration + 1 == valid) run.operations(body.spread);
      } else {
        run.section(Section::loop_body, schedule_.body_without_record);
      }
    }
    run.section(Section::loop_termination, section(Section::loop_termination));
    run.land();
  }

  void write_bm(unsigned block, unsigned address, std::span<const isa::LongWord> words) override {
    GDR_ASSERT(2 * (address + words.size()) <= isa::kBmShortWords, "words written to BM stay inside it");
    std::uint64_t* bm = blocks_.at(block).state() + place::kBm + 2 * address;
    for (const isa::LongWord word : words) {
      *bm++ = word.upper().bits;
      *bm++ = word.lower().bits;
    }
  }

  void write_pe(unsigned block, unsigned pe, const PeWords& where, std::span<const isa::LongWord> words) override {
    GDR_ASSERT(words.size() == where.count && pe < kPesPerBlock, "as many words as named are written to a PE");
    std::uint64_t* lane = blocks_.at(block).state() + pe;
    for (std::size_t n = 0; n < words.size(); ++n) {
      const unsigned row = row_of(where, n);
      if (where.width == Width::long_word) {
        put(lane, row, words[n]);
      } else {
        const isa::LongWord pair = get(lane, row & ~1u);
        const isa::ShortWord word = words[n].upper();
        put(lane, row & ~1u, row % 2 == 0 ? isa::join(word, pair.lower()) : isa::join(pair.upper(), word));
      }
    }
  }

  std::vector<isa::LongWord> read_pe(unsigned block, unsigned pe, const PeWords& where) const override {
    GDR_ASSERT(pe < kPesPerBlock, "a PE that the block has is read");
    const std::uint64_t* lane = blocks_.at(block).state() + pe;
    std::vector<isa::LongWord> words;
    words.reserve(where.count);
    for (std::size_t n = 0; n < where.count; ++n) {
      const unsigned row = row_of(where, n);
      const isa::LongWord pair = get(lane, row & ~1u);
      const bool is_long = where.width == Width::long_word;
      words.push_back(is_long ? pair : isa::widen(row % 2 == 0 ? pair.upper() : pair.lower()));
    }
    return words;
  }

  FpEvents events(unsigned block) const override { return blocks_.at(block).events; }

 private:
  [[nodiscard]] const SectionCode& section(Section section) const {
    return schedule_.sections[static_cast<std::size_t>(section)];
  }

  static unsigned row_of(const PeWords& where, std::size_t n) {
    const std::size_t address = where.address + n * stride_of(where.width);
    const unsigned size = where.memory == isa::Memory::gpr ? isa::kGprShortWords : isa::kLmShortWords;
    GDR_ASSERT(where.memory != isa::Memory::bm && address + stride_of(where.width) <= size,
               "words of a PE stay inside its memory");
    return static_cast<unsigned>(address) + (where.memory == isa::Memory::gpr ? 0 : kLmRow);
  }

  /// The 72 bits of the pair at an even row.
  [[nodiscard]] isa::LongWord get(const std::uint64_t* lane, unsigned row) const {
    const std::uint64_t first = lane[row_place(row)];
    const std::uint64_t second = lane[row_place(row + 1)];
    if (schedule_.long_pairs[row / 2]) return {first, static_cast<std::uint8_t>(second)};
    return isa::join({first >> kShortShift}, {second >> kShortShift});
  }

  void put(std::uint64_t* lane, unsigned row, isa::LongWord word) const {
    const bool is_long = schedule_.long_pairs[row / 2];
    lane[row_place(row)] = is_long ? word.high : word.upper().bits << kShortShift;
    lane[row_place(row + 1)] = is_long ? word.low : word.lower().bits << kShortShift;
  }

  HostIsa isa_;
  DecodedProgram code_;
  Schedule schedule_;
  std::vector<Block> blocks_;
};

}  // namespace

Kernel find_kernel(HostIsa isa, const KernelKey& key) {
#if defined(__x86_64__)
  if (isa == HostIsa::avx512) return find_kernel_avx512(key);
  if (isa == HostIsa::avx2) return find_kernel_avx2(key);
#endif
  GDR_ASSERT(isa == HostIsa::portable, "kernels exist for the host's instruction sets alone");
  return find_kernel_portable(key);
}

}  // namespace simd

std::string_view name_of(HostIsa isa) {
  switch (isa) {
    case HostIsa::portable:
      return "portable";
    case HostIsa::avx2:
      return "avx2";
    case HostIsa::avx512:
      break;
  }
  return "avx512";
}

std::vector<HostIsa> available_host_isas() {
  std::vector<HostIsa> isas{HostIsa::portable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isas.push_back(HostIsa::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd")) {
    isas.push_back(HostIsa::avx512);
  }
#endif
  return isas;
}

std::unique_ptr<Chip> make_simd_chip(HostIsa isa) {
  const std::vector<HostIsa> available = available_host_isas();
  if (std::find(available.begin(), available.end(), isa) == available.end()) {
    throw Error(fmt::format("make_simd_chip: this host has no {}", name_of(isa)));
  }
  return std::make_unique<simd::SimdChip>(isa);
}

std::unique_ptr<Chip> make_simd_chip() { return make_simd_chip(available_host_isas().back()); }

}  // namespace gdr::emulator
