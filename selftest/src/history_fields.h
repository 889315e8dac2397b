// The members of a history's command, for all that goes through them: text, reading, shrinking.
#pragma once

#include <array>
#include <string_view>

#include "gdr/selftest/history.h"

namespace gdr::selftest {

struct HistoryNumber {
  std::string_view name;
  unsigned Command::* member;
  unsigned least;
  unsigned most;
};
inline constexpr std::array<HistoryNumber, 6> kHistoryNumbers{{
    {"pe", &Command::pe, 0, emulator::kPesPerBlock - 1},
    {"pes", &Command::pes, 0, emulator::kPesPerBlock},
    {"at", &Command::at, 0, kHistoryRecords - 1},
    {"count", &Command::count, 0, 1'000'000},
    {"piece", &Command::piece, 0, kHistoryRecords / emulator::kBlocks},
    {"parts", &Command::parts, 1, emulator::kBlocks},
}};

struct HistoryFlag {
  std::string_view name;
  bool Command::* member;
};
inline constexpr std::array<HistoryFlag, 4> kHistoryFlags{{
    {"wild", &Command::wild},
    {"again", &Command::again},
    {"goes_on", &Command::goes_on},
    {"continues", &Command::continues},
}};

}  // namespace gdr::selftest
