#include "indices.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

namespace gdr::compiler {

std::vector<Index> indices_of(const llvm::GEPOperator& step, const llvm::DataLayout& layout) {
  std::vector<Index> all;
  const llvm::ArrayType* array = nullptr;  // the first index is a step of the pointer
  for (auto next = llvm::gep_type_begin(step); next != llvm::gep_type_end(step); ++next) {
    if (!next.isStruct() && !llvm::isa<llvm::ConstantInt>(next.getOperand())) {
      const auto bytes = static_cast<std::int64_t>(next.getSequentialElementStride(layout).getFixedValue());
      all.push_back({next.getOperand(), bytes, array == nullptr ? 0 : array->getNumElements()});
    }
    array = llvm::dyn_cast<llvm::ArrayType>(next.getIndexedType());
  }
  return all;
}

}  // namespace gdr::compiler
