#include "report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/json.h"
#include "process_file.h"

namespace gdr::blas {
namespace {

// In the order of Reason.
constexpr base::Names<Routine> kRoutineNames({{Routine::dgemm, "dgemm"},
                                              {Routine::dtrsm, "dtrsm"},
                                              {Routine::dtrmm, "dtrmm"},
                                              {Routine::dsymm, "dsymm"},
                                              {Routine::dsyrk, "dsyrk"},
                                              {Routine::dsyr2k, "dsyr2k"},
                                              {Routine::dgemmtr, "dgemmtr"},
                                              {Routine::sgemm, "sgemm"},
                                              {Routine::ssyrk, "ssyrk"}});
constexpr std::array<const char*, kReasons> kReasonNames{"small", "not_a_number", "range", "memory", "board_error"};

}  // namespace

std::string_view name_of(Routine routine) { return kRoutineNames[routine]; }

void Report::count_call(Routine routine, bool empty) {
  const std::lock_guard lock(mutex_);
  ++calls_[static_cast<std::size_t>(routine)];
  empty_ += empty ? 1 : 0;
}

void Report::count_product(std::int64_t m, std::int64_t n, std::int64_t k, double executed, double emulated_seconds,
                           double seconds) {
  const std::lock_guard lock(mutex_);
  ++shapes_[{m, n, k}];
  ++on_board_;
  useful_flops_ += 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  executed_flops_ += executed;
  emulated_seconds_ += emulated_seconds;
  board_seconds_ += seconds;
}

void Report::count_host_product(Reason reason, double flops, double seconds) {
  const std::lock_guard lock(mutex_);
  ++on_host_[static_cast<std::size_t>(reason)];
  host_flops_ += flops;
  host_seconds_ += seconds;
}

void Report::count_host_product_of_singles(Reason reason, double flops, double seconds) {
  count_host_product(reason, flops, seconds);
  const std::lock_guard lock(mutex_);
  single_flops_ += flops;
}

void Report::count_host_triangle(double flops, double seconds) {
  const std::lock_guard lock(mutex_);
  host_flops_ += flops;
  triangle_flops_ += flops;
  host_seconds_ += seconds;
}

void Report::count_unserved(const char* routine, double flops) {
  const std::lock_guard lock(mutex_);
  Unserved& of_routine = unserved_[routine];
  ++of_routine.calls;
  of_routine.flops += flops;
}

void Report::fail(std::string_view why) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = why;
}

void Report::open(const std::string& path, Setting setting) {
  const std::lock_guard lock(mutex_);
  setting_ = std::move(setting);
  if (path.empty()) return;
  base::require_writable(path);
  path_ = path;
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  grows_ = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

void Report::call_ended(double board_seconds) noexcept {
  /// Part of the time of calls that writing may take.
  constexpr double kShare = 0.01;
  /// So many calls are written in any case: programs of few calls leave an exact report.
  constexpr unsigned kSureWrites = 100;
  const std::lock_guard lock(mutex_);
  if (!grows_) return;
  const auto now = std::chrono::steady_clock::now();
  const auto seconds_since = [&now](auto time) { return std::chrono::duration<double>(now - time).count(); };
  const bool may = writes_ < kSureWrites || seconds_of_writing_ < kShare * board_seconds ||
                   seconds_of_writing_ < kShare * seconds_since(written_);
  if (!may) return;
  try {
    if (!foreign::replace_at_once(path_, text()) && !std::exchange(told_, true)) {
      std::fprintf(stderr, "libgdrblas: GDR_REPORT: %s cannot be written\n", path_.c_str());
    }
  } catch (const std::exception&) {
    return;  // memory is short: the next call tries again
  }
  ++writes_;
  written_ = std::chrono::steady_clock::now();
  seconds_of_writing_ = std::chrono::duration<double>(written_ - now).count();
}

void Report::write() {
  const std::lock_guard lock(mutex_);
  if (path_.empty()) return;
  if (const std::string all = text(); !all.empty()) base::write_file(path_, all);
}

std::string Report::text() const {
  const bool any = std::ranges::any_of(calls_, [](std::uint64_t calls) { return calls > 0; }) || !unserved_.empty();
  if (!any) return "";
  base::Json json;
  json["library"] = "libgdrblas";
  json["precision"] = setting_.precision;
  json["machine"] = setting_.machine;
  json["engine"] = setting_.engine;
  json["boards"] = setting_.boards;
  json["failure"] = failure_.empty() ? base::Json(nullptr) : base::Json(failure_);
  for (std::size_t routine = 0; routine < calls_.size(); ++routine) {
    json["calls"][kRoutineNames[static_cast<Routine>(routine)]] = calls_[routine];
  }
  json["empty_calls"] = empty_;
  json["on_board"] = on_board_;
  for (std::size_t reason = 0; reason < kReasons; ++reason) json["on_host"][kReasonNames[reason]] = on_host_[reason];
  json["unserved"] = base::Json::object();
  double unserved_flops = 0;
  for (const auto& [routine, of_routine] : unserved_) {
    json["unserved"][routine] = {{"calls", of_routine.calls}, {"flops", of_routine.flops}};
    unserved_flops += of_routine.flops;
  }
  json["flops"] = {{"board_useful", useful_flops_},
                   {"board_executed", executed_flops_},
                   {"host", host_flops_},
                   {"unserved", unserved_flops}};
  json["shapes"] = base::Json::array();
  for (const auto& [shape, count] : shapes_) {
    json["shapes"].push_back(
        {{"m", std::get<0>(shape)}, {"n", std::get<1>(shape)}, {"k", std::get<2>(shape)}, {"calls", count}});
  }
  json["seconds"] = {
      {"emulated", emulated_seconds_}, {"board_on_this_host", board_seconds_}, {"host_blas", host_seconds_}};
  json["would_have_taken"] = setting_.rates ? machine_json(*setting_.rates) : base::Json(nullptr);
  return json.text() + "\n";
}

/// Boards and host take turns, as in a program of one thread.
base::Json Report::machine_json(const MachineRates& rates) const {
  constexpr double kGiga = 1e9;
  double other_doubles = 0;
  double other_singles = 0;
  for (const auto& [routine, of_routine] : unserved_) {
    const bool single = routine.starts_with('s') || routine.starts_with('c');
    (single ? other_singles : other_doubles) += of_routine.flops;
  }
  const double of_host = rates.dgemm_gflops * kGiga;
  // Twice as many numbers of single precision fit into a vector.
  const double products = (host_flops_ - triangle_flops_ - single_flops_ / 2) / of_host;
  const double triangles = triangle_flops_ / of_host;
  const double other = (other_doubles + other_singles / 2) / of_host;
  const double seconds = emulated_seconds_ + products + triangles + other;
  const double flops = useful_flops_ + host_flops_ + other_doubles + other_singles;
  base::Json json = {{"host", rates.host},
                     {"seconds", seconds},
                     {"phases",
                      {{"products_on_boards", emulated_seconds_},
                       {"products_on_host", products},
                       {"triangles_on_host", triangles},
                       {"other_types_on_host", other}}}};
  json["gflops"] = nullptr;
  json["share_of_peak"] = nullptr;
  if (seconds > 0) {  // 0 / 0 would raise an exception of the caller's arithmetic
    json["gflops"] = flops / kGiga / seconds;
    json["share_of_peak"] = flops / kGiga / seconds / rates.peak_board_gflops;
  }
  return json;
}

CallLog::CallLog(const std::string& path) : path_(path) {
  if (path.empty()) return;
  if (!open_at(O_TRUNC)) throw Error(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

CallLog::~CallLog() {
  if (is_ours()) close(descriptor_);
}

/// The descriptor gets a number beyond those that programs count on.
bool CallLog::open_at(int flags) {
  constexpr int kHighNumber = 500;
  int opened = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0666);
  if (opened < 0) return false;
  if (const int high = fcntl(opened, F_DUPFD_CLOEXEC, kHighNumber); high >= 0) {
    ::close(opened);
    opened = high;
  }
  struct stat status{};
  if (fstat(opened, &status) != 0) {
    ::close(opened);
    return false;
  }
  descriptor_ = opened;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  return true;
}

bool CallLog::is_ours() const {
  struct stat status{};
  return descriptor_ >= 0 && fstat(descriptor_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

bool CallLog::write(const gdr_blas_call& call) {
  // Room for three 64-bit integers and three doubles in full.
  std::array<char, 512> line{};
  const auto [end, size] = fmt::format_to_n(
      line.data(), line.size(),
      R"({{"routine": "{}", "m": {}, "n": {}, "k": {}, "boards": {}, "emulated_seconds": {}, )"
      R"("board_seconds": {}, "host_seconds": {}}})"
      "\n",
      call.routine, call.m, call.n, call.k, call.boards, call.emulated_seconds, call.board_seconds, call.host_seconds);
  const std::lock_guard lock(mutex_);
  if (!is_ours() && !open_at(0)) return false;
  ssize_t written = -1;
  do {
    written = ::write(descriptor_, line.data(), size);
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(size);
}

}  // namespace gdr::blas
