#include "local_arrays.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "indices.h"

namespace gdr::compiler {
namespace {

constexpr std::uint64_t kMostElements = 128;

class LocalArray {
 public:
  explicit LocalArray(llvm::AllocaInst& array) : array_(array), layout_(array.getDataLayout()) {}

  /// False if nothing has an index of data, or something is not understood.
  bool expand() {
    if (!array_.isStaticAlloca() || !follow(array_) || strides_.empty() || type_ == nullptr) return false;
    size_ = layout_.getTypeAllocSize(array_.getAllocatedType()).getFixedValue();
    bytes_ = layout_.getTypeStoreSize(type_).getFixedValue();
    if (size_ % bytes_ != 0 || size_ / bytes_ > kMostElements) return false;
    for (llvm::MemSetInst* set : sets_) split(*set);
    for (llvm::MemTransferInst* copy : copies_) split(*copy);
    for (llvm::Instruction* access : accesses_) choose(*access);
    return true;
  }

 private:
  /// Collects what reads and writes the array.
  bool follow(llvm::Instruction& address) {
    for (llvm::User* user : address.users()) {
      if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        note_strides(*step);
        if (!follow(*step)) return false;
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        if (!is_element(load->getType())) return false;
        accesses_.push_back(load);
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getValueOperand() == &address || !is_element(store->getValueOperand()->getType())) return false;
        accesses_.push_back(store);
      } else if (auto* set = llvm::dyn_cast<llvm::MemSetInst>(user)) {
        const auto* value = llvm::dyn_cast<llvm::ConstantInt>(set->getValue());
        if (value == nullptr || !value->isZero() || !llvm::isa<llvm::ConstantInt>(set->getLength())) return false;
        sets_.push_back(set);
      } else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
        if (!llvm::isa<llvm::ConstantInt>(copy->getLength())) return false;
        if (llvm::find(copies_, copy) == copies_.end()) copies_.push_back(copy);
      } else if (auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(user);
                 known == nullptr || !known->isLifetimeStartOrEnd()) {
        return false;
      }
    }
    return true;
  }

  void note_strides(llvm::GetElementPtrInst& step) {
    llvm::APInt offset(64, 0);
    llvm::MapVector<llvm::Value*, llvm::APInt> indices;
    llvm::cast<llvm::GEPOperator>(step).collectOffset(layout_, 64, indices, offset);
    for (const auto& [index, bytes] : indices) strides_.push_back(bytes.getSExtValue());
  }

  bool is_element(llvm::Type* type) {
    if (type_ == nullptr) type_ = type;
    return type == type_ && (type->isFloatingPointTy() || type->isIntegerTy());
  }

  llvm::Value* at(llvm::IRBuilder<>& builder, llvm::Value* base, std::uint64_t bytes) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, bytes);
  }

  void split(llvm::MemSetInst& set) {
    llvm::IRBuilder<> builder(&set);
    const std::uint64_t length = llvm::cast<llvm::ConstantInt>(set.getLength())->getZExtValue();
    for (std::uint64_t place = 0; place + bytes_ <= length; place += bytes_)
      builder.CreateStore(llvm::Constant::getNullValue(type_), at(builder, set.getDest(), place));
    set.eraseFromParent();
  }

  void split(llvm::MemTransferInst& copy) {
    llvm::IRBuilder<> builder(&copy);
    const std::uint64_t length = llvm::cast<llvm::ConstantInt>(copy.getLength())->getZExtValue();
    std::vector<llvm::Value*> words;
    for (std::uint64_t place = 0; place + bytes_ <= length; place += bytes_)
      words.push_back(builder.CreateLoad(type_, at(builder, copy.getSource(), place)));
    for (std::size_t n = 0; n < words.size(); ++n)
      builder.CreateStore(words[n], at(builder, copy.getDest(), n * bytes_));
    copy.eraseFromParent();
  }

  /// The sum of all indices of an address in units, of 32 bits; null if there are none. `most`: the greatest one.
  llvm::Value* distance(llvm::IRBuilder<>& builder, llvm::Value* address, std::int64_t& constant,
                        std::optional<std::int64_t>& most) {
    llvm::Value* sum = nullptr;
    most = 0;
    while (auto* step = llvm::dyn_cast<llvm::GEPOperator>(address)) {
      llvm::APInt offset(64, 0);
      llvm::MapVector<llvm::Value*, llvm::APInt> others;
      step->collectOffset(layout_, 64, others, offset);
      constant += offset.getSExtValue();
      for (const auto& [index, bytes, entries] : indices_of(*step, layout_)) {
        if (entries == 0) most.reset();
        if (most) *most += static_cast<std::int64_t>(entries - 1) * (bytes / unit_);
        llvm::Value* narrow = index;
        // C++ has no index beyond its array, so that 32 bits are enough.
        auto* cast = llvm::dyn_cast<llvm::CastInst>(index);
        const bool extends = llvm::isa_and_nonnull<llvm::SExtInst, llvm::ZExtInst>(cast);
        if (extends && cast->getSrcTy()->getIntegerBitWidth() <= 32) narrow = cast->getOperand(0);
        narrow = builder.CreateIntCast(narrow, builder.getInt32Ty(), !llvm::isa<llvm::ZExtInst>(index));
        if (unit_ != bytes)
          narrow = builder.CreateNSWMul(narrow, builder.getInt32(static_cast<std::uint32_t>(bytes / unit_)));
        sum = sum == nullptr ? narrow : builder.CreateNSWAdd(sum, narrow);
      }
      address = step->getPointerOperand();
    }
    return sum;
  }

  void choose(llvm::Instruction& access) {
    llvm::IRBuilder<> builder(&access);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
    llvm::Value* address = store != nullptr ? store->getPointerOperand() : llvm::getLoadStorePointerOperand(&access);
    // LLVM may count bytes where the source counts elements.
    unit_ = static_cast<std::int64_t>(bytes_);
    for (const std::int64_t stride : strides_) unit_ = std::gcd(unit_, stride);
    std::int64_t constant = 0;
    std::optional<std::int64_t> most;
    llvm::Value* index = distance(builder, address, constant, most);
    if (index == nullptr) return;
    llvm::Value* chosen = nullptr;
    for (std::uint64_t place = 0; place < size_; place += bytes_) {
      const std::int64_t from = static_cast<std::int64_t>(place) - constant;
      if (from % unit_ != 0 || (most && (from < 0 || from / unit_ > *most))) continue;
      llvm::Value* element = at(builder, &array_, place);
      llvm::Value* word = builder.CreateLoad(type_, element);
      llvm::Value* is = builder.CreateICmpEQ(index, builder.getInt32(static_cast<std::uint32_t>(from / unit_)));
      if (store != nullptr) {
        builder.CreateStore(builder.CreateSelect(is, store->getValueOperand(), word), element);
      } else {
        chosen = chosen == nullptr ? word : builder.CreateSelect(is, word, chosen);
      }
    }
    if (store == nullptr) access.replaceAllUsesWith(chosen);
    access.eraseFromParent();
    // LLVM takes no array apart whose address has an index of data, even if nothing uses that address.
    llvm::RecursivelyDeleteTriviallyDeadInstructions(address);
  }

  llvm::AllocaInst& array_;
  const llvm::DataLayout& layout_;
  llvm::Type* type_ = nullptr;         // of the elements
  std::vector<std::int64_t> strides_;  // of indices of data, in bytes
  std::uint64_t size_ = 0;
  std::uint64_t bytes_ = 0;
  std::int64_t unit_ = 1;
  std::vector<llvm::Instruction*> accesses_;
  std::vector<llvm::MemSetInst*> sets_;
  std::vector<llvm::MemTransferInst*> copies_;
};

}  // namespace

bool choose_elements(llvm::Module& module) {
  bool any = false;
  for (llvm::Function& function : module) {
    std::vector<llvm::AllocaInst*> arrays;
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& next : block) {
        if (auto* array = llvm::dyn_cast<llvm::AllocaInst>(&next)) arrays.push_back(array);
      }
    }
    for (llvm::AllocaInst* array : arrays) any = LocalArray(*array).expand() || any;
  }
  return any;
}

}  // namespace gdr::compiler
