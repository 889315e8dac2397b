// Start and end of a program, its options and its clock.
#include "xmp_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <thread>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/base/units.h"

namespace gdr::interconnect {
namespace {

/// Takes an option and its value off the command line.
std::optional<std::string> take_option(int& count, char** words, std::string_view option) {
  for (int at = 1; at < count; ++at) {
    const std::string_view word = words[at];
    const bool joined = word.starts_with(option) && word.size() > option.size() && word[option.size()] == '=';
    if (word != option && !joined) continue;
    const int used = joined ? 1 : 2;
    if (at + used > count) throw Error(fmt::format("{} is refused: its value is missing", option));
    const std::string value(joined ? word.substr(option.size() + 1) : std::string_view(words[at + 1]));
    std::copy(words + at + used, words + count + 1, words + at);  // and the null pointer behind them
    count -= used;
    return value;
  }
  return std::nullopt;
}

/// Puts the rank behind the name of a file that an environment variable names, so that each rank has its own.
void name_file_of_rank(const char* variable, int rank) {
  const std::string given = base::environment(variable);
  if (given.empty()) return;
  const std::filesystem::path file = given;
  const std::string name = fmt::format("{}-rank{}{}", file.stem().string(), rank, file.extension().string());
  setenv(variable, (file.parent_path() / name).c_str(), 1);
}

void end_program(int status, void* /*nothing*/) { XmpRun::of_process().end(status); }

}  // namespace

XmpRun& XmpRun::of_process() {
  static XmpRun& run = *new XmpRun;  // lives until the process has ended
  return run;
}

void XmpRun::begin(int& count, char**& words, const char* file) {
  file_ = file;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  on_exit(end_program, nullptr);
  if (size_ > 1) {
    for (const char* name : {"GDR_PROFILE", "GDR_TRACE"}) name_file_of_rank(name, rank_);
  }
  try {
    const std::optional<std::string> cluster = take_option(count, words, "--cluster");
    const std::optional<std::string> order = take_option(count, words, "--reductions");
    if (cluster) network_ = std::make_unique<XmpNetwork>(*cluster, size_);
    if (order && *order != "exact" && *order != "serial") {
      throw Error(fmt::format("--reductions {} is refused: it is exact or serial", *order));
    }
    if (order && *order == "serial") sums_.add_in_serial_order();
  } catch (const std::exception& error) {
    fail_together(error.what(), 0);
  }
}

void XmpRun::fail(const std::string& text, int line) const {
  std::fflush(stdout);
  const std::string place = line > 0 ? fmt::format("{}:{}: ", file_, line) : std::string();
  fmt::print(stderr, "{}rank {}: {}\n", place, rank_, text);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::abort();
}

void XmpRun::fail_together(const std::string& text, int line) const {
  if (rank_ != 0) std::this_thread::sleep_for(std::chrono::seconds(5));  // rank 0 ends this one meanwhile
  fail(text, line);
}

void XmpRun::end(int status) {
  int done = 0;
  MPI_Finalized(&done);
  if (done != 0) return;
  if (status != 0) {
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  arrays_.clear();
  if (network_) {
    const std::array<double, 4> mine{now_, loops_, boards_, reductions_};
    std::array<double, 4> most{};
    MPI_Reduce(mine.data(), most.data(), 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank_ == 0) {
      const std::string boards = most[2] > 0 ? fmt::format("boards {:.3f}, ", most[2] * kMega) : std::string();
      fmt::print(
          "{} on {}: {:.3f} us emulated: loops {:.3f}, {}halos {:.3f} ({} exchanges), reductions {:.3f}, other "
          "{:.3f}\n",
          size_ == 1 ? std::string("1 rank") : fmt::format("{} ranks", size_), network_->name(), most[0] * kMega,
          most[1] * kMega, boards, halos_ * kMega, exchanges_, most[3] * kMega, others_ * kMega);
      if (untimed_line_ > 0) fmt::print("{}:{}: the loop has no time: its steps are not known\n", file_, untimed_line_);
      std::fflush(stdout);
    }
  }
  MPI_Finalize();
}

double XmpRun::now() const { return network_ ? now_ : MPI_Wtime(); }

void XmpRun::meet(double seconds, double& part, MPI_Comm among) {
  double latest = 0;
  MPI_Allreduce(&now_, &latest, 1, MPI_DOUBLE, MPI_MAX, among);
  now_ = latest + seconds;
  part += seconds;
}

void XmpRun::spend(double points, double bytes) {
  if (!network_) return;
  const double seconds = network_->loop(points * bytes);
  now_ += seconds;
  loops_ += seconds;
}

void XmpRun::spend_board(double seconds) {
  if (!network_) return;
  now_ += seconds;
  boards_ += seconds;
}

void XmpRun::not_timed(int line) { untimed_line_ = line; }

void XmpRun::meet_for_reduction(bool of_loop, const XmpGroup& among) {
  if (!network_) return;
  meet(network_->all_reduce(among.ranks) + (of_loop ? network_->launch() : 0), reductions_, among.comm);
}

void XmpRun::barrier() {
  if (network_) {
    meet(network_->all_reduce(group(-1, 0).ranks), others_);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void XmpRun::bcast(void* variable, std::size_t bytes, int sends, int line) {
  constexpr std::size_t kMost = 2147483647;
  int root = 0;
  if (sends >= 0) {
    const int own = sends != 0 ? rank_ : size_;
    MPI_Allreduce(&own, &root, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (root == size_) fail_together("the directive xmp bcast: no node is named behind from", line);
  }
  if (bytes > kMost)
    fail_together(fmt::format("a broadcast of {} bytes is refused: MPI counts to {}", bytes, kMost), line);
  MPI_Bcast(variable, static_cast<int>(bytes), MPI_BYTE, root, MPI_COMM_WORLD);
  if (network_) meet(network_->broadcast(static_cast<double>(bytes)), others_);
}

void XmpRun::reduce(void* variable, int type, int operation, const XmpGroup& among) {
  const std::array<MPI_Datatype, 6> types{MPI_FLOAT, MPI_DOUBLE, MPI_INT, MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG};
  const std::array<MPI_Op, 7> operations{MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR};
  MPI_Allreduce(MPI_IN_PLACE, variable, 1, types.at(static_cast<std::size_t>(type)),
                operations.at(static_cast<std::size_t>(operation)), among.comm);
  meet_for_reduction(false, among);
}

}  // namespace gdr::interconnect
