// Assembles a kernel with a mistake, shows the diagnostics, and packs the lines of the corrected kernel.
#include <gdr/assembler/assembler.h>

#include <cstdio>
#include <string>

namespace {

constexpr const char* kKernel = R"(kernel distance
bvar long xj elt flt64to72
var vector long xi  hlt flt64to72
var vector long sum rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub xj xi $lr0v
  fadd sum $lr0v sum
)";

}  // namespace

int main() {
  namespace assembler = gdr::assembler;
  std::string source = kKernel;
  const assembler::AssembleResult wrong = assembler::assemble(source, "distance.vsm");
  std::printf("%s", assembler::format_diagnostics(wrong).c_str());

  source.insert(source.find("  fadd"), "  nop\n");
  assembler::AssembleOptions options;
  for (const auto level : {assembler::ScheduleLevel::none, assembler::ScheduleLevel::full}) {
    options.schedule.level = level;
    const assembler::AssembleResult right = assembler::assemble(source, "distance.vsm", options);
    if (!right.program) return 1;
    std::printf("kernel %s: %zu lines in the loop body\n", right.program->kernel.c_str(),
                right.program->lines(gdr::isa::Section::loop_body).size());
  }
}
