#include "local_structures.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <utility>
#include <vector>

namespace gdr::compiler {

llvm::Value* behind(llvm::Value* place, std::uint64_t bytes, llvm::Instruction& at) {
  if (bytes == 0) return place;
  auto* index = llvm::ConstantInt::get(llvm::Type::getInt64Ty(at.getContext()), bytes);
  auto* there =
      llvm::GetElementPtrInst::CreateInBounds(llvm::Type::getInt8Ty(at.getContext()), place, {index}, "", &at);
  there->setDebugLoc(at.getDebugLoc());
  return there;
}

namespace {

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

/// Bits of the entries of a local array of integers if an access of `bits` bits takes several of them; otherwise 0.
unsigned bits_of_entries(llvm::Value* place, const llvm::Type& accessed) {
  const auto* whole = llvm::dyn_cast<llvm::IntegerType>(&accessed);
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(place));
  if (whole == nullptr || variable == nullptr) return 0;
  const llvm::Type* type = variable->getAllocatedType();
  while (type->isArrayTy() || (type->isStructTy() && type->getStructNumElements() == 1))
    type = type->isArrayTy() ? type->getArrayElementType() : type->getStructElementType(0);
  if (!type->isIntegerTy() || type->getIntegerBitWidth() % 8 != 0) return 0;
  const unsigned bits = type->getIntegerBitWidth();
  return whole->getBitWidth() > bits && whole->getBitWidth() % bits == 0 ? bits : 0;
}

bool store_by_entries(llvm::StoreInst& store) {
  const unsigned bits = bits_of_entries(store.getPointerOperand(), *store.getValueOperand()->getType());
  if (bits == 0) return false;
  const unsigned all = store.getValueOperand()->getType()->getIntegerBitWidth();
  for (unsigned first = 0; first < all; first += bits) {
    llvm::Value* part = store.getValueOperand();
    if (first != 0)
      part = llvm::BinaryOperator::CreateLShr(part, llvm::ConstantInt::get(part->getType(), first), "", &store);
    part = new llvm::TruncInst(part, llvm::Type::getIntNTy(store.getContext(), bits), "", &store);
    llvm::Value* place = behind(store.getPointerOperand(), first / 8, store);
    auto* stored = new llvm::StoreInst(part, place, false, llvm::Align(1), &store);
    stored->setDebugLoc(store.getDebugLoc());
  }
  store.eraseFromParent();
  return true;
}

bool load_by_entries(llvm::LoadInst& load) {
  const unsigned bits = bits_of_entries(load.getPointerOperand(), *load.getType());
  if (bits == 0) return false;
  llvm::Value* whole = nullptr;
  for (unsigned first = 0; first < load.getType()->getIntegerBitWidth(); first += bits) {
    llvm::Value* place = behind(load.getPointerOperand(), first / 8, load);
    auto* entry =
        new llvm::LoadInst(llvm::Type::getIntNTy(load.getContext(), bits), place, "", false, llvm::Align(1), &load);
    entry->setDebugLoc(load.getDebugLoc());
    llvm::Value* part = new llvm::ZExtInst(entry, load.getType(), "", &load);
    if (first != 0)
      part = llvm::BinaryOperator::CreateShl(part, llvm::ConstantInt::get(load.getType(), first), "", &load);
    whole = whole == nullptr ? part : llvm::BinaryOperator::CreateOr(whole, part, "", &load);
  }
  load.replaceAllUsesWith(whole);
  load.eraseFromParent();
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

}  // namespace

bool part_local_structures(llvm::Function& function) {
  std::vector<llvm::Instruction*> found;
  for (llvm::Instruction& next : llvm::instructions(function)) {
    if (llvm::isa<llvm::MemCpyInst, llvm::MemSetInst, llvm::StoreInst, llvm::LoadInst>(next)) found.push_back(&next);
  }
  bool any = false;
  for (llvm::Instruction* one : found) {
    bool parted = false;
    if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(one)) parted = copy_by_members(*copy);
    if (auto* clear = llvm::dyn_cast<llvm::MemSetInst>(one)) parted = clear_by_members(*clear);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(one)) parted = store_by_entries(*store);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(one)) parted = load_by_entries(*load);
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

}  // namespace gdr::compiler
