#include "node_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "gdr/base/error.h"
#include "integer_code.h"
#include "line/micro_op.h"
#include "loop/plan/number_facts.h"
#include "number_forms.h"

namespace gdr::emulator::jit {

using simd::kShortBitsMask;
using simd::kShortShift;

NodeCode::NodeCode(const BodyGraph& graph, const BodyFacts& facts, const BodyPlan& plan, const CodeTarget& target,
                   Rounding rounding, BodyCode& code)
    : graph_(graph),
      facts_(facts),
      plan_(plan),
      target_(target),
      robust_(rounding == Rounding::robust),
      code_(code),
      number_(target, robust_),
      memory_(graph, number_) {
  for (const NodeId id : plan_.shared()) {
    code_.shared.push_back({id, code_.shared_words});
    code_.shared_words += plan_.is_two_values(id) ? 2 : 1;
  }
  code_.scatters = graph_.scatters;
  code_.scatter_planes = memory_.planes_of_scatter();
}

void NodeCode::begin(Writer& writer, bool uniform) {
  in_uniform_ = uniform;
  in_turns_ = false;
  values.assign(graph_.nodes.size(), {});
  write_to(writer);
  number_.begin(uniform ? facts_.in_uniform : facts_.in_turn);
}

void NodeCode::write_to(Writer& writer) {
  w_ = &writer;
  number_.write_to(writer);
  memory_.write_to(writer);
}

unsigned NodeCode::word_planes() const {
  unsigned planes = 0;
  for (const Stored& stored : graph_.stored) planes += stored.is_long ? 2 : 1;
  return planes;
}

void NodeCode::check_taken(NodeId id) {
  if (plan_.checked(id)) {
    number_.check_range(values[id].first, plan_.facts(id).check_lowest, plan_.facts(id).check_highest);
  }
}

// ---- several iterations side by side --------------------------------------------------------------------------------

void NodeCode::begin_several(std::vector<std::size_t> carried_as, unsigned turns) {
  carried_as_ = std::move(carried_as);
  std::vector<Value> later = values;
  for (NodeId id = 0; id < carried_as_.size(); ++id) {
    if (carried_as_[id] != kNotCarried) later[id] = {};
  }
  other_turns_.assign(turns, later);
}

void NodeCode::end_several() {
  turn_ = 0;
  other_turns_.clear();
}

void NodeCode::go_to_turn(unsigned turn) {
  w_->turn_at_hand = fmt::format("{}", turn);
  if (turn == turn_) return;
  std::swap(values, other_turns_[turn_]);
  std::swap(values, other_turns_[turn]);
  turn_ = turn;
}

Value NodeCode::next_of(std::size_t n) {
  const Carried& carried = graph_.carried[n];
  if (facts_.number_of_phi[n] == kNoNode) return planes_of(carried.after, carried.is_long);
  Value value = of(carried.after);
  if (plan_.carries_two_values(n) && value.second.empty()) value.second = w_->literal(0.0);
  return value;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

const Value& NodeCode::own(NodeId id) {
  if (!values[id].first.empty()) return values[id];
  if (turn_ == 0 || carried_as_[id] == kNotCarried) {
    emit(id);
    return values[id];
  }
  const unsigned turn = turn_;
  go_to_turn(turn - 1);
  const Value taken = next_of(carried_as_[id]);
  go_to_turn(turn);
  values[id] = taken;
  if (facts_.number_of_phi[carried_as_[id]] != kNoNode) check_taken(id);
  return values[id];
}

Value NodeCode::of(NodeId id) {
  const Node& each = node(id);
  if (plan_.is_literal(id)) return each.op == NodeOp::constant ? constant(each) : constant_number(id);
  if (in_uniform_ || !plan_.uniform(id)) return own(id);
  return taken(id);
}

Value NodeCode::constant(const Node& each) const {
  if (each.type == NodeType::short_bits) return {w_->literal(each.value.high), {}};
  return {w_->literal(each.value.high), w_->literal(std::uint64_t{each.value.low})};
}

Value NodeCode::constant_number(NodeId id) {
  const isa::LongWord value = node(node(id).args[0]).value;
  const bool zero = ((value.high >> widths::kFraction) & widths::kInfinite) == 0;
  if (zero) return {w_->literal(0.0), plan_.is_pair(id) ? w_->literal(0.0) : std::string()};
  if (!plan_.is_pair(id)) return {w_->number_literal(value.high), {}};
  const std::uint64_t unit =
      (value.high & (kSign | kExponentMask)) - (std::uint64_t{widths::kLow} << widths::kFraction);
  const double rest = std::bit_cast<double>(unit | value.low) - std::bit_cast<double>(unit);
  return {w_->number_literal(value.high), w_->literal(rest)};
}

/// The value that uniform() has left for this iteration.
Value NodeCode::taken(NodeId id) {
  GDR_ASSERT(in_turns_, "values of a turn are wanted inside it alone");
  Value& value = values[id];
  if (!value.first.empty()) return value;
  const auto known = std::ranges::find(code_.shared, id, &SharedValue::node);
  GDR_ASSERT(known != code_.shared.end(), "the plan knows all that is wanted");
  const NodeType type = node(id).type;
  const CodeType as = type == NodeType::number ? CodeType::number : CodeType::bits;
  value.first = w_->shared(as, known->first);
  if (type == NodeType::flag) value.first = w_->compare("ne", value.first, w_->literal(std::uint64_t{0}));
  if (plan_.is_two_values(id)) value.second = w_->shared(as, known->first + 1);
  return value;
}

void NodeCode::emit(NodeId id) {
  const std::optional<std::uint32_t> before = std::exchange(line_, node(id).line);
  w_->at_line(line_);
  const std::optional<Gate> mask = in_turns_ && !in_uniform_ ? plan_.mask(id) : std::nullopt;
  std::optional<NumberCode::Lanes> lanes;
  if (mask) lanes = {flag_of(mask->flag), mask->inverted};
  lanes = number_.check_in(std::move(lanes));
  emit_node(id);
  number_.check_in(std::move(lanes));
  line_ = before;
  w_->at_line(line_);
}

void NodeCode::emit_node(NodeId id) {
  const Node& each = node(id);
  Value& value = values[id];
  switch (each.op) {
    case NodeOp::row:
      take_rows(each);
      value = w_->row(each.place, each.width == Width::long_word);
      return;
    case NodeOp::kept:
      value = w_->kept(each.place, each.width == Width::long_word);
      return;
    case NodeOp::record:
      value = record(id);
      return;
    case NodeOp::parameter:
      value = w_->parameter(each.place, each.width == Width::long_word);
      return;
    case NodeOp::constant:
      value = constant(each);
      return;
    case NodeOp::number:
      value = number(id);
      break;
    case NodeOp::bits:
      value = bits(each);
      return;
    case NodeOp::upper:
      value = upper(each);
      if (each.type != NodeType::number) return;
      break;
    case NodeOp::lower:
      value = lower(each);
      return;
    case NodeOp::row_to_gather:
    case NodeOp::row_to_scatter:
      value.first = memory_.row(each, of(each.args[0]), selection(each));
      return;
    case NodeOp::gather:
      value = memory_.gathered(each.width, of(each.args[0]).first);
      return;
    case NodeOp::scatter:
      value.first = of(each.args[0]).first;
      memory_.scatter(each.width, value.first, planes_of(each.args[1], each.width == Width::long_word),
                      word_planes() + each.place * code_.scatter_planes);
      return;
    case NodeOp::port:
      value.first = port_of(number_, held(each.args[0], of(each.args[0])));
      break;
    case NodeOp::add:
      value = sum(id);
      break;
    case NodeOp::multiply:
      value = product(id);
      break;
    case NodeOp::cut:
      value = cut(id);
      break;
    case NodeOp::select:
      value = select(id);
      break;
    case NodeOp::flag:
      code_.reads_flags = true;
      value.first = w_->flag(each.place);
      return;
    case NodeOp::is_zero:
    case NodeOp::is_negative:
      value.first = each.op == NodeOp::is_zero ? is_zero(each.args[0]) : is_negative(each.args[0]);
      return;
    case NodeOp::is_below:
      value.first = is_below(*w_, "ult", of(each.args[0]), of(each.args[1]));
      return;
    case NodeOp::integer_add:
    case NodeOp::integer_subtract:
    case NodeOp::bit_and:
    case NodeOp::bit_or:
    case NodeOp::bit_xor:
    case NodeOp::bit_not:
    case NodeOp::shift_left:
    case NodeOp::shift_right:
    case NodeOp::shift_right_signed:
    case NodeOp::larger:
    case NodeOp::smaller:
      value = integer_result(*w_, each, of(each.args[0]), each.args[1] == kNoNode ? Value{} : of(each.args[1]));
      return;
  }
  if (plan_.checked(id)) number_.check_range(value.first, plan_.facts(id).check_lowest, plan_.facts(id).check_highest);
}

void NodeCode::take_rows(const Node& each) {
  const unsigned words = isa::short_words(each.width);
  for (unsigned element = 0; element < isa::kVectorElements; element += graph_.elements) {
    for (unsigned n = 0; n < words; ++n) code_.rows.push_back(each.place + element * words + n);
  }
}

Value NodeCode::record(NodeId id) {
  const Node& each = node(id);
  const bool is_long = each.width == Width::long_word;
  std::uint64_t plane = 0;
  bool known = false;
  for (const RecordWord& word : code_.record_words) {
    known = word.address == each.place && word.is_long == is_long;
    if (known) break;
    plane += word.planes();
  }
  // The caller of compiled code checks low planes.
  const bool is_double = is_long && target_.language == CodeLanguage::llvm_ir && plan_.is_number_alone(id);
  if (!known) code_.record_words.push_back({each.place, is_long, is_double});
  return w_->record(plane, is_long && !is_double);
}

Value NodeCode::bits(const Node& each) {
  if (each.type == NodeType::long_bits) return number_.to_planes(of(each.args[0]));
  const std::string all = w_->bits(w_->canonical(of(each.args[0]).first));
  const bool is_whole = target_.host_doubles && node(each.args[0]).op == NodeOp::upper;
  return {is_whole ? w_->integer("and", all, w_->literal(kShortBitsMask)) : all, {}};
}

Value NodeCode::upper(const Node& each) {
  Value whole = of(each.args[0]);
  if (each.type != NodeType::number) return {w_->integer("and", whole.first, w_->literal(kShortBitsMask)), {}};
  if (target_.host_doubles) return whole;
  const std::string head = whole.second.empty() ? whole.first : number_.toward_zero(whole);
  return {w_->masked(head, ~kBelowShort), {}};
}

Value NodeCode::lower(const Node& each) {
  const Value whole = of(each.args[0]);
  const std::string upper = w_->integer("shl", whole.first, w_->literal(std::uint64_t{isa::kShortBits}));
  const std::string lower = w_->integer("shl", whole.second, w_->literal(std::uint64_t{kShortShift}));
  return {w_->integer("or", upper, lower), {}};
}

/// The flag that selects elements of a row of local memory, if there is one.
std::optional<std::string> NodeCode::selection(const Node& row) {
  if (row.args[1] == kNoNode) return std::nullopt;
  return flag_of(row.args[1]);
}

std::string NodeCode::is_zero(NodeId id) {
  const Node& each = node(id);
  if (each.op == NodeOp::integer_subtract && each.type == NodeType::short_bits)
    return w_->compare("eq", of(each.args[0]).first, of(each.args[1]).first);
  const Value value = of(id);
  if (each.type == NodeType::number) return w_->compare_numbers("oeq", value.first, w_->literal(0.0));
  const std::string all = value.second.empty() ? value.first : w_->integer("or", value.first, value.second);
  return w_->compare("eq", all, w_->literal(std::uint64_t{0}));
}
std::string NodeCode::is_negative(NodeId id) {
  const Value value = of(id);
  if (node(id).type == NodeType::number) return w_->compare_numbers("olt", value.first, w_->literal(0.0));
  return w_->compare("slt", value.first, w_->literal(std::uint64_t{0}));
}

/// True for the result of an operation, and for a choice between two such results.
bool NodeCode::is_worked_out(NodeId id) const {
  const Node& each = node(id);
  if (each.op == NodeOp::select) return is_worked_out(each.args[1]) && is_worked_out(each.args[2]);
  return each.op == NodeOp::bits || (each.op >= NodeOp::integer_add && each.op <= NodeOp::smaller);
}

void NodeCode::check_word(const Value& planes) {
  target_.host_doubles ? number_.check_double(planes) : number_.check_input(planes);
}

/// A word of memory or the bits of an integer, taken as a number.
Value NodeCode::number(NodeId id) {
  const NodeId word = node(id).args[0];
  if (node(word).op == NodeOp::constant) return constant_number(id);
  const bool whole = target_.host_doubles && node(word).op == NodeOp::upper;
  const Value planes = whole ? Value{of(node(word).args[0]).first, {}} : of(word);
  // An operation takes the bits of an integer as a double, whatever they are. A NaN is found where the value leaves.
  if (target_.host_doubles && is_worked_out(word)) return {w_->numbers(planes.first), {}};
  check_word(planes);
  if (!planes.second.empty()) number_.demand(w_->compare("eq", planes.second, w_->literal(std::uint64_t{0})));
  return {w_->numbers(planes.first), {}};
}

Value NodeCode::select(NodeId id) {
  const Node& each = node(id);
  const std::string flag = flag_of(each.args[0]);
  Value a = of(each.args[1]);
  Value b = of(each.args[2]);
  if (each.type == NodeType::flag) return {w_->select(flag, CodeType::flag, a.first, b.first), {}};
  const bool is_number = each.type == NodeType::number;
  const CodeType type = is_number ? CodeType::number : CodeType::bits;
  Value value{w_->select(flag, type, a.first, b.first), {}};
  if (a.second.empty() && b.second.empty()) return value;
  const std::string nothing = is_number ? w_->literal(0.0) : w_->literal(std::uint64_t{0});
  if (a.second.empty()) a.second = nothing;
  if (b.second.empty()) b.second = nothing;
  value.second = w_->select(flag, type, a.second, b.second);
  return value;
}

// ---- words --------------------------------------------------------------------------------------------------------

Value NodeCode::planes_of(NodeId id, bool is_long) {
  Value value = of(id);
  if (node(id).type == NodeType::number) {
    if (target_.host_doubles) number_.check_ordered(value.first);
    if (is_long) return number_.to_planes(value);
    return {w_->bits(w_->canonical(value.first)), {}};
  }
  if (is_long && value.second.empty()) return {value.first, w_->literal(std::uint64_t{0})};
  return value;
}

/// If the last iteration took over the word as a number, the planes are those of that number.
Value NodeCode::planes_left(const Left& left) {
  for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
    const NodeId number = facts_.number_of_phi[n];
    if (graph_.carried[n].before != left.value || number == kNoNode) continue;
    const Value value = values[number];
    return left.is_long ? number_.to_planes(value) : Value{w_->bits(w_->canonical(value.first)), {}};
  }
  return planes_of(left.value, left.is_long);
}

// ---- operations ---------------------------------------------------------------------------------------------------

Value NodeCode::with_sign(Value value, bool negate) {
  if (!negate) return value;
  value.first = w_->negated(value.first);
  if (!value.second.empty()) value.second = w_->negated(value.second);
  return value;
}

Value NodeCode::sum(NodeId id) {
  const Node& each = node(id);
  NodeId x = each.args[0];
  NodeId y = each.args[1];
  bool negate_x = (each.negated & 1) != 0;
  bool negate_y = (each.negated & 2) != 0;
  if (plan_.fused(y) && !plan_.fused(x)) {
    std::swap(x, y);
    std::swap(negate_x, negate_y);
  }
  if (plan_.fused(x)) return sum_with_product(x, negate_x, y, negate_y);
  if (plan_.is_pair(y) && !plan_.is_pair(x)) {
    std::swap(x, y);
    std::swap(negate_x, negate_y);
  }
  const Value a = with_sign(of(x), negate_x);
  const Value b = with_sign(of(y), negate_y);
  return sum_of(number_, held(x, a), held(y, b), each.width);
}

Value NodeCode::sum_with_product(NodeId product, bool negate_product, NodeId other, bool negate_other) {
  const Node& of_product = node(product);
  const bool negate = negate_product != (of_product.negated == 1 || of_product.negated == 2);
  const std::string a = with_sign(of(of_product.args[0]), negate).first;
  const std::string b = of(of_product.args[1]).first;
  const std::string c = with_sign(of(other), negate_other).first;
  return sum_with_product_of(number_, a, b, c);
}

Value NodeCode::product(NodeId id) {
  const Node& each = node(id);
  const NodeId x = each.args[0];
  const NodeId y = each.args[1];
  std::string a = of(x).first;
  const std::string b = of(y).first;
  if (each.negated == 1 || each.negated == 2) a = w_->negated(a);
  return product_of(number_, held(x, {a, {}}), held(y, {b, {}}), each.width);
}

Value NodeCode::cut(NodeId id) {
  const Node& each = node(id);
  const Value a = with_sign(of(each.args[0]), (each.negated & 1) != 0);
  return cut_of(number_, held(each.args[0], a), each.width);
}

}  // namespace gdr::emulator::jit
