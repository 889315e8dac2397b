// Every pair of integers of a small format through the ALU of the interpreter and through that of loop bodies, compared
// with the definition of docs/machine/arithmetic.md.
//
//   prove_integers RECORD [--write]
//
// The format is in the macro GDR_WIDTHS. A low plane must be able to hold the number of bits of a long word.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counts.h"
#include "definition.h"
#include "loop/code/integer_code.h"
#include "small_host.h"
#include "tape_writer.h"
//
#include "simd/kernels/integer_operations.h"

namespace gdr::proof {
namespace {

using namespace emulator::simd;
using emulator::Width;
using emulator::jit::NodeOp;
using emulator::jit::Value;

static_assert(kLowPlane >= widths::kHigh + widths::kLow);

Counts counts;

int integer_bits(Width width) {
  return width == Width::long_word ? widths::kHigh + widths::kLow : widths::kShort + widths::kExponent;
}
/// A long integer is in both planes, a short one at the top of the high plane.
Word planes_of(std::uint64_t value, Width width) {
  if (width == Width::short_word) return {value << widths::kBelowShort, 0};
  return {value >> widths::kLow, value & widths::ones(widths::kLow)};
}

// ---- the definition -------------------------------------------------------------------------------------------------

struct Defined {
  std::uint64_t value;
  bool carry = false;
};

std::int64_t signed_of(std::uint64_t a, int bits) { return static_cast<std::int64_t>(a << (64 - bits)) >> (64 - bits); }
Defined added(std::uint64_t a, std::uint64_t b, int bits) { return {a + b, ((a + b) >> bits) != 0}; }
Defined subtracted(std::uint64_t a, std::uint64_t b, int) { return {a - b, a < b}; }
Defined both(std::uint64_t a, std::uint64_t b, int) { return {a & b}; }
Defined either(std::uint64_t a, std::uint64_t b, int) { return {a | b}; }
Defined one_of(std::uint64_t a, std::uint64_t b, int) { return {a ^ b}; }
Defined inverted(std::uint64_t a, std::uint64_t, int) { return {~a}; }
Defined passed(std::uint64_t a, std::uint64_t, int) { return {a}; }
Defined left(std::uint64_t a, std::uint64_t b, int bits) {
  return {b >= static_cast<std::uint64_t>(bits) ? 0 : a << b};
}
Defined right(std::uint64_t a, std::uint64_t b, int bits) {
  return {b >= static_cast<std::uint64_t>(bits) ? 0 : a >> b};
}
Defined right_signed(std::uint64_t a, std::uint64_t b, int bits) {
  return {static_cast<std::uint64_t>(signed_of(a, bits) >> (b > 63 ? 63 : b))};
}
Defined larger_of(std::uint64_t a, std::uint64_t b, int bits) {
  return {signed_of(a, bits) >= signed_of(b, bits) ? a : b};
}
Defined smaller_of(std::uint64_t a, std::uint64_t b, int bits) {
  return {signed_of(a, bits) <= signed_of(b, bits) ? a : b};
}
Defined zeros_above(std::uint64_t a, std::uint64_t, int bits) {
  return {static_cast<std::uint64_t>(bits - static_cast<int>(std::bit_width(a)))};
}

// ---- all pairs ------------------------------------------------------------------------------------------------------

using Definition = Defined (*)(std::uint64_t, std::uint64_t, int);
using Run = IntegerBatch (*)(IntegerBatch, IntegerBatch, Width);
struct Operation {
  const char* name;
  Definition define;
  Run run;
  std::optional<NodeOp> node;  // of a loop body, if its graph has it
};
constexpr Operation kOperations[] = {
    {"uadd", added, uadd, NodeOp::integer_add},
    {"usub", subtracted, usub, NodeOp::integer_subtract},
    {"uand", both, uand, NodeOp::bit_and},
    {"uor", either, uor, NodeOp::bit_or},
    {"uxor", one_of, uxor, NodeOp::bit_xor},
    {"unot", inverted, [](IntegerBatch a, IntegerBatch, Width width) { return unot(a, width); }, NodeOp::bit_not},
    {"upassa", passed, [](IntegerBatch a, IntegerBatch, Width width) { return upassa(a, width); }, {}},
    {"ulsl", left, ulsl, NodeOp::shift_left},
    {"ulsr", right, ulsr, NodeOp::shift_right},
    {"uasr", right_signed, uasr, NodeOp::shift_right_signed},
    {"umax", larger_of, umax, NodeOp::larger},
    {"umin", smaller_of, umin, NodeOp::smaller},
    {"ulzc", zeros_above, [](IntegerBatch a, IntegerBatch, Width width) { return ulzc(a, width); }, {}},
};

constexpr bool is_proved(std::string_view mnemonic) {
  return std::ranges::any_of(kOperations, [&](const Operation& operation) { return mnemonic == operation.name; });
}
#define GDR_PROVED(OP, function, sources) \
  static_assert(is_proved(#function), "an operation of the ALU has no row in kOperations");
GDR_ALU_OPERATIONS(GDR_PROVED)
#undef GDR_PROVED

/// Calls try_lanes(a, words of b, planes of b, lanes in use) for all pairs; b is below `values_of_b`.
template <class TryLanes>
void for_all_pairs(Width width, std::uint64_t values_of_b, TryLanes try_lanes) {
  for (std::uint64_t a = 0; a < widths::bit(integer_bits(width)); ++a) {
    for (std::uint64_t first = 0; first < values_of_b; first += kLanes) {
      const unsigned lanes = values_of_b - first < kLanes ? static_cast<unsigned>(values_of_b - first) : kLanes;
      try_lanes(a, first, lanes);
    }
  }
}

void check(std::size_t form, Width width, std::uint64_t a, std::uint64_t b, Word got, Defined want) {
  counts.add_pairs(form, 1, 0);
  const Word result = planes_of(want.value & widths::ones(integer_bits(width)), width);
  if (got != result) counts.wrong(form, planes_of(a, width), planes_of(b, width), got, result);
}

void prove_interpreter(const Operation& operation, Width width) {
  const char* of = width == Width::long_word ? "long" : "short";
  const std::size_t result = counts.add(fmt::format("{:<6} {:<5} interpreter", operation.name, of));
  const std::size_t carry = counts.add(fmt::format("{:<6} {:<5} carry", operation.name, of));
  for_all_pairs(width, widths::bit(integer_bits(width)), [&](std::uint64_t a, std::uint64_t first, unsigned lanes) {
    const Word planes_a = planes_of(a, width);
    IntegerBatch batch_a{SmallBits(planes_a.high), SmallBits(planes_a.low), {}};
    IntegerBatch batch_b{};
    for (unsigned n = 0; n < lanes; ++n) {
      const Word planes = planes_of(first + n, width);
      batch_b.high.data[n] = planes.high;
      batch_b.low.data[n] = planes.low;
    }
    const IntegerBatch got = operation.run(batch_a, batch_b, width);
    for (unsigned n = 0; n < lanes; ++n) {
      const Defined want = operation.define(a, first + n, integer_bits(width));
      check(result, width, a, first + n, {got.high.data[n], got.low.data[n]}, want);
      counts.add_pairs(carry, 1, 0);
      if ((got.carry.data[n] != 0) != want.carry)
        counts.wrong(carry, planes_a, planes_of(first + n, width), {}, {want.carry, 0});
    }
  });
}

/// The body's code for a node. `count`: that of a shift by a constant, or -1.
void prove_body(const Operation& operation, Width width, int count) {
  const char* of = width == Width::long_word ? "long" : "short";
  const std::size_t form =
      counts.add(fmt::format("{:<6} {:<5} body{}", operation.name, of, count < 0 ? "" : " by constants"));
  TapeWriter writer(false);
  const bool is_long = width == Width::long_word;
  const auto input = [&] {
    Value value{writer.input(), {}};
    if (is_long) value.second = writer.input();
    return value;
  };
  const Value a = input();
  const Value b = input();
  emulator::jit::Node node;
  node.op = *operation.node;
  node.type = is_long ? emulator::jit::NodeType::long_bits : emulator::jit::NodeType::short_bits;
  node.place = static_cast<std::uint32_t>(count);
  node.args[1] = count < 0 ? 0 : emulator::jit::kNoNode;
  const Value result = emulator::jit::integer_result(writer, node, a, b);
  const auto set = [&](const Value& value, unsigned lane, Word word) {
    writer.at(value.first)[lane] = word.high;
    if (is_long) writer.at(value.second)[lane] = word.low;
  };
  const std::uint64_t values_of_b = count < 0 ? widths::bit(integer_bits(width)) : 1;
  for_all_pairs(width, values_of_b, [&](std::uint64_t value_a, std::uint64_t first, unsigned lanes) {
    for (unsigned n = 0; n < kLanes; ++n) {
      set(a, n, planes_of(value_a, width));
      set(b, n, planes_of(first + (n < lanes ? n : 0), width));
    }
    writer.evaluate();
    for (unsigned n = 0; n < lanes; ++n) {
      const std::uint64_t second = count < 0 ? first + n : static_cast<std::uint64_t>(count);
      const Word got{writer.at(result.first)[n], is_long ? writer.at(result.second)[n] : 0};
      check(form, width, value_a, second, got, operation.define(value_a, second, integer_bits(width)));
    }
  });
}

int run(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} RECORD [--write]\n", argv[0]);
    return 2;
  }
  for (const Width width : {Width::short_word, Width::long_word}) {
    for (const Operation& operation : kOperations) {
      prove_interpreter(operation, width);
      if (!operation.node) continue;
      prove_body(operation, width, -1);
      const bool shifts = operation.node == NodeOp::shift_left || operation.node == NodeOp::shift_right ||
                          operation.node == NodeOp::shift_right_signed;
      for (int count = 0; shifts && count <= integer_bits(width) + 2; ++count) prove_body(operation, width, count);
    }
  }
  const std::string what =
      fmt::format("integers of {} and {} bits", integer_bits(Width::short_word), integer_bits(Width::long_word));
  return counts.finish(what, argv[1], argc > 2 && std::string(argv[2]) == "--write");
}

}  // namespace
}  // namespace gdr::proof

int main(int argc, char** argv) { return gdr::proof::run_if_possible(gdr::proof::run, argc, argv); }
