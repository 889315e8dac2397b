// Histories: everything that a host can ask of chips, in any order. A history is plain data that prints as a short
// program and can be read back, so that a report of a difference is a file that runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/names.h"
#include "gdr/emulator/session.h"

namespace gdr::selftest {

/// The kinds of commands. A comment names the members of Command that the kind uses.
enum class Ask : std::uint8_t {
  particles,   // writes i-data: chips, blocks, pe (the first), pes, wild, seed
  records,     // writes j-records to external memory: chips, at, count, wild, seed
  word,        // writes one word of a PE: chips, blocks, pe, count (which kind of word), wild, seed
  parameter,   // writes a word of BM: chips, blocks, count (which), seed
  registers,   // writes T and flags of one PE: chips, blocks (the first), pe, seed
  initialize,  // runs the program's initialization: chips, blocks
  run,         // chips, blocks, pes, at, count (records), piece, parts, again, goes_on, continues, wild, seed
  collect,     // results through the tree: chips (the first), count (results), seed (which variable)
  read,        // one variable of a PE, and words of BM: chips (the first), blocks (the first), pe, seed
  look,        // all words of these blocks: chips, blocks
  events,      // floating-point events of everything
  clone,       // a copy: count (what becomes of it), blocks
  patch,       // the program anew, keeping the state
  load,        // a program, clearing the state: count (which)
  other,       // turns to the other chip or session
  refused,     // a call with an argument that is refused: count (which)
  stops        // sets breakpoints, or ends them: count (which line)
};
inline constexpr std::size_t kAsks = base::enumerators<Ask>();
[[nodiscard]] std::string_view name_of(Ask what);

/// j-records that external memory holds for each chip.
inline constexpr unsigned kHistoryRecords = 256;
/// Most chips and threads of a history.
inline constexpr unsigned kHistoryChips = 64;

/// One thing that a host asks. Its data come from its own seed, so that taking away one command changes no other's.
/// A member that does not fit the program or the state (more PEs than are defined, a block of a chip that there is not)
/// is taken as the next one that fits, so that every history can run.
struct Command {
  Ask what = Ask::look;
  emulator::ChipRange chips{0, 1};
  emulator::BlockRange blocks{0, emulator::kBlocks};
  unsigned pe = 0;
  unsigned pes = 1;
  unsigned at = 0;
  unsigned count = 0;
  unsigned piece = 0;      // iterations in each piece of a run; 0: one piece
  unsigned parts = 1;      // calls, possibly in different threads, into which the blocks of a run are divided
  bool wild = false;       // data that compiled code may refuse
  bool again = false;      // the run takes the records that are there
  bool goes_on = false;    // the run does not end: one that `continues` ends it
  bool continues = false;  // the run does not begin
  std::uint64_t seed = 0;
};
[[nodiscard]] bool operator==(const Command& a, const Command& b);

/// The interface through which a history asks.
enum class FaceKind : std::uint8_t { chip, session };
[[nodiscard]] std::string_view name_of(FaceKind face);

struct History {
  std::string engine;  // name of a HistoryPair
  FaceKind face = FaceKind::chip;
  std::vector<std::string> programs;  // names for history_program(), at least one; the first is loaded at the beginning
  unsigned chips = 1;                 // 1 for FaceKind::chip
  unsigned threads = 1;
  std::vector<Command> commands;
};
[[nodiscard]] bool operator==(const History& a, const History& b);

/// `run blocks 3+2 pes 4 count 65 seed 7`. Members with their default are left out.
[[nodiscard]] std::string text_of(const Command& command);
/// Lines `engine`, `face`, `program`, `chips`, `threads`, then one for each command.
[[nodiscard]] std::string text_of(const History& history);
/// Reads what text_of() writes; empty lines and what follows `#` are skipped. Throws gdr::Error with `name`, the line,
/// the refused word and what is allowed.
[[nodiscard]] History parse_history(std::string_view text, std::string_view name);

/// Limits for random histories.
struct HistoryShape {
  std::vector<FaceKind> faces{FaceKind::chip, FaceKind::session};
  unsigned chips = 4;
  unsigned threads = 4;
  std::vector<std::string> programs{};  // names to draw from; empty: kernels that come with gdr, and random programs
};
/// The history of this seed, without an engine.
[[nodiscard]] History random_history(std::uint64_t seed, const HistoryShape& shape = {});

/// Makes a failing history smaller: removes commands, then makes numbers simpler, as long as `fails` says true. It asks
/// `fails` at most `most_tries` times; the same history always gives the same result.
[[nodiscard]] History shrunk(History history, const std::function<bool(const History&)>& fails,
                             unsigned most_tries = 3000);

}  // namespace gdr::selftest
