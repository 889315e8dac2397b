// Every pair of words of a small format through the arithmetic of loop bodies: the instructions that the generator
// writes for it, played as a tape and compared with the definition.
//
//   prove_code directed|nearest all|mixed RECORD [--write]
//
// directed, nearest: whether the target has directed rounding. mixed: no sums of two long words. The format is in the
// macro GDR_WIDTHS. Exponents are in the middle of the range: a body refuses others (number_facts.h).
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "counts.h"
#include "definition.h"
#include "loop/code/number_forms.h"
#include "tape_writer.h"

namespace gdr::proof {
namespace {

using namespace emulator;
using isa::Width;
using jit::HeldNumber;
using jit::NumberCode;
using jit::NumberForm;
using simd::all;
using simd::kLanes;

Counts counts;
bool directed = false;

/// Words that a form holds: a fraction and one of these exponent fields.
struct Words {
  NumberForm form;
  std::vector<int> fields;

  [[nodiscard]] int bits() const {
    if (form == NumberForm::short_number) return widths::kShort;
    return form == NumberForm::one_double ? widths::kDouble : widths::kLong;
  }
  [[nodiscard]] std::vector<Word> list() const {
    std::vector<Word> words;
    for (const bool negative : {false, true}) {
      for (const int field : fields) {
        // The fraction of a zero is taken as zero before it gets here.
        const std::uint64_t count = field == 0 ? 1 : widths::bit(bits() - 1);
        for (std::uint64_t n = 0; n < count && !(field == 0 && negative); ++n) {
          const std::uint64_t fraction = n << (widths::kLong - bits());
          words.push_back(
              {sign_bit(negative) | (std::uint64_t(field) << widths::kFraction) | (fraction >> widths::kLow),
               fraction & widths::ones(widths::kLow)});
        }
      }
    }
    return words;
  }
};

constexpr int kMiddle = kFieldBias;
/// Exponents around the middle, so far apart that more makes no difference; and zero.
std::vector<int> around() {
  std::vector<int> fields{0};
  for (int field = kMiddle - widths::kLong - 4; field <= kMiddle + widths::kLong + 4; ++field) fields.push_back(field);
  return fields;
}
const std::vector<int> kOne{kMiddle};
const std::vector<int> kOneOrZero{0, kMiddle};

/// Code for one operation, with inputs for the planes of its operands.
class Code {
 public:
  Code(bool robust, int operands) : writer_(directed), code_(target(), robust) {
    code_.write_to(writer_);
    code_.begin({});
    for (int n = 0; n < operands; ++n) {
      const std::string high = writer_.input();
      inputs_.push_back({high, writer_.input()});
    }
  }
  [[nodiscard]] NumberCode& numbers() { return code_; }

  HeldNumber operand(int n, NumberForm form) {
    const jit::Value& planes = inputs_[n];
    const bool is_pair = form == NumberForm::pair;
    return {is_pair ? code_.from_planes(planes) : jit::Value{writer_.numbers(planes.first), {}}, form,
            form == NumberForm::short_number ? widths::kShort : widths::kDouble};
  }
  [[nodiscard]] const jit::Value& planes(int n) const { return inputs_[n]; }

  void finish(const jit::Value& result) { finish_with_planes(code_.to_planes(result)); }
  void finish_with_planes(const jit::Value& planes) {
    result_ = planes;
    right_ = code_.all_right();
  }
  void set(int n, unsigned lane, Word word) {
    writer_.at(inputs_[n].first)[lane] = word.high;
    writer_.at(inputs_[n].second)[lane] = word.low;
  }
  void play() { writer_.evaluate(); }
  [[nodiscard]] bool is_right(unsigned lane) { return writer_.at(right_)[lane] != 0 && writer_.inexact[lane] == 0; }
  [[nodiscard]] Word result(unsigned lane) {
    return {writer_.at(result_.first)[lane], writer_.at(result_.second)[lane]};
  }

 private:
  static jit::CodeTarget target() {
    jit::CodeTarget target;
    target.directed_rounding = directed;
    return target;
  }

  TapeWriter writer_;
  NumberCode code_;
  std::vector<jit::Value> inputs_;
  jit::Value result_;
  std::string right_;
};

std::string name_of(NumberForm form) {
  switch (form) {
    case NumberForm::short_number:
      return "short";
    case NumberForm::one_double:
      return "double";
    case NumberForm::pair:
      return "pair";
  }
  return {};
}
int precision_of(Width width) { return width == Width::short_word ? widths::kShort : widths::kLong; }
std::string to(Width width, bool robust) {
  return fmt::format("to {:<5} {}", width == Width::short_word ? "short" : "long", robust ? "robust" : "quick");
}

/// Plays all words of `b` with each of `a`. `define(a, b, word of b)` is a Result.
template <class Define>
void play(Code& code, const std::string& form, const Words& a, const Words& b, Define define) {
  const std::size_t at = counts.add(form);
  const std::vector<Word> of_b = b.list();
  std::vector<Operand> values;
  for (const Word& word : of_b) values.push_back(value_of(word));
  for (const Word& word_a : a.list()) {
    const Operand value_a = value_of(word_a);
    for (unsigned lane = 0; lane < kLanes; ++lane) code.set(0, lane, word_a);
    for (std::size_t first = 0; first < of_b.size(); first += kLanes) {
      const unsigned lanes = of_b.size() - first < kLanes ? static_cast<unsigned>(of_b.size() - first) : kLanes;
      for (unsigned lane = 0; lane < kLanes; ++lane) code.set(1, lane, of_b[first + (lane < lanes ? lane : 0)]);
      code.play();
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const bool right = code.is_right(lane);
        counts.add_pairs(at, right ? 1 : 0, right ? 0 : 1);
        if (!right) continue;
        const Word want = define(value_a, values[first + lane], of_b[first + lane]).word;
        if (code.result(lane) != want) counts.wrong(at, word_a, of_b[first + lane], code.result(lane), want);
      }
    }
  }
}

void prove_sums(NumberForm a, NumberForm b) {
  for (const Width width : {Width::short_word, Width::long_word}) {
    for (const bool robust : {false, true}) {
      Code code(robust, 2);
      const HeldNumber x = code.operand(0, a);
      const HeldNumber y = code.operand(1, b);
      code.finish(jit::sum_of(code.numbers(), x, y, width));
      play(code, fmt::format("add  {:<6} {:<6} {}", name_of(a), name_of(b), to(width, robust)), {a, kOneOrZero},
           {b, around()}, [&](Operand p, Operand q, Word) { return sum(p, q, precision_of(width)); });
    }
  }
}

/// Products do not depend on the exponents.
void prove_products(NumberForm a, NumberForm b) {
  for (const Width width : {Width::short_word, Width::long_word}) {
    for (const bool robust : {false, true}) {
      Code code(robust, 2);
      const auto port = [&](int n, NumberForm form) -> HeldNumber {
        const HeldNumber held = code.operand(n, form);
        const bool is_short = form == NumberForm::short_number;
        return {{jit::port_of(code.numbers(), held), {}}, is_short ? form : NumberForm::one_double, widths::kPort};
      };
      const HeldNumber x = port(0, a);
      const HeldNumber y = port(1, b);
      code.finish(jit::product_of(code.numbers(), x, y, width));
      play(code, fmt::format("mul  {:<6} {:<6} {}", name_of(a), name_of(b), to(width, robust)), {a, kOneOrZero},
           {b, kOneOrZero}, [&](Operand p, Operand q, Word) { return product(p, q, precision_of(width)); });
    }
  }
}

/// Words on their own, as the second operand.
void prove_cuts(NumberForm form) {
  for (const Width width : {Width::short_word, Width::long_word}) {
    for (const bool robust : {false, true}) {
      Code code(robust, 2);
      code.finish(jit::cut_of(code.numbers(), code.operand(1, form), width));
      play(code, fmt::format("cut  {:<13} {}", name_of(form), to(width, robust)), {NumberForm::short_number, {0}},
           {form, around()}, [&](Operand, Operand q, Word) { return pass(q, precision_of(width)); });
    }
  }
}

/// a b + c with short a and b. The exponents of a and c are in the middle, so those of b take the product far from c.
void prove_sums_with_products(NumberForm form_c) {
  for (const bool robust : {false, true}) {
    if (robust && !directed) continue;  // the plan forms no such sum
    for (const Word& word_c : Words{form_c, kOneOrZero}.list()) {
      const Operand c = value_of(word_c);
      Code code(robust, 3);
      const std::string a = code.operand(0, NumberForm::short_number).value.first;
      const std::string b = code.operand(1, NumberForm::short_number).value.first;
      code.finish(jit::sum_with_product_of(code.numbers(), a, b, code.operand(2, form_c).value.first));
      for (unsigned lane = 0; lane < kLanes; ++lane) code.set(2, lane, word_c);
      play(code, fmt::format("mul  short  short  add {:<6} {}", name_of(form_c), to(Width::short_word, robust)),
           {NumberForm::short_number, kOneOrZero}, {NumberForm::short_number, around()},
           [&](Operand p, Operand q, Word) {
             // The product of short words is exact, and is a word.
             return sum(value_of(product(p, q, widths::kLong).word), c, widths::kShort);
           });
    }
  }
}

/// What the checks let through. A word that they must refuse is wrong if it passes.
void prove_checks() {
  std::vector<int> fields;
  for (int field = 0; field <= kTopField; ++field) fields.push_back(field);
  const auto prove = [&](const char* name, NumberForm form, bool (*allowed)(Operand), auto check) {
    Code code(false, 2);
    check(code);
    // The planes themselves, so that the result is the word.
    const jit::Value planes = code.planes(1);
    code.finish_with_planes(planes);
    play(code, name, {NumberForm::short_number, {0}}, {form, fields},
         [&](Operand, Operand q, Word word) { return Result{allowed(q) ? word : Word{~std::uint64_t{0}, 0}}; });
  };
  prove(
      "check of a short input", NumberForm::short_number,
      [](Operand q) { return q.is_zero() || std::abs(q.field - kFieldBias) <= jit::kInputExponent; },
      [](Code& code) { code.numbers().check_input({code.planes(1).first, {}}); });
  prove(
      "check of a long input", NumberForm::pair,
      [](Operand q) { return q.is_zero() || std::abs(q.field - kFieldBias) <= jit::kInputExponent; },
      [](Code& code) { code.numbers().check_input(code.planes(1)); });
  prove(
      "check of a double", NumberForm::pair,
      [](Operand q) { return q.is_zero() || (!q.is_infinite() && (q.significand & widths::ones(widths::kLow)) == 0); },
      [](Code& code) { code.numbers().check_double(code.planes(1)); });
  prove(
      "check of small magnitudes", NumberForm::one_double,
      [](Operand q) { return q.is_zero() || q.field - kFieldBias >= jit::kLowestChecked; },
      [](Code& code) { code.numbers().check_range(code.operand(1, NumberForm::one_double).value.first, true, false); });
  prove(
      "check of large magnitudes", NumberForm::one_double,
      [](Operand q) { return q.is_zero() || q.field - kFieldBias <= jit::kHighestChecked; },
      [](Code& code) { code.numbers().check_range(code.operand(1, NumberForm::one_double).value.first, false, true); });
}

int run(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: {} directed|nearest all|mixed RECORD [--write]\n", argv[0]);
    return 2;
  }
  directed = std::string(argv[1]) == "directed";
  const bool both = std::string(argv[2]) == "all";

  using enum NumberForm;
  prove_sums(short_number, short_number);
  prove_sums(one_double, one_double);
  prove_sums(pair, short_number);
  if (both) prove_sums(pair, one_double);
  if (both) prove_sums(pair, pair);
  prove_products(short_number, short_number);
  prove_products(one_double, short_number);
  prove_products(pair, short_number);
  prove_products(pair, one_double);
  prove_products(pair, pair);
  prove_cuts(short_number);
  prove_cuts(one_double);
  prove_cuts(pair);
  prove_sums_with_products(short_number);
  prove_sums_with_products(one_double);
  prove_checks();

  const std::string what =
      fmt::format("short words of {} bits, long {}, doubles {}, exponents {}; {}; sums of two long words {}",
                  widths::kShort, widths::kLong, widths::kDouble, widths::kExponent, argv[1], both ? "too" : "apart");
  return counts.finish(what, argv[3], argc > 4 && std::string(argv[4]) == "--write");
}

}  // namespace
}  // namespace gdr::proof

int main(int argc, char** argv) { return gdr::proof::run_if_possible(gdr::proof::run, argc, argv); }
