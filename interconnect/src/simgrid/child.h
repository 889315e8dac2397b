// Runs a simulation in a process of its own: SimGrid keeps one engine per process, and ends the process when it is
// unhappy.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace gdr::interconnect {

struct ChildResult {
  std::vector<double> numbers;
  double processor_seconds = 0;  // of the child
  double memory_bytes = 0;       // largest growth of the child beyond its size at the fork
};

/// Numbers that `compute` returns in a child process. Throws gdr::Error with the text of what it throws there, or with
/// the last line that it printed if it ends the process; `what` names it. What it prints is otherwise lost.
[[nodiscard]] ChildResult compute_in_child(std::string_view what, const std::function<std::vector<double>()>& compute);

}  // namespace gdr::interconnect
