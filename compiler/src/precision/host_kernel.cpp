#include "host_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "gdr/base/error.h"

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
      default:
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
  switch (step.act) {
    case Act::constant:
      return step.constant;
    case Act::input:
      return records[index_of(step.record)][step.word];
    case Act::select:
      return a.integer != 0 ? b : operand(2);
    case Act::widen:
    case Act::narrow:
      return a;
    case Act::from_integer:
      return {static_cast<double>(a.integer), 0};
    case Act::less:
      return {0, a.number < b.number ? 1 : 0};
    case Act::equal:
      return {0, a.number == b.number ? 1 : 0};
    default:
      break;
  }
  if (step.is_float) return {function_of(step.act, a.number, b.number), 0};
  return {0, integer_of(step, a, b)};
}

double HostKernel::function_of(Act act, double a, double b) {
  switch (act) {
    case Act::add:
      return a + b;
    case Act::sub:
      return a - b;
    case Act::mul:
      return a * b;
    case Act::div:
      return a / b;
    case Act::negate:
      return -a;
    case Act::absolute:
      return std::fabs(a);
    case Act::copysign:
      return std::copysign(a, b);
    case Act::minimum:
      return std::fmin(a, b);
    case Act::maximum:
      return std::fmax(a, b);
    case Act::sqrt:
      return std::sqrt(a);
    case Act::rsqrt:
      return a == 0 ? 0 : 1 / std::sqrt(a);
    case Act::reciprocal:
      return a == 0 ? 0 : 1 / a;
    case Act::exp2:
      return std::exp2(a);
    case Act::exp:
      return std::exp(a);
    case Act::log2:
      return std::log2(a);
    case Act::log:
      return std::log(a);
    case Act::sin:
      return std::sin(a);
    case Act::cos:
      return std::cos(a);
    case Act::nearest:
      return std::nearbyint(a);
    case Act::power:
      return std::pow(a, b);
    case Act::cube_root:
      return std::cbrt(a);
    case Act::erf:
      return std::erf(a);
    case Act::erfc:
      return std::erfc(a);
    case Act::tan:
      return std::tan(a);
    case Act::tanh:
      return std::tanh(a);
    case Act::atan2:
      return std::atan2(a, b);
    case Act::hypot:
      return std::hypot(a, b);
    case Act::log10:
      return std::log10(a);
    case Act::expm1:
      return std::expm1(a);
    case Act::log1p:
      return std::log1p(a);
    case Act::fraction: {
      int ignored = 0;
      return std::frexp(a, &ignored);
    }
    case Act::floor:
      return std::floor(a);
    case Act::ceil:
      return std::ceil(a);
    case Act::trunc:
      return std::trunc(a);
    case Act::round:
      return std::round(a);
    default:
      break;
  }
  GDR_ASSERT(false, "an operation on numbers is known here");
  return 0;
}

std::int64_t HostKernel::integer_of(const Step& step, const Value& a, const Value& b) {
  const std::uint64_t left = as_unsigned(a.integer);
  const std::uint64_t right = as_unsigned(b.integer);
  const std::uint64_t shift = right & 63;
  const auto bits = static_cast<unsigned>(step.constant.integer);
  switch (step.act) {
    case Act::to_integer: {
      constexpr double kBeyond = 0x1p62;
      return static_cast<std::int64_t>(std::clamp(std::isnan(a.number) ? 0 : a.number, -kBeyond, kBeyond));
    }
    case Act::exponent: {
      constexpr int kOfZero = -1023;
      constexpr int kOfInfinity = 1024;
      if (a.number == 0) return kOfZero;
      return std::isfinite(a.number) ? std::ilogb(a.number) : kOfInfinity;
    }
    case Act::iadd:
      return as_signed(left + right);
    case Act::isub:
      return as_signed(left - right);
    case Act::iand:
    case Act::both:
      return as_signed(left & right);
    case Act::ior:
    case Act::either:
      return as_signed(left | right);
    case Act::ixor:
      return as_signed(left ^ right);
    case Act::shift_left:
      return as_signed(left << shift);
    case Act::shift_right:
      return a.integer >> shift;
    case Act::shift_right_unsigned:
      return as_signed(left >> shift);
    case Act::imin:
      return std::min(a.integer, b.integer);
    case Act::imax:
      return std::max(a.integer, b.integer);
    case Act::int_less:
      return a.integer < b.integer ? 1 : 0;
    case Act::int_less_unsigned:
      return left < right ? 1 : 0;
    case Act::int_equal:
      return left == right ? 1 : 0;
    case Act::opposite:
      return left == 0 ? 1 : 0;
    case Act::imul:
      return as_signed(left * right);
    case Act::idiv:
      return b.integer == 0 ? 0 : a.integer / b.integer;
    case Act::iremainder:
      return b.integer == 0 ? 0 : a.integer % b.integer;
    case Act::sign_extend:
      return as_signed(left << (64 - bits)) >> (64 - bits);
    case Act::zero_extend:
      return as_signed(left & (~std::uint64_t{0} >> (64 - bits)));
    case Act::leading_zeros:
      return std::countl_zero(left) - static_cast<int>(64 - bits);
    default:
      break;
  }
  GDR_ASSERT(false, "an operation on integers is known here");
  return 0;
}

}  // namespace gdr::compiler
