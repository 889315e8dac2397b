#include "host_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "pair/acts.h"

namespace gdr::compiler {
namespace {

constexpr auto index_of(Record record) { return static_cast<std::size_t>(record); }

/// The nearest number of `bits` significant ones.
double rounded_to(double value, unsigned bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, static_cast<int>(bits))), exponent - static_cast<int>(bits));
}

std::uint64_t as_unsigned(std::int64_t value) { return static_cast<std::uint64_t>(value); }
std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

HostKernel::HostKernel(const Imported& imported, std::span<const Reduction> reductions,
                       std::vector<double> parameters) {
  for (std::size_t record = 0; record < kRecords; ++record) {
    for (const Field& field : imported.body.records[record])
      types_[record].insert(types_[record].end(), field.count, field.type);
  }
  constexpr double kFar = std::numeric_limits<double>::infinity();
  using Integers = std::numeric_limits<std::int64_t>;
  for (std::size_t n = 0; n < words(Record::result); ++n) {
    switch (isa::info_of(reductions[n].op).neutral) {
      case isa::Identity::least:
        start_.push_back({-kFar, Integers::min()});
        break;
      case isa::Identity::greatest:
        start_.push_back({kFar, Integers::max()});
        break;
      case isa::Identity::all_ones:
        start_.push_back({0, -1});
        break;
      case isa::Identity::zero:
      case isa::Identity::none:
        start_.push_back({0, 0});
        break;
    }
  }
  for (std::size_t n = 0; n < parameters.size(); ++n) {
    const bool number = is_float(types_[index_of(Record::parameter)][n]);
    parameters_.push_back({parameters[n], number ? 0 : static_cast<std::int64_t>(parameters[n])});
  }
  body_ = part(imported.body);
  finish_ = part(imported.finish);
}

HostKernel::Part HostKernel::part(const PairFunction& function) const {
  const auto word_of = [&](Record record, unsigned field, unsigned element) {
    std::size_t word = element;
    for (unsigned n = 0; n < field; ++n) word += function.records[index_of(record)][n].count;
    return word;
  };
  Part made;
  for (const Node& node : function.nodes) {
    Step step;
    step.act = node.act;
    step.operands = node.operands;
    step.constant = {node.number, node.integer};
    step.record = node.record;
    if (node.act == Act::input) step.word = word_of(node.record, node.field, node.element);
    step.is_float = is_float(node.type);
    step.is_long = is_long(node.type);
    step.bits = significant_bits(node);
    made.steps.push_back(std::move(step));
  }
  for (const Store& store : function.stores)
    made.stores.push_back({word_of(Record::result, store.field, store.element), store.value});
  return made;
}

std::vector<HostKernel::Value> HostKernel::values_of(std::span<const std::uint64_t> fields, Record record) const {
  const std::vector<Type>& types = types_[index_of(record)];
  std::vector<Value> values;
  for (std::size_t n = 0; n < fields.size(); ++n) {
    const bool number = is_float(types[n % types.size()]);
    values.push_back({number ? std::bit_cast<double>(fields[n]) : 0, number ? 0 : as_signed(fields[n])});
  }
  return values;
}

std::vector<double> HostKernel::run(std::span<const std::uint64_t> i_fields, std::size_t i_particles,
                                    std::span<const std::uint64_t> j_fields, const Rounding* rounded) const {
  const auto marked = [&](const Part& part, std::size_t number) {
    std::vector<char> marks(part.steps.size(), 0);
    if (rounded == nullptr) return marks;
    for (const int node : rounded->nodes[number]) marks[static_cast<std::size_t>(node)] = 1;
    return marks;
  };
  const std::vector<char> in_body = marked(body_, 0);
  const std::vector<char> in_finish = marked(finish_, 1);
  const std::vector<Value> i = values_of(i_fields, Record::i);
  const std::vector<Value> j = values_of(j_fields, Record::j);
  const std::size_t i_words = words(Record::i);
  const std::size_t j_words = words(Record::j);
  std::vector<double> results;
  std::vector<Value> values;
  std::vector<Value> state;
  for (std::size_t n = 0; n < i_particles; ++n) {
    state = start_;
    Records records{std::span(i).subspan(n * i_words, i_words), {}, state, parameters_};
    const auto turn = [&](const Part& part, const std::vector<char>& marks) {
      execute(part, marks, records, values);
      for (const Keeping& store : part.stores) state[store.word] = values[static_cast<std::size_t>(store.value)];
    };
    for (std::size_t from = 0; from < j.size(); from += j_words) {
      records[index_of(Record::j)] = std::span(j).subspan(from, j_words);
      turn(body_, in_body);
    }
    turn(finish_, in_finish);
    for (std::size_t word = 0; word < state.size(); ++word) {
      const bool number = is_float(types_[index_of(Record::result)][word]);
      results.push_back(number ? state[word].number : static_cast<double>(state[word].integer));
    }
  }
  return results;
}

void HostKernel::execute(const Part& part, const std::vector<char>& rounded, const Records& records,
                         std::vector<Value>& values) {
  values.resize(part.steps.size());
  for (std::size_t n = 0; n < part.steps.size(); ++n) {
    values[n] = value_of(part.steps[n], records, values);
    if (rounded[n] != 0) values[n].number = rounded_to(values[n].number, part.steps[n].bits);
  }
}

HostKernel::Value HostKernel::value_of(const Step& step, const Records& records, const std::vector<Value>& values) {
  const auto operand = [&](std::size_t n) -> const Value& {
    static const Value none;
    return n < step.operands.size() ? values[static_cast<std::size_t>(step.operands[n])] : none;
  };
  const Value& a = operand(0);
  const Value& b = operand(1);
  switch (family_of(step.act)) {
    case Family::constant:
      return step.constant;
    case Family::input:
      return records[index_of(step.record)][step.word];
    case Family::select:
      return a.integer != 0 ? b : operand(2);
    case Family::widen:
    case Family::narrow:
      return a;
    case Family::from_integer:
      return {static_cast<double>(a.integer), 0};
    case Family::negate:
      return {-a.number, 0};
    case Family::number:
      return {function_of(step.act, a.number, b.number), 0};
    case Family::integer:
    case Family::comparison:
    case Family::logic:
      return {0, integer_of(step, a, b)};
  }
  return {};
}

double HostKernel::function_of(Act act, double a, double b) {
  static constexpr ActTable<double (*)(double, double)> kFunctions(
      [](Act any) { return family_of(any) == Family::number; },
      {{Act::add, [](double x, double y) { return x + y; }},
       {Act::sub, [](double x, double y) { return x - y; }},
       {Act::mul, [](double x, double y) { return x * y; }},
       {Act::div, [](double x, double y) { return x / y; }},
       {Act::absolute, [](double x, double) { return std::fabs(x); }},
       {Act::copysign, [](double x, double y) { return std::copysign(x, y); }},
       {Act::minimum, [](double x, double y) { return std::fmin(x, y); }},
       {Act::maximum, [](double x, double y) { return std::fmax(x, y); }},
       {Act::sqrt, [](double x, double) { return std::sqrt(x); }},
       {Act::rsqrt, [](double x, double) { return x == 0 ? 0 : 1 / std::sqrt(x); }},
       {Act::reciprocal, [](double x, double) { return x == 0 ? 0 : 1 / x; }},
       {Act::exp2, [](double x, double) { return std::exp2(x); }},
       {Act::exp, [](double x, double) { return std::exp(x); }},
       {Act::log2, [](double x, double) { return std::log2(x); }},
       {Act::log, [](double x, double) { return std::log(x); }},
       {Act::sin, [](double x, double) { return std::sin(x); }},
       {Act::cos, [](double x, double) { return std::cos(x); }},
       {Act::power, [](double x, double y) { return std::pow(x, y); }},
       {Act::cube_root, [](double x, double) { return std::cbrt(x); }},
       {Act::erf, [](double x, double) { return std::erf(x); }},
       {Act::erfc, [](double x, double) { return std::erfc(x); }},
       {Act::tan, [](double x, double) { return std::tan(x); }},
       {Act::tanh, [](double x, double) { return std::tanh(x); }},
       {Act::atan2, [](double x, double y) { return std::atan2(x, y); }},
       {Act::hypot, [](double x, double y) { return std::hypot(x, y); }},
       {Act::log10, [](double x, double) { return std::log10(x); }},
       {Act::expm1, [](double x, double) { return std::expm1(x); }},
       {Act::log1p, [](double x, double) { return std::log1p(x); }},
       {Act::floor, [](double x, double) { return std::floor(x); }},
       {Act::ceil, [](double x, double) { return std::ceil(x); }},
       {Act::trunc, [](double x, double) { return std::trunc(x); }},
       {Act::round, [](double x, double) { return std::round(x); }},
       {Act::nearest, [](double x, double) { return std::nearbyint(x); }},
       {Act::fraction, [](double x, double) {
          int ignored = 0;
          return std::frexp(x, &ignored);
        }}});
  return kFunctions[act](a, b);
}

std::int64_t HostKernel::integer_of(const Step& step, const Value& a, const Value& b) {
  struct Operands {
    double number;  // the first as a number
    double other;
    std::int64_t first;
    std::int64_t second;
    std::uint64_t left;  // the bits of both
    std::uint64_t right;
    unsigned bits;  // a constant of the operation
    [[nodiscard]] std::uint64_t shift() const { return right & 63; }
  };
  static constexpr ActTable<std::int64_t (*)(const Operands&)> kFunctions(
      [](Act any) {
        const Family family = family_of(any);
        return family == Family::integer || family == Family::comparison || family == Family::logic;
      },
      {{Act::to_integer,
        [](const Operands& of) {
          constexpr double kBeyond = 0x1p62;
          return static_cast<std::int64_t>(std::clamp(std::isnan(of.number) ? 0 : of.number, -kBeyond, kBeyond));
        }},
       {Act::exponent,
        [](const Operands& of) -> std::int64_t {
          constexpr int kOfZero = -1023;
          constexpr int kOfInfinity = 1024;
          if (of.number == 0) return kOfZero;
          return std::isfinite(of.number) ? std::ilogb(of.number) : kOfInfinity;
        }},
       {Act::iadd, [](const Operands& of) { return as_signed(of.left + of.right); }},
       {Act::isub, [](const Operands& of) { return as_signed(of.left - of.right); }},
       {Act::iand, [](const Operands& of) { return as_signed(of.left & of.right); }},
       {Act::ior, [](const Operands& of) { return as_signed(of.left | of.right); }},
       {Act::ixor, [](const Operands& of) { return as_signed(of.left ^ of.right); }},
       {Act::shift_left, [](const Operands& of) { return as_signed(of.left << of.shift()); }},
       {Act::shift_right, [](const Operands& of) { return of.first >> of.shift(); }},
       {Act::shift_right_unsigned, [](const Operands& of) { return as_signed(of.left >> of.shift()); }},
       {Act::imin, [](const Operands& of) { return std::min(of.first, of.second); }},
       {Act::imax, [](const Operands& of) { return std::max(of.first, of.second); }},
       {Act::imul, [](const Operands& of) { return as_signed(of.left * of.right); }},
       {Act::idiv, [](const Operands& of) { return of.second == 0 ? 0 : of.first / of.second; }},
       {Act::iremainder, [](const Operands& of) { return of.second == 0 ? 0 : of.first % of.second; }},
       {Act::sign_extend, [](const Operands& of) { return as_signed(of.left << (64 - of.bits)) >> (64 - of.bits); }},
       {Act::zero_extend,
        [](const Operands& of) { return as_signed(of.left & (~std::uint64_t{0} >> (64 - of.bits))); }},
       {Act::leading_zeros,
        [](const Operands& of) -> std::int64_t { return std::countl_zero(of.left) - static_cast<int>(64 - of.bits); }},
       {Act::less, [](const Operands& of) -> std::int64_t { return of.number < of.other ? 1 : 0; }},
       {Act::equal, [](const Operands& of) -> std::int64_t { return of.number == of.other ? 1 : 0; }},
       {Act::int_less, [](const Operands& of) -> std::int64_t { return of.first < of.second ? 1 : 0; }},
       {Act::int_less_unsigned, [](const Operands& of) -> std::int64_t { return of.left < of.right ? 1 : 0; }},
       {Act::int_equal, [](const Operands& of) -> std::int64_t { return of.left == of.right ? 1 : 0; }},
       {Act::both, [](const Operands& of) { return as_signed(of.left & of.right); }},
       {Act::either, [](const Operands& of) { return as_signed(of.left | of.right); }},
       {Act::opposite, [](const Operands& of) -> std::int64_t { return of.left == 0 ? 1 : 0; }}});
  return kFunctions[step.act]({a.number, b.number, a.integer, b.integer, as_unsigned(a.integer), as_unsigned(b.integer),
                               static_cast<unsigned>(step.constant.integer)});
}

}  // namespace gdr::compiler
