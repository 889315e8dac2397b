// Operations onto lines, and results into T, registers and local memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "microcode.h"

namespace gdr::compiler {

/// Where an operand is read from.
enum class From : std::uint8_t { t, gpr, local, broadcast, immediate };

/// Where literals and parameters stand besides their own port: nowhere, in a register, in local memory.
enum class Home : std::uint8_t { none, gpr, local };

/// Where an operation's result stands.
struct Places {
  bool t = false;
  bool gpr = false;
  bool local = false;
  unsigned address = 0;  // of the register
  unsigned slot = 0;     // in local memory: values of one width that are never there at once share one
};

struct Schedule {
  unsigned lines = 0;
  std::vector<unsigned> line_of;           // the line of an operation, of a long product the second one
  std::vector<std::vector<From>> sources;  // of each operand
  std::vector<Places> places;              // of each result
  std::vector<unsigned> flag_of;           // number of the flag that an operation sets; 0: none
  std::vector<Home> literal_homes;
  std::vector<unsigned> literal_addresses;  // of those in registers
  std::vector<Home> variable_homes;         // of parameters
  std::vector<unsigned> variable_addresses;
  bool shared_slots = false;  // there is not enough local memory for a word of its own for each value
  unsigned local_words = 0;   // short words of local memory that values, literals and parameters take
};

struct ScheduleOptions {
  unsigned tries = 1;  // schedules to compare
  std::uint64_t seed = 1;
  bool repeats = false;                       // the section's first line follows its last
  bool homes = true;                          // literals and parameters may stand in registers and local memory
  std::vector<int> ready;                     // of variables: the first line that may read them; empty: 0
  unsigned local_words = isa::kLmShortWords;  // of local memory that it may take, short words
};

/// The shortest schedule found; nothing if none fits into registers, flags and ports.
[[nodiscard]] std::optional<Schedule> schedule(const Microcode& code, const Operations& section,
                                               const ScheduleOptions& options);

/// Lines that units and the longest chain leave no way around.
[[nodiscard]] unsigned least_lines(const Microcode& code, const Operations& section);

}  // namespace gdr::compiler
