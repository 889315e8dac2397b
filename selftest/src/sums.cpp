#include "gdr/selftest/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "gdr/base/error.h"

namespace gdr::selftest {
namespace {

using emulator::Boards;
using emulator::Combination;
using emulator::ConversionEvents;
using emulator::FpEvent;
using emulator::FpEvents;
using emulator::Junction;
using emulator::JunctionEvent;
using isa::Conversion;
using isa::int128;
using isa::Op;
using isa::uint128;
using isa::Width;

constexpr unsigned kParticles = 8;  // results; two PEs of each block
constexpr unsigned kPes = kParticles / isa::kVectorElements;

// ---- input ----------------------------------------------------------------------------------------------------------

struct ResultKind {
  Op op;
  Conversion conversion;
};

std::vector<ResultKind> all_kinds() {
  std::vector<ResultKind> kinds;
  for (const isa::OperationInfo& operation : isa::operations()) {
    for (const Conversion conversion : {Conversion::FLT72TO64, Conversion::FLT36TO64, Conversion::FIX72TO64,
                                        Conversion::FIX36TO64, Conversion::NONE}) {
      if (isa::can_reduce(operation.op, conversion)) kinds.push_back({operation.op, conversion});
    }
  }
  return kinds;
}

/// The conversion to the machine of numbers that come back by `conversion`.
Conversion inward(Conversion conversion) {
  switch (conversion) {
    case Conversion::FLT72TO64:
      return Conversion::FLT64TO72;
    case Conversion::FLT36TO64:
      return Conversion::FLT64TO36;
    case Conversion::FIX72TO64:
      return Conversion::FIX64TO72;
    case Conversion::FIX36TO64:
      return Conversion::FIX64TO36;
    case Conversion::FLT64TO72:
    case Conversion::FLT64TO36:
    case Conversion::FIX64TO72:
    case Conversion::FIX64TO36:
    case Conversion::NONE:
      break;
  }
  return Conversion::NONE;
}

isa::Variable variable_of(std::string name, isa::Transfer transfer, Conversion conversion) {
  isa::Variable variable;
  variable.name = std::move(name);
  variable.memory = transfer == isa::Transfer::elt ? isa::Memory::bm : isa::Memory::gpr;
  variable.vector = transfer != isa::Transfer::elt;
  variable.width = isa::info_of(conversion).width;
  variable.transfer = transfer;
  variable.conversion = conversion;
  return variable;
}

isa::Program program_of(ResultKind kind) {
  isa::Program program;
  program.kernel = "sums";
  program.record_words = 1;
  program.variables = {variable_of("i", isa::Transfer::hlt, inward(kind.conversion)),
                       variable_of("x", isa::Transfer::elt, inward(kind.conversion)),
                       variable_of("r", isa::Transfer::rrn, kind.conversion)};
  program.variables.back().reduction = kind.op;
  const Width width = isa::info_of(kind.conversion).width;
  isa::Line line;
  line.vlen = isa::kVectorElements;
  line.gpr_a = {0, width, true, false};
  line.bm.mode = isa::BmMode::read;
  line.bm.width = width;
  line.bm.record = true;
  const bool floating = isa::info_of(kind.op).kind == isa::NumberKind::floating_point;
  isa::Slot& slot = floating ? line.adder : line.alu;
  slot.op = kind.op;
  slot.width = width;
  slot.a = isa::Source::gpr_a;
  slot.b = isa::Source::bm;
  line.gpr_write = {floating ? isa::Unit::adder : isa::Unit::alu, 0, true, false, {.jvalid = true}};
  program.sections[static_cast<std::size_t>(isa::Section::loop_body)] = code_of({line, isa::Line{}});
  return program;
}

/// A field that the host may send by the conversion.
std::uint64_t wild_field(RandomPrograms& random, Conversion conversion) {
  if (isa::info_of(conversion).floating) {
    const std::uint64_t sign = random.below(2) << 63;
    const std::uint64_t fraction = random.below(std::uint64_t{1} << 52);
    const auto with_exponent = [&](std::uint64_t exponent) { return sign | (exponent << 52) | fraction; };
    switch (random.below(8)) {
      case 0:
        return sign | (std::uint64_t{2047} << 52);
      case 1:
        return with_exponent(2046 - random.below(3));
      case 2:
      case 3:
        return with_exponent(1 + random.below(3));
      case 4:
        return sign;
      default:
        return with_exponent(1020 + random.below(8));
    }
  }
  const bool narrow = isa::info_of(conversion).width == Width::short_word;
  const std::uint64_t edge = std::uint64_t{1} << (narrow ? 35 : 63);
  const std::uint64_t small = random.below(5);
  switch (random.below(4)) {
    case 0:
      return edge - 1 - small;  // the largest
    case 1:
      return ~(edge - 1) + small;  // the least
    case 2:
      return random.one_in(2) ? small : ~small;
    default: {
      const std::uint64_t any = random.below(std::numeric_limits<std::uint64_t>::max());
      return narrow ? static_cast<std::uint64_t>(static_cast<std::int64_t>(any) >> 28) : any;
    }
  }
}

struct Data {
  std::vector<std::uint64_t> particles;
  std::vector<std::uint64_t> records;
};

Data data_of(const SumsInput& input) {
  RandomPrograms random(input.seed);
  Data data;
  const Conversion conversion = *input.program.variables.front().conversion;
  // Few records leave the sums of some chips as they were; more of them make sums beyond 64 bits.
  const unsigned chips = input.chips * input.boards;
  const std::uint64_t records = random.one_in(2) ? 1 + random.below(2 * chips) : random.below(40 * chips);
  const bool plain = random.one_in(2);  // the particles are zero, so that only the records are wild
  for (unsigned n = 0; n < kParticles; ++n) data.particles.push_back(plain ? 0 : wild_field(random, conversion));
  for (std::uint64_t n = 0; n < records; ++n) data.records.push_back(wild_field(random, conversion));
  return data;
}

// ---- oracle ---------------------------------------------------------------------------------------------------------

struct Number {
  double value = 0;
  FpEvent event = FpEvent::none;
};

double power_of_two(int exponent) { return std::ldexp(1.0, exponent); }

/// The sum of two canonical doubles by whole numbers of 128 bits, rounded once to 53 bits.
Number sum_of(double a, double b) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (std::isinf(a) || std::isinf(b)) {
    if (std::isinf(a) && std::isinf(b) && a != b) return {infinity, FpEvent::invalid};
    return {std::isinf(a) ? a : b};
  }
  if (a == 0 || b == 0) return {a == 0 ? b : a};
  if (std::abs(a) < std::abs(b)) std::swap(a, b);
  constexpr int kBits = 53;
  constexpr int kMore = 70;  // bits below the larger number
  int exponent = 0;
  const auto large = static_cast<int128>(std::ldexp(std::frexp(a, &exponent), kBits));
  int exponent_of_small = 0;
  const auto small = static_cast<int128>(std::ldexp(std::frexp(b, &exponent_of_small), kBits));
  const int gap = exponent - exponent_of_small;
  // A number wholly below the last bit only tells on which side of a tie the sum is.
  const int128 below = gap <= kMore ? small * (int128{1} << (kMore - gap)) : (small < 0 ? -1 : 1);
  const int128 sum = large * (int128{1} << kMore) + below;
  if (sum == 0) return {};
  const bool negative = sum < 0;
  auto magnitude = static_cast<uint128>(negative ? -sum : sum);
  int lowest = exponent - kBits - kMore;  // of the lowest bit
  int length = 0;
  while ((magnitude >> length) != 0) ++length;
  if (length > kBits) {
    const int cut = length - kBits;
    const uint128 rest = magnitude & ((uint128{1} << cut) - 1);
    const uint128 half = uint128{1} << (cut - 1);
    magnitude >>= cut;
    lowest += cut;
    if (rest > half || (rest == half && (magnitude & 1) != 0)) magnitude += 1;
    length = kBits + ((magnitude >> kBits) != 0 ? 1 : 0);
  }
  const int leading = lowest + length - 1;  // exponent of the highest bit
  if (leading > 1023) return {negative ? -infinity : infinity, FpEvent::overflow};
  if (leading < -1022) return {0, FpEvent::underflow};
  const auto whole = static_cast<double>(magnitude);  // exact, of 53 bits at most
  // Two steps, each by a power that a double has.
  const double value = whole * power_of_two(lowest / 2) * power_of_two(lowest - lowest / 2);
  return {negative ? -value : value};
}

Number on_doubles(Op op, double a, double b) {
  if (op == Op::FMAX) return {a >= b ? a : b};
  if (op == Op::FMIN) return {a <= b ? a : b};
  GDR_ASSERT(op == Op::FADD, "every floating-point reduction has a row in this oracle");
  return sum_of(a, b);
}

int128 signed_number(LongWord word, Width width) {
  const unsigned bits = width == Width::long_word ? isa::kLongBits : isa::kShortBits;
  const unsigned unused = 128 - bits;
  const uint128 right_aligned = word.bits() >> (isa::kLongBits - bits);
  return static_cast<int128>(right_aligned << unused) >> unused;
}

struct Expected {
  std::vector<std::uint64_t> results;
  FpEvents fp;
  ConversionEvents conversions;
  emulator::FirstJunctionEvents first;
};

/// One result of a chip, of a board or of all boards: a word or, on the host, a double.
struct Value {
  LongWord word;
  double number = 0;
};

class Oracle {
 public:
  Oracle(const SumsInput& input, Expected& expected)
      : input_(input),
        result_(input.program.variables.back()),
        op_(*result_.reduction),
        width_(isa::info_of(*result_.conversion).width),
        floating_(isa::info_of(*result_.conversion).floating),
        expected_(expected) {}

  /// `words`: shape [chip][result].
  void combine(const std::vector<std::vector<LongWord>>& words) {
    for (std::size_t n = 0; n < kParticles; ++n) {
      place_.result = n;
      Value all;
      for (unsigned board = 0; board < input_.boards; ++board) {
        const Value sum = board_sum(words, board * input_.chips, n);
        all = board == 0 ? sum : on_host(Junction::board, board * input_.chips, all, sum);
      }
      expected_.results.push_back(field_of(all));
    }
  }

 private:
  [[nodiscard]] Value board_sum(const std::vector<std::vector<LongWord>>& words, unsigned first, std::size_t n) {
    const bool ring = input_.combination == Combination::ring;
    Value sum{words[first][n], 0};
    if (!ring) sum.number = number_of(sum.word);
    for (unsigned chip = first + 1; chip < first + input_.chips; ++chip) {
      const Value own{words[chip][n], ring ? 0 : number_of(words[chip][n])};
      sum = ring ? on_words(Junction::ring, chip, sum, own) : on_host(Junction::host, chip, sum, own);
    }
    if (ring) sum.number = number_of(sum.word);
    return sum;
  }

  /// Words are combined in the ring and, if they are no floating-point numbers, on the host. The operation itself has
  /// oracles of its own (tests/emulator).
  Value on_words(Junction junction, unsigned chip, const Value& a, const Value& b) {
    const emulator::WordResult result = emulator::compute(op_, a.word, b.word, width_);
    had(junction, chip, result.event);
    return {result.value, 0};
  }

  Value on_host(Junction junction, unsigned chip, const Value& a, const Value& b) {
    if (!floating_) return on_words(junction, chip, a, b);
    const Number result = on_doubles(op_, a.number, b.number);
    had(junction, chip, result.event);
    return {{}, result.value};
  }

  void had(Junction junction, unsigned chip, FpEvent event) {
    if (event == FpEvent::none) return;
    expected_.fp += event;
    place_.run = 1;
    place_.junction = junction;
    place_.chip = chip;
    place_.variable = input_.program.variables.size() - 1;
    place_.event = event;
    expected_.first.add(place_);
  }

  double number_of(LongWord word) {
    if (!floating_) return 0;
    const auto converted = width_ == Width::long_word ? emulator::flt72to64(word) : emulator::flt36to64(word.upper());
    expected_.conversions += converted.event;
    return converted.value;
  }

  std::uint64_t field_of(const Value& value) {
    if (floating_) return std::bit_cast<std::uint64_t>(value.number);
    int128 number = signed_number(value.word, width_);
    if (*result_.conversion == Conversion::NONE) return static_cast<std::uint64_t>(number);
    const int128 most = std::numeric_limits<std::int64_t>::max();
    const int128 inside = std::clamp(number, -most - 1, most);
    if (inside != number) expected_.conversions += emulator::ConversionEvent::saturated;
    return static_cast<std::uint64_t>(inside);
  }

  const SumsInput& input_;
  const isa::Variable& result_;
  Op op_;
  Width width_;
  bool floating_;
  Expected& expected_;
  JunctionEvent place_;
};

// ---- comparison -----------------------------------------------------------------------------------------------------

LongWord to_machine(std::uint64_t field, Conversion conversion, ConversionEvents& events) {
  const auto counted = [&](const auto& converted) {
    events += converted.event;
    return converted.value;
  };
  switch (conversion) {
    case Conversion::FLT64TO72:
      return counted(emulator::flt64to72(std::bit_cast<double>(field)));
    case Conversion::FLT64TO36:
      return isa::widen(counted(emulator::flt64to36(std::bit_cast<double>(field))));
    case Conversion::FIX64TO72:
      return counted(emulator::fix64to72(static_cast<std::int64_t>(field)));
    case Conversion::FIX64TO36:
      return isa::widen(counted(emulator::fix64to36(static_cast<std::int64_t>(field))));
    case Conversion::FLT72TO64:
    case Conversion::FLT36TO64:
    case Conversion::FIX72TO64:
    case Conversion::FIX36TO64:
    case Conversion::NONE:
      break;
  }
  return counted(emulator::raw64to72(field));
}

/// The words of every chip by a session, which has no part in what follows them, and what the oracle makes of them.
Expected expected_of(const SumsInput& input, const Data& data, const emulator::Engine& engine) {
  Expected expected;
  const unsigned chips = input.chips * input.boards;
  const Conversion conversion = *input.program.variables.front().conversion;
  const auto session = engine.open(engine.lower(input.program), {chips, data.records.size() + 1, nullptr});
  session->initialize();
  std::vector<LongWord> particles;
  for (const std::uint64_t field : data.particles) {
    ConversionEvents once;
    particles.push_back(to_machine(field, conversion, once));
    for (unsigned chip = 0; chip < chips; ++chip) expected.conversions += once;
  }
  std::vector<emulator::Piece> pieces(chips);
  for (std::size_t k = 0; k < data.records.size(); ++k) {
    emulator::Piece& piece = pieces[k % chips];
    const LongWord word = to_machine(data.records[k], conversion, expected.conversions);
    session->write_memory(static_cast<unsigned>(k % chips), piece.records, {&word, 1});
    ++piece.records;
  }
  for (unsigned chip = 0; chip < chips; ++chip) {
    pieces[chip].chip = chip;
    pieces[chip].live_pes = kPes;
  }
  std::vector<std::vector<LongWord>> words(chips, std::vector<LongWord>(kParticles));
  session->write_particles({0, chips}, {0, emulator::kBlocks}, kParticles, particles);
  emulator::Ticket ticket = session->run(pieces);
  for (unsigned chip = 0; chip < chips; ++chip) ticket = session->collect(chip, kParticles, words[chip]);
  session->wait(ticket);
  for (unsigned chip = 0; chip < chips; ++chip) expected.fp += session->events(chip);
  for (const JunctionEvent& event : session->first_tree_events()) expected.first.add(event);
  Oracle(input, expected).combine(words);
  return expected;
}

template <class Counts>
std::string text_of_counts(const Counts& fp, const ConversionEvents& conversions) {
  return fmt::format("{} invalid, {} overflow, {} underflow; of conversions {} overflow, {} underflow, {} saturated",
                     fp.invalid, fp.overflow, fp.underflow, conversions.overflow, conversions.underflow,
                     conversions.saturated);
}

}  // namespace

SumsInput random_sums(std::uint64_t seed) {
  static const std::vector<ResultKind> kKinds = all_kinds();
  constexpr std::array<unsigned, 4> kChips{1, 2, 4, 8};
  RandomPrograms random(seed);
  SumsInput input;
  input.program = program_of(kKinds[seed % kKinds.size()]);
  input.chips = kChips[random.below(kChips.size())];
  input.boards = 1 + static_cast<unsigned>(random.below(2));
  input.combination = random.one_in(3) ? Combination::ring : Combination::host;
  input.seed = seed;
  return input;
}

std::optional<Difference> check_sums(const SumsInput& input) {
  const Data data = data_of(input);
  const auto engine = emulator::make_engine(emulator::Engine::reference);
  const Expected expected = expected_of(input, data, *engine);

  emulator::MachineDescription machine;
  machine.chips = input.chips;
  machine.em_words = data.records.size() + 1;
  Boards boards(machine, input.boards, emulator::Engine::reference, 1);
  boards.load(input.program);
  for (std::size_t k = 0; k < data.records.size(); ++k) boards.write_record(k, {&data.records[k], 1});
  const std::vector<std::uint64_t> found =
      boards.run(data.particles, kParticles, 0, data.records.size(), input.combination);

  const std::string place = fmt::format("{} boards of {} chips, {} of {} {}", input.boards, input.chips,
                                        isa::info_of(*input.program.variables.back().reduction).mnemonic,
                                        isa::info_of(*input.program.variables.back().conversion).name,
                                        input.combination == Combination::ring ? "in the ring" : "on the host");
  for (std::size_t n = 0; n < kParticles; ++n) {
    if (expected.results[n] == found[n]) continue;
    return Difference{fmt::format("{}, result {}", place, n), fmt::format("{:016x}", expected.results[n]),
                      fmt::format("{:016x}", found[n])};
  }
  const emulator::Counters counted = boards.counters();
  if (expected.fp != counted.fp || expected.conversions != counted.conversions) {
    return Difference{place + ", events", text_of_counts(expected.fp, expected.conversions),
                      text_of_counts(counted.fp, counted.conversions)};
  }
  const std::vector<JunctionEvent> first = boards.first_junction_events();
  const auto [at, other] = std::ranges::mismatch(expected.first.events(), first);
  if (at == expected.first.events().end() && other == first.end()) return std::nullopt;
  const auto event = [&](auto found_at, auto end) {
    return found_at == end ? std::string("none") : emulator::text_of(input.program, *found_at);
  };
  return Difference{fmt::format("{}, event {}", place, at - expected.first.events().begin()),
                    event(at, expected.first.events().end()), event(other, first.end())};
}

}  // namespace gdr::selftest
