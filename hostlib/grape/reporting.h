// What libg6 and libg5 say of themselves: messages on standard error, each once, and a report when the process ends.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "gdr/hostlib/device.h"
#include "gravity_board.h"

namespace gdr::grape {

/// Thread safe.
class Reporting {
 public:
  /// `library` as in "libg6".
  explicit Reporting(std::string_view library) : library_(library) {}

  /// Says on standard error that `function` failed, the first time it does so in this process, and keeps the count.
  void fail(std::string_view function, std::string_view why) noexcept;
  /// Says `text` on standard error, the first time.
  void note(std::string_view text) noexcept;
  /// A force call, which keeps whole runs of the board busy.
  void count_force_call(std::uint64_t i_particles) noexcept;
  /// Of a board that is closed.
  void add(const BoardWork& work) noexcept;

  /// Writes the report as JSON to GDR_REPORT, if that is set and a force call was made. `open_boards` is the work of
  /// boards that were not closed. Says on standard error what prevents it.
  void write(const DeviceOptions& options, const BoardWork& open_boards, bool forked) noexcept;

 private:
  std::string library_;
  std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> failures_;  // by function
  std::set<std::string, std::less<>> notes_;
  std::uint64_t force_calls_ = 0;
  std::uint64_t i_particles_ = 0;
  std::uint64_t places_ = 0;
  BoardWork work_;
};

}  // namespace gdr::grape
