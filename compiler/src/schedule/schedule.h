// Assigns operations to lines, and results to T, registers and local memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gdr/assembler/line_search.h"
#include "gdr/isa/experiment.h"
#include "microcode/microcode.h"

namespace gdr::compiler {

/// Where an operand is read from.
enum class From : std::uint8_t { t, gpr, local, broadcast, immediate };

/// Where literals and parameters are besides their own port: nowhere, in a register, or in local memory.
enum class Home : std::uint8_t { none, gpr, local };

/// The places of an operation's result.
struct Places {
  bool t = false;
  bool gpr = false;
  bool local = false;
  unsigned address = 0;  // address of the register
  unsigned slot = 0;  // slot in local memory: values of the same width share one if they are not live at the same time
};

struct Schedule {
  unsigned lines = 0;
  std::vector<unsigned> line_of;           // line of each operation; for a long product the second line
  std::vector<std::vector<From>> sources;  // for each operand of each operation
  std::vector<Places> places;              // for each operation's result
  std::vector<unsigned> flag_of;           // number of the flag that each operation sets; 0: none
  std::vector<Home> literal_homes;
  std::vector<unsigned> literal_addresses;  // addresses of literals that are in registers
  std::vector<Home> variable_homes;         // for parameters
  std::vector<unsigned> variable_addresses;
  bool shared_slots = false;  // local memory is too small for a word for each value
  unsigned local_words = 0;   // short words of local memory that values, literals and parameters take
};

struct ScheduleOptions {
  unsigned tries = 1;  // number of schedules to compare
  std::uint64_t seed = 1;
  bool repeats = false;     // the section is a loop: its first line follows its last
  bool homes = true;        // literals and parameters may be in registers and local memory
  bool experiment = false;  // flag 1 is kept for going on, and parameters are read where they are
  // An operation waits for the one that comes so many before it, so that not too many values are made before they are
  // needed; 0: it does not.
  std::size_t window = 0;
  std::vector<bool> gpr_taken{};  // short words of registers that are in use during the section; empty: none
  std::vector<int> ready;         // for each variable the first line that may read it; empty: 0
  unsigned local_words = isa::kLmShortWords;  // short words of local memory that may be used
  unsigned limit = 0;  // a schedule must have fewer lines than this; 0: than a few for each operation

  [[nodiscard]] unsigned first_flag() const { return experiment ? isa::kExperimentFlag + 1U : 1U; }
};

/// The shortest schedule found; nothing if none fits into registers, flags and ports.
[[nodiscard]] std::optional<Schedule> schedule(const Microcode& code, const Operations& section,
                                               const ScheduleOptions& options);

/// What the operations of a section wait for: bundle n is operation n.
[[nodiscard]] assembler::BundleGraph dependences(const Microcode& code, const Operations& section,
                                                 const ScheduleOptions& options);

/// For each operation the index of the flag that it sets or, by `flag_into`, sets again; -1: none.
[[nodiscard]] std::vector<int> flags_of(const Operations& section);

/// Lines that units and the longest chain leave no way around.
[[nodiscard]] unsigned least_lines(const Microcode& code, const Operations& section);

/// False if it is known that no order has fewer than `lines` lines. It costs less than least_lines().
[[nodiscard]] bool may_have_fewer(const Microcode& code, const Operations& section, unsigned lines);

}  // namespace gdr::compiler
