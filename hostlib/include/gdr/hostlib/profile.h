// What limits a run: the time of stages, the clocks of each line, ceilings, and a verdict with the gain that is
// possible. A profile can be written as JSON and as an HTML page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/emulator/board_time.h"

namespace gdr::hostlib {

/// Something that takes time, and how much shorter the run would be without it.
struct ProfileLimit {
  std::string what;
  double seconds = 0;
  double share = 0;  // of the emulated time
  std::string advice;
};

struct ProfileLine {
  std::string section;
  std::uint32_t source_line = 0;  // of its first operation
  std::string source_lines;       // those of all operations in the file of the first: `8, 12`
  base::Json sources;             // assembler::sources_of()
  std::string text;               // source text; disassembly if the source cannot be read
  bool adder = false;
  bool multiplier = false;
  bool alu = false;
  unsigned bm_words = 0;
  std::uint64_t clocks = 0;  // of the slowest chip, all runs, including stalls of the line
  std::uint64_t stall = 0;
};

/// A resource, and the speed at which it would limit the run.
struct ProfileCeiling {
  std::string name;
  double gflops = 0;
  double flops_per_byte = 0;  // of the run, on this path; 0 for units that move no data
};

struct Profile {
  std::string kernel;
  std::string machine;
  std::string engine;
  double clock_mhz = 0;
  double seconds = 0;
  double gflops = 0;
  emulator::StageSeconds stages;
  emulator::RunClocks clocks;
  std::vector<ProfileLimit> limits;  // largest first
  std::vector<ProfileLine> lines;
  std::vector<ProfileCeiling> ceilings;
  std::optional<emulator::FpEvents> events;  // none if nothing was computed
  [[nodiscard]] std::string verdict() const;
};

[[nodiscard]] Profile make_profile(const emulator::BoardTime& board, const isa::Program& program, std::string engine,
                                   std::optional<emulator::FpEvents> events);

/// The profile as JSON. The last key is `sha256`, the digest of the text without that line.
[[nodiscard]] std::string profile_json(const Profile& profile);
/// Throws gdr::Error `NAME: ...` unless the text is, byte for byte, one that profile_json() returned.
void require_profile(std::string_view text, std::string_view name);
/// The figures of two profiles side by side.
struct ComparedProfiles {
  base::Json rows;   // name, a, b and their ratio, null if a is 0
  std::string text;  // a line for each, and the verdicts
};
/// Names and texts of two profiles. Throws gdr::Error as require_profile(), and for profiles with other figures.
[[nodiscard]] ComparedProfiles compared_profiles(const std::pair<std::string, std::string>& a,
                                                 const std::pair<std::string, std::string>& b);
/// The profile as one self-contained HTML page, which also contains the JSON.
[[nodiscard]] std::string profile_page(const Profile& profile);
/// The profile as a few lines for a terminal.
[[nodiscard]] std::string profile_summary(const Profile& profile);

}  // namespace gdr::hostlib
