#include "bare_kernels.h"

#include <algorithm>
#include <array>
#include <set>

#include "line/scheduler.h"
#include "measure.h"
#include "word/host_arithmetic.h"

namespace gdr::bench {

namespace simd = emulator::simd;
using isa::Section;

namespace {

constexpr std::uint32_t kSpareWords = 512;  // a kernel may read past a constant

/// Operands that stand among the constants, in the order of their places.
std::vector<simd::Operand> constant_operands(const simd::Schedule& schedule) {
  const auto before = [](const simd::Operand& a, const simd::Operand& b) { return a.high < b.high; };
  std::set<simd::Operand, decltype(before)> found(before);
  const auto add = [&](const std::vector<simd::MicroOp>& ops) {
    for (const simd::MicroOp& op : ops) {
      for (const simd::Operand& operand : {op.a, op.b}) {
        if (operand.high >= simd::place::kConstants) found.insert(operand);
      }
    }
  };
  for (const simd::SectionCode& code : schedule.sections) {
    add(code.ops);
    add(code.edge);
  }
  add(schedule.body_without_record.ops);
  return {found.begin(), found.end()};
}

}  // namespace

struct BareKernels::State {
  State(const GravityWorkload& workload, emulator::HostIsa isa)
      : decoded(emulator::decode_program(workload.program)),
        schedule(simd::make_schedule(decoded, {isa, simd::Arithmetic::chip})) {
    words.resize((simd::place::kConstants + kSpareWords) / simd::kRowWords + 1);
    lanes.state = words.front().data();
    lanes.tallies = &tally;
    lanes.program = &decoded.program;
    std::fill_n(lanes.state + simd::flag_place(0), isa::kVectorElements, 0xffffffff);
    const std::vector<simd::Operand> constants = constant_operands(schedule);
    GDR_ASSERT(constants.size() == schedule.constants.size(), "every constant is some operation's operand");
    for (std::size_t n = 0; n < constants.size(); ++n) {
      // As many copies of the high word as there is room for before the low one.
      const std::uint32_t copies = constants[n].low - constants[n].high;
      std::fill_n(lanes.state + constants[n].high, copies, schedule.constants[n].high);
      std::fill_n(lanes.state + constants[n].low, copies, std::uint64_t{schedule.constants[n].low});
    }
    workload.prepare([this](unsigned pe, const auto& where, auto given) { write_pe(pe, where, given); },
                     [this](unsigned address, auto given) { write_bm(2 * address, given); });
    receive(workload, 0);
  }

  static unsigned row_of(const emulator::PeWords& where, unsigned n) {
    const unsigned first = where.memory == isa::Memory::gpr ? 0 : simd::kLmRow;
    return first + where.address + n * (where.width == isa::Width::long_word ? 2 : 1);
  }

  /// The 72 bits of the pair at an even row, in whichever form the schedule has it between sections.
  [[nodiscard]] isa::LongWord pair(unsigned pe, unsigned row) const {
    const std::uint64_t first = lanes.state[simd::row_place(row) + pe];
    const std::uint64_t second = lanes.state[simd::row_place(row + 1) + pe];
    if (schedule.long_pairs[row / 2]) return {first, static_cast<std::uint8_t>(second)};
    return isa::join({first >> simd::kShortShift}, {second >> simd::kShortShift});
  }
  void set_pair(unsigned pe, unsigned row, isa::LongWord word) {
    const bool is_long = schedule.long_pairs[row / 2];
    lanes.state[simd::row_place(row) + pe] = is_long ? word.high : word.upper().bits << simd::kShortShift;
    lanes.state[simd::row_place(row + 1) + pe] = is_long ? word.low : word.lower().bits << simd::kShortShift;
  }

  void write_pe(unsigned pe, const emulator::PeWords& where, std::span<const isa::LongWord> given) {
    for (unsigned n = 0; n < given.size(); ++n) {
      const unsigned row = row_of(where, n);
      if (where.width == isa::Width::long_word) {
        set_pair(pe, row, given[n]);
        continue;
      }
      const isa::LongWord old = pair(pe, row & ~1U);
      const isa::ShortWord word = given[n].upper();
      set_pair(pe, row & ~1U, row % 2 == 0 ? isa::join(word, old.lower()) : isa::join(old.upper(), word));
    }
  }

  void write_bm(unsigned address, std::span<const isa::LongWord> given) {
    std::uint64_t* to = lanes.state + simd::place::kBm + address;
    for (const isa::LongWord word : given) {
      *to++ = word.upper().bits;
      *to++ = word.lower().bits;
    }
  }

  void receive(const GravityWorkload& workload, std::uint64_t iteration) {
    const std::size_t record_words = workload.program.record_words;
    lanes.record_base = emulator::record_base(workload.program.record_words, iteration);
    write_bm(lanes.record_base,
             std::span(workload.records).subspan(iteration * emulator::kBlocks * record_words, record_words));
  }

  const simd::SectionCode& code(Section section) const { return schedule.sections[static_cast<std::size_t>(section)]; }

  void run(const std::vector<simd::MicroOp>& ops) {
    for (const simd::MicroOp& op : ops) op.run(op, lanes);
  }
  /// With what `before` left over.
  void run(Section section, Section before) {
    lanes.section = section;
    const simd::SectionCode& now = code(section);
    for (std::size_t n = 0; n < now.ops.size(); ++n) {
      if (n == now.hook) run(code(before).edge);
      now.ops[n].run(now.ops[n], lanes);
    }
  }

  using Row = std::array<std::uint64_t, simd::kRowWords>;
  struct alignas(64) AlignedRow : Row {};

  emulator::DecodedProgram decoded;
  simd::Schedule schedule;
  std::vector<AlignedRow> words;
  simd::Tally tally;
  simd::Lanes lanes;
};

BareKernels::BareKernels(const GravityWorkload& workload, emulator::HostIsa isa)
    : state_(std::make_unique<State>(workload, isa)) {}
BareKernels::~BareKernels() = default;

double BareKernels::seconds_per_iteration(unsigned repetitions) {
  const emulator::HostArithmetic arithmetic(emulator::Subnormals::zero);
  State& s = *state_;
  const simd::SectionCode& body = s.code(Section::loop_body);
  std::vector<simd::MicroOp> ops = body.ops;
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(body.hook), body.edge.begin(), body.edge.end());
  s.run(body.ops);  // the registers hold values of an iteration
  double sum = 0;
  for (const simd::MicroOp& op : ops) {
    // The bank of what sections leave over is free in between.
    simd::MicroOp aside = op;
    for (unsigned n = 0; n < op.destinations; ++n) {
      aside.to[n].high = simd::place::kBanks + 2 * simd::kBankWords + n * 2048;
      if (op.to[n].low != simd::kNowhere) aside.to[n].low = aside.to[n].high + 1024;
    }
    const std::vector<State::AlignedRow> before = s.words;
    const double start = now(Clock::cpu);
    for (unsigned n = 0; n < repetitions; ++n) aside.run(aside, s.lanes);
    sum += (now(Clock::cpu) - start) / repetitions;
    std::copy(before.begin(), before.end(), s.words.begin());
    op.run(op, s.lanes);
  }
  return sum;
}

void BareKernels::run(const GravityWorkload& workload) {
  const emulator::HostArithmetic arithmetic(emulator::Subnormals::zero);
  State& s = *state_;
  s.run(s.code(Section::loop_initialization).ops);
  Section before = Section::loop_initialization;
  for (std::uint64_t iteration = 0; iteration < workload.stream().iterations(); ++iteration) {
    s.receive(workload, iteration);
    s.run(Section::loop_body, before);
    before = Section::loop_body;
  }
  s.run(s.code(Section::loop_body).spread);
  s.run(Section::loop_termination, Section::loop_body);
  s.run(s.code(Section::loop_termination).edge);
}

isa::LongWord BareKernels::result(unsigned pe, const emulator::PeWords& where, unsigned n) const {
  GDR_ASSERT(where.width == isa::Width::long_word, "gravity's results are long words");
  return state_->pair(pe, State::row_of(where, n));
}

}  // namespace gdr::bench
