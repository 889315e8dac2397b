#include "service.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "gdr/base/file.h"
#include "gdr/hostlib/dgemm_model.h"

namespace gdr::blas {
namespace {

/// Below it a call stays on the host: 512 x 512 x 256, a quarter of a board's unit of work in depth and rows.
constexpr double kDefaultMinFlops = 2.0 * 512 * 512 * 256;
/// Elements of C that are worked on at a time: what waits between board and C, 64 MB.
constexpr std::int64_t kElementsAtOnce = std::int64_t{1} << 23;
/// Triangles of this order the host solves.
constexpr std::int64_t kHostTriangle = 64;

struct Settings {
  DeviceOptions device;
  DgemmPrecision precision = DgemmPrecision::paper;
  double min_flops = kDefaultMinFlops;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Throws gdr::Error naming variable and value.
Settings settings_from_environment() {
  Settings settings;
  settings.device = device_options_from_environment();
  const std::string precision = variable("GDR_BLAS_PRECISION");
  if (precision == "double") {
    settings.precision = DgemmPrecision::full;
  } else if (!precision.empty() && precision != "paper") {
    throw Error(fmt::format("GDR_BLAS_PRECISION = '{}' is refused: it must be paper or double", precision));
  }
  const std::string flops = variable("GDR_BLAS_MIN_FLOPS");
  if (!flops.empty()) {
    const auto [end, error] = std::from_chars(flops.data(), flops.data() + flops.size(), settings.min_flops);
    if (error != std::errc() || end != flops.data() + flops.size() || !(settings.min_flops >= 0)) {
      throw Error(fmt::format("GDR_BLAS_MIN_FLOPS = '{}' is refused: it must be a number of at least 0", flops));
    }
  }
  return settings;
}

MatrixView view(const double* data, std::int64_t ld, char trans) {
  return trans == 'N' ? MatrixView{data, 1, ld} : MatrixView{data, ld, 1};
}

/// Whether the board's format has these numbers: no infinity, NaN or subnormal.
bool has_numbers(const MatrixView& matrix, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const double value = matrix.at(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      if (!std::isnormal(value) && value != 0) return false;
    }
  }
  return true;
}

/// Columns `first` and following of C, and of B.
Gemm columns_of(const Gemm& call, std::int64_t first, std::int64_t count) {
  Gemm part = call;
  part.n = count;
  part.b += first * (call.transb == 'N' ? call.ldb : 1);
  part.c += first * call.ldc;
  return part;
}

double flops_of(const Gemm& call) {
  return 2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k);
}

enum Reason : std::size_t { kSmall, kNotANumber, kOverflow, kBoardError, kReasons };
constexpr std::array<const char*, kReasons> kReasonNames{"small", "not_a_number", "overflow", "board_error"};

class Clock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

struct Service::State {
  std::mutex mutex;
  Settings settings;
  std::unique_ptr<BoardDgemm> board;
  std::optional<DgemmModel> model;  // of the same board
  std::string failure;              // why there is no board
  bool told = false;

  // The report.
  std::uint64_t gemm_calls = 0;
  std::uint64_t trsm_calls = 0;
  std::uint64_t on_board = 0;
  std::array<std::uint64_t, kReasons> on_host{};
  double board_flops = 0;
  double host_flops = 0;
  double board_host_seconds = 0;
  double host_seconds = 0;
  double emulated_seconds = 0;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::uint64_t> shapes;  // of calls on the board

  State() {
    try {
      settings = settings_from_environment();
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }

  /// A BLAS call has no status, so this is said once, as xerbla says what it finds.
  void fail(const std::string& why) {
    failure = why;
    if (std::exchange(told, true)) return;
    fmt::print(stderr, "libgdrblas: {}; the host's BLAS computes instead\n", why);
  }

  BoardDgemm* working_board() {
    if (board || !failure.empty()) return board.get();
    try {
      board = std::make_unique<BoardDgemm>(settings.device, dgemm_program(settings.precision));
      model.emplace(board->program(), board->machine(), board->boards());
    } catch (const std::exception& error) {
      fail(error.what());
    }
    return board.get();
  }

  void on_the_host(const Gemm& call, Reason reason) {
    const Clock clock;
    host_gemm(call);
    const std::lock_guard lock(mutex);
    ++on_host[reason];
    host_flops += flops_of(call);
    host_seconds += clock.seconds();
  }

  /// C = beta C, with neither A nor B read: small products of some OpenBLAS releases do read them.
  void without_product(const Gemm& call) {
    for (std::int64_t j = 0; j < call.n; ++j) {
      double* c = call.c + j * call.ldc;
      for (std::int64_t i = 0; i < call.m; ++i) c[i] = call.beta == 0 ? 0 : call.beta * c[i];
    }
    const std::lock_guard lock(mutex);
    ++on_host[kSmall];
  }

  /// One panel of columns: the product, then C. Nothing of C has changed if it throws.
  void on_the_board(const Gemm& call) {
    const MatrixView a = view(call.a, call.lda, call.transa);
    const MatrixView b = view(call.b, call.ldb, call.transb);
    const std::vector<double> product = board->multiply(
        static_cast<std::size_t>(call.m), static_cast<std::size_t>(call.n), static_cast<std::size_t>(call.k), a, b);
    for (const double value : product) {
      if (!std::isfinite(value)) throw std::overflow_error("a sum is beyond the board's largest number");
    }
    for (std::int64_t j = 0; j < call.n; ++j) {
      const double* sum = product.data() + j * call.m;
      double* c = call.c + j * call.ldc;
      for (std::int64_t i = 0; i < call.m; ++i) {
        c[i] = call.beta == 0 ? call.alpha * sum[i] : std::fma(call.alpha, sum[i], call.beta * c[i]);
      }
    }
    const auto size = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const DgemmTransfer transfer{.mode = settings.device.transfer};
    emulated_seconds += model->times(size(call.m), size(call.n), size(call.k), transfer).total();
  }

  [[nodiscard]] nlohmann::ordered_json report() const;
  void write_report() const;
};

Service& Service::get() {
  static Service service;
  return service;
}

Service::Service() : state_(std::make_unique<State>()) {}

Service::~Service() {
  try {
    state_->write_report();
  } catch (const std::exception& error) {
    fmt::print(stderr, "libgdrblas: {}\n", error.what());
  }
}

void Service::gemm(const Gemm& call) noexcept {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    ++state.gemm_calls;
  }
  if (call.m == 0 || call.n == 0) return;
  if (call.alpha == 0 || call.k == 0) return state.without_product(call);
  if (flops_of(call) < state.settings.min_flops) return state.on_the_host(call, kSmall);
  if (!std::isfinite(call.alpha) || !has_numbers(view(call.a, call.lda, call.transa), call.m, call.k) ||
      !has_numbers(view(call.b, call.ldb, call.transb), call.k, call.n)) {
    return state.on_the_host(call, kNotANumber);
  }
  const std::int64_t at_once = std::max<std::int64_t>(2, kElementsAtOnce / call.m / 2 * 2);
  std::unique_lock lock(state.mutex);
  ++state.shapes[{call.m, call.n, call.k}];
  for (std::int64_t first = 0; first < call.n; first += at_once) {
    const Gemm part = columns_of(call, first, std::min(at_once, call.n - first));
    Reason reason = kBoardError;
    if (state.working_board() != nullptr) {
      try {
        const Clock clock;
        state.on_the_board(part);
        ++state.on_board;
        state.board_flops += flops_of(part);
        state.board_host_seconds += clock.seconds();
        continue;
      } catch (const std::overflow_error&) {
        reason = kOverflow;
      } catch (const std::exception& error) {
        state.fail(error.what());
        state.board.reset();
      }
    }
    lock.unlock();
    state.on_the_host(part, reason);
    lock.lock();
  }
}

void Service::trsm(const Trsm& call) noexcept {
  {
    const std::lock_guard lock(state_->mutex);
    ++state_->trsm_calls;
  }
  const std::int64_t order = call.side == 'L' ? call.m : call.n;
  const double flops = static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(order);
  // The two halves below leave half of the work to a product; if that is small, so is all the rest.
  const bool small = order < 2 || flops / 2 < state_->settings.min_flops;
  if (call.m == 0 || call.n == 0 || call.alpha == 0 || small ||
      (order <= kHostTriangle && state_->settings.min_flops > 0)) {
    return host_trsm(call);
  }
  const std::int64_t half = order / 2;
  const bool left = call.side == 'L';
  const bool transposed = call.transa != 'N';
  // op(A) is lower if its diagonal blocks are solved from the first on, seen from the left.
  const bool lower = (call.uplo == 'L') != transposed;
  const bool first_half_first = lower == left;
  const double* off = call.uplo == 'L' ? call.a + half : call.a + half * call.lda;
  const std::int64_t step = left ? 1 : call.ldb;

  Trsm first = call;
  (left ? first.m : first.n) = half;
  Trsm second = call;
  (left ? second.m : second.n) = order - half;
  second.a = call.a + half * (call.lda + 1);
  second.b = call.b + half * step;
  Trsm& before = first_half_first ? first : second;
  Trsm& after = first_half_first ? second : first;

  trsm(before);
  Gemm update;
  update.alpha = -1;
  update.beta = call.alpha;
  update.c = after.b;
  update.ldc = call.ldb;
  update.m = after.m;
  update.n = after.n;
  if (left) {
    update.transa = call.transa;
    update.a = off;
    update.lda = call.lda;
    update.b = before.b;
    update.ldb = call.ldb;
    update.k = before.m;
  } else {
    update.a = before.b;
    update.lda = call.ldb;
    update.transb = call.transa;
    update.b = off;
    update.ldb = call.lda;
    update.k = before.n;
  }
  gemm(update);
  after.alpha = 1;
  trsm(after);
}

nlohmann::ordered_json Service::State::report() const {
  nlohmann::ordered_json json;
  json["library"] = "libgdrblas";
  json["precision"] = name_of(settings.precision);
  json["machine"] = settings.device.machine;
  json["engine"] = emulator::name_of(settings.device.engine);
  json["failure"] = failure.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(failure);
  json["calls"] = {{"dgemm", gemm_calls}, {"dtrsm", trsm_calls}};
  json["on_board"] = on_board;
  for (std::size_t reason = 0; reason < kReasons; ++reason) json["on_host"][kReasonNames[reason]] = on_host[reason];
  json["flops"] = {
      {"board_useful", board_flops}, {"board_executed", board ? board->executed_flops() : 0}, {"host", host_flops}};
  json["shapes"] = nlohmann::ordered_json::array();
  for (const auto& [shape, count] : shapes) {
    json["shapes"].push_back(
        {{"m", std::get<0>(shape)}, {"n", std::get<1>(shape)}, {"k", std::get<2>(shape)}, {"calls", count}});
  }
  json["seconds"] = {
      {"emulated", emulated_seconds}, {"board_on_this_host", board_host_seconds}, {"host_blas", host_seconds}};
  return json;
}

void Service::State::write_report() const {
  std::string file = variable("GDR_REPORT");
  if (file.empty() || (gemm_calls == 0 && trsm_calls == 0)) return;
  const std::string rank = !variable("OMPI_COMM_WORLD_RANK").empty() ? variable("OMPI_COMM_WORLD_RANK")
                           : !variable("PMI_RANK").empty()           ? variable("PMI_RANK")
                                                                     : "0";
  for (const auto& [place, text] :
       {std::pair<std::string, std::string>{"%p", std::to_string(getpid())}, {"%r", rank}}) {
    for (std::size_t at = file.find(place); at != std::string::npos; at = file.find(place, at + text.size())) {
      file.replace(at, place.size(), text);
    }
  }
  base::write_file(file, report().dump(2) + "\n");
}

}  // namespace gdr::blas
