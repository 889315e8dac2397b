// Records of a pair function from LLVM's debug information: names, offsets and types of what the arguments refer to.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>

#include <string>
#include <vector>

#include "pair/pair_function.h"

namespace gdr::compiler {

/// What an argument refers to: a structure, and whether it may be written.
struct Argument {
  const llvm::DICompositeType* structure = nullptr;  // null if the argument is no reference to a structure
  bool constant = false;
};

/// Arguments of a function of type void, references or in C pointers; empty if it returns something or its debug
/// information is missing.
[[nodiscard]] std::vector<Argument> arguments_of(const llvm::DISubprogram& function);

/// Arguments of a function that returns bool.
[[nodiscard]] std::vector<Argument> arguments_of_condition(const llvm::DISubprogram& function);

/// True for the arguments of a pair function: I, J and maybe P constant, F not.
[[nodiscard]] bool is_pair_function(const llvm::DISubprogram& described);

/// The words of a structure, arrays and structures inside flattened. What is no word is told in `errors`.
[[nodiscard]] std::vector<Field> fields_of(const llvm::DICompositeType& structure, std::vector<Message>& errors);

[[nodiscard]] unsigned bytes_of(Type type);

}  // namespace gdr::compiler
