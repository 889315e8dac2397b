#include "loop_turns.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/Hashing.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <unordered_map>
#include <vector>

namespace gdr::compiler {
namespace {

constexpr std::size_t kMostStarts = 512;          // numbers that are tried singly before the first turn
constexpr std::size_t kMostStates = 1024;         // before one block
constexpr std::size_t kMostFollowed = 3'000'000;  // values that are computed or kept; half a second
constexpr unsigned kMostOutside = 6;              // operations before the loop, one inside the other

/// What is known of the tracked values on one path.
struct State {
  std::vector<Extent> known;
  std::size_t start = 0;                      // the state before the first block from which this turn began
  const llvm::Instruction* chosen = nullptr;  // the last branch or choice that data decided
};

std::size_t hash_of(const State& state) {
  std::size_t hash = 0;
  for (const Extent& one : state.known) {
    std::size_t next = one.index();
    if (const auto* range = std::get_if<llvm::ConstantRange>(&one))
      next = llvm::hash_combine(range->getLower(), range->getUpper());
    if (const auto* number = std::get_if<Interval>(&one))
      next = llvm::hash_combine(std::bit_cast<std::uint64_t>(number->low), std::bit_cast<std::uint64_t>(number->high));
    hash = llvm::hash_combine(hash, next);
  }
  return hash;
}

/// Different states; beyond a number of them one that holds all.
class States {
 public:
  void add(State state) {
    auto& same = places_[hash_of(state)];
    if (std::ranges::any_of(same, [&](std::size_t place) { return all_[place].known == state.known; })) return;
    same.push_back(all_.size());
    all_.push_back(std::move(state));
    if (all_.size() <= kMostStates) return;
    State one = std::move(all_.front());
    for (std::size_t n = 1; n < all_.size(); ++n) {
      for (std::size_t value = 0; value < one.known.size(); ++value)
        one.known[value] = joined(one.known[value], all_[n].known[value]);
    }
    all_.clear();
    places_.clear();
    places_[hash_of(one)].push_back(0);
    all_.push_back(std::move(one));
  }

  [[nodiscard]] const std::vector<State>& all() const { return all_; }

 private:
  std::vector<State> all_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> places_;
};

std::string name_of(const llvm::Value& value, const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& at : block) {
      for (const llvm::DbgVariableRecord& record : llvm::filterDbgVars(at.getDbgRecordRange())) {
        if (record.getNumVariableLocationOps() == 1 && record.getVariableLocationOp(0) == &value)
          return "'" + record.getVariable()->getName().str() + "'";
      }
    }
  }
  return "";
}

class LoopFollower {
 public:
  LoopFollower(const llvm::Loop& loop, const llvm::LoopInfo& loops, Ranges& ranges)
      : loop_(loop), loops_(loops), ranges_(ranges), header_(*loop.getHeader()), function_(*header_.getParent()) {}

  Turns run() {
    if (loop_.getLoopPreheader() == nullptr || loop_.getLoopLatch() == nullptr)
      return {std::nullopt, "control comes into it at several places: let it have one beginning",
              header_.getTerminator()};
    order_blocks();
    if (!goes_forwards()) return {std::nullopt, "a goto leads into the middle of it", header_.getTerminator()};
    track_all();
    if (counters_.empty())
      return {std::nullopt,
              "its end depends on nothing that the turns before changed: count them, and end the loop by the count",
              first_exit()};
    return follow();
  }

 private:
  void order_blocks() {
    llvm::LoopBlocksRPO order(const_cast<llvm::Loop*>(&loop_));  // which LLVM does not change
    order.perform(&loops_);
    for (llvm::BasicBlock* block : order) {
      places_[block] = blocks_.size();
      blocks_.push_back(block);
    }
  }

  [[nodiscard]] bool is_inside(const llvm::BasicBlock& block) const { return places_.contains(&block); }
  /// The header of another loop inside of this one.
  [[nodiscard]] bool begins_loop(const llvm::BasicBlock& block) const {
    return &block != &header_ && loops_.isLoopHeader(&block);
  }
  [[nodiscard]] bool leads_back(const llvm::BasicBlock& source, const llvm::BasicBlock& target) const {
    return places_.lookup(&target) <= places_.lookup(&source);
  }

  [[nodiscard]] bool goes_forwards() const {
    return llvm::all_of(blocks_, [&](const llvm::BasicBlock* source) {
      return llvm::all_of(llvm::successors(source), [&](const llvm::BasicBlock* target) {
        return !is_inside(*target) || !leads_back(*source, *target) || loops_.isLoopHeader(target);
      });
    });
  }

  [[nodiscard]] const llvm::Instruction* first_exit() const {
    for (const llvm::BasicBlock* block : blocks_) {
      if (loop_.isLoopExiting(block)) return block->getTerminator();
    }
    return header_.getTerminator();
  }

  static const llvm::Value* asked(const llvm::Instruction& end) {
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end))
      return branch->isConditional() ? branch->getCondition() : nullptr;
    const auto* cases = llvm::dyn_cast<llvm::SwitchInst>(&end);
    return cases == nullptr ? nullptr : cases->getCondition();
  }

  void track_all() {
    for (const llvm::BasicBlock* block : blocks_) {
      if (const llvm::Value* condition = asked(*block->getTerminator())) track(*condition, 0);
    }
    last_use_.assign(tracked_.size(), -1);
    for (std::size_t n = 0; n < tracked_.size(); ++n) {
      const auto* made = llvm::dyn_cast<llvm::Instruction>(tracked_[n]);
      if (made == nullptr || !is_inside(*made->getParent())) {
        starts_.push_back(n);
        last_use_[n] = static_cast<std::ptrdiff_t>(blocks_.size());
        continue;
      }
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(made);
      if (phi != nullptr && made->getParent() == &header_) counters_.push_back(n);
      for (const llvm::Use& use : made->uses()) {
        const auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
        const auto* joining = llvm::dyn_cast<llvm::PHINode>(&user);
        const llvm::BasicBlock& where = joining != nullptr ? *joining->getIncomingBlock(use) : *user.getParent();
        if (!is_inside(where) || (!user.isTerminator() && !numbers_.contains(&user))) continue;
        last_use_[n] = std::max(last_use_[n], static_cast<std::ptrdiff_t>(places_.lookup(&where)));
      }
    }
  }

  void track(const llvm::Value& value, unsigned outside) {
    const llvm::Type& type = *value.getType();
    if (llvm::isa<llvm::Constant>(value) || numbers_.contains(&value)) return;
    if (!(type.isIntegerTy() && type.getIntegerBitWidth() <= 64) && !type.isFloatTy() && !type.isDoubleTy()) return;
    const auto* made = llvm::dyn_cast<llvm::Instruction>(&value);
    const bool inside = made != nullptr && is_inside(*made->getParent());
    if (!inside) {
      ++outside;
      // What an operation before the loop makes, of numbers that are tried singly.
      if (made != nullptr && outside < kMostOutside && llvm::isa<llvm::BinaryOperator, llvm::CastInst>(made)) {
        for (const llvm::Use& operand : made->operands()) track(*operand, outside);
      }
      numbers_[&value] = tracked_.size();
      tracked_.push_back(&value);
      return;
    }
    numbers_[&value] = tracked_.size();
    tracked_.push_back(&value);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(made)) {
      const llvm::Value* base = load->getPointerOperand();
      while (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(base)) {
        for (const llvm::Use& index : step->indices()) track(*index, outside);
        base = step->getPointerOperand();
      }
      return;
    }
    for (const llvm::Use& operand : made->operands()) {
      if (!llvm::isa<llvm::BasicBlock>(operand)) track(*operand, outside);
    }
  }

  [[nodiscard]] Extent extent_in(const State& state, const llvm::Value& value) const {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) return extent_of(*constant);
    const auto number = numbers_.find(&value);
    if (number == numbers_.end()) return all_of(*value.getType());
    const Extent& known = state.known[number->second];
    return known.index() == 0 ? all_of(*value.getType()) : known;
  }

  Extent computed(const State& state, const llvm::Instruction& operation) const {
    const auto of = [&](const llvm::Value& operand) { return extent_in(state, operand); };
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&operation)) return extent_of_entries(*load, of);
    return computed_extent(operation, of);
  }

  /// Every state before the first turn: small ranges number by number.
  std::vector<State> first_states() {
    const llvm::Instruction& end = *loop_.getLoopPreheader()->getTerminator();
    State all;
    all.known.resize(tracked_.size());
    std::vector<std::pair<std::size_t, std::size_t>> small;  // how many numbers, of which value
    for (const std::size_t n : starts_) {
      all.known[n] = ranges_.where(*tracked_[n], end);
      const auto* range = std::get_if<llvm::ConstantRange>(&all.known[n]);
      if (range == nullptr || range->isEmptySet() || range->isFullSet() || follows(*tracked_[n], all)) continue;
      if (const std::uint64_t size = numbers_in(*range); size <= kMostStarts) small.emplace_back(size, n);
    }
    std::ranges::sort(small);
    std::vector<State> states{all};
    for (const auto& [size, n] : small) {
      if (states.size() * size > kMostStarts) break;
      const llvm::ConstantRange range = std::get<llvm::ConstantRange>(all.known[n]);
      const llvm::KnownBits bits = llvm::computeKnownBits(tracked_[n], function_.getParent()->getDataLayout());
      std::vector<State> more;
      for (const State& state : states) {
        for (llvm::APInt value = range.getLower(); value != range.getUpper(); ++value) {
          if (bits.Zero.intersects(value) || !bits.One.isSubsetOf(value)) continue;  // as of a multiple of 4
          more.push_back(state);
          more.back().known[n] = llvm::ConstantRange(value);
        }
      }
      states = std::move(more);
    }
    std::vector<State> possible;
    for (State& state : states) {
      if (!recompute(state, true)) continue;
      enter(*loop_.getLoopPreheader(), header_, state);
      possible.push_back(std::move(state));
    }
    return possible;
  }

  static std::uint64_t numbers_in(const llvm::ConstantRange& range) {
    return range.isFullSet() ? ~std::uint64_t{0} : (range.getUpper() - range.getLower()).getLimitedValue();
  }

  /// True if a value before the loop is made of others that are tried number by number.
  [[nodiscard]] bool follows(const llvm::Value& value, const State& state) const {
    return is_derived(value) &&
           llvm::all_of(llvm::cast<llvm::Instruction>(value).operands(), [&](const llvm::Use& operand) {
             if (llvm::isa<llvm::Constant>(operand)) return true;
             const auto number = numbers_.find(operand);
             if (number == numbers_.end()) return false;
             const auto* range = std::get_if<llvm::ConstantRange>(&state.known[number->second]);
             return range != nullptr && (numbers_in(*range) <= kMostStarts || follows(*operand, state));
           });
  }

  [[nodiscard]] bool is_derived(const llvm::Value& value) const {
    const auto* made = llvm::dyn_cast<llvm::Instruction>(&value);
    return made != nullptr && llvm::isa<llvm::BinaryOperator, llvm::CastInst>(made) &&
           llvm::any_of(made->operands(), [&](const llvm::Use& operand) { return numbers_.contains(operand); });
  }

  /// Computes known values again after an operand has become narrower; false if there is no such state.
  bool recompute(State& state, bool first = false) const {
    for (std::size_t n = 0; n < tracked_.size(); ++n) {
      const auto* made = llvm::dyn_cast<llvm::Instruction>(tracked_[n]);
      if (state.known[n].index() == 0 || made == nullptr || llvm::isa<llvm::PHINode>(made)) continue;
      const bool inside = is_inside(*made->getParent());
      if (inside ? first : !is_derived(*made)) continue;
      state.known[n] = common(state.known[n], computed(state, *made));
      if (is_empty(state.known[n])) return false;
    }
    return true;
  }

  /// What follows from a condition that data decided; false if it cannot be so.
  bool assume(State& state, const llvm::Value& condition, bool holds) const {
    const auto of = [&](const llvm::Value& operand) { return extent_in(state, operand); };
    bool possible = true;
    narrow_by(condition, holds, of, [&](const llvm::Value& value, const Extent& extent) {
      const auto number = numbers_.find(&value);
      if (number == numbers_.end() || state.known[number->second].index() == 0) return;
      Extent& known = state.known[number->second];
      known = common(known, extent);
      possible = possible && !is_empty(known);
    });
    return possible && recompute(state);
  }

  /// Control goes along an edge: phis take their values, and what nothing needs any more is forgotten.
  void enter(const llvm::BasicBlock& source, const llvm::BasicBlock& target, State& state) {
    work_ += tracked_.size();
    std::vector<std::pair<std::size_t, Extent>> taken;
    for (const llvm::PHINode& phi : target.phis()) {
      const auto number = numbers_.find(&phi);
      if (number == numbers_.end()) continue;
      taken.emplace_back(number->second, begins_loop(target)
                                             ? all_of(*phi.getType())
                                             : extent_in(state, *phi.getIncomingValueForBlock(&source)));
    }
    const std::size_t place = places_.lookup(&target);
    for (std::size_t n = 0; n < tracked_.size(); ++n) {
      const bool before = last_use_[n] < static_cast<std::ptrdiff_t>(place);
      const bool again = &target == &header_ && last_use_[n] < static_cast<std::ptrdiff_t>(blocks_.size());
      if (before || again) state.known[n] = {};
    }
    for (auto& [number, extent] : taken) state.known[number] = std::move(extent);
  }

  /// Carries a state from an operation of a block to its end, and on.
  void carry(const llvm::BasicBlock& block, llvm::BasicBlock::const_iterator at, State state) {
    for (; !at->isTerminator(); ++at) {
      const auto number = numbers_.find(&*at);
      if (number == numbers_.end() || llvm::isa<llvm::PHINode>(*at)) continue;
      if (++work_ > kMostFollowed) return;
      // What a truth of data chooses, each on a path of its own, so that its consequences stay together.
      const llvm::Value* truth = nullptr;
      if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&*at)) truth = choice->getCondition();
      if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&*at); cast != nullptr && cast->getSrcTy()->isIntegerTy(1))
        truth = cast->getOperand(0);
      if (truth != nullptr && !truth_of(extent_in(state, *truth))) {
        for (const bool holds : {true, false}) {
          State taken = state;
          if (!assume(taken, *truth, holds)) continue;
          taken.known[number->second] = computed(taken, *at);
          taken.chosen = &*at;
          carry(block, std::next(at), std::move(taken));
        }
        return;
      }
      state.known[number->second] = computed(state, *at);
    }
    leave(block, *at, state);
  }

  void leave(const llvm::BasicBlock& block, const llvm::Instruction& end, const State& state) {
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
      if (branch->isUnconditional()) return go(block, *branch->getSuccessor(0), state);
      const std::optional<bool> known = truth_of(extent_in(state, *branch->getCondition()));
      for (const bool holds : {true, false}) {
        if (known && *known != holds) continue;
        State taken = state;
        if (!known) {
          if (!assume(taken, *branch->getCondition(), holds)) continue;
          taken.chosen = branch;
        }
        go(block, *branch->getSuccessor(holds ? 0 : 1), std::move(taken));
      }
      return;
    }
    const auto* cases = llvm::dyn_cast<llvm::SwitchInst>(&end);
    if (cases == nullptr) return;
    const Extent chosen = extent_in(state, *cases->getCondition());
    const auto* range = std::get_if<llvm::ConstantRange>(&chosen);
    const bool single = range != nullptr && range->isSingleElement();
    bool all = false;  // true: no number is left for the default
    const auto number = numbers_.find(cases->getCondition());
    for (const auto& one : cases->cases()) {
      const llvm::APInt& value = one.getCaseValue()->getValue();
      if (range != nullptr && !range->contains(value)) continue;
      State taken = state;
      if (number != numbers_.end()) taken.known[number->second] = llvm::ConstantRange(value);
      if (!single) taken.chosen = cases;
      all = all || single;
      if (recompute(taken)) go(block, *one.getCaseSuccessor(), std::move(taken));
    }
    if (all) return;
    State taken = state;
    taken.chosen = cases;
    go(block, *cases->getDefaultDest(), std::move(taken));
  }

  void go(const llvm::BasicBlock& source, const llvm::BasicBlock& target, State state) {
    if (!is_inside(target)) return;
    if (leads_back(source, target) && &target != &header_) return;  // of a loop inside: all its turns are one
    enter(source, target, state);
    if (&target == &header_ && state.known == now_[state.start].known && !again_) again_ = state;
    before_[places_.lookup(&target)].add(std::move(state));
  }

  Turns follow() {
    now_ = first_states();
    unsigned turns = 0;
    while (!now_.empty()) {
      if (++turns > kMostTurns) return missing(now_.front(), false);
      before_.assign(blocks_.size(), {});
      for (std::size_t start = 0; start < now_.size(); ++start) {
        State state = now_[start];
        state.start = start;
        carry(header_, header_.begin(), std::move(state));
      }
      for (std::size_t place = 1; place < blocks_.size(); ++place) {
        const std::vector<State> here = before_[place].all();
        for (const State& state : here) {
          if (work_ > kMostFollowed) return too_many_paths();
          carry(*blocks_[place], blocks_[place]->begin(), state);
        }
      }
      if (again_) return missing(*again_, true);
      if (work_ > kMostFollowed) return too_many_paths();
      now_ = before_.front().all();
    }
    return {turns, "", nullptr};
  }

  [[nodiscard]] Turns too_many_paths() const {
    return {std::nullopt, "it has too many paths to be followed: end it by a count as well, as in `n < 8 &&`",
            first_exit()};
  }

  /// True if all counters that decide have one number.
  [[nodiscard]] bool is_single(const State& state) const {
    return std::ranges::all_of(counters_, [&](std::size_t n) {
      const auto* range = std::get_if<llvm::ConstantRange>(&state.known[n]);
      return range != nullptr && range->isSingleElement();
    });
  }

  [[nodiscard]] Turns missing(const State& state, bool stays) const {
    std::string names;
    for (const std::size_t n : counters_) {
      const std::string name = name_of(*tracked_[n], function_);
      if (!name.empty() && names.find(name) == std::string::npos) names += (names.empty() ? "" : " and ") + name;
    }
    if (names.empty()) names = "what it counts";
    if (stays && is_single(state) && state.chosen != nullptr)
      return {std::nullopt,
              names + " stays as it is on one of the paths from here to the next turn: change it there, too",
              state.chosen};
    return {std::nullopt,
            "nothing limits " + names +
                " to a constant: end the loop by a count as well, as in `n < 8 &&`, or limit its end, as by "
                "std::min(end, 8)",
            first_exit()};
  }

  const llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  Ranges& ranges_;
  const llvm::BasicBlock& header_;
  const llvm::Function& function_;
  std::vector<const llvm::BasicBlock*> blocks_;  // control goes forwards in this order
  llvm::DenseMap<const llvm::BasicBlock*, std::size_t> places_;
  std::vector<const llvm::Value*> tracked_;
  llvm::DenseMap<const llvm::Value*, std::size_t> numbers_;
  std::vector<std::ptrdiff_t> last_use_;  // of each: the place of a block; -1: none; behind all: it is from before
  std::vector<std::size_t> starts_;       // tracked values from before the loop
  std::vector<std::size_t> counters_;     // tracked phis of its header
  std::vector<State> now_;                // before a turn
  std::vector<States> before_;            // each block
  std::optional<State> again_;            // a turn ended as it began: it may do so without end
  std::size_t work_ = 0;
};

}  // namespace

Turns turns_of(const llvm::Loop& loop, const llvm::LoopInfo& loops, Ranges& ranges) {
  return LoopFollower(loop, loops, ranges).run();
}

}  // namespace gdr::compiler
