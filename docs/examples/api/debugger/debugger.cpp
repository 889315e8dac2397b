// Debugs kernels/tutorial.vsm: stops at a condition, goes on and back, and asks where a value comes from.
#include <gdr/debugger/debugger.h>
#include <gdr/hostlib/kernel_program.h>

#include <bit>
#include <cstdint>
#include <cstdio>

using namespace gdr::debugger;

int main() {
  const auto field = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  Job job;
  job.program = gdr::hostlib::kernel_program("tutorial");
  for (unsigned i = 0; i < 3; ++i) job.i_fields.push_back(field(i));                                   // xi
  for (unsigned j = 0; j < 200; ++j) job.j_fields.insert(job.j_fields.end(), {field(j), field(0.5)});  // xj, mj
  job.records = 200;

  Debugger debugger(job);
  const auto show = [&] {
    std::printf("%s, before %s: $lt = %g, sum = %g\n", text_of(debugger.position().value()).c_str(),
                debugger.line().value().text.c_str(), debugger.evaluate("$lt").number(),
                debugger.evaluate("sum").number());
  };
  debugger.add_breakpoint("21", "$lt > 180", true);  // line 21 of the source, for every element on every chip
  debugger.go_on();
  std::printf("stopped at %s\n", text_of(debugger.focus()).c_str());
  show();
  debugger.step();
  show();
  debugger.back(StepUnit::iteration);
  show();
  const Origin origin = debugger.why(debugger.resolve("sum"));
  std::printf("%s = %s, written by %s, from:\n", origin.name.c_str(), origin.value.c_str(),
              text_of(origin.written.value()).c_str());
  for (const Origin& operand : origin.operands) std::printf("  %s = %s\n", operand.name.c_str(), operand.value.c_str());
}
