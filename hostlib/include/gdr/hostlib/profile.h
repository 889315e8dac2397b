// What limits a run: stages, clocks line by line, ceilings, and a verdict with the gain to be had; as JSON and as one
// page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/emulator/board_time.h"

namespace gdr::hostlib {

/// Something that takes time, and how much shorter all would be without it.
struct ProfileLimit {
  std::string what;
  double seconds = 0;
  double share = 0;  // of the emulated time
  std::string advice;
};

struct ProfileLine {
  std::string section;
  std::uint32_t source_line = 0;
  std::string text;  // of the source if it can be read, else of the disassembly
  bool adder = false;
  bool multiplier = false;
  bool alu = false;
  unsigned bm_words = 0;
  std::uint64_t clocks = 0;  // of the slowest chip, all runs; stalls of the line included
  std::uint64_t stall = 0;
};

/// A resource and the speed at which it would be the limit.
struct ProfileCeiling {
  std::string name;
  double gflops = 0;
  double flops_per_byte = 0;  // of the run, on this path; 0 for units that move nothing
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
  std::vector<ProfileLimit> limits;  // greatest first
  std::vector<ProfileLine> lines;
  std::vector<ProfileCeiling> ceilings;
  std::optional<emulator::FpEvents> events;  // none if nothing was computed
  [[nodiscard]] std::string verdict() const;
};

[[nodiscard]] Profile make_profile(const emulator::BoardTime& board, const isa::Program& program, std::string engine,
                                   std::optional<emulator::FpEvents> events);

/// Its last key is `sha256`, the digest of the text without that line.
[[nodiscard]] std::string profile_json(const Profile& profile);
/// Throws gdr::Error, `NAME: ...`, unless the text is one that profile_json() gave, every byte of it.
void require_profile(std::string_view text, std::string_view name);
/// One page that needs nothing else; it holds the JSON as well.
[[nodiscard]] std::string profile_page(const Profile& profile);
/// A few lines for a terminal.
[[nodiscard]] std::string profile_summary(const Profile& profile);

}  // namespace gdr::hostlib
