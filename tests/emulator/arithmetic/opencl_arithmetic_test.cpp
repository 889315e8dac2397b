// The arithmetic that OpenCL devices compile, compiled as C++: no device is needed to see that it has every operation
// of the records and gives what the scalar functions give.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>

#include "gdr/emulator/arithmetic.h"
#include "gdr/isa/operations.h"
#include "operand_pairs.h"

namespace gdr::tests {
namespace {
namespace opencl_c {

// What OpenCL C has built in.
using uint = std::uint32_t;
using ulong = std::uint64_t;
[[maybe_unused]] int clz(ulong a) { return std::countl_zero(a); }
[[maybe_unused]] ulong mul_hi(ulong a, ulong b) {
  __extension__ using uint128 = unsigned __int128;
  return static_cast<ulong>((static_cast<uint128>(a) * b) >> 64);
}

// What the host hands over.
enum : uint {
#define GDR_OPERATION(OP, name, sources) OP_##name = static_cast<uint>(isa::Op::OP),
  GDR_OPERATIONS(GDR_OPERATION)
#undef GDR_OPERATION
};
#define GDR_OPERATION(OP, name, sources) CASE_OF_OPERATION(name)
#define OPERATIONS(X) GDR_OPERATIONS(GDR_OPERATION)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include "opencl/arithmetic.cl"
#pragma GCC diagnostic pop
#undef OPERATIONS
#undef GDR_OPERATION

}  // namespace opencl_c

using emulator::WordResult;
using isa::LongWord;
using isa::Op;
using isa::Width;

void expect_equal(Op op, LongWord a, LongWord b, Width width) {
  const WordResult expected = emulator::compute(op, a, b, width);
  const auto found = opencl_c::computed(static_cast<opencl_c::uint>(op), {a.high, a.low}, {b.high, b.low},
                                        width == Width::long_word ? 1 : 0);
  const WordResult as_found{{found.value.h, static_cast<std::uint8_t>(found.value.l)},
                            found.negative != 0,
                            found.zero != 0,
                            found.carry != 0,
                            static_cast<emulator::FpEvent>(found.event)};
  EXPECT_EQ(as_found, expected) << isa::to_hex(a) << " " << isa::to_hex(b) << " " << isa::to_hex(as_found.value)
                                << ", not " << isa::to_hex(expected.value);
}

PairFamily family_of(Op op) {
  return op == Op::FMUL ? PairFamily::short_product : op == Op::FMULL ? PairFamily::long_product : PairFamily::sum;
}

class OpenClArithmetic : public testing::TestWithParam<Op> {};

TEST_P(OpenClArithmetic, IsThatOfTheScalarFunctions) {
  const Op op = GetParam();
  std::vector<OperandPair> pairs = special_pairs(family_of(op));
  OperandPairs drawn(family_of(op), 3);
  std::mt19937_64 random(4);
  for (unsigned n = 0; n < 20'000; ++n) pairs.push_back(drawn.next());
  const bool is_whole = isa::info_of(op).unit == isa::Unit::alu;
  for (unsigned n = 0; is_whole && n < 5'000; ++n) {  // counts of shifts, and words that meet themselves
    const LongWord any{random(), static_cast<std::uint8_t>(random())};
    pairs.push_back({any, {0, static_cast<std::uint8_t>(random() % 80)}});
    pairs.push_back({any, {(random() % 40) << 28, 0}});
    pairs.push_back({any, any});
  }
  for (const OperandPair& pair : pairs) {
    expect_equal(op, pair.a, pair.b, Width::long_word);
    const auto narrow = [&](LongWord word) { return is_whole ? isa::widen(word.upper()) : word; };
    expect_equal(op, narrow(pair.a), narrow(pair.b), Width::short_word);
    if (testing::Test::HasFailure()) break;
  }
}

std::vector<Op> operations() {
  return {
#define GDR_OPERATION(OP, name, sources) Op::OP,
      GDR_OPERATIONS(GDR_OPERATION)
#undef GDR_OPERATION
  };
}

std::string name_of_function(Op op) {
#define GDR_OPERATION(OP, name, sources) \
  if (op == Op::OP) return #name;
  GDR_OPERATIONS(GDR_OPERATION)
#undef GDR_OPERATION
  return {};
}

INSTANTIATE_TEST_SUITE_P(Operations, OpenClArithmetic, testing::ValuesIn(operations()),
                         [](const auto& test) { return name_of_function(test.param); });

}  // namespace
}  // namespace gdr::tests
