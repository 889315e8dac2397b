#include "passes.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "checked_sums.h"
#include "cleanups.h"
#include "complex_functions.h"
#include "import/plugin/arrays/local_arrays.h"
#include "import/plugin/arrays/pointers.h"
#include "import/plugin/loops/unrolling.h"
#include "import/plugin/records.h"
#include "places.h"
#include "pointer_functions.h"
#include "structure_parts.h"

namespace gdr::compiler {
namespace {

// Before results are named: no pass here folds, moves or joins accesses of memory. What is likely matters to nobody,
// for every pair takes the same lines.
constexpr const char* kEarly = "function(lower-expect),always-inline,cgscc(inline)";
// std::distance and the like ask whether they are computed at compile time.
constexpr const char* kToRegisters = "function(lower-constant-intrinsics,sroa<modify-cfg>)";
// Small structures of floats are passed and returned as vectors of the host.
constexpr const char* kToScalars = "function(instsimplify,scalarizer,instsimplify,sroa<modify-cfg>)";
// Structures come as values of which members are parts.
constexpr const char* kToParts = "function(instsimplify)";
// After: loops are unrolled and arithmetic is simplified. There is no GVN, no jump threading, no vectoriser: nothing
// that the reader would have to undo. Arrays that are indexed by loops need the second sroa, and loops that a `break`
// leaves early the last unrolling, by the greatest number of turns.
constexpr const char* kLate =
    "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa,loop(loop-rotate),"
    "instcombine<no-verify-fixpoint>,loop-simplify,lcssa,loop(indvars,loop-deletion,loop-unroll-full),"
    "sroa<modify-cfg>,instcombine<no-verify-fixpoint>,early-cse,simplifycfg,loop-simplify,lcssa,"
    "loop(loop-rotate,indvars,loop-deletion,loop-unroll-full),"
    "loop-unroll<O2;no-partial;no-runtime;no-peeling;upperbound>,sroa<modify-cfg>,"
    "instcombine<no-verify-fixpoint>,early-cse,adce,simplifycfg)";

// Comparisons of pointers into an array become those of indices.
constexpr const char* kOnlyInstructions = "function(instcombine<no-verify-fixpoint>)";

// After arrays at indices of data have been taken apart.
constexpr const char* kAfterArrays =
    "function(sroa<modify-cfg>,early-cse,instcombine<no-verify-fixpoint>,adce,simplifycfg)";

using Location = std::pair<llvm::Value*, std::int64_t>;

Location location_of(llvm::Value* pointer, const llvm::DataLayout& layout) {
  llvm::APInt offset(64, 0);
  llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {base, offset.getSExtValue()};
}

/// What a conversion to a wider type, or to a narrower one, was made of.
llvm::Value* without_widening(llvm::Value* value) {
  auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
  return llvm::isa_and_nonnull<llvm::FPExtInst, llvm::SExtInst, llvm::ZExtInst>(cast) ? cast->getOperand(0) : value;
}
llvm::Value* without_narrowing(llvm::Value* value) {
  auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
  return llvm::isa_and_nonnull<llvm::FPTruncInst, llvm::TruncInst>(cast) ? cast->getOperand(0) : value;
}

/// The results of one pair function.
class ResultNamer {
 public:
  ResultNamer(llvm::Function& function, llvm::Argument& results)
      : function_(function), results_(results), layout_(function.getParent()->getDataLayout()), dominators_(function) {}

  void run() {
    join_loads();
    name_extremes();
    name_changes();
    for (llvm::BasicBlock& block : function_) {
      for (llvm::Instruction& next : block) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&next); load != nullptr && is_result(load->getPointerOperand()))
          load->setVolatile(true);
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&next);
            store != nullptr && is_result(store->getPointerOperand()))
          store->setVolatile(true);
      }
    }
  }

 private:
  bool is_result(llvm::Value* pointer) const { return llvm::getUnderlyingObject(pointer) == &results_; }

  /// Loads of a result between two stores read the same state: the later one becomes the earlier one.
  void join_loads() {
    int states = 1;
    std::map<const llvm::BasicBlock*, int> after;
    std::map<std::tuple<Location, llvm::Type*, int>, std::vector<llvm::LoadInst*>> known;
    std::vector<std::pair<llvm::LoadInst*, llvm::LoadInst*>> same;
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order) {
      int state = 0;
      bool one = true;
      bool first = true;
      for (const llvm::BasicBlock* source : llvm::predecessors(block)) {
        const auto left = after.find(source);
        one = one && left != after.end() && (first || left->second == state);
        if (!one) break;
        state = left->second;
        first = false;
      }
      if (!one) state = states++;
      for (llvm::Instruction& next : *block) {
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&next);
            store != nullptr && is_result(store->getPointerOperand()))
          state = states++;
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&next);
        if (load == nullptr || !is_result(load->getPointerOperand())) continue;
        auto& earlier = known[{location_of(load->getPointerOperand(), layout_), load->getType(), state}];
        const auto found = std::ranges::find_if(
            earlier, [&](const llvm::LoadInst* candidate) { return dominators_.dominates(candidate, load); });
        if (found != earlier.end()) {
          same.emplace_back(load, *found);
        } else {
          earlier.push_back(load);
        }
      }
      after[block] = state;
    }
    for (const auto& [load, earlier] : same) {
      load->replaceAllUsesWith(earlier);
      load->eraseFromParent();
    }
  }

  struct Choice {
    llvm::CmpInst* condition = nullptr;
    llvm::Value* yes = nullptr;
    llvm::Value* no = nullptr;
  };

  /// What a select, or a phi behind one branch, chooses between.
  Choice choice_of(llvm::Instruction& at) {
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&at)) {
      return {llvm::dyn_cast<llvm::CmpInst>(select->getCondition()), select->getTrueValue(), select->getFalseValue()};
    }
    auto* phi = llvm::dyn_cast<llvm::PHINode>(&at);
    if (phi == nullptr || phi->getNumIncomingValues() != 2) return {};
    const auto* node = dominators_.getNode(phi->getParent());
    if (node == nullptr || node->getIDom() == nullptr) return {};
    const llvm::BasicBlock* above = node->getIDom()->getBlock();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (branch == nullptr || !branch->isConditional()) return {};
    Choice choice{llvm::dyn_cast<llvm::CmpInst>(branch->getCondition()), nullptr, nullptr};
    for (unsigned n = 0; n < 2; ++n) {
      const llvm::BasicBlock* from = phi->getIncomingBlock(n);
      for (unsigned side = 0; side < 2; ++side) {
        const llvm::BasicBlock* to = branch->getSuccessor(side);
        const bool direct = from == above && to == phi->getParent();
        const bool by_one =
            from == to && to->getSinglePredecessor() == above && to->getSingleSuccessor() == phi->getParent();
        if (direct || by_one) (side == 0 ? choice.yes : choice.no) = phi->getIncomingValue(n);
      }
    }
    return choice;
  }

  /// `e < r ? e : r`, which std::min leaves, becomes one operation before branches are folded into its condition.
  void name_extremes() {
    std::vector<llvm::Instruction*> replaced;
    for (llvm::BasicBlock& block : function_) {
      for (llvm::Instruction& next : block) {
        const Choice choice = choice_of(next);
        if (choice.condition == nullptr || choice.yes == nullptr || choice.no == nullptr) continue;
        if (llvm::Instruction* extreme = extreme_of(choice, next)) {
          next.replaceAllUsesWith(extreme);
          replaced.push_back(&next);
        }
      }
    }
    for (llvm::Instruction* one : replaced) one->eraseFromParent();
  }

  static bool is_zero_extended(const llvm::CmpInst& condition) {
    return llvm::isa<llvm::ZExtInst>(condition.getOperand(0));
  }

  static bool are_extended(const llvm::Value& a, const llvm::Value& b, const llvm::CmpInst& condition) {
    const bool with_sign = llvm::isa<llvm::SExtInst>(a) && llvm::isa<llvm::SExtInst>(b) && condition.isSigned();
    return with_sign || (llvm::isa<llvm::ZExtInst>(a) && llvm::isa<llvm::ZExtInst>(b));
  }

  llvm::Instruction* extreme_of(const Choice& choice, llvm::Instruction& at) {
    llvm::Value* a = choice.condition->getOperand(0);
    llvm::Value* b = choice.condition->getOperand(1);
    // C++ compares integers shorter than int as ints.
    const bool extended = are_extended(*a, *b, *choice.condition);
    if (extended) {
      a = without_widening(a);
      b = without_widening(b);
    }
    const bool same = (a == choice.yes && b == choice.no) || (a == choice.no && b == choice.yes);
    if (!same || a == b) return nullptr;
    bool less = false;
    switch (choice.condition->getPredicate()) {
      case llvm::CmpInst::FCMP_OLT:
      case llvm::CmpInst::FCMP_ULT:
      case llvm::CmpInst::FCMP_OLE:
      case llvm::CmpInst::FCMP_ULE:
      case llvm::CmpInst::ICMP_SLT:
      case llvm::CmpInst::ICMP_SLE:
      case llvm::CmpInst::ICMP_ULT:
      case llvm::CmpInst::ICMP_ULE:
        less = true;
        break;
      case llvm::CmpInst::FCMP_OGT:
      case llvm::CmpInst::FCMP_UGT:
      case llvm::CmpInst::FCMP_OGE:
      case llvm::CmpInst::FCMP_UGE:
      case llvm::CmpInst::ICMP_SGT:
      case llvm::CmpInst::ICMP_SGE:
      case llvm::CmpInst::ICMP_UGT:
      case llvm::CmpInst::ICMP_UGE:
        break;
      default:
        return nullptr;
    }
    const bool least = less == (a == choice.yes);
    const bool floating = a->getType()->isFloatingPointTy();
    const auto id = floating ? (least ? llvm::Intrinsic::minnum : llvm::Intrinsic::maxnum)
                    : choice.condition->isUnsigned() || (extended && is_zero_extended(*choice.condition))
                        ? (least ? llvm::Intrinsic::umin : llvm::Intrinsic::umax)
                        : (least ? llvm::Intrinsic::smin : llvm::Intrinsic::smax);
    if (a->getType()->isPointerTy() || a->getType()->isIntegerTy(1)) return nullptr;
    llvm::Instruction* before = llvm::isa<llvm::PHINode>(at) ? &*at.getParent()->getFirstInsertionPt() : &at;
    for (llvm::Value* operand : {a, b}) {
      const auto* made = llvm::dyn_cast<llvm::Instruction>(operand);
      if (made != nullptr && !dominators_.dominates(made, before)) return nullptr;
    }
    auto* call = llvm::CallInst::Create(llvm::Intrinsic::getDeclaration(function_.getParent(), id, {a->getType()}),
                                        {a, b}, "", before);
    call->setDebugLoc(at.getDebugLoc());
    return call;
  }

  struct Named {
    llvm::StoreInst* store = nullptr;
    llvm::Instruction* operation = nullptr;
    unsigned operand = 0;
  };

  /// Load, operation and store of one result in one block: a change, which no pass can fold, move or join.
  void name_changes() {
    std::vector<Named> found;
    for (llvm::BasicBlock& block : function_) {
      for (llvm::Instruction& next : block) {
        auto* store = llvm::dyn_cast<llvm::StoreInst>(&next);
        if (store != nullptr && is_result(store->getPointerOperand())) look_at(*store, found);
      }
    }
    for (const Named& one : found) replace(one);
  }

  static bool is_change(const llvm::Instruction& operation) {
    switch (operation.getOpcode()) {
      case llvm::Instruction::FAdd:
      case llvm::Instruction::FSub:
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
      case llvm::Instruction::And:
      case llvm::Instruction::Or:
      case llvm::Instruction::Xor:
        return true;
      default:
        break;
    }
    const auto* called = llvm::dyn_cast<llvm::IntrinsicInst>(&operation);
    if (called == nullptr) return false;
    const auto id = called->getIntrinsicID();
    return id == llvm::Intrinsic::minnum || id == llvm::Intrinsic::maxnum || id == llvm::Intrinsic::smin ||
           id == llvm::Intrinsic::smax || id == llvm::Intrinsic::umin || id == llvm::Intrinsic::umax;
  }

  void look_at(llvm::StoreInst& store, std::vector<Named>& found) {
    auto* operation = llvm::dyn_cast<llvm::Instruction>(without_narrowing(store.getValueOperand()));
    if (operation == nullptr || !is_change(*operation)) return;
    const bool commutes =
        operation->getOpcode() != llvm::Instruction::FSub && operation->getOpcode() != llvm::Instruction::Sub;
    for (unsigned n = 0; n < (commutes ? 2U : 1U); ++n) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(without_widening(operation->getOperand(n)));
      if (load == nullptr || load->getParent() != store.getParent()) continue;
      if (location_of(load->getPointerOperand(), layout_) != location_of(store.getPointerOperand(), layout_)) continue;
      auto* other = llvm::dyn_cast<llvm::LoadInst>(without_widening(operation->getOperand(1 - n)));
      if (other != nullptr && is_result(other->getPointerOperand())) continue;
      if (is_written_between(*load, store)) continue;
      found.push_back({&store, operation, 1 - n});
      return;
    }
  }

  bool is_written_between(llvm::LoadInst& load, llvm::StoreInst& store) const {
    for (llvm::Instruction* next = load.getNextNode(); next != &store; next = next->getNextNode()) {
      if (next == nullptr) return true;
      auto* other = llvm::dyn_cast<llvm::StoreInst>(next);
      if (other != nullptr && is_result(other->getPointerOperand())) return true;
    }
    return false;
  }

  void replace(const Named& one) {
    llvm::Value* addend = one.operation->getOperand(one.operand);
    const auto* called = llvm::dyn_cast<llvm::IntrinsicInst>(one.operation);
    std::string name = std::string(kChange) +
                       (called != nullptr ? called->getCalledFunction()->getName().str().substr(sizeof("llvm.") - 1)
                                          : std::string(one.operation->getOpcodeName()) + "." +
                                                (addend->getType()->isFloatTy() ? "f32"
                                                 : addend->getType()->isDoubleTy()
                                                     ? "f64"
                                                     : "i" + std::to_string(addend->getType()->getIntegerBitWidth())));
    llvm::Module& module = *function_.getParent();
    const llvm::FunctionCallee callee = module.getOrInsertFunction(
        name, llvm::Type::getVoidTy(module.getContext()), one.store->getPointerOperand()->getType(), addend->getType());
    auto* call = llvm::CallInst::Create(callee, {one.store->getPointerOperand(), addend}, "", one.store);
    call->setDebugLoc(one.store->getDebugLoc());
    call->setDoesNotThrow();
    one.store->eraseFromParent();
  }

  llvm::Function& function_;
  llvm::Argument& results_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree dominators_;
};

void run(llvm::Module& module, const char* passes) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::ModulePassManager manager;
  llvm::cantFail(builder.parsePassPipeline(manager, passes));
  manager.run(module, modules);
}

bool has_vectors(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& next) {
      return next.getType()->isVectorTy() ||
             llvm::any_of(next.operands(), [](const llvm::Use& operand) { return operand->getType()->isVectorTy(); });
    });
  });
}

/// std::signbit, of which clang makes a comparison of the bits as an integer: a comparison of the number, which LLVM
/// does not join with the load of a member.
void ask_numbers_for_signs(llvm::Module& module) {
  std::vector<std::pair<llvm::ICmpInst*, llvm::Value*>> found;
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& next : block) {
        auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&next);
        if (compare == nullptr || compare->getPredicate() != llvm::CmpInst::ICMP_SLT) continue;
        const auto* zero = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
        const auto* bits = llvm::dyn_cast<llvm::BitCastInst>(compare->getOperand(0));
        if (zero == nullptr || !zero->isZero() || bits == nullptr) continue;
        llvm::Value* number = bits->getOperand(0);
        if (number->getType()->isFloatTy() || number->getType()->isDoubleTy()) found.emplace_back(compare, number);
      }
    }
  }
  for (const auto& [compare, number] : found) {
    auto* sign =
        new llvm::FCmpInst(compare, llvm::CmpInst::FCMP_OLT, number, llvm::Constant::getNullValue(number->getType()));
    sign->setDebugLoc(compare->getDebugLoc());
    compare->replaceAllUsesWith(sign);
    compare->eraseFromParent();
  }
}

/// A loop into which control comes at several places, by goto or by a switch around it, becomes one with one beginning,
/// until simplifycfg sees it again.
void give_loops_one_beginning(llvm::Module& module) {
  const bool any = llvm::any_of(module, [](llvm::Function& function) {
    if (function.isDeclaration()) return false;
    const llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
    return llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops);
  });
  if (!any) return;
  std::set<const llvm::BasicBlock*> known;
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) known.insert(&block);
  }
  run(module, "function(lower-switch,fix-irreducible)");
  // The new beginning has a value for each way on, also where control comes to it for another one. LLVM leaves such
  // values open, and makes NaN of sums of them.
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      if (known.contains(&block)) continue;
      for (llvm::PHINode& phi : block.phis()) {
        for (llvm::Use& incoming : phi.incoming_values()) {
          if (llvm::isa<llvm::UndefValue>(incoming)) incoming = llvm::Constant::getNullValue(phi.getType());
        }
      }
    }
  }
  join_ends_of_turns(module);
}

/// LLVM takes these from its command line alone.
void set_thresholds() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* options[] = {"gdr",
                             "-inline-threshold=5000",
                             "-inline-cold-callsite-threshold=5000",  // behind some branches
                             "-inlinecold-threshold=5000",
                             "-unroll-threshold=20000",
                             "-unroll-max-percent-threshold-boost=1000",
                             "-unroll-max-upperbound=1000",
                             "-scalarize-load-store"};
    llvm::cl::ParseCommandLineOptions(static_cast<int>(std::size(options)), options);
  });
}

}  // namespace

void run_passes(llvm::Module& module) {
  set_thresholds();
  ask_numbers_for_signs(module);
  expand_complex_functions(module);
  part_checked_sums(module);
  split_pointer_functions(module);
  part_ways_out(module);
  run(module, kEarly);
  keep_assignments(module);
  run(module, kToRegisters);
  if (has_vectors(module)) run(module, kToScalars);
  run(module, kToParts);
  if (part_structures(module)) run(module, kToRegisters);
  for (llvm::Function& function : module) {
    const llvm::DISubprogram* described = function.getSubprogram();
    if (function.isDeclaration() || described == nullptr || !is_pair_function(*described)) continue;
    if (function.arg_size() < 3 || !function.getArg(2)->getType()->isPointerTy()) continue;
    ResultNamer(function, *function.getArg(2)).run();
  }
  join_ends_of_turns(module);
  keep_places(module);
  run(module, kLate);
  if (index_by_pointers(module)) run(module, kLate);
  give_loops_one_beginning(module);
  if (unroll_limited_loops(module)) run(module, kLate);
  if (index_by_pointers(module)) run(module, kOnlyInstructions);
  if (choose_elements(module)) {
    run(module, kAfterArrays);
    if (unroll_limited_loops(module)) run(module, kLate);
  }
  part_checked_sums(module);  // instcombine makes such products of comparisons
}

}  // namespace gdr::compiler
