#include "structure_parts.h"

#include <llvm/ADT/APInt.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "import/plugin/records.h"

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

llvm::Value* behind(llvm::Value* place, std::uint64_t bytes, llvm::Instruction& at) {
  if (bytes == 0) return place;
  auto* index = llvm::ConstantInt::get(llvm::Type::getInt64Ty(at.getContext()), bytes);
  auto* there =
      llvm::GetElementPtrInst::CreateInBounds(llvm::Type::getInt8Ty(at.getContext()), place, {index}, "", &at);
  there->setDebugLoc(at.getDebugLoc());
  return there;
}

void load_parts(llvm::LoadInst& load, const std::vector<Part>& parts) {
  for (const auto& [part, first] : parts) {
    llvm::Value* place = behind(load.getPointerOperand(), first / 8, load);
    auto* loaded = new llvm::LoadInst(part->getType(), place, "", false, llvm::Align(1), &load);
    loaded->setDebugLoc(load.getDebugLoc());
    part->replaceAllUsesWith(loaded);
  }
}

// ---- structures in memory that an index at run time keeps there --------------------------------------------------

/// The type of a member of which a copy of a structure says the size, and by its tag the name.
llvm::Type* type_of_member(const llvm::MDNode& tag, std::uint64_t bytes, llvm::LLVMContext& context) {
  constexpr unsigned kTypeOfAccess = 1;
  const auto* type = tag.getNumOperands() > kTypeOfAccess
                         ? llvm::dyn_cast_or_null<llvm::MDNode>(tag.getOperand(kTypeOfAccess).get())
                         : nullptr;
  const auto* name = type != nullptr && type->getNumOperands() > 0
                         ? llvm::dyn_cast_or_null<llvm::MDString>(type->getOperand(0).get())
                         : nullptr;
  if (name != nullptr && name->getString() == "float") return llvm::Type::getFloatTy(context);
  if (name != nullptr && name->getString() == "double") return llvm::Type::getDoubleTy(context);
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(8 * bytes));
}

/// A copy of a structure, as clang describes it, becomes one of each member.
bool copy_by_members(llvm::MemCpyInst& copy) {
  const llvm::MDNode* members = copy.getMetadata(llvm::LLVMContext::MD_tbaa_struct);
  if (members == nullptr || members->getNumOperands() % 3 != 0) return false;
  for (unsigned n = 0; n < members->getNumOperands(); n += 3) {
    const auto* first = llvm::mdconst::dyn_extract<llvm::ConstantInt>(members->getOperand(n));
    const auto* bytes = llvm::mdconst::dyn_extract<llvm::ConstantInt>(members->getOperand(n + 1));
    const auto* tag = llvm::dyn_cast<llvm::MDNode>(members->getOperand(n + 2));
    if (first == nullptr || bytes == nullptr || tag == nullptr || bytes->getZExtValue() > sizeof(std::int64_t))
      return false;
  }
  for (unsigned n = 0; n < members->getNumOperands(); n += 3) {
    const std::uint64_t first = llvm::mdconst::extract<llvm::ConstantInt>(members->getOperand(n))->getZExtValue();
    const std::uint64_t bytes = llvm::mdconst::extract<llvm::ConstantInt>(members->getOperand(n + 1))->getZExtValue();
    llvm::Type* type = type_of_member(*llvm::cast<llvm::MDNode>(members->getOperand(n + 2)), bytes, copy.getContext());
    auto* loaded = new llvm::LoadInst(type, behind(copy.getRawSource(), first, copy), "", false, llvm::Align(1), &copy);
    auto* stored = new llvm::StoreInst(loaded, behind(copy.getRawDest(), first, copy), false, llvm::Align(1), &copy);
    loaded->setDebugLoc(copy.getDebugLoc());
    stored->setDebugLoc(copy.getDebugLoc());
  }
  copy.eraseFromParent();
  return true;
}

/// All numbers of a type, with their places in bytes.
void each_number(llvm::Type& type, std::uint64_t at, const llvm::DataLayout& layout,
                 std::vector<std::pair<llvm::Type*, std::uint64_t>>& found) {
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    const llvm::StructLayout& places = *layout.getStructLayout(structure);
    for (unsigned n = 0; n < structure->getNumElements(); ++n)
      each_number(*structure->getElementType(n), at + places.getElementOffset(n).getFixedValue(), layout, found);
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
    const std::uint64_t step = layout.getTypeAllocSize(array->getElementType()).getFixedValue();
    for (std::uint64_t n = 0; n < array->getNumElements(); ++n)
      each_number(*array->getElementType(), at + n * step, layout, found);
  } else {
    found.emplace_back(&type, at);
  }
}

/// A local structure that is set to 0 as a whole.
bool clear_by_members(llvm::MemSetInst& clear) {
  constexpr std::size_t kMostNumbers = 256;
  const llvm::DataLayout& layout = clear.getModule()->getDataLayout();
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(clear.getDest());
  const auto* value = llvm::dyn_cast<llvm::Constant>(clear.getValue());
  const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(clear.getLength());
  if (variable == nullptr || value == nullptr || !value->isNullValue() || bytes == nullptr) return false;
  llvm::Type* type = variable->getAllocatedType();
  if (!type->isStructTy() || layout.getTypeAllocSize(type).getFixedValue() != bytes->getZExtValue()) return false;
  std::vector<std::pair<llvm::Type*, std::uint64_t>> numbers;
  each_number(*type, 0, layout, numbers);
  if (numbers.size() > kMostNumbers) return false;
  for (const auto& [number, at] : numbers) {
    auto* stored = new llvm::StoreInst(llvm::Constant::getNullValue(number), behind(clear.getDest(), at, clear), false,
                                       llvm::Align(1), &clear);
    stored->setDebugLoc(clear.getDebugLoc());
  }
  clear.eraseFromParent();
  return true;
}

/// A store of several entries of a local array of integers becomes one of each.
bool store_by_entries(llvm::StoreInst& store) {
  const auto* whole = llvm::dyn_cast<llvm::IntegerType>(store.getValueOperand()->getType());
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(store.getPointerOperand()));
  if (whole == nullptr || variable == nullptr) return false;
  const llvm::Type* type = variable->getAllocatedType();
  while (type->isArrayTy() || (type->isStructTy() && type->getStructNumElements() == 1))
    type = type->isArrayTy() ? type->getArrayElementType() : type->getStructElementType(0);
  const unsigned bits = whole->getBitWidth();
  if (!type->isIntegerTy() || type->getIntegerBitWidth() % 8 != 0) return false;
  const unsigned of_entry = type->getIntegerBitWidth();
  if (bits <= of_entry || bits % of_entry != 0) return false;
  for (unsigned first = 0; first < bits; first += of_entry) {
    llvm::Value* part = store.getValueOperand();
    if (first != 0)
      part = llvm::BinaryOperator::CreateLShr(part, llvm::ConstantInt::get(part->getType(), first), "", &store);
    part = new llvm::TruncInst(part, llvm::Type::getIntNTy(store.getContext(), of_entry), "", &store);
    auto* stored =
        new llvm::StoreInst(part, behind(store.getPointerOperand(), first / 8, store), false, llvm::Align(1), &store);
    stored->setDebugLoc(store.getDebugLoc());
  }
  store.eraseFromParent();
  return true;
}

/// A local structure of which one member is at an index at run time: each member becomes a variable of its own.
class StructureParts {
 public:
  explicit StructureParts(llvm::AllocaInst& variable)
      : variable_(variable), layout_(variable.getModule()->getDataLayout()) {}

  bool run() {
    type_ = llvm::dyn_cast<llvm::StructType>(variable_.getAllocatedType());
    if (type_ == nullptr || variable_.isArrayAllocation() || type_->getNumElements() < 2) return false;
    for (llvm::User* user : variable_.users()) {
      if (!member_of(*user)) return false;
    }
    std::vector<llvm::AllocaInst*> members;
    for (llvm::Type* type : type_->elements()) {
      members.push_back(new llvm::AllocaInst(type, 0, variable_.getName(), &variable_));
    }
    for (llvm::User* user : llvm::make_early_inc_range(variable_.users())) {
      auto& at = *llvm::cast<llvm::Instruction>(user);
      const Member member = *member_of(at);
      if (member.none) {
        at.eraseFromParent();
      } else if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&at)) {
        move(*address, *members[member.number], member.rest);
      } else {
        at.replaceUsesOfWith(&variable_, members[member.number]);
      }
    }
    describe(members);
    variable_.eraseFromParent();
    return true;
  }

 private:
  struct Member {
    unsigned number = 0;
    std::uint64_t rest = 0;  // bytes from its beginning
    bool none = false;       // a marker of the variable's life
  };

  /// Nothing: the whole structure is used, or its address.
  [[nodiscard]] std::optional<Member> member_of(llvm::User& user) const {
    if (const auto* marker = llvm::dyn_cast<llvm::IntrinsicInst>(&user)) {
      return marker->isLifetimeStartOrEnd() ? std::optional(Member{0, 0, true}) : std::nullopt;
    }
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&user)) {
      if (address->getSourceElementType() == type_ && address->getNumIndices() >= 2) {
        const auto* whole = llvm::dyn_cast<llvm::ConstantInt>(address->getOperand(1));
        const auto* number = llvm::dyn_cast<llvm::ConstantInt>(address->getOperand(2));
        if (whole == nullptr || !whole->isZero() || number == nullptr) return std::nullopt;
        return Member{static_cast<unsigned>(number->getZExtValue()), 0, false};
      }
      if (is_of_first(*address)) return Member{};
      llvm::APInt offset(64, 0);
      if (!address->accumulateConstantOffset(layout_, offset)) return std::nullopt;
      return at(offset.getZExtValue(), 1);
    }
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&user)) {
      return at(0, layout_.getTypeStoreSize(load->getType()).getFixedValue());
    }
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&user)) {
      if (store->getValueOperand() == &variable_) return std::nullopt;
      return at(0, layout_.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue());
    }
    return std::nullopt;
  }

  /// An entry of an array that is the first member.
  [[nodiscard]] bool is_of_first(const llvm::GetElementPtrInst& address) const {
    const auto* whole = llvm::dyn_cast<llvm::ConstantInt>(address.getOperand(1));
    return address.getSourceElementType() == type_->getElementType(0) && address.getNumIndices() >= 2 &&
           whole != nullptr && whole->isZero();
  }

  [[nodiscard]] std::optional<Member> at(std::uint64_t offset, std::uint64_t bytes) const {
    const llvm::StructLayout& layout = *layout_.getStructLayout(type_);
    if (offset >= layout.getSizeInBytes().getFixedValue()) return std::nullopt;
    const unsigned number = layout.getElementContainingOffset(offset);
    const std::uint64_t rest = offset - layout.getElementOffset(number).getFixedValue();
    const std::uint64_t size = layout_.getTypeAllocSize(type_->getElementType(number)).getFixedValue();
    return rest + bytes <= size ? std::optional(Member{number, rest, false}) : std::nullopt;
  }

  void move(llvm::GetElementPtrInst& address, llvm::AllocaInst& member, std::uint64_t rest) {
    if (is_of_first(address)) return address.setOperand(0, &member);
    llvm::Value* there = &member;
    if (address.getSourceElementType() == type_ && address.getNumIndices() > 2) {
      llvm::SmallVector<llvm::Value*, 4> indices{llvm::ConstantInt::get(address.getOperand(1)->getType(), 0)};
      indices.append(address.idx_begin() + 2, address.idx_end());
      auto* moved = llvm::GetElementPtrInst::CreateInBounds(member.getAllocatedType(), &member, indices, "", &address);
      moved->setDebugLoc(address.getDebugLoc());
      there = moved;
    } else {
      there = behind(there, rest, address);
    }
    address.replaceAllUsesWith(there);
    address.eraseFromParent();
  }

  void describe(const std::vector<llvm::AllocaInst*>& members) {
    const llvm::StructLayout& layout = *layout_.getStructLayout(type_);
    for (llvm::DbgVariableRecord* record : llvm::findDVRDeclares(&variable_)) {
      for (unsigned n = 0; n < members.size(); ++n) {
        const auto first = static_cast<unsigned>(8 * layout.getElementOffset(n).getFixedValue());
        const auto bits = static_cast<unsigned>(layout_.getTypeSizeInBits(type_->getElementType(n)).getFixedValue());
        const auto expression = llvm::DIExpression::createFragmentExpression(record->getExpression(), first, bits);
        if (!expression) continue;
        llvm::DbgVariableRecord* own = record->clone();
        own->setRawLocation(llvm::ValueAsMetadata::get(members[n]));
        own->setExpression(*expression);
        own->insertBefore(record);
      }
      record->eraseFromParent();
    }
  }

  llvm::AllocaInst& variable_;
  const llvm::DataLayout& layout_;
  llvm::StructType* type_ = nullptr;
};

bool part_what_stays_in_memory(llvm::Function& function) {
  std::vector<llvm::Instruction*> found;
  for (llvm::Instruction& next : llvm::instructions(function)) {
    if (llvm::isa<llvm::MemCpyInst, llvm::MemSetInst, llvm::StoreInst>(next)) found.push_back(&next);
  }
  bool any = false;
  for (llvm::Instruction* one : found) {
    auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(one);
    auto* clear = llvm::dyn_cast<llvm::MemSetInst>(one);
    const bool parted = copy != nullptr    ? copy_by_members(*copy)
                        : clear != nullptr ? clear_by_members(*clear)
                                           : store_by_entries(*llvm::cast<llvm::StoreInst>(one));
    any = any || parted;
  }
  for (bool again = true; again;) {  // members may be structures
    std::vector<llvm::AllocaInst*> variables;
    for (llvm::Instruction& next : function.getEntryBlock()) {
      if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&next)) variables.push_back(variable);
    }
    again = false;
    for (llvm::AllocaInst* variable : variables) again = StructureParts(*variable).run() || again;
    any = any || again;
  }
  return any;
}

}  // namespace

bool part_structures(llvm::Module& module) {
  bool stored = false;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    stored = part_what_stays_in_memory(function) || stored;
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
