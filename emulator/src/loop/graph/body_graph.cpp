#include "body_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gdr/base/error.h"
#include "graph_nodes.h"
#include "line/line_facts.h"
#include "vector_elements.h"

namespace gdr::emulator::jit {
namespace {

using isa::Op;
using isa::Section;
using isa::Storage;
using isa::Unit;
using simd::kLmRow;
using simd::kTRow;
using OperandKind = isa::UnitOperand::Kind;

class Builder {
 public:
  Builder(const DecodedProgram& program, const simd::Schedule& schedule, const CodeTarget& target)
      : program_(program),
        schedule_(schedule),
        target_(target),
        record_shorts_(2 * program.program.record_words),
        copied_elements_(lines_of(program.steps(Section::loop_body)), schedule, target.own_elements) {
    for (std::size_t pair = 0; pair < form_.size(); ++pair) {
      form_[pair] = pair >= kTRow / 2 || schedule.long_pairs[pair] ? Form::longs : Form::shorts;
    }
  }

  BodyGraph run() {
    try {
      build();
    } catch (const Refusal& refusal) {
      graph_ = {};
      graph_.refusal = refusal.why;
    }
    return std::move(graph_);
  }

 private:
  struct Write {
    bool flag = false;
    std::uint32_t place = 0;  // row, or flag register and element
    bool is_long = false;
    NodeId value = kNoNode;
    std::vector<Gate> gates;
    NodeId lm_row = kNoNode;  // row computed from T; replaces `place`
  };

  void build() {
    const std::vector<DecodedStep>& steps = program_.steps(Section::loop_body);
    const std::vector<const DecodedLine*> lines = lines_of(steps);
    if (lines.empty()) throw Refusal{"it has no lines"};
    const simd::LineFacts first = simd::facts_of(lines.front()->effects);
    const simd::LineFacts last = simd::facts_of(lines.back()->effects);
    if ((first.reads & last.writes.whole_pairs()).any() || (first.flags_read & last.flags_written) != 0) {
      throw Refusal{"its first line reads what its last line writes"};
    }
    // A body of this length keeps the host busy with half of its elements.
    constexpr std::size_t kLongBody = 160;                              // lines
    const bool with_flags = target_.language == CodeLanguage::llvm_ir;  // on devices, flags are those of all elements
    if (lines.size() >= kLongBody && elements_are_independent(lines, with_flags)) {
      graph_.elements = isa::kVectorElements / 2;
    }
    find_lm_use(lines);
    for (const DecodedLine* each : lines) written_ |= simd::facts_of(each->effects).writes;
    for (const DecodedStep& step : steps) {
      const isa::Visitor run{[&](const DecodedLine& each) {
                               line(each);
                               nodes_.next_line();
                             },
                             [](const isa::TransferStep&) {}, [&](const isa::CollectStep& each) { collect(each); }};
      std::visit(run, step);
    }
    land(std::exchange(pending_, {}));
    // Stores of the last line land after the next iteration's first line. Until then nothing may read that memory.
    const auto first_line =
        std::ranges::find_if(steps, [](const auto& step) { return std::holds_alternative<DecodedLine>(step); });
    const bool collects_first = std::any_of(
        steps.begin(), first_line, [](const auto& step) { return std::holds_alternative<isa::CollectStep>(step); });
    if (!pending_stores_.empty() && collects_first) throw Refusal{"it collects what its last line stores"};
    land_stores();
    require_apart();
    for (const auto& [row, before] : live_in_) {
      const auto after = state_.find(row);
      const bool is_long = nodes_[before].width == Width::long_word;
      if (after == state_.end() || (form_[row / 2] == Form::longs) != is_long) {
        throw Refusal{"it leaves words in another layout than it finds them in"};
      }
      if (after->second != before) graph_.carried.push_back({row, is_long, before, after->second});
    }
    hand_on_bits();
    for (const Copied& copied : graph_.copied) {
      const bool same = copied.is_half ? is_as_taken_over(copied.row) && is_as_taken_over(copied.from)
                                       : state_.at(copied.row) == state_.at(copied.from);
      if (!same) throw Refusal{"its elements do not do the same"};
    }
    for (const auto& [flag, before] : flags_in_) {
      if (flags_.at(flag) != before) throw Refusal{"it hands a flag from turn to turn"};
    }
    find_left();
  }

  /// Hands on as bits what an iteration takes over as bits, also if it is a number there as well.
  void hand_on_bits() {
    std::vector<bool> wanted(nodes_.all().size());
    for (const auto& [row, value] : state_) wanted[value] = true;
    for (const auto& [place, value] : flags_) wanted[value] = true;
    for (const Stored& stored : graph_.stored) wanted[stored.value] = true;
    std::vector<bool> as_bits(wanted.size());
    for (std::size_t n = wanted.size(); n-- > 0;) {
      const Node& each = nodes_.all()[n];
      if (!wanted[n] && each.type != NodeType::number && !is_always_wanted(each.op)) continue;
      for (const NodeId arg : each.args) {
        if (arg == kNoNode) continue;
        wanted[arg] = true;
        if (each.op != NodeOp::number) as_bits[arg] = true;
      }
      if (each.mask) wanted[each.mask->flag] = true;
    }
    for (Carried& carried : graph_.carried) {
      if (as_bits[carried.before]) carried.after = nodes_.as_bits(carried.after);
    }
  }

  void find_left() {
    for (const auto& [row, value] : state_) {
      if (live_in_.count(row) == 0) graph_.left.push_back({row, form_[row / 2] == Form::longs, value});
    }
    for (const auto& [flag, value] : flags_) {
      if (flags_in_.count(flag) == 0) graph_.left_flags.push_back({flag, false, value});
    }
    for (unsigned pair = 0; pair < kTRow / 2; ++pair) {
      const bool is_long = form_[pair] == Form::longs;
      const bool half =
          rewritten_[pair] && !is_long && (state_.count(2 * pair) == 0 || state_.count(2 * pair + 1) == 0);
      if (half || is_long != schedule_.long_pairs[pair]) graph_.last_refusal = "it leaves words in another layout";
    }
  }

  void line(const DecodedLine& decoded) {
    if (decoded.effects.indirect() && target_.language != CodeLanguage::llvm_ir) {
      throw Refusal{"it addresses local memory through T"};
    }
    line_ = &decoded.work;
    std::vector<BmStep> stores;
    std::vector<Write> late;
    std::vector<Write> own;
    for (const isa::UnitWork& work : line_->units()) {
      if (!work.computes) continue;
      if (work.stores_to_bm()) {
        stores = stores_of(work);
        continue;
      }
      for (unsigned element = 0; element < std::min<unsigned>(line_->elements, graph_.elements); ++element) {
        nodes_.set_mask({});
        nodes_.set_mask(mask(element));
        const NodeId value = work.unit == Unit::bm ? operand(work.a, element) : result(work, element);
        for (const isa::Access& write : work.destinations()) {
          if (write.one_pe) throw Refusal{"it writes to one PE"};
          const bool t = write.storage == Storage::t;
          const bool is_long = t || write.width == Width::long_word;
          if (write.indirect) {
            const NodeId row = computed_row(NodeOp::row_to_scatter, write, element, gates(write.predicate, element));
            late.push_back({false, 0, is_long, value, {}, row});
            continue;
          }
          const simd::RowPattern rows = simd::pattern_of(write, line_->elements);
          (t ? own : late).push_back({false, rows.row(element), is_long, value, gates(write.predicate, element)});
        }
        if (work.flag.flag == 0) continue;
        late.push_back({true, work.flag.flag * isa::kVectorElements + element, false, condition(work, value, element),
                        gates(work.flag.predicate, element)});
      }
    }
    nodes_.set_mask({});
    land(own);
    land(std::exchange(pending_, std::move(late)));
    land_stores();
    pending_stores_ = std::move(stores);
  }

  /// The line's mask.
  std::optional<Gate> mask(unsigned element) {
    if (line_->mask.flag == 0) return std::nullopt;
    return Gate{flag(line_->mask.flag, element), line_->mask.inverted};
  }

  /// The word as the line finds it in elements that its mask lets through. Words that the same mask kept from being
  /// written are not among them, so that scratch words depend on no iteration before.
  NodeId as_found(NodeId id) { return nodes_.mask() ? nodes_.behind(*nodes_.mask(), id) : id; }

  /// Flags that gate a write to the element: the line's mask and the write's predicate.
  std::vector<Gate> gates(const isa::Predicate& predicate, unsigned element) {
    std::vector<Gate> all;
    if (const std::optional<Gate> gate = mask(element)) all.push_back(*gate);
    if (predicate.flag != 0) all.push_back({flag(predicate.flag, element), predicate.inverted});
    return all;
  }

  // ---- local memory at addresses computed from T --------------------------------------------------------------------

  void find_lm_use(const std::vector<const DecodedLine*>& lines) {
    graph_.lm_of_longs = schedule_.long_pairs[kLmRow / 2];
    simd::RowSet written;
    simd::RowSet used;
    for (const DecodedLine* each : lines) {
      const auto note = [&](const isa::Access& access) {
        if (access.storage != Storage::lm || access.indirect) return;
        const simd::RowRange rows = simd::whole_pairs(simd::pattern_of(access, each->effects.elements()).rows());
        used.add(rows);
        if (!access.write) return;
        written.add(rows);
        // The short words become halves of long words. Units would then take the whole long word in place of its half.
        if (target_.host_doubles && schedule_.may_fault && graph_.lm_of_longs && access.width == Width::short_word) {
          throw Refusal{"it writes short words to local memory, which long ones are taken from at computed addresses"};
        }
      };
      std::ranges::for_each(each->effects.reads(), note);
      std::ranges::for_each(each->effects.writes(), note);
    }
    graph_.lm_written = ranges_of_lm(written);
    graph_.lm_used = ranges_of_lm(used);
  }

  static std::vector<simd::RowRange> ranges_of_lm(const simd::RowSet& rows) {
    std::vector<simd::RowRange> ranges;
    rows.for_each_in(simd::kLmRows, [&](unsigned row) {
      const unsigned of_lm = row - kLmRow;
      if (ranges.empty() || ranges.back().end() != of_lm) ranges.push_back({of_lm, 0});
      ++ranges.back().count;
    });
    return ranges;
  }

  /// Row of local memory to which the element's T points.
  NodeId computed_row(NodeOp op, const isa::Access& access, unsigned element, const std::vector<Gate>& gates) {
    Node node;
    node.op = op;
    node.type = NodeType::short_bits;
    node.width = access.width;
    node.place = access.address + element * access.step;
    node.args[0] = nodes_.as_bits(read_row(kTRow + 2 * element, true));
    if (!gates.empty()) node.args[1] = all_of(gates);
    return nodes_.add(node);
  }

  NodeId all_of(const std::vector<Gate>& gates) {
    NodeId all = nodes_.constant_flag(true);
    for (const Gate& gate : gates) {
      const NodeId none = nodes_.constant_flag(false);
      all = gate.inverted ? nodes_.select(gate.flag, none, all) : nodes_.select(gate.flag, all, none);
    }
    return all;
  }

  NodeId gathered(const isa::Access& read, unsigned element) {
    Node node;
    node.op = NodeOp::gather;
    node.type = read.width == Width::long_word ? NodeType::long_bits : NodeType::short_bits;
    node.width = read.width;
    node.place = graph_.scatters;
    node.args[0] = computed_row(NodeOp::row_to_gather, read, element, gates({}, element));
    return nodes_.add(node);
  }

  void scatter(const Write& write) {
    Node node;
    node.op = NodeOp::scatter;
    node.type = NodeType::short_bits;
    node.width = write.is_long ? Width::long_word : Width::short_word;
    node.place = graph_.scatters++;
    node.args = {write.lm_row, write.value, kNoNode};
    (void)nodes_.add(node);
  }

  // ---- broadcast memory ---------------------------------------------------------------------------------------------

  std::vector<BmStep> stores_of(const isa::UnitWork& work) {
    const isa::Access& store = work.destinations().front();
    if (store.storage == Storage::record) throw Refusal{"it writes to its record"};
    if (line_->mask.flag != 0) throw Refusal{"it writes to broadcast memory under a mask"};
    if (work.a.word.indirect) {
      throw Refusal{"it stores a word of a computed address to broadcast memory"};
    }
    GDR_ASSERT(graph_.elements == isa::kVectorElements,
               "a PE alone stores, so that no half of the elements stands for all");
    std::vector<BmStep> steps;
    for (unsigned element = 0; element < line_->elements; ++element) {
      BmStep step;
      step.address = store.address + element * store.step;
      step.pe = work.pe;
      step.stored = stored_word(operand(work.a, element), store.width);
      steps.push_back(step);
    }
    return steps;
  }

  std::uint32_t stored_word(NodeId value, Width width) {
    const bool is_long = width == Width::long_word;
    const auto known = std::find_if(graph_.stored.begin(), graph_.stored.end(),
                                    [&](const Stored& each) { return each.value == value && each.is_long == is_long; });
    const auto index = static_cast<std::uint32_t>(known - graph_.stored.begin());
    if (known == graph_.stored.end()) graph_.stored.push_back({value, is_long});
    return index;
  }

  /// Makes pending stores visible.
  void land_stores() {
    graph_.bm_steps.insert(graph_.bm_steps.end(), pending_stores_.begin(), pending_stores_.end());
    pending_stores_.clear();
  }

  void collect(const isa::CollectStep& collect) {
    BmStep step;
    step.collects = true;
    step.not_first = collect.not_first;
    step.address = program_.program.address_of(collect);
    step.words = collect.words();
    graph_.bm_steps.push_back(step);
  }

  /// Refuses bodies that read words of broadcast memory that they store, or use the memory of records for other words.
  void require_apart() const {
    for (const BmStep& step : graph_.bm_steps) {
      if (step.address < 2 * record_shorts_) throw Refusal{"it uses a record's place for other words"};
      if (step.collects) continue;
      const std::uint32_t end = step.address + (graph_.stored[step.stored].is_long ? 2 : 1);
      for (const Node& node : nodes_.all()) {
        if (node.op == NodeOp::parameter && node.place < end &&
            step.address < node.place + isa::short_words(node.width))
          throw Refusal{"it reads words of broadcast memory that it stores"};
      }
    }
  }

  // ---- words --------------------------------------------------------------------------------------------------------

  enum class Form : std::uint8_t { shorts, longs };

  /// True if nothing has been written yet to the long word in this row's pair.
  [[nodiscard]] bool is_as_taken_over(unsigned row) const {
    const unsigned pair = row & ~1U;
    if (rewritten_[pair / 2]) return false;
    const auto word = state_.find(pair);
    if (word == state_.end()) return true;
    const auto before = live_in_.find(pair);
    return before != live_in_.end() && before->second == word->second;
  }

  /// Makes writes readable, one after the other.
  void land(const std::vector<Write>& writes) {
    for (const Write& write : writes) {
      if (write.lm_row != kNoNode) {
        scatter(write);
        continue;
      }
      NodeId value = write.value;
      if (!write.gates.empty()) {
        const NodeId old = write.flag ? flag(write.place / isa::kVectorElements, write.place % isa::kVectorElements)
                                      : read_row(write.place, write.is_long);
        // The mask is the outer choice, so that lines under it see the inner one.
        const bool both = write.gates.size() > 1;
        if (both) value = nodes_.gated(write.gates[1], value, nodes_.behind(write.gates[0], old));
        value = nodes_.gated(write.gates[0], value, old);
      }
      if (write.flag) {
        flags_[write.place] = value;
      } else {
        const Form wanted = write.is_long ? Form::longs : Form::shorts;
        if (std::exchange(form_[write.place / 2], wanted) != wanted) {  // words in the other layout are gone
          const unsigned pair = write.place & ~1U;
          state_.erase(pair);
          state_.erase(pair + 1);
          rewritten_[pair / 2] = true;
        }
        state_[write.place] = value;
      }
    }
  }

  NodeId read_row(unsigned row, bool is_long) {
    const Form wanted = is_long ? Form::longs : Form::shorts;
    if (form_[row / 2] != wanted) {
      if (is_long) throw Refusal{"it takes two short words for a long one"};
      // On a device short words have rows of their own even where the host keeps a long word in the pair of rows.
      const bool on_device = target_.language == CodeLanguage::opencl_c;
      if (on_device && !written_.has(row & ~1U) && !written_.has(row | 1U)) {
        return nodes_.add(row_at_first(row, false));
      }
      // A number of the host's arithmetic is all of a long word whose upper half is read. Only another upper half can
      // be its copy, and the lower halves must be equal, too.
      const unsigned from = copied_elements_.original(row);
      const bool of_host = target_.host_doubles && reads_number_;
      const bool is_whole = of_host && row % 2 == 0;
      const bool same_side = !of_host || row % 2 == from % 2;
      if (from != row && same_side && form_[from / 2] == Form::longs && is_as_taken_over(row) &&
          is_as_taken_over(from)) {
        graph_.copied.push_back({row, from, false, true});
        if (is_whole) graph_.copied.push_back({row + 1, from + 1, false, true});
        row = from;
      }
      const NodeId whole = read_row(row & ~1U, true);
      return row % 2 == 0 ? nodes_.upper(whole) : nodes_.lower(whole);
    }
    const auto known = state_.find(row);
    if (known != state_.end()) return as_found(known->second);
    if (rewritten_[row / 2]) throw Refusal{"it reads half of a word that it has overwritten"};
    Node node = row_at_first(row, is_long);
    const unsigned from = copied_elements_.taken_over(row, is_long);
    if (node.op == NodeOp::row && from != row) {
      node.place = from;
      graph_.copied.push_back({row, from, is_long});
      const NodeId original = nodes_.add(node);
      state_.try_emplace(from, original);
      live_in_[from] = original;
    }
    const NodeId id = nodes_.add(node);
    state_[row] = id;
    live_in_[row] = id;
    return id;
  }

  /// The node of a word as it is when an iteration begins.
  [[nodiscard]] Node row_at_first(unsigned row, bool is_long) const {
    Node node;
    node.type = is_long ? NodeType::long_bits : NodeType::short_bits;
    node.width = is_long ? Width::long_word : Width::short_word;
    node.place = row;
    const bool kept = schedule_.invariant.has(row) && (!is_long || schedule_.invariant.has(row + 1));
    node.op = kept && graph_.elements == isa::kVectorElements ? NodeOp::kept : NodeOp::row;
    return node;
  }

  NodeId flag(unsigned number, unsigned element) {
    const std::uint32_t place = number * isa::kVectorElements + element;
    const auto known = flags_.find(place);
    if (known != flags_.end()) return as_found(known->second);
    Node node;
    node.op = NodeOp::flag;
    node.type = NodeType::flag;
    node.place = place;
    return flags_[place] = flags_in_[place] = nodes_.add(node);
  }

  NodeId operand(const isa::UnitOperand& operand, unsigned element) {
    switch (operand.kind) {
      case OperandKind::word:
        return word(operand.word, element);
      case OperandKind::constant: {
        const bool is_long = operand.width == Width::long_word;
        return nodes_.constant(operand.constant, is_long ? NodeType::long_bits : NodeType::short_bits);
      }
      case OperandKind::pe_id:
      case OperandKind::block_id:
        throw Refusal{"it asks for the number of a PE or block"};
      case OperandKind::none:
        break;
    }
    return kNoNode;
  }

  NodeId word(const isa::Access& read, unsigned element) {
    const bool is_long = read.width == Width::long_word;
    switch (read.storage) {
      case Storage::gpr:
      case Storage::lm:
        return read.indirect ? gathered(read, element)
                             : read_row(simd::pattern_of(read, line_->elements).row(element), is_long);
      case Storage::t: {
        const NodeId whole = read_row(kTRow + 2 * element, true);
        return is_long ? whole : nodes_.upper(whole);
      }
      case Storage::bm:
      case Storage::record:
        return bm_word(read, element);
      case Storage::flag:
        break;  // no operand
    }
    return kNoNode;
  }

  NodeId bm_word(const isa::Access& read, unsigned element) {
    const bool is_record = read.storage == Storage::record;
    Node node;
    node.op = is_record ? NodeOp::record : NodeOp::parameter;
    node.type = read.width == Width::long_word ? NodeType::long_bits : NodeType::short_bits;
    node.width = read.width;
    node.place = read.address + element * read.step;
    if (is_record && node.place + isa::short_words(read.width) > record_shorts_) {
      throw Refusal{"it reads behind its record"};
    }
    if (!is_record && node.place < 2 * record_shorts_) throw Refusal{"it reads a record by its address"};
    return nodes_.add(node);
  }

  // ---- operations ---------------------------------------------------------------------------------------------------

  NodeId result(const isa::UnitWork& work, unsigned element) {
    reads_number_ = work.unit != Unit::alu;
    const NodeId a = operand(work.a, element);
    const NodeId b = work.b.kind == OperandKind::none ? kNoNode : operand(work.b, element);
    reads_number_ = false;
    const bool negates_a = work.a.negated;
    const bool negates_b = work.b.negated;
    if (work.op == Op::FADD || work.op == Op::FSUB) {
      const bool subtracts = work.op == Op::FSUB;
      // Of a sum that only sets a flag, the sign counts, which rounding does not change. Rounded to a short word, a
      // sum of long numbers of few bits may be near a tie again and again, such as a time less its end.
      const bool of_long = nodes_[a].width == Width::long_word || nodes_[b].width == Width::long_word;
      const Width width = work.destinations().empty() && of_long ? Width::long_word : work.width;
      return nodes_.arithmetic(NodeOp::add, width, a, b, negates_a, negates_b != subtracts);
    }
    if (work.op == Op::FMUL || work.op == Op::FMULL) {
      return nodes_.arithmetic(NodeOp::multiply, work.width, a, b, negates_a, negates_b);
    }
    if (work.op == Op::FPASSA) {
      if (!negates_a && nodes_.holds_infinity(a)) return nodes_.passed(work.width, a);
      return nodes_.arithmetic(NodeOp::cut, work.width, a, kNoNode, negates_a, false);
    }
    // The ALU takes 36 bits of a long word's upper half, whatever the other units take.
    if (work.op == Op::UPASSA) return target_.host_doubles && nodes_[a].op == NodeOp::upper ? nodes_.as_bits(a) : a;
    return integer_result(work, a, b);
  }

  /// The node of an operation on integers. Operations without one leave the body to the interpreter.
  NodeId integer_result(const isa::UnitWork& work, NodeId a, NodeId b) {
    static constexpr std::array kNodes{std::pair{Op::UADD, NodeOp::integer_add},
                                       std::pair{Op::USUB, NodeOp::integer_subtract},
                                       std::pair{Op::UAND, NodeOp::bit_and},
                                       std::pair{Op::UOR, NodeOp::bit_or},
                                       std::pair{Op::UXOR, NodeOp::bit_xor},
                                       std::pair{Op::UNOT, NodeOp::bit_not},
                                       std::pair{Op::UMAX, NodeOp::larger},
                                       std::pair{Op::UMIN, NodeOp::smaller},
                                       std::pair{Op::ULSL, NodeOp::shift_left},
                                       std::pair{Op::ULSR, NodeOp::shift_right},
                                       std::pair{Op::UASR, NodeOp::shift_right_signed}};
    const auto* const known = std::ranges::find(kNodes, work.op, &std::pair<Op, NodeOp>::first);
    if (known == kNodes.end()) throw Refusal{fmt::format("it has '{}'", isa::info_of(work.op).mnemonic)};
    const bool is_long = work.width == Width::long_word;
    Node node;
    node.type = is_long ? NodeType::long_bits : NodeType::short_bits;
    node.width = work.width;
    node.args[0] = nodes_.as_word(a, work.width);
    if (b != kNoNode) node.args[1] = nodes_.as_word(b, work.width);
    if (work.op == Op::UXOR && node.args[0] == node.args[1]) return nodes_.constant({}, node.type);  // as kernels clear
    node.op = known->second;
    const bool shifts =
        node.op == NodeOp::shift_left || node.op == NodeOp::shift_right || node.op == NodeOp::shift_right_signed;
    if (const Node* const count = shifts ? &nodes_[node.args[1]] : nullptr; count && count->op == NodeOp::constant) {
      const isa::uint128 places = is_long ? count->value.bits() : uint128{count->value.upper().bits};
      const int bits = is_long ? 2 * isa::kShortBits : isa::kShortBits;
      if (places >= static_cast<unsigned>(bits)) throw Refusal{"it shifts by a word or more"};
      node.place = static_cast<std::uint32_t>(places);
      node.args[1] = kNoNode;
    }
    return nodes_.add(node);
  }

  NodeId condition(const isa::UnitWork& work, NodeId value, unsigned element) {
    const isa::Condition wanted = work.flag.condition;
    Node node;
    node.type = NodeType::flag;
    if (wanted == isa::Condition::carry) {
      if (work.unit != Unit::alu) return nodes_.constant_flag(false);
      const NodeId a = nodes_.as_word(operand(work.a, element), work.width);
      node.op = NodeOp::is_below;
      if (work.op == Op::USUB) {
        node.args = {a, nodes_.as_word(operand(work.b, element), work.width), kNoNode};
      } else if (work.op == Op::UADD) {  // a sum that overflows is less than either operand
        node.args = {value, a, kNoNode};
      } else {
        return nodes_.constant_flag(false);
      }
      return nodes_.add(node);
    }
    node.op = wanted == isa::Condition::zero ? NodeOp::is_zero : NodeOp::is_negative;
    node.args[0] = work.unit == Unit::alu ? nodes_.as_word(value, work.width) : value;
    return nodes_.add(node);
  }

  const DecodedProgram& program_;
  const simd::Schedule& schedule_;
  CodeTarget target_;
  unsigned record_shorts_;
  CopiedElements copied_elements_;
  BodyGraph graph_;
  GraphNodes nodes_{graph_.nodes};
  std::map<unsigned, NodeId> state_;    // by row
  std::map<unsigned, NodeId> live_in_;  // by row
  std::map<std::uint32_t, NodeId> flags_;
  std::map<std::uint32_t, NodeId> flags_in_;
  std::array<Form, simd::kRegisterRows / 2> form_{};       // a pair of rows holds a long word or two short ones
  std::array<bool, simd::kRegisterRows / 2> rewritten_{};  // now in another layout than at first
  simd::RowSet written_;                                   // by any line
  std::vector<Write> pending_;
  std::vector<BmStep> pending_stores_;
  const isa::LineWork* line_ = nullptr;
  bool reads_number_ = false;  // an operand of a floating-point unit
};

}  // namespace

std::vector<bool> BodyGraph::uniform() const {
  std::vector<bool> uniform(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const NodeOp op = nodes[n].op;
    uniform[n] = op != NodeOp::row && op != NodeOp::flag && op != NodeOp::gather && op != NodeOp::scatter;
    for (const NodeId arg : nodes[n].args) uniform[n] = uniform[n] && (arg == kNoNode || uniform[arg]);
  }
  return uniform;
}

BodyGraph make_body_graph(const DecodedProgram& program, const simd::Schedule& schedule, const CodeTarget& target) {
  return Builder(program, schedule, target).run();
}

}  // namespace gdr::emulator::jit
