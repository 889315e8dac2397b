#include "structure_parts.h"

#include <llvm/ADT/APInt.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "import/plugin/records.h"
#include "local_structures.h"

namespace gdr::compiler {
namespace {

/// A part of a number: the instruction that takes it, and its first bit.
using Part = std::pair<llvm::Instruction*, std::uint64_t>;

/// The parts of a number if nothing else is made of it; otherwise none.
std::vector<Part> parts_of(llvm::Value& whole) {
  std::vector<Part> parts;
  const auto add = [&](llvm::User* user, std::uint64_t first) {
    auto* trunc = llvm::dyn_cast<llvm::TruncInst>(user);
    if (trunc == nullptr || first % 8 != 0 || trunc->getType()->getIntegerBitWidth() % 8 != 0) return false;
    parts.emplace_back(trunc, first);
    return true;
  };
  for (llvm::User* user : whole.users()) {
    std::uint64_t first = 0;
    const bool shifted = llvm::PatternMatch::match(
        user,
        llvm::PatternMatch::m_LShr(llvm::PatternMatch::m_Specific(&whole), llvm::PatternMatch::m_ConstantInt(first)));
    if (!shifted && !add(user, 0)) return {};
    if (shifted && !llvm::all_of(user->users(), [&](llvm::User* next) { return add(next, first); })) return {};
  }
  return parts;
}

/// The value of `bits` bits from the `first` one on, if `whole` was put together of it and others; null otherwise.
llvm::Value* part_of(llvm::Value& whole, std::uint64_t first, unsigned bits, const llvm::DataLayout& layout) {
  using namespace llvm::PatternMatch;
  llvm::Value* one = nullptr;
  llvm::Value* other = nullptr;
  const llvm::APInt* mask = nullptr;
  std::uint64_t by = 0;
  const unsigned width = whole.getType()->getIntegerBitWidth();
  if (first + bits > width) return nullptr;
  const llvm::APInt asked =
      llvm::APInt::getBitsSet(width, static_cast<unsigned>(first), static_cast<unsigned>(first) + bits);
  if (match(&whole, m_APInt(mask))) {
    const auto from = static_cast<unsigned>(first);
    return llvm::ConstantInt::get(whole.getContext(), mask->extractBits(bits, from));
  }
  if (match(&whole, m_ZExt(m_Value(one)))) {
    if (first == 0 && one->getType()->isIntegerTy(bits)) return one;
    return first + bits <= one->getType()->getIntegerBitWidth() ? part_of(*one, first, bits, layout) : nullptr;
  }
  if (match(&whole, m_Trunc(m_Value(one)))) return part_of(*one, first, bits, layout);
  if (match(&whole, m_Shl(m_Value(one), m_ConstantInt(by)))) {
    return first >= by ? part_of(*one, first - by, bits, layout) : nullptr;
  }
  if (match(&whole, m_LShr(m_Value(one), m_ConstantInt(by)))) return part_of(*one, first + by, bits, layout);
  if (match(&whole, m_And(m_Value(one), m_APInt(mask)))) {
    return asked.isSubsetOf(*mask) ? part_of(*one, first, bits, layout) : nullptr;
  }
  if (!match(&whole, m_Or(m_Value(one), m_Value(other)))) return nullptr;
  if (llvm::MaskedValueIsZero(other, asked, layout)) return part_of(*one, first, bits, layout);
  return llvm::MaskedValueIsZero(one, asked, layout) ? part_of(*other, first, bits, layout) : nullptr;
}

/// Where ways meet, members of a structure meet each by themselves.
void choose_members(llvm::PHINode& phi, const std::vector<Part>& parts, const llvm::DataLayout& layout) {
  for (const auto& [part, first] : parts) {
    llvm::Type* type = part->getType();
    auto* chosen = llvm::PHINode::Create(type, phi.getNumIncomingValues(), "", &phi);
    for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
      llvm::Value* whole = phi.getIncomingValue(n);
      llvm::Value* member = part_of(*whole, first, type->getIntegerBitWidth(), layout);
      if (member == nullptr) {
        llvm::Instruction* end = phi.getIncomingBlock(n)->getTerminator();
        if (first != 0) {
          auto* by = llvm::ConstantInt::get(whole->getType(), first);
          whole = llvm::BinaryOperator::CreateLShr(whole, by, "", end);
        }
        member = new llvm::TruncInst(whole, type, "", end);
      }
      chosen->addIncoming(member, phi.getIncomingBlock(n));
    }
    part->replaceAllUsesWith(chosen);
  }
}

/// Hands on members of structures that are put together and taken apart again.
void hand_on_members(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::BasicBlock& block : function) {
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
      if (!phi.getType()->isIntegerTy()) continue;
      const std::vector<Part> parts = parts_of(phi);
      const bool are_members = llvm::any_of(parts, [](const Part& part) { return part.second != 0; });
      if (are_members) choose_members(phi, parts, layout);
    }
  }
  for (llvm::Instruction& next : llvm::instructions(function)) {
    auto* trunc = llvm::dyn_cast<llvm::TruncInst>(&next);
    if (trunc == nullptr || !trunc->getType()->isIntegerTy()) continue;
    llvm::Value* part = part_of(*trunc->getOperand(0), 0, trunc->getType()->getIntegerBitWidth(), layout);
    if (part == nullptr) continue;
    trunc->replaceAllUsesWith(part);
  }
}

/// Members of the records that a function refers to.
class Members {
 public:
  explicit Members(const llvm::Function& function) : layout_(function.getParent()->getDataLayout()) {
    const llvm::DISubprogram* described = function.getSubprogram();
    if (described == nullptr) return;
    std::vector<Argument> arguments = arguments_of(*described);
    if (arguments.empty()) arguments = arguments_of_condition(*described);
    for (const Argument& argument : arguments) {
      std::vector<Message> told;
      records_.push_back(argument.structure != nullptr ? fields_of(*argument.structure, told) : std::vector<Field>());
    }
  }

  /// True if the load takes more than one member, as it does of each record to which its address may refer.
  [[nodiscard]] bool are_loaded_by(llvm::LoadInst& load) const {
    std::set<const llvm::Value*> known;
    const std::optional<bool> several =
        several_at(*load.getPointerOperand(), 0, layout_.getTypeStoreSize(load.getType()).getFixedValue(), known);
    return several.value_or(false);
  }

 private:
  /// Nothing: the address leads to no record.
  [[nodiscard]] std::optional<bool> several_at(const llvm::Value& pointer, std::int64_t at, std::uint64_t bytes,
                                               std::set<const llvm::Value*>& known) const {
    llvm::APInt offset(64, 0);
    const llvm::Value* base = pointer.stripAndAccumulateConstantOffsets(layout_, offset, true);
    at += offset.getSExtValue();
    if (!known.insert(base).second) return std::nullopt;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(base)) return several_of(*argument, at, bytes);
    std::optional<bool> all;
    const auto join = [&](const llvm::Value* from) {
      const std::optional<bool> one = several_at(*from, at, bytes, known);
      if (one) all = all.value_or(true) && *one;
    };
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(base)) {
      join(select->getTrueValue());
      join(select->getFalseValue());
    }
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(base)) llvm::for_each(phi->incoming_values(), join);
    return all;
  }

  [[nodiscard]] std::optional<bool> several_of(const llvm::Argument& argument, std::int64_t at,
                                               std::uint64_t bytes) const {
    if (argument.getArgNo() >= records_.size()) return std::nullopt;
    unsigned members = 0;
    for (const Field& field : records_[argument.getArgNo()]) {
      for (unsigned word = 0; word < field.count; ++word) {
        const std::int64_t first = std::int64_t{field.offset} + std::int64_t{word} * field.bytes;
        if (first < at || first >= at + static_cast<std::int64_t>(bytes)) continue;
        if (field.bits != 0) return false;  // read as the host keeps them
        ++members;
      }
    }
    return members > 1;
  }

  const llvm::DataLayout& layout_;
  std::vector<std::vector<Field>> records_;
};

void load_parts(llvm::LoadInst& load, const std::vector<Part>& parts) {
  for (const auto& [part, first] : parts) {
    llvm::Value* place = behind(load.getPointerOperand(), first / 8, load);
    auto* loaded = new llvm::LoadInst(part->getType(), place, "", false, llvm::Align(1), &load);
    loaded->setDebugLoc(load.getDebugLoc());
    part->replaceAllUsesWith(loaded);
  }
}

}  // namespace

bool part_structures(llvm::Module& module) {
  bool stored = false;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    stored = part_local_structures(function) || stored;
    hand_on_members(function);
    const Members members(function);
    std::vector<llvm::Instruction*> needless;
    for (llvm::Instruction& next : llvm::instructions(function)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&next);
      if (load == nullptr || !load->getType()->isIntegerTy() || load->isVolatile()) continue;
      const std::vector<Part> parts = parts_of(*load);
      if (parts.empty() || !members.are_loaded_by(*load)) continue;
      load_parts(*load, parts);
      for (const Part& part : parts) needless.push_back(part.first);
    }
    for (llvm::Instruction* one : needless) one->eraseFromParent();
  }
  return stored;
}

}  // namespace gdr::compiler
