// What calls came and who computed them: the report at the end of a process, and a line for each call.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "gdr/base/json.h"
#include "gdr/base/names.h"
#include "gdr/hostlib/blas.h"

namespace gdr::blas {

/// Why a product stayed on the host.
enum class Reason : std::uint8_t {
  small,         // fewer operations than GDR_BLAS_MIN_FLOPS
  not_a_number,  // infinity or NaN in A, B or alpha
  range,         // numbers of most rows or columns too far apart for the board's exponents
  memory,        // of this host, exhausted
  board_error
};
inline constexpr std::size_t kReasons = 5;

/// What the boards compute, in the order of the report.
enum class Routine : std::uint8_t { dgemm, dtrsm, dtrmm, dsymm, dsyrk, dsyr2k, dgemmtr, sgemm, ssyrk };
[[nodiscard]] std::string_view name_of(Routine routine);

/// The rates by which the report says what the machine would have taken for all calls of level 3.
struct MachineRates {
  std::string host;              // name of its description
  double dgemm_gflops = 0;       // of the host, in doubles
  double peak_board_gflops = 0;  // of all boards, in doubles
};

/// The board and its settings as the report names them.
struct Setting {
  std::string precision;
  std::string machine;
  std::string engine;
  unsigned boards = 1;
  std::optional<MachineRates> rates;  // none if their descriptions cannot be read
};

/// Thread safe. The file is there from the first call on and grows with the calls: a process that is killed, or ends
/// without its handlers, leaves a report of what it did until then.
class Report {
 public:
  /// Where the report goes; an empty path: nowhere. Throws gdr::Error if it cannot be written there.
  void open(const std::string& path, Setting setting);
  void count_call(Routine routine, bool empty);
  /// A product that boards computed: `useful` operations of `executed`.
  void count_product(std::int64_t m, std::int64_t n, std::int64_t k, double executed, double emulated_seconds,
                     double seconds);
  void count_host_product(Reason reason, double flops, double seconds);
  /// The same of a product of floats.
  void count_host_product_of_singles(Reason reason, double flops, double seconds);
  /// A triangle that the host solved within a dtrsm.
  void count_host_triangle(double flops, double seconds);
  /// A call of a routine of level 3 that goes to the host without us.
  void count_unserved(const char* routine, double flops);
  /// Why boards fail; the first reason stays.
  void fail(std::string_view why);

  /// After a call that boards worked `board_seconds` for on this host. Writes the report unless that would take more
  /// than a small share of the time of calls: after each of the first calls and every call of some size, and of small
  /// ones that follow one another some in between.
  void call_ended(double board_seconds) noexcept;
  /// Writes the report if any call was counted. Throws gdr::Error.
  void write();

 private:
  /// Empty if no call was counted.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] base::Json machine_json(const MachineRates& rates) const;

  std::mutex mutex_;
  std::string path_;
  Setting setting_;
  bool grows_ = false;  // the path is one of a file, no pipe or terminal
  bool told_ = false;
  unsigned writes_ = 0;
  std::chrono::steady_clock::time_point written_;
  double seconds_of_writing_ = 0;  // the last time
  struct Unserved {
    std::uint64_t calls = 0;
    double flops = 0;
  };

  std::array<std::uint64_t, base::enumerators<Routine>()> calls_{};
  std::map<std::string, Unserved> unserved_;  // by routine
  std::uint64_t empty_ = 0;
  std::uint64_t on_board_ = 0;
  std::array<std::uint64_t, kReasons> on_host_{};
  double useful_flops_ = 0;
  double executed_flops_ = 0;
  double host_flops_ = 0;
  double triangle_flops_ = 0;  // of the host's
  double single_flops_ = 0;    // of the host's, in floats
  double emulated_seconds_ = 0;
  double board_seconds_ = 0;
  double host_seconds_ = 0;
  std::string failure_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::uint64_t> shapes_;  // of products on boards
};

/// One line of JSON for each call, appended whole, so that threads do not mix theirs.
class CallLog {
 public:
  /// An empty path: no log. Throws gdr::Error if the file cannot be opened.
  explicit CallLog(const std::string& path);
  ~CallLog();
  CallLog(const CallLog&) = delete;
  CallLog& operator=(const CallLog&) = delete;

  [[nodiscard]] bool open() const { return !path_.empty(); }
  /// False if the line could not be written. A descriptor that the program closed, and perhaps gave to a file of its
  /// own, is not written to: the log is opened again.
  [[nodiscard]] bool write(const gdr_blas_call& call);

 private:
  [[nodiscard]] bool is_ours() const;
  [[nodiscard]] bool open_at(int flags);

  std::mutex mutex_;
  std::string path_;
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace gdr::blas
