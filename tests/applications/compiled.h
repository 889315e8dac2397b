// The kernels of applications, compiled.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/assemble.h"
#include "gdr/compiler/compiler.h"

namespace gdr::applications_testing {

/// kernels/cc/NAME.cc at an effort of `gdr cc -O`.
inline isa::Program compiled(const std::string& name, unsigned effort) {
  compiler::CompileOptions options;
  options.effort = effort;
  const auto result = compiler::compile_file(std::filesystem::path(GDR_KERNELS_DIR) / "cc" / (name + ".cc"), options);
  EXPECT_EQ(compiler::format_diagnostics(result), "");
  assembler::AssembleResult assembled = compiler::assemble_compiled(result, options);
  EXPECT_EQ(assembler::format_diagnostics(assembled), "");
  return *std::move(assembled.program);
}

}  // namespace gdr::applications_testing
