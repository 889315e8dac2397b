#include "service.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "board_pool.h"
#include "gdr/base/environment.h"
#include "process_file.h"
#include "process_instance.h"
#include "report.h"
#include "scaling.h"

namespace gdr::blas {
namespace {

using foreign::file_of_process;

/// Below it a call stays on the host: 512 x 512 x 256, a quarter of a board's unit of work in depth and rows.
constexpr double kDefaultMinFlops = 2.0 * 512 * 512 * 256;
/// Elements of C that are worked on at a time: what waits between board and C, 64 MB.
constexpr std::int64_t kElementsAtOnce = std::int64_t{1} << 23;
/// Triangles of this order the host solves.
constexpr std::int64_t kHostTriangle = 64;
/// Share of C whose rows or columns are too wide for the board, beyond which the host computes all of it: what the
/// board computes there is thrown away.
constexpr double kMostTooWide = 1.0 / 8;

struct Settings {
  DeviceOptions device;
  DgemmPrecision precision = DgemmPrecision::paper;
  double min_flops = kDefaultMinFlops;
};

/// Throws gdr::Error naming variable and value.
Settings settings_from_environment() {
  Settings settings;
  settings.device = device_options_from_environment();
  const std::string precision = base::environment("GDR_BLAS_PRECISION");
  if (precision == "double") {
    settings.precision = DgemmPrecision::full;
  } else if (!precision.empty() && precision != "paper") {
    throw Error(fmt::format("GDR_BLAS_PRECISION = '{}' is refused: it must be paper or double", precision));
  }
  const std::string flops = base::environment("GDR_BLAS_MIN_FLOPS");
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

/// Rows first_row and following and columns first_column and following of C, with the rows of op(A) and the columns of
/// op(B) that they need.
Gemm part_of(const Gemm& call, std::int64_t first_row, std::int64_t rows, std::int64_t first_column,
             std::int64_t columns) {
  Gemm part = call;
  part.m = rows;
  part.n = columns;
  part.a += first_row * (call.transa == 'N' ? 1 : call.lda);
  part.b += first_column * (call.transb == 'N' ? call.ldb : 1);
  part.c += first_row + first_column * call.ldc;
  return part;
}

double flops_of(const Gemm& call) {
  return 2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k);
}

double flops_of(const Trsm& call) {
  const std::int64_t order = call.side == 'L' ? call.m : call.n;
  return static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(order);
}

class Clock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Hooks are never freed: a call on another thread may be about to use the one before.
struct Hook {
  gdr_blas_hook function = nullptr;
  void* context = nullptr;
  const Hook* before = nullptr;
};

class Service {
 public:
  explicit Service(bool forked);

  void gemm(const Gemm& call) noexcept;
  void trsm(const Trsm& call) noexcept;
  /// At the end of the process.
  void write_report() noexcept;

 private:
  void product(const Gemm& call, gdr_blas_call& told);
  void triangle(const Trsm& call, gdr_blas_call& told);
  void on_the_host(const Gemm& call, Reason reason, gdr_blas_call& told);
  void host_triangle(const Trsm& call, gdr_blas_call& told);
  void without_product(const Gemm& call);
  void on_boards(BoardPool& pool, const Gemm& call, const Scaling& scaling, std::int64_t& done, gdr_blas_call& told);
  double part_on_boards(BoardPool::Work& work, const Gemm& call, const Scaling& scaling, gdr_blas_call& told);
  void too_wide_on_the_host(const Gemm& call, const Scaling& scaling, gdr_blas_call& told);
  BoardPool* working_boards();
  void fail(const char* why) noexcept;
  void tell(const gdr_blas_call& call) noexcept;
  /// Counts something; what memory is missing for is not counted.
  template <class Body>
  static void count(Body body) noexcept {
    try {
      body();
    } catch (const std::exception&) {
      return;
    }
  }

  const bool forked_;
  Settings settings_;
  std::atomic<bool> failed_{false};
  std::mutex opening_;
  std::unique_ptr<BoardPool> pool_;
  std::unique_ptr<CallLog> log_;
  std::atomic<bool> log_told_{false};
  Report report_;
};

constinit foreign::ProcessInstance<Service> instance;
constinit std::atomic<const Hook*> current_hook{nullptr};  // of all services to come, those of forked children too

/// Null if memory is exhausted.
Service* service() noexcept {
  try {
    return &instance.get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

[[gnu::constructor]] void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { instance.begin_anew(); });
}

/// Runs after all handlers of atexit and all static destructors of the program, which may still multiply.
[[gnu::destructor]] void report_at_exit() {
  if (Service* const last = instance.existing(); last != nullptr) last->write_report();
}

Service::Service(bool forked) : forked_(forked) {
  try {
    settings_ = settings_from_environment();
    log_ = std::make_unique<CallLog>(file_of_process(base::environment("GDR_BLAS_CALLS"), forked));
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

/// A BLAS call has no status, so this is said once, as xerbla says what it finds.
void Service::fail(const char* why) noexcept {
  count([&] { report_.fail(why); });
  if (failed_.exchange(true)) return;
  std::fprintf(stderr, "libgdrblas: %s; the host's BLAS computes instead\n", why);
}

BoardPool* Service::working_boards() {
  if (failed_) return nullptr;
  const std::lock_guard lock(opening_);
  if (!pool_) pool_ = std::make_unique<BoardPool>(settings_.device, settings_.precision);
  return pool_.get();
}

void Service::gemm(const Gemm& call) noexcept {
  const bool empty = call.m == 0 || call.n == 0;
  count([&] { report_.count_call(Report::Routine::dgemm, empty); });
  if (empty) return;
  gdr_blas_call told{"dgemm", call.m, call.n, call.k, 0, 0, 0, 0};
  product(call, told);
  tell(told);
}

void Service::trsm(const Trsm& call) noexcept {
  const bool empty = call.m == 0 || call.n == 0;
  count([&] { report_.count_call(Report::Routine::dtrsm, empty); });
  if (empty) return;
  gdr_blas_call told{"dtrsm", call.m, call.n, call.side == 'L' ? call.m : call.n, 0, 0, 0, 0};
  triangle(call, told);
  tell(told);
}

void Service::tell(const gdr_blas_call& call) noexcept {
  if (log_ && log_->open() && !log_->write(call) && !log_told_.exchange(true)) {
    std::fprintf(stderr, "libgdrblas: GDR_BLAS_CALLS cannot be written to; calls are missing there\n");
  }
  const Hook* const hook = current_hook.load(std::memory_order_acquire);
  if (hook != nullptr && hook->function != nullptr) hook->function(&call, hook->context);
}

void Service::on_the_host(const Gemm& call, Reason reason, gdr_blas_call& told) {
  const Clock clock;
  reason == Reason::range ? host_gemm_of_long_range(call) : host_gemm(call);
  const double seconds = clock.seconds();
  told.host_seconds += seconds;
  count([&] { report_.count_host_product(reason, flops_of(call), seconds); });
}

void Service::host_triangle(const Trsm& call, gdr_blas_call& told) {
  const Clock clock;
  host_trsm(call);
  const double seconds = clock.seconds();
  told.host_seconds += seconds;
  count([&] { report_.count_host_triangle(flops_of(call), seconds); });
}

/// C = beta C, with neither A nor B read: small products of some OpenBLAS releases do read them.
void Service::without_product(const Gemm& call) {
  for (std::int64_t j = 0; j < call.n; ++j) {
    double* c = call.c + j * call.ldc;
    for (std::int64_t i = 0; i < call.m; ++i) c[i] = call.beta == 0 ? 0 : call.beta * c[i];
  }
  count([&] { report_.count_host_product(Reason::small, 0, 0); });
}

void Service::product(const Gemm& call, gdr_blas_call& told) {
  if (call.alpha == 0 || call.k == 0) return without_product(call);
  if (flops_of(call) < settings_.min_flops) return on_the_host(call, Reason::small, told);
  if (failed_) return on_the_host(call, Reason::board_error, told);
  // Columns of C from `done` on are not touched yet.
  std::int64_t done = 0;
  std::optional<Reason> reason;
  try {
    const MatrixView a = view(call.a, call.lda, call.transa);
    const MatrixView b = view(call.b, call.ldb, call.transb);
    const auto scaling = std::isfinite(call.alpha) ? scaling_of(a, b, call.m, call.n, call.k) : std::nullopt;
    if (!scaling) {
      reason = Reason::not_a_number;
    } else if (scaling->elements_too_wide() >
               kMostTooWide * static_cast<double>(call.m) * static_cast<double>(call.n)) {
      reason = Reason::range;
    } else if (BoardPool* const pool = working_boards(); pool == nullptr) {
      reason = Reason::board_error;
    } else {
      on_boards(*pool, call, *scaling, done, told);
    }
  } catch (const std::bad_alloc&) {
    reason = Reason::memory;
  } catch (const std::exception& error) {
    fail(error.what());
    reason = Reason::board_error;
  }
  if (reason) on_the_host(part_of(call, 0, call.m, done, call.n - done), *reason, told);
}

constexpr std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

/// Columns by columns, so that this host holds only a part of the product beside C; `done` counts those that are in C.
/// For the board it is one product.
void Service::on_boards(BoardPool& pool, const Gemm& call, const Scaling& scaling, std::int64_t& done,
                        gdr_blas_call& told) {
  const std::int64_t at_once = std::max<std::int64_t>(2, kElementsAtOnce / call.m / 2 * 2);
  BoardPool::Work work(pool, size(call.m), size(call.n), size(call.k));
  double executed = 0;
  const Clock clock;
  const double host_before = told.host_seconds;
  const auto count_what_is_done = [&] {
    if (done == 0) return;
    const double emulated = work.seconds(size(done));
    const double seconds = clock.seconds() - (told.host_seconds - host_before);
    told.boards = std::max(told.boards, static_cast<int>(work.boards()));
    told.emulated_seconds += emulated;
    told.board_seconds += seconds;
    count([&] { report_.count_product(call.m, done, call.k, executed, emulated, seconds); });
  };
  try {
    while (done < call.n) {
      const std::int64_t columns = std::min(at_once, call.n - done);
      Scaling part = scaling;
      if (part.needed()) {
        part.columns.assign(scaling.columns.begin() + done, scaling.columns.begin() + done + columns);
      }
      executed += part_on_boards(work, part_of(call, 0, call.m, done, columns), part, told);
      done += columns;
    }
  } catch (const std::exception&) {
    count_what_is_done();
    throw;
  }
  count_what_is_done();
}

/// Returns the operations that boards executed. Nothing of C has changed if it throws.
double Service::part_on_boards(BoardPool::Work& work, const Gemm& call, const Scaling& scaling, gdr_blas_call& told) {
  MatrixView a = view(call.a, call.lda, call.transa);
  MatrixView b = view(call.b, call.ldb, call.transb);
  std::vector<double> scaled_a;
  std::vector<double> scaled_b;
  if (scaling.needed()) {
    scaled_a = scaled_rows(a, scaling.rows, call.k);
    scaled_b = scaled_rows({b.data, b.column_step, b.row_step}, scaling.columns, call.k);
    a = {scaled_a.data(), 1, call.m};
    b = {scaled_b.data(), call.n, 1};
  }
  const ProductPart product = work.multiply(a, b, size(call.n));
  for (std::int64_t j = 0; j < call.n; ++j) {
    if (scaling.needed() && Scaling::too_wide(scaling.columns[size(j)])) continue;
    const double* sum = product.elements.data() + j * call.m;
    double* c = call.c + j * call.ldc;
    for (std::int64_t i = 0; i < call.m; ++i) {
      const double addend = call.beta == 0 ? 0 : call.beta * c[i];
      if (!scaling.needed()) {
        c[i] = call.beta == 0 ? call.alpha * sum[i] : std::fma(call.alpha, sum[i], addend);
      } else if (!Scaling::too_wide(scaling.rows[size(i)])) {
        c[i] = unscaled(call.alpha, sum[i], scaling.rows[size(i)].high + scaling.columns[size(j)].high, addend);
      }
    }
  }
  if (scaling.needed()) too_wide_on_the_host(call, scaling, told);
  return product.executed_flops;
}

/// Columns of C first, then what is left of rows, in runs between those columns.
void Service::too_wide_on_the_host(const Gemm& call, const Scaling& scaling, gdr_blas_call& told) {
  const auto wide_column = [&](std::int64_t j) {
    return Scaling::too_wide(scaling.columns[static_cast<std::size_t>(j)]);
  };
  for (std::int64_t j = 0; j < call.n; ++j) {
    if (wide_column(j)) on_the_host(part_of(call, 0, call.m, j, 1), Reason::range, told);
  }
  for (std::int64_t i = 0; i < call.m; ++i) {
    if (!Scaling::too_wide(scaling.rows[static_cast<std::size_t>(i)])) continue;
    for (std::int64_t first = 0; first < call.n;) {
      std::int64_t end = first;
      while (end < call.n && !wide_column(end)) ++end;
      if (end > first) on_the_host(part_of(call, i, 1, first, end - first), Reason::range, told);
      first = end + 1;
    }
  }
}

void Service::triangle(const Trsm& call, gdr_blas_call& told) {
  const std::int64_t order = call.side == 'L' ? call.m : call.n;
  // The two halves below leave half of the work to a product; if that is small, so is all the rest.
  const bool small = order < 2 || flops_of(call) / 2 < settings_.min_flops;
  if (call.alpha == 0 || small || (order <= kHostTriangle && settings_.min_flops > 0)) return host_triangle(call, told);
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

  triangle(before, told);
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
  product(update, told);
  after.alpha = 1;
  triangle(after, told);
}

void Service::write_report() noexcept {
  try {
    report_.write(file_of_process(base::environment("GDR_REPORT"), forked_),
                  {std::string(name_of(settings_.precision)), settings_.device.machine, settings_.device.engine,
                   settings_.device.boards});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libgdrblas: %s\n", error.what());
  }
}

}  // namespace

void gemm(const Gemm& call) noexcept {
  if (Service* const own = service(); own != nullptr) return own->gemm(call);
  host_gemm(call);
}

void trsm(const Trsm& call) noexcept {
  if (Service* const own = service(); own != nullptr) return own->trsm(call);
  host_trsm(call);
}

void set_hook(gdr_blas_hook hook, void* context) noexcept {
  auto* const fresh = new (std::nothrow) Hook{hook, context, current_hook.load()};
  if (fresh == nullptr) return;
  while (!current_hook.compare_exchange_weak(fresh->before, fresh, std::memory_order_release)) {
  }
}

}  // namespace gdr::blas
