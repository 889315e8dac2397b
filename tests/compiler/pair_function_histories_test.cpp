// Histories of compiled pair functions: their loops carry sums, minima and masks under conditions, and keep words in
// local memory when registers are full.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "branchy_functions.h"
#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/compiler/assemble.h"
#include "gdr/compiler/compiler.h"
#include "gdr/selftest/histories.h"
#include "gdr/selftest/history_programs.h"
#include "host_functions.h"
#include "slowed_down.h"

namespace gdr::compiler_testing {
namespace {

isa::Program assembled(const compiler::CompileResult& compiled, const compiler::CompileOptions& options) {
  if (compiled.source.empty()) throw Error(compiler::format_diagnostics(compiled));
  const assembler::AssembleResult result = compiler::assemble_compiled(compiled, options);
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

/// Adds random functions with branches to the programs of histories; those that do not fit are left out.
std::vector<std::string> random_programs(std::uint64_t first, std::size_t count) {
  std::string source = branchy_prologue();
  std::vector<std::string> functions;
  for (std::size_t n = 0; n < count; ++n) {
    functions.push_back(fmt::format("branchy_{}", first + n));
    source += branchy_function(functions.back(), first + n);
  }
  const std::string code = llvm_code(source, false);
  std::vector<std::string> names;
  for (const std::string& function : functions) {
    compiler::CompileOptions options;
    options.effort = 1;
    options.function = function;
    const compiler::CompileResult compiled = compiler::compile_ir(code, "branchy.bc", options);
    if (compiled.source.empty()) continue;
    selftest::add_history_program(function, assembled(compiled, options));
    names.push_back(function);
  }
  return names;
}

/// Adds the pair functions that come with gdr.
std::vector<std::string> programs_of_kernels(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const compiler::CompileOptions options;
    selftest::add_history_program(file,
                                  assembled(compiler::compile_file(GDR_KERNELS_DIR "/cc/" + file, options), options));
  }
  return files;
}

/// Runs histories of these programs on the vector engine, on chips and in sessions.
void expect_equal(const std::vector<std::string>& programs, std::uint64_t first, std::uint64_t count) {
  selftest::HistoryShape shape;
  shape.programs = programs;
  selftest::Histories histories(selftest::history_pairs({"simd"}), shape);
  const std::uint64_t runs = tests::kSlowedDown ? count / 20 : count;
  for (std::uint64_t seed = first; seed < first + runs && !testing::Test::HasFailure(); ++seed) {
    if (const auto finding = histories.run(seed)) ADD_FAILURE() << "seed " << seed << '\n' << text_of(*finding);
  }
  EXPECT_GE(histories.counts().asked[static_cast<std::size_t>(selftest::Ask::run)], runs);
}

TEST(HistoriesOfPairFunctions, WithBranchesAreThoseOfTheReferenceEngine) {
  constexpr std::size_t kFunctions = 24;
  const std::vector<std::string> programs = random_programs(500, kFunctions);
  EXPECT_GE(programs.size(), kFunctions - 2);
  expect_equal(programs, 1, 120);
}

TEST(HistoriesOfPairFunctions, OfGdrAreThoseOfTheReferenceEngine) {
  expect_equal(programs_of_kernels({"gravity.cc", "gravity_jerk.cc", "vdw.cc"}), 1001, 60);
}

}  // namespace
}  // namespace gdr::compiler_testing
