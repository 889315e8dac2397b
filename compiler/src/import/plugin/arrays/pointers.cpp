#include "pointers.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace gdr::compiler {
namespace {

/// A pointer as the address that it was made of, and what was added to that.
struct Steps {
  llvm::Value* from = nullptr;
  std::int64_t bytes = 0;
  llvm::MapVector<llvm::Value*, std::int64_t> indices;  // and the bytes that each of them counts
};

Steps steps_of(llvm::Value& pointer, const llvm::DataLayout& layout) {
  Steps steps{&pointer, 0, {}};
  while (auto* step = llvm::dyn_cast<llvm::GEPOperator>(steps.from)) {
    llvm::APInt bytes(64, 0);
    llvm::MapVector<llvm::Value*, llvm::APInt> indices;
    if (!step->collectOffset(layout, 64, indices, bytes)) break;
    steps.bytes += bytes.getSExtValue();
    for (const auto& [index, stride] : indices) steps.indices[index] += stride.getSExtValue();
    steps.from = step->getPointerOperand();
  }
  return steps;
}

class PointersOfFunction {
 public:
  explicit PointersOfFunction(llvm::Function& function) : layout_(function.getParent()->getDataLayout()) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& next : block) {
        if (next.getType()->isPointerTy() && llvm::isa<llvm::PHINode, llvm::SelectInst>(next)) joins_.insert(&next);
      }
    }
  }

  /// Those into one variable become its indices, those to several the number of the variable.
  bool run() {
    find_variables();
    llvm::MapVector<llvm::Value*, std::vector<llvm::Instruction*>> groups;
    for (llvm::Instruction* join : joins_) {
      if (llvm::Value* variable = variables_[join]) groups[variable].push_back(join);
    }
    bool any = false;
    for (const auto& [variable, joins] : groups) {
      for (llvm::Instruction* join : joins) joins_.remove(join);
      any = index(*variable, joins) || any;
    }
    while (!joins_.empty()) any = number(connected(*joins_.front())) || any;
    return any;
  }

 private:
  static std::vector<llvm::Value*> sources_of(llvm::Instruction& join) {
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&join))
      return {select->getTrueValue(), select->getFalseValue()};
    auto& phi = llvm::cast<llvm::PHINode>(join);
    return {phi.incoming_values().begin(), phi.incoming_values().end()};
  }

  static bool is_variable(const llvm::Value& from) {
    const auto* array = llvm::dyn_cast<llvm::AllocaInst>(&from);
    return llvm::isa<llvm::GlobalVariable, llvm::Argument>(from) || (array != nullptr && array->isStaticAlloca());
  }

  /// The one variable of each join; null if there are several, or something else is joined.
  void find_variables() {
    // First the variables that come in directly or through other joins; one that meets another, or what is none, is
    // several, and so is whatever reads it.
    std::set<llvm::Instruction*> several;
    bool changed = true;
    while (changed) {
      changed = false;
      for (llvm::Instruction* join : joins_) {
        if (several.contains(join)) continue;
        for (llvm::Value* source : sources_of(*join)) {
          llvm::Value* from = steps_of(*source, layout_).from;
          auto* other = llvm::dyn_cast<llvm::Instruction>(from);
          const bool joined = other != nullptr && joins_.contains(other);
          if (joined && several.contains(other))
            from = nullptr;
          else if (joined)
            from = variables_[other];
          else if (!is_variable(*from))
            from = nullptr;
          if (joined && from == nullptr && !several.contains(other)) continue;  // not known yet
          llvm::Value*& known = variables_[join];
          if (from == nullptr || (known != nullptr && known != from)) {
            known = nullptr;
            several.insert(join);
            changed = true;
            break;
          }
          changed = changed || known == nullptr;
          known = from;
        }
      }
    }
  }

  /// The greatest number of bytes of which everything that is added is a multiple.
  std::int64_t unit_of(const std::vector<llvm::Instruction*>& joins) const {
    std::int64_t unit = 0;
    for (llvm::Instruction* join : joins) {
      for (llvm::Value* source : sources_of(*join)) {
        const Steps steps = steps_of(*source, layout_);
        unit = std::gcd(unit, steps.bytes);
        for (const auto& [index, bytes] : steps.indices) unit = std::gcd(unit, bytes);
      }
    }
    return unit;
  }

  bool index(llvm::Value& variable, const std::vector<llvm::Instruction*>& joins) {
    const std::int64_t unit = unit_of(joins);
    if (unit == 0) return false;
    llvm::Type* number = llvm::Type::getInt64Ty(variable.getContext());
    std::map<llvm::Value*, llvm::Instruction*> numbers;
    for (llvm::Instruction* join : joins) {
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(join)) {
        numbers[join] = llvm::PHINode::Create(number, phi->getNumIncomingValues(), join->getName(), join);
      } else {
        llvm::Value* zero = llvm::Constant::getNullValue(number);
        numbers[join] =
            llvm::SelectInst::Create(llvm::cast<llvm::SelectInst>(join)->getCondition(), zero, zero, "", join);
      }
      numbers[join]->setDebugLoc(join->getDebugLoc());
    }
    const auto distance = [&](llvm::Value& pointer, llvm::Instruction& before) {
      llvm::IRBuilder<> at(&before);
      const Steps steps = steps_of(pointer, layout_);
      llvm::Value* sum = at.getInt64(static_cast<std::uint64_t>(steps.bytes / unit));
      for (const auto& [step, bytes] : steps.indices) {
        llvm::Value* units =
            at.CreateNSWMul(at.CreateSExtOrTrunc(step, number), at.getInt64(static_cast<std::uint64_t>(bytes / unit)));
        sum = at.CreateNSWAdd(units, sum);
      }
      const auto joined = numbers.find(steps.from);
      return joined == numbers.end() ? sum : at.CreateNSWAdd(joined->second, sum);
    };
    for (llvm::Instruction* join : joins) {
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(join)) {
        auto* made = llvm::cast<llvm::PHINode>(numbers[join]);
        for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n) {
          llvm::BasicBlock* from = phi->getIncomingBlock(n);
          // A block may lead here by several cases of one switch: the value is the same.
          const int earlier = made->getBasicBlockIndex(from);
          made->addIncoming(earlier >= 0 ? made->getIncomingValue(static_cast<unsigned>(earlier))
                                         : distance(*phi->getIncomingValue(n), *from->getTerminator()),
                            from);
        }
      } else {
        auto* select = llvm::cast<llvm::SelectInst>(join);
        numbers[join]->setOperand(1, distance(*select->getTrueValue(), *numbers[join]));
        numbers[join]->setOperand(2, distance(*select->getFalseValue(), *numbers[join]));
      }
    }
    for (llvm::Instruction* join : joins) {
      auto* phi = llvm::dyn_cast<llvm::PHINode>(join);
      llvm::IRBuilder<> at(phi != nullptr ? &*join->getParent()->getFirstInsertionPt() : join);
      at.SetCurrentDebugLocation(join->getDebugLoc());
      llvm::Type* element = llvm::ArrayType::get(at.getInt8Ty(), static_cast<std::uint64_t>(unit));
      join->replaceAllUsesWith(at.CreateInBoundsGEP(element, &variable, numbers[join]));
    }
    for (llvm::Instruction* join : joins) join->eraseFromParent();
    return true;
  }

  /// An element of a variable at a constant place.
  using Element = std::pair<llvm::Value*, std::int64_t>;
  static constexpr std::size_t kMostElements = 128;

  /// A join and all that it is joined with, which are taken out of those that are left.
  std::vector<llvm::Instruction*> connected(llvm::Instruction& first) {
    std::vector<llvm::Instruction*> all{&first};
    joins_.remove(&first);
    const auto add = [&](llvm::Value* other) {
      auto* join = llvm::dyn_cast<llvm::Instruction>(other);
      if (join != nullptr && joins_.remove(join)) all.push_back(join);
    };
    for (std::size_t n = 0; n < all.size(); ++n) {
      for (llvm::Value* source : sources_of(*all[n])) add(source);
      for (llvm::User* user : all[n]->users()) add(user);
    }
    return all;
  }

  /// Pointers to one of several elements: reads and writes go to all of them, and take or change the one that is meant.
  bool number(const std::vector<llvm::Instruction*>& joins) {
    const std::set<llvm::Value*> inside(joins.begin(), joins.end());
    llvm::SetVector<Element> elements;
    llvm::SmallVector<llvm::Instruction*> accesses;
    for (llvm::Instruction* join : joins) {
      for (llvm::Value* source : sources_of(*join)) {
        if (inside.contains(source) || llvm::isa<llvm::UndefValue>(source)) continue;
        const Steps steps = steps_of(*source, layout_);
        if (!is_variable(*steps.from) || !steps.indices.empty()) return false;
        elements.insert({steps.from, steps.bytes});
      }
      for (llvm::User* user : join->users()) {
        if (inside.contains(user)) continue;
        auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
        auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
        const bool reads = load != nullptr && load->isSimple();
        const bool writes = store != nullptr && store->isSimple() && store->getValueOperand() != join;
        if (!reads && !writes) return false;
        accesses.push_back(llvm::cast<llvm::Instruction>(user));
      }
    }
    if (elements.empty() || elements.size() > kMostElements) return false;
    llvm::Type* type = llvm::Type::getInt32Ty(joins.front()->getContext());
    const auto number_of = [&](const Element& element) {
      return llvm::ConstantInt::get(type, static_cast<std::uint64_t>(llvm::find(elements, element) - elements.begin()));
    };
    std::map<llvm::Value*, llvm::Value*> numbers;
    const auto number_at = [&](llvm::Value* source) -> llvm::Value* {
      if (const auto known = numbers.find(source); known != numbers.end()) return known->second;
      // The end of an array that LLVM has taken apart, which nothing reads.
      if (llvm::isa<llvm::UndefValue>(source)) return llvm::Constant::getNullValue(type);
      const Steps steps = steps_of(*source, layout_);
      return number_of({steps.from, steps.bytes});
    };
    for (llvm::Instruction* join : joins) {
      llvm::Value* none = llvm::Constant::getNullValue(type);
      llvm::Instruction* made = nullptr;
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(join)) {
        made = llvm::PHINode::Create(type, phi->getNumIncomingValues(), "", join);
      } else {
        made = llvm::SelectInst::Create(llvm::cast<llvm::SelectInst>(join)->getCondition(), none, none, "", join);
      }
      made->setDebugLoc(join->getDebugLoc());
      numbers[join] = made;
    }
    for (llvm::Instruction* join : joins) {
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(join)) {
        for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n)
          llvm::cast<llvm::PHINode>(numbers[join])
              ->addIncoming(number_at(phi->getIncomingValue(n)), phi->getIncomingBlock(n));
      } else {
        auto* made = llvm::cast<llvm::SelectInst>(numbers[join]);
        made->setTrueValue(number_at(llvm::cast<llvm::SelectInst>(join)->getTrueValue()));
        made->setFalseValue(number_at(llvm::cast<llvm::SelectInst>(join)->getFalseValue()));
      }
    }
    for (llvm::Instruction* access : accesses) {
      llvm::IRBuilder<> at(access);
      llvm::Value* meant = numbers[llvm::getLoadStorePointerOperand(access)];
      auto* store = llvm::dyn_cast<llvm::StoreInst>(access);
      llvm::Type* word = llvm::getLoadStoreType(access);
      llvm::Value* chosen = nullptr;
      for (const auto& [variable, bytes] : elements) {
        llvm::Value* address =
            at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), variable, static_cast<std::uint64_t>(bytes));
        llvm::Value* is = at.CreateICmpEQ(meant, number_of({variable, bytes}));
        llvm::Value* known = at.CreateLoad(word, address);
        if (store != nullptr) {
          at.CreateStore(at.CreateSelect(is, store->getValueOperand(), known), address);
        } else {
          chosen = chosen == nullptr ? known : at.CreateSelect(is, known, chosen);
        }
      }
      if (store == nullptr) access->replaceAllUsesWith(chosen);
      access->eraseFromParent();
    }
    for (llvm::Instruction* join : joins) {
      join->replaceAllUsesWith(llvm::PoisonValue::get(join->getType()));
      join->eraseFromParent();
    }
    return true;
  }

  const llvm::DataLayout& layout_;
  llvm::SetVector<llvm::Instruction*> joins_;
  std::map<llvm::Instruction*, llvm::Value*> variables_;
};

}  // namespace

bool index_by_pointers(llvm::Module& module) {
  bool any = false;
  for (llvm::Function& function : module)
    any = (!function.isDeclaration() && PointersOfFunction(function).run()) || any;
  return any;
}

}  // namespace gdr::compiler
