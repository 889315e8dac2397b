// Every pair of words of a small format through the interpreter's forms of every floating-point operation, compared
// with the definition.
//
//   prove_floats FORMS RANGE SIGNS SHAPES RECORD [--write]
//
//   FORMS   doubles: quick and robust, which depend on the host; words: zeros, integers and events, which do not
//   RANGE   middle: exponents so far apart that more makes no difference, in the middle of the range
//           whole:  all words of the format, zeros and infinities with any fraction among them
//   SIGNS   4: all pairs of signs; 2: a is positive
//   SHAPES  all; mixed: no two long words; short: two short words
//
// The format is in the macro GDR_WIDTHS, the host in GDR_PROOF_HOST.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "counts.h"
#include "definition.h"
#include "small_host.h"
//
#include "simd/kernels/float_operations.h"

namespace gdr::proof {
namespace {

using namespace emulator::simd;
using emulator::Width;

Counts counts;
bool on_doubles = false;
bool whole = false;
int sign_pairs = 4;

struct Sum {
  static constexpr const char* kName = "fadd";
  static constexpr bool kIsProduct = false;
  static Result define(Operand a, Operand b, int precision) { return sum(a, b, precision); }
  template <class Batch>
  static Batch run(const Batch& a, const Batch& b, Width width) {
    return fadd(a, b, width);
  }
};
struct Product {
  static constexpr const char* kName = "fmul";
  static constexpr bool kIsProduct = true;
  static Result define(Operand a, Operand b, int precision) { return product(a, b, precision); }
  template <class Batch>
  static Batch run(const Batch& a, const Batch& b, Width width) {
    return fmul(a, b, width);
  }
};
struct Larger {
  static constexpr const char* kName = "fmax";
  static constexpr bool kIsProduct = false;
  static Result define(Operand a, Operand b, int precision) { return larger(a, b, precision); }
  template <class Batch>
  static Batch run(const Batch& a, const Batch& b, Width width) {
    return fmax(a, b, width);
  }
};
struct Smaller {
  static constexpr const char* kName = "fmin";
  static constexpr bool kIsProduct = false;
  static Result define(Operand a, Operand b, int precision) { return smaller(a, b, precision); }
  template <class Batch>
  static Batch run(const Batch& a, const Batch& b, Width width) {
    return fmin(a, b, width);
  }
};
struct Pass {
  static constexpr const char* kName = "fpassa";
  static constexpr bool kIsProduct = false;
  static Result define(Operand, Operand b, int precision) { return pass(b, precision); }
  template <class Batch>
  static Batch run(const Batch&, const Batch& b, Width width) {  // b has different words in its lanes
    return fpassa(b, width);
  }
};

/// In formats where the product does not fill a word, the form in integers does not stand.
template <class Operation>
constexpr bool kHasIntegers = !Operation::kIsProduct || 2 * widths::kPort >= widths::kHigh;

std::uint64_t fractions(bool is_short) { return widths::bit(is_short ? widths::kShort - 1 : kLongFraction); }
Word word(bool negative, int field, std::uint64_t fraction, bool is_short) {
  if (is_short) fraction <<= widths::kLong - widths::kShort;
  return {sign_bit(negative) | (std::uint64_t(field) << widths::kFraction) | (fraction >> widths::kLow),
          fraction & widths::ones(widths::kLow)};
}

/// One word `a` and the words of the lanes, with what the definition says.
struct Lanes {
  Word a;
  Word b[kLanes];
  Result want[kLanes];
  unsigned count = 0;
  // The same as vectors.
  SmallBits a_high, a_low, b_high, b_low;
  Words in_use{};
  Words want_high{};
  Words want_low{};
  Words want_event{};

  void define(Result (*define)(Operand, Operand, int), Operand a_value, const Operand* b_values, int precision) {
    for (unsigned n = 0; n < kLanes; ++n) {
      want[n] = define(a_value, b_values[n], precision);
      want_high[n] = want[n].word.high;
      want_low[n] = want[n].word.low;
      want_event[n] = static_cast<std::uint64_t>(want[n].event);
    }
  }
};

std::uint64_t lanes_in(Words mask) {
  std::uint64_t lanes = 0;
  for (unsigned n = 0; n < kLanes; ++n) lanes += mask[n] & 1;
  return lanes;
}

/// A short result is in the high plane; what a form leaves in the low one is not stored.
void compare(std::size_t form, Width width, SmallBits high, SmallBits low, Mask covered, const Lanes& lanes) {
  const Words counted = covered.data & lanes.in_use;
  const std::uint64_t count = lanes_in(counted);
  counts.add_pairs(form, count, lanes.count - count);
  Words wrong = high.data ^ lanes.want_high;
  if (width == Width::long_word) wrong |= low.data ^ lanes.want_low;
  wrong &= counted;
  if (!any_of(wrong)) return;
  for (unsigned n = 0; n < lanes.count; ++n) {
    if (wrong[n] != 0) counts.wrong(form, lanes.a, lanes.b[n], {high.data[n], low.data[n]}, lanes.want[n].word);
  }
}

void compare_events(std::size_t form, const Events& events, const Lanes& lanes) {
  const auto set = [](Mask mask, Event event) { return mask.data & static_cast<std::uint64_t>(event); };
  static_assert((static_cast<int>(Event::invalid) | static_cast<int>(Event::overflow)) == 3 &&
                static_cast<int>(Event::underflow) == 4);
  const Words got = set(events.invalid, Event::invalid) | set(events.overflow, Event::overflow) |
                    set(events.underflow, Event::underflow);
  counts.add_pairs(form, lanes.count, 0);
  const Words wrong = (got ^ lanes.want_event) & lanes.in_use;
  if (!any_of(wrong)) return;
  for (unsigned n = 0; n < lanes.count; ++n) {
    if (wrong[n] != 0) counts.wrong(form, lanes.a, lanes.b[n], {got[n], 0}, {lanes.want_event[n], 0});
  }
}

constexpr std::size_t kFormsOnDoubles = 2;
constexpr std::size_t kFormsOnWords = 3;

/// All forms, counted from `form` on.
template <class Operation, class S>
void try_forms(const Lanes& lanes, Width width, std::size_t form) {
  const auto run = [&]<class Batch>(const Batch&) {
    return Operation::run(Batch{lanes.a_high, lanes.a_low, {}}, Batch{lanes.b_high, lanes.b_low, {}}, width);
  };
  if (on_doubles) {
    const QuickBatch<S> quick = run(QuickBatch<S>{});
    compare(form, width, quick.high, quick.low, ~quick.uncovered, lanes);
    const RobustBatch robust = run(RobustBatch{});
    compare(form + 1, width, robust.high, robust.low, ~robust.uncovered, lanes);
    return;
  }
  const ZeroBatch zero = run(ZeroBatch{});
  compare(form, width, zero.high, zero.low, zero.covered, lanes);
  if constexpr (kHasIntegers<Operation>) {
    const ExactBatch exact = run(ExactBatch{});
    compare(form + 1, width, exact.high, exact.low, everywhere(), lanes);
    compare_events(form + 2, exact.events, lanes);
  }
}

/// All fractions of two exponent fields.
template <class Operation, class S>
void try_fractions(int field_a, int field_b, bool negative_a, bool negative_b, bool one_a, std::size_t form) {
  for (std::uint64_t fraction_a = 0; fraction_a < (one_a ? 1 : fractions(S::a_short)); ++fraction_a) {
    Lanes lanes;
    lanes.a = word(negative_a, field_a, fraction_a, S::a_short);
    lanes.a_high = SmallBits(lanes.a.high);
    lanes.a_low = SmallBits(lanes.a.low);
    const Operand a = value_of(lanes.a);
    const std::uint64_t end = fractions(S::b_short);
    for (std::uint64_t first = 0; first < end; first += kLanes) {
      lanes.count = end - first < kLanes ? static_cast<unsigned>(end - first) : kLanes;
      Operand b[kLanes];
      for (unsigned n = 0; n < kLanes; ++n) {
        lanes.b[n] = word(negative_b, field_b, first + (n < lanes.count ? n : 0), S::b_short);
        lanes.b_high.data[n] = lanes.b[n].high;
        lanes.b_low.data[n] = lanes.b[n].low;
        lanes.in_use[n] = n < lanes.count ? ~std::uint64_t{0} : 0;
        b[n] = value_of(lanes.b[n]);
      }
      lanes.define(Operation::define, a, b, widths::kLong);
      try_forms<Operation, S>(lanes, Width::long_word, form);
      lanes.define(Operation::define, a, b, widths::kShort);
      try_forms<Operation, S>(lanes, Width::short_word, form + (on_doubles ? kFormsOnDoubles : kFormsOnWords));
    }
  }
}

template <class Operation, class S>
void prove(const char* operands) {
  const std::size_t form = counts.size();
  for (const char* to : {"long", "short"}) {
    const auto add = [&](const char* name) {
      counts.add(fmt::format("{:<6} {:<13} to {:<5} {}", Operation::kName, operands, to, name));
    };
    for (const char* name : {"quick", "robust"}) {
      if (on_doubles) add(name);
    }
    for (const char* name : {"zeros", "integers", "events"}) {
      if (!on_doubles) add(name);
    }
  }
  constexpr int kMiddle = kFieldBias;
  constexpr int kReach = widths::kLong + 4;
  const bool unary = std::string(Operation::kName) == "fpassa";
  for (int signs = 0; signs < (unary ? 2 : sign_pairs); ++signs) {
    const bool negative_a = (signs & 2) != 0;
    const bool negative_b = (signs & 1) != 0;
    const int first_a = whole && !unary ? 0 : kMiddle;
    const int last_a = whole && !unary ? kTopField : kMiddle;
    const bool one_b = !whole && Operation::kIsProduct;
    const int reach = one_b ? 0 : kReach;
    const int first_b = whole ? 0 : std::max(kMiddle - reach, 1);
    const int last_b = whole ? kTopField : std::min(kMiddle + reach, kTopField - 1);
    for (int a = first_a; a <= last_a; ++a) {
      for (int b = first_b; b <= last_b; ++b) try_fractions<Operation, S>(a, b, negative_a, negative_b, unary, form);
    }
  }
}

template <class Operation>
void prove_comparison(const std::string& shapes) {
  prove<Operation, Shape<true, true>>("short, short");
  if (shapes != "short") prove<Operation, Shape<false, true>>("long, short");
  if (shapes == "all") prove<Operation, Shape<false, false>>("long, long");
}

int run(int argc, char** argv) {
  if (argc < 6) {
    fmt::print(stderr, "usage: {} doubles|words middle|whole 2|4 all|mixed|short RECORD [--write]\n", argv[0]);
    return 2;
  }
  on_doubles = std::string(argv[1]) == "doubles";
  whole = std::string(argv[2]) == "whole";
  sign_pairs = std::atoi(argv[3]);
  const std::string shapes = argv[4];
  const bool mixed = shapes != "short";
  const bool both = shapes == "all";

  prove<Sum, Shape<true, true>>("short, short");
  if (mixed) prove<Sum, Shape<false, true>>("long, short");
  if (mixed) prove<Sum, Shape<true, false>>("short, long");
  if (both) prove<Sum, Shape<false, false>>("long, long");
  prove<Product, Shape<true, true>>("short, short");
  if (mixed) prove<Product, Shape<false, true>>("long, short");
  if (both) prove<Product, Shape<false, false>>("long, long");
  prove<Pass, Shape<true, true>>("short");
  prove<Pass, Shape<false, false>>("long");
  if (whole) {  // comparisons look at bits alone, so that exponents in the middle say nothing
    const std::string compared = on_doubles && both ? "mixed" : shapes;  // only the rounding afterwards is in doubles
    prove_comparison<Larger>(compared);
    prove_comparison<Smaller>(compared);
  }

  std::string what =
      fmt::format("short words of {} bits, long {}, doubles {}, exponents {}; {}, {} pairs of signs", widths::kShort,
                  widths::kLong, widths::kDouble, widths::kExponent, argv[2], sign_pairs);
  if (on_doubles) {
    what += fmt::format("; fields {} to {}, at most {} apart; {}{}{}{}", kLowest, kHighest, robustly::kFarthest,
                        kHostKind.directed ? "directed" : "to nearest", kHostKind.fused ? ", fused" : "",
                        kHostKind.flushes ? ", operands flushed" : "",
                        kHostKind.flushes_results ? ", results flushed" : "");
  }
  return counts.finish(what, argv[5], argc > 6 && std::string(argv[6]) == "--write");
}

}  // namespace
}  // namespace gdr::proof

int main(int argc, char** argv) { return gdr::proof::run_if_possible(gdr::proof::run, argc, argv); }
