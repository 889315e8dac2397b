// Compiles a kernel in the language of LSUMP, and shows how many lines it takes and which operations are short.
#include <gdr/compiler/compiler.h>

#include <cstdio>

namespace {

// Springs between all pairs: forces and energy.
constexpr const char* kKernel = R"(/VARI xi, yi;
/VARJ xj, yj;
/VARJ short kj;
/VARF fx, fy, energy;
dx = xj - xi;
dy = yj - yi;
fx += kj * dx;
fy += kj * dy;
long r2 = long(dx)*dx + long(dy)*dy;
energy += r2 * kj;
)";

}  // namespace

int main() {
  // compile_file() does the same for C++, for which it needs clang.
  const gdr::compiler::CompileResult kernel = gdr::compiler::compile_lsump(kKernel, "spring.lsump");
  std::printf("kernel %s: %u lines in the loop body, at least %u\n", kernel.kernel.c_str(), kernel.lines,
              kernel.least_lines);
  for (const gdr::compiler::PrecisionRow& row : kernel.precision) {
    std::printf("  line %2u  %-6s  %s  %s\n", row.line, row.name.c_str(), row.operation.c_str(),
                row.is_short ? "short" : "long");
  }

  const gdr::compiler::CompileResult wrong = gdr::compiler::compile_lsump("/VARF fx;\nfx += dx;\n", "wrong.lsump");
  std::printf("%s", gdr::compiler::format_diagnostics(wrong).c_str());
}
