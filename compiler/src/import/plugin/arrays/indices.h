// Indices of data in an address, and the arrays whose elements they number.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Operator.h>

#include <cstdint>
#include <vector>

namespace gdr::compiler {

/// An index that adds its number times so many bytes to an address.
struct Index {
  llvm::Value* number = nullptr;
  std::int64_t bytes = 0;
  std::uint64_t entries = 0;  // of the array that it indexes; 0 for a step of a pointer, which may start anywhere
};

/// The indices of a step that are no constants. Clang names the array that each of them indexes.
[[nodiscard]] std::vector<Index> indices_of(const llvm::GEPOperator& step, const llvm::DataLayout& layout);

}  // namespace gdr::compiler
