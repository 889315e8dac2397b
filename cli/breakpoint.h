// A look into chosen PEs at one execution of one source line.
#pragma once

#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "gdr/emulator/session.h"
#include "gdr/hostlib/device.h"

namespace gdr::cli {

/// Chips, blocks and PEs named by text such as `pe:3,17` or `chip:0,1,block:2,pe:3`; chip and block 0 if not named.
struct DumpSelection {
  std::set<unsigned> chips;
  std::set<unsigned> blocks;
  std::set<unsigned> pes;
};

/// Throws UsageError naming the part that is wrong and its range.
[[nodiscard]] DumpSelection parse_dump(const std::string& text, unsigned chips);

/// Writes registers, variables, T and flags of the selected PEs before the `at`-th execution (from 1, per block) of a
/// source line; within a repeat or a macro it stands for several code lines, whose executions all count. Needs the
/// reference engine.
class Breakpoint {
 public:
  /// `place` is FILE:LINE; `out` must outlive the breakpoint. Throws UsageError if no code stands there.
  Breakpoint(Device& device, const std::string& place, DumpSelection selection, unsigned long at, std::FILE* out);
  ~Breakpoint();
  Breakpoint(const Breakpoint&) = delete;
  Breakpoint& operator=(const Breakpoint&) = delete;

  /// How often the line was executed in the block that saw it most.
  [[nodiscard]] unsigned long executions() const;

 private:
  void stopped(const emulator::Stop& stop);
  void dump(const emulator::Stop& stop) const;

  const isa::Program& program_;
  emulator::Inspector& machine_;
  std::string place_;
  DumpSelection selection_;
  unsigned long at_;
  std::FILE* out_;
  std::map<std::pair<unsigned, unsigned>, unsigned long> executions_;  // by chip and block
};

}  // namespace gdr::cli
