#include "report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/json.h"

namespace gdr::blas {
namespace {

// In the order of Reason.
constexpr base::Names<Routine> kRoutineNames({{Routine::dgemm, "dgemm"},
                                              {Routine::dtrsm, "dtrsm"},
                                              {Routine::dtrmm, "dtrmm"},
                                              {Routine::dsymm, "dsymm"},
                                              {Routine::dsyrk, "dsyrk"},
                                              {Routine::dsyr2k, "dsyr2k"},
                                              {Routine::dgemmtr, "dgemmtr"}});
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

void Report::count_host_triangle(double flops, double seconds) {
  const std::lock_guard lock(mutex_);
  host_flops_ += flops;
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

void Report::write(const std::string& path, const Setting& setting) {
  const std::lock_guard lock(mutex_);
  const bool any = std::ranges::any_of(calls_, [](std::uint64_t calls) { return calls > 0; }) || !unserved_.empty();
  if (path.empty() || !any) return;
  base::Json json;
  json["library"] = "libgdrblas";
  json["precision"] = setting.precision;
  json["machine"] = setting.machine;
  json["engine"] = setting.engine;
  json["boards"] = setting.boards;
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
  base::write_file(path, json.text() + "\n");
}

CallLog::CallLog(const std::string& path) {
  if (path.empty()) return;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw Error(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

CallLog::~CallLog() {
  if (descriptor_ >= 0) close(descriptor_);
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
  ssize_t written = -1;
  do {
    written = ::write(descriptor_, line.data(), size);
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(size);
}

}  // namespace gdr::blas
