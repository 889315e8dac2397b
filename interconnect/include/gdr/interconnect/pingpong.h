// One message between neighbours, by each method that was measured: over PEACH2, by CUDA, by MPI. Hanawa et al. 2013;
// IPSJ ACS 8(4), 2015, section 4.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"
#include "gdr/interconnect/peach2.h"

namespace gdr::interconnect {

struct Pingpong {
  std::string method;  // one of pingpong_methods()
  Memory from = Memory::cpu;
  Memory to = Memory::cpu;
  double bytes = 0;                  // of a message, of a descriptor if there are several
  int count = 1;                     // descriptors in the chain
  std::string path = "same-socket";  // mvapich2-gdr: same-socket, qpi or qpi-tuned
  bool staged = false;               // dma-register: through the memory of the CPU
  bool within_node = false;          // "local" in the list below: as the driver sees it
  bool no_uva = false;               // cuda-p2p: without unified addresses
};

[[nodiscard]] std::string_view name_of(Memory memory);  // cpu, gpu
[[nodiscard]] std::vector<std::string> pingpong_methods();
/// The methods on which a member has an effect: "count", "path", "staged", "local" or "no_uva".
[[nodiscard]] std::vector<std::string> pingpong_methods_with(std::string_view member);
/// The description of the machine on which a method was measured.
[[nodiscard]] const std::string& pingpong_machine(const std::string& method);
/// The kinds of these descriptions.
[[nodiscard]] std::vector<base::DescriptionKind> pingpong_machine_kinds();

/// Seconds of a message, one way. Throws gdr::Error for a machine on which the method was not measured, for memories
/// that it does not join, and for members that have no effect on it.
[[nodiscard]] double pingpong_seconds(const Pingpong& message, const std::string& machine);

}  // namespace gdr::interconnect
