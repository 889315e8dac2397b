// What calls came and who computed them: the report at the end of a process, and a line for each call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

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
enum class Routine : std::uint8_t { dgemm, dtrsm, dtrmm, dsymm, dsyrk, dsyr2k, dgemmtr };
[[nodiscard]] std::string_view name_of(Routine routine);

/// The board and its settings as the report names them.
struct Setting {
  std::string precision;
  std::string machine;
  std::string engine;
  unsigned boards = 1;
};

/// Thread safe.
class Report {
 public:
  void count_call(Routine routine, bool empty);
  /// A product that boards computed: `useful` operations of `executed`.
  void count_product(std::int64_t m, std::int64_t n, std::int64_t k, double executed, double emulated_seconds,
                     double seconds);
  void count_host_product(Reason reason, double flops, double seconds);
  /// A triangle that the host solved within a dtrsm.
  void count_host_triangle(double flops, double seconds);
  /// A call of a routine of level 3 that goes to the host without us.
  void count_unserved(const char* routine, double flops);
  /// Why boards fail; the first reason stays.
  void fail(std::string_view why);

  /// Writes the report to `path` if any call was counted. Throws gdr::Error.
  void write(const std::string& path, const Setting& setting);

 private:
  std::mutex mutex_;
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

  [[nodiscard]] bool open() const { return descriptor_ >= 0; }
  /// False if the line could not be written.
  [[nodiscard]] bool write(const gdr_blas_call& call);

 private:
  int descriptor_ = -1;
};

}  // namespace gdr::blas
