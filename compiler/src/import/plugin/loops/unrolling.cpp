#include "unrolling.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "loop_turns.h"

namespace gdr::compiler {
namespace {

constexpr std::size_t kMostUnrolled = 60'000;  // of all turns; a function may have 20000 after it is simplified

/// What LLVM knows of a function until it changes.
struct Analyses {
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::AssumptionCache assumptions;
  llvm::TargetLibraryInfoImpl known_functions;
  llvm::TargetLibraryInfo functions;
  llvm::ScalarEvolution evolution;

  explicit Analyses(llvm::Function& function)
      : dominators(function),
        loops(dominators),
        assumptions(function),
        functions(known_functions),
        evolution(function, functions, assumptions, dominators, loops) {}
};

/// Control never comes from the last block of a loop to its first one.
void never_goes_back(llvm::Loop& loop) {
  llvm::Instruction* end = loop.getLoopLatch()->getTerminator();
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
  if (branch != nullptr && branch->isConditional()) {
    llvm::BasicBlock* outside = branch->getSuccessor(branch->getSuccessor(0) == loop.getHeader() ? 1 : 0);
    loop.getHeader()->removePredecessor(branch->getParent(), true);
    llvm::ReplaceInstWithInst(branch, llvm::BranchInst::Create(outside));
  } else {
    llvm::changeToUnreachable(end, true);
  }
}

std::size_t operations_of(const llvm::Loop& loop) {
  std::size_t count = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) count += block->size();
  return count;
}

bool unroll(llvm::Loop& loop, unsigned turns, llvm::Function& function, Analyses& known) {
  if (turns * operations_of(loop) > kMostUnrolled || !loop.isSafeToClone()) return false;
  if (turns > 1) {
    const llvm::TargetTransformInfo target(function.getParent()->getDataLayout());
    llvm::OptimizationRemarkEmitter remarks(&function);
    llvm::UnrollLoopOptions options{};
    options.Count = turns;
    options.Force = true;
    options.ForgetAllSCEV = true;
    const auto result = llvm::UnrollLoop(&loop, options, &known.loops, &known.evolution, &known.dominators,
                                         &known.assumptions, &target, &remarks, true);
    if (result == llvm::LoopUnrollResult::Unmodified) return false;
    if (result == llvm::LoopUnrollResult::FullyUnrolled) return true;
  }
  never_goes_back(loop);
  return true;
}

/// The loops inside a loop before it.
std::vector<llvm::Loop*> innermost_first(const llvm::LoopInfo& loops) {
  std::vector<llvm::Loop*> all;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) all.push_back(loop);
  std::ranges::reverse(all);
  return all;
}

/// One block before each loop, and one that leads back.
void simplify(Analyses& known) {
  for (llvm::Loop* loop : known.loops) {
    llvm::simplifyLoop(loop, &known.dominators, &known.loops, &known.evolution, &known.assumptions, nullptr, false);
    llvm::formLCSSARecursively(*loop, known.dominators, &known.loops, &known.evolution);
  }
}

/// A member of a record that the function does not write is read once for all later places: LLVM takes each change of a
/// result for one of all memory.
void join_loads(llvm::Function& function, const llvm::DominatorTree& dominators) {
  using Place = std::tuple<llvm::Value*, std::int64_t, llvm::Type*>;
  std::map<Place, std::vector<llvm::LoadInst*>> known;
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  std::set<const llvm::Value*> written;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& next : block) {
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&next))
        written.insert(llvm::getUnderlyingObject(store->getPointerOperand()));
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&next);
      if (call == nullptr) continue;
      for (const llvm::Use& argument : call->args()) {
        if (argument->getType()->isPointerTy()) written.insert(llvm::getUnderlyingObject(argument));
      }
    }
  }
  std::vector<std::pair<llvm::LoadInst*, llvm::LoadInst*>> same;
  llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  for (llvm::BasicBlock* block : order) {
    for (llvm::Instruction& next : *block) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&next);
      if (load == nullptr || !load->isSimple()) continue;
      llvm::APInt offset(64, 0);
      llvm::Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
      if (!llvm::isa<llvm::Argument>(base) || written.contains(base)) continue;
      auto& earlier = known[{base, offset.getSExtValue(), load->getType()}];
      const auto found = llvm::find_if(
          earlier, [&](const llvm::LoadInst* candidate) { return dominators.dominates(candidate, load); });
      if (found != earlier.end()) {
        same.emplace_back(load, *found);
      } else {
        earlier.push_back(load);
      }
    }
  }
  for (const auto& [load, earlier] : same) {
    load->replaceAllUsesWith(earlier);
    load->eraseFromParent();
  }
}

/// The shifts that LLVM makes of a conversion to `short` or `char` become that conversion again: of the narrow number,
/// to which the source compares, ranges are known.
void convert_instead_of_shifts(llvm::Function& function, const llvm::DominatorTree& dominators) {
  using namespace llvm::PatternMatch;
  std::vector<llvm::Instruction*> shifts;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& next : block) {
      if (next.getOpcode() == llvm::Instruction::AShr && next.getType()->isIntegerTy()) shifts.push_back(&next);
    }
  }
  for (llvm::Instruction* shift : shifts) {
    llvm::Value* wide = nullptr;
    std::uint64_t bits = 0;
    std::uint64_t back = 0;
    if (!match(shift, m_AShr(m_Shl(m_Value(wide), m_ConstantInt(bits)), m_ConstantInt(back)))) continue;
    const unsigned width = shift->getType()->getIntegerBitWidth();
    if (bits != back || bits == 0 || bits >= width) continue;
    llvm::Type* type = llvm::IntegerType::get(function.getContext(), width - static_cast<unsigned>(bits));
    const auto earlier = llvm::find_if(wide->users(), [&](const llvm::User* user) {
      const auto* cast = llvm::dyn_cast<llvm::TruncInst>(user);
      return cast != nullptr && cast->getType() == type && dominators.dominates(cast, shift);
    });
    llvm::IRBuilder<> at(shift);
    llvm::Value* narrow = earlier != wide->user_end() ? *earlier : at.CreateTrunc(wide, type);
    shift->replaceAllUsesWith(at.CreateSExt(narrow, shift->getType()));
    shift->eraseFromParent();
  }
}

bool unroll_one(llvm::Function& function) {
  Analyses known(function);
  if (known.loops.empty()) return false;
  simplify(known);
  convert_instead_of_shifts(function, known.dominators);
  join_loads(function, known.dominators);
  Ranges ranges(function, known.dominators);
  for (llvm::Loop* loop : innermost_first(known.loops)) {
    const Turns turns = turns_of(*loop, known.loops, ranges);
    if (turns.most && unroll(*loop, std::max(*turns.most, 1U), function, known)) return true;
  }
  return false;
}

/// The instruction, or one of the loop, that has a place in the source.
const llvm::Instruction* with_place(const llvm::Loop& loop, const llvm::Instruction* at) {
  if (at != nullptr && at->getDebugLoc()) return at;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& next : *block) {
      if (next.getDebugLoc()) return &next;
    }
  }
  return loop.getHeader()->getTerminator();
}

}  // namespace

void join_ends_of_turns(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    for (llvm::Loop* loop : innermost_first(loops)) {
      llvm::SmallVector<llvm::BasicBlock*> ends;
      loop->getLoopLatches(ends);
      if (ends.size() > 1) llvm::SplitBlockPredecessors(loop->getHeader(), ends, ".next", &dominators, &loops);
    }
  }
}

bool unroll_limited_loops(llvm::Module& module) {
  bool any = false;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    while (unroll_one(function)) {
      any = true;
      llvm::EliminateUnreachableBlocks(function);
    }
  }
  return any;
}

LeftLoop left_loop(llvm::Function& function) {
  Analyses known(function);
  if (known.loops.empty()) return {"a goto leads into the middle of it", function.getEntryBlock().getTerminator()};
  simplify(known);
  Ranges ranges(function, known.dominators);
  const llvm::Loop& loop = *innermost_first(known.loops).front();
  const Turns turns = turns_of(loop, known.loops, ranges);
  if (!turns.most) return {turns.missing, with_place(loop, turns.at)};
  return {"up to " + std::to_string(*turns.most) + " turns of " + std::to_string(operations_of(loop)) +
              " operations each are too many to be unrolled",
          with_place(loop, nullptr)};
}

}  // namespace gdr::compiler
