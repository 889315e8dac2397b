// The functions of a program of experiments: begin, step, done, end.
#pragma once

#include <llvm/IR/Module.h>

#include "pair/pair_function.h"
#include "records.h"

namespace gdr::compiler {

inline constexpr const char* kExperimentForm =
    "experiments are void begin(const Start &, State &), void step(State &), bool done(const State &), which may be "
    "left "
    "out, and void end(const State &, Result &); each may have const P & as its last argument";

/// A function with the records of its arguments; null if there is none of the form.
struct Described {
  llvm::Function* function = nullptr;
  std::vector<Argument> arguments;
};

struct ExperimentForm {
  Described begin, step, done, end;

  /// True if both functions are there that no program of experiments goes without.
  [[nodiscard]] bool is_there() const { return begin.function != nullptr && step.function != nullptr; }
};

[[nodiscard]] ExperimentForm find_experiment(llvm::Module& module);

/// Reads the functions. `name`: that of the file, of which the kernel has its name.
void read_experiment(const ExperimentForm& form, const std::string& name, Imported& result);

}  // namespace gdr::compiler
