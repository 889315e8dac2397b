#include "service.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
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
#include "gdr/base/own_files.h"
#include "gdr/hostlib/dgemm_scaling.h"
#include "gdr/hostlib/hpl_model.h"
#include "process_file.h"
#include "process_instance.h"
#include "report.h"
#include "routines.h"
#include "settings.h"
#include "waiting_ranks.h"

namespace gdr::blas {
namespace {

using foreign::file_of_process;
using foreign::setting_of_process;

/// Elements of C that are worked on at a time: what waits between board and C, 64 MB.
constexpr std::int64_t kElementsAtOnce = std::int64_t{1} << 23;
/// Share of C whose rows or columns are too wide for the board, beyond which the host computes all of it: what the
/// board computes there is thrown away.
constexpr double kMostTooWide = 1.0 / 8;

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

/// Of the host of the published run.
std::optional<MachineRates> rates_of(const DeviceOptions& device) {
  try {
    const HostDescription host = load_host("core-i7-920");
    emulator::MachineDescription machine = emulator::load_machine(device.machine);
    if (device.clock_mhz) machine.clock_mhz = *device.clock_mhz;
    return MachineRates{host.name, host.dgemm_gflops, peak_gflops_in_doubles(machine, device.boards)};
  } catch (const std::exception&) {
    return std::nullopt;  // the boards say what is wrong
  }
}

Numbers numbers_of(Routine routine) {
  return routine == Routine::sgemm || routine == Routine::ssyrk ? Numbers::singles : Numbers::doubles;
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

  /// A call of a routine whose sizes m, n and k are those of gdr_blas_call; `body` gets a Multiplier.
  template <class Body>
  void call(Routine routine, std::int64_t m, std::int64_t n, std::int64_t k, const Body& body) noexcept;
  /// A call that the host computes without us.
  void count_unserved(const char* routine, double flops) noexcept;
  /// At the end of the process.
  void write_report() noexcept;

 private:
  class Caller;
  void product(const Gemm& call, Numbers numbers, gdr_blas_call& told);
  void on_the_host(const Gemm& call, Reason reason, gdr_blas_call& told);
  void without_product(const Gemm& call);
  void on_boards(BoardPool& pool, const Gemm& call, Numbers numbers, const Scaling& scaling, std::int64_t& done,
                 gdr_blas_call& told);
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

/// Before the program starts MPI.
[[gnu::constructor]] void prepare_waiting() { foreign::let_waiting_ranks_yield(); }

/// Runs after all handlers of atexit and all static destructors of the program, which may still multiply.
[[gnu::destructor]] void report_at_exit() {
  if (Service* const last = instance.existing(); last != nullptr) last->write_report();
}

Service::Service(bool forked) {
  try {
    settings_ = settings_from_environment();
  } catch (const std::exception& error) {
    fail(error.what());
  }
  // What cannot be written is said at once, and the boards work all the same.
  const std::string report = file_of_process(setting_of_process("GDR_REPORT"), forked);
  std::string calls = file_of_process(setting_of_process("GDR_BLAS_CALLS"), forked);
  try {
    base::refuse_lost_files(std::array<base::NamedFile, 2>{{{"GDR_REPORT", report}, {"GDR_BLAS_CALLS", calls}}});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libgdrblas: %s; no calls are written\n", error.what());
    calls.clear();
  }
  try {
    report_.open(report, {std::string(name_of(settings_.precision)), settings_.device.machine, settings_.device.engine,
                          settings_.device.boards, report.empty() ? std::nullopt : rates_of(settings_.device)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libgdrblas: GDR_REPORT: %s\n", error.what());
  }
  try {
    log_ = std::make_unique<CallLog>(calls);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libgdrblas: GDR_BLAS_CALLS: %s\n", error.what());
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

/// Multiplies for one call, and keeps account of it.
class Service::Caller final : public Multiplier {
 public:
  Caller(Service& service, Numbers numbers, gdr_blas_call& told) : service_(service), numbers_(numbers), told_(told) {}

  void product(const Gemm& call) override { service_.product(call, numbers_, told_); }
  [[nodiscard]] bool is_small(double flops) const override { return flops < service_.settings_.min_flops; }
  [[nodiscard]] bool takes_all() const override { return service_.settings_.min_flops == 0; }
  void by_host(const Trsm& call) override {
    timed(flops_of(call), [&] { host_trsm(call); }, std::nullopt);
  }
  void by_host(const Trmm& call) override {
    timed(flops_of(call), [&] { host_trmm(call); });
  }
  void by_host(const Symm& call) override {
    timed(flops_of(call), [&] { host_symm(call); });
  }
  void by_host(const Syrk& call) override {
    timed(flops_of(call), [&] { host_syrk(call); });
  }
  void by_host(const Syr2k& call) override {
    timed(flops_of(call), [&] { host_syr2k(call); });
  }
  void by_host(const Gemmtr& call) override {
    timed(flops_of(call), [&] { host_gemmtr(call); });
  }
  void by_host(const GemmOf<float>& call) override {
    of_singles(flops_of(call), [&] { host_gemm(call); });
  }
  void by_host(const SyrkOf<float>& call) override {
    of_singles(flops_of(call), [&] { host_syrk(call); });
  }

 private:
  /// Without a reason it counts as a triangle that the host solves within a dtrsm.
  template <class Body>
  void timed(double flops, const Body& body, std::optional<Reason> reason = Reason::small) {
    const double seconds = seconds_of(body);
    count([&] {
      reason ? service_.report_.count_host_product(*reason, flops, seconds)
             : service_.report_.count_host_triangle(flops, seconds);
    });
  }

  template <class Body>
  void of_singles(double flops, const Body& body) {
    const double seconds = seconds_of(body);
    const Reason reason = is_small(flops) ? Reason::small : Reason::memory;
    count([&] { service_.report_.count_host_product_of_singles(reason, flops, seconds); });
  }
  template <class Body>
  double seconds_of(const Body& body) {
    const Clock clock;
    body();
    const double seconds = clock.seconds();
    told_.host_seconds += seconds;
    return seconds;
  }

  Service& service_;
  Numbers numbers_;
  gdr_blas_call& told_;
};

template <class Body>
void Service::call(Routine routine, std::int64_t m, std::int64_t n, std::int64_t k, const Body& body) noexcept {
  const bool empty = m == 0 || n == 0;
  count([&] { report_.count_call(routine, empty); });
  if (empty) return;
  gdr_blas_call told{name_of(routine).data(), m, n, k, 0, 0, 0, 0};
  Caller caller(*this, numbers_of(routine), told);
  body(caller);
  tell(told);
}

void Service::count_unserved(const char* routine, double flops) noexcept {
  count([&] { report_.count_unserved(routine, flops); });
  report_.call_ended(0);
}

void Service::tell(const gdr_blas_call& call) noexcept {
  if (log_ && log_->open() && !log_->write(call) && !log_told_.exchange(true)) {
    std::fprintf(stderr, "libgdrblas: GDR_BLAS_CALLS cannot be written to; calls are missing there\n");
  }
  report_.call_ended(call.board_seconds);
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

/// C = beta C, with neither A nor B read: small products of some OpenBLAS releases do read them.
void Service::without_product(const Gemm& call) {
  scale(call.m, call.n, call.beta, call.c, call.ldc);
  count([&] { report_.count_host_product(Reason::small, 0, 0); });
}

void Service::product(const Gemm& call, Numbers numbers, gdr_blas_call& told) {
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
      on_boards(*pool, call, numbers, *scaling, done, told);
    }
  } catch (const std::bad_alloc&) {
    reason = Reason::memory;
  } catch (const std::exception& error) {
    fail(error.what());
    reason = Reason::board_error;
  }
  if (reason) on_the_host(part_of(call, 0, call.m, done, call.n - done), *reason, told);
}

/// An element of C for beta = 0. The sign of a zero is that of the reference BLAS: it adds products to +0, of alpha B
/// and A where A is not transposed, and multiplies their sum by alpha where it is.
double without_c(const Gemm& call, double sum) {
  const double element = call.alpha * (sum + 0.0);
  return call.transa == 'N' ? element + 0.0 : element;
}

constexpr std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

/// Columns by columns, so that this host holds only a part of the product beside C; `done` counts those that are in C.
/// For the board it is one product.
void Service::on_boards(BoardPool& pool, const Gemm& call, Numbers numbers, const Scaling& scaling, std::int64_t& done,
                        gdr_blas_call& told) {
  const std::int64_t at_once = std::max<std::int64_t>(2, kElementsAtOnce / call.m / 2 * 2);
  BoardPool::Work work(pool, numbers, size(call.m), size(call.n), size(call.k));
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
        c[i] = call.beta == 0 ? without_c(call, sum[i]) : std::fma(call.alpha, sum[i], addend);
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

void Service::write_report() noexcept {
  try {
    report_.write();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libgdrblas: %s\n", error.what());
  }
}

}  // namespace

namespace {

/// Runs with cancellation off: the routines of BLAS are no cancellation points, and a thread that were cancelled within
/// one would keep its boards.
class Uncancelled {
 public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

template <class Call>
std::int64_t order_of(const Call& call) {
  return call.side == 'L' ? call.m : call.n;
}

/// `ours` gets a Multiplier; `alone` computes without a service, for which there is no memory.
template <class Ours, class Alone>
void serve(Routine routine, std::int64_t m, std::int64_t n, std::int64_t k, const Ours& ours, const Alone& alone) {
  const Uncancelled uncancelled;
  if (Service* const own = service(); own != nullptr) return own->call(routine, m, n, k, ours);
  alone();
}

}  // namespace

void gemm(const Gemm& call) noexcept {
  serve(Routine::dgemm, call.m, call.n, call.k, [&](Multiplier& by) { by.product(call); }, [&] { host_gemm(call); });
}

void gemm(const GemmOf<float>& call) noexcept {
  serve(Routine::sgemm, call.m, call.n, call.k, [&](Multiplier& by) { gemm(call, by); }, [&] { host_gemm(call); });
}

void trsm(const Trsm& call) noexcept {
  serve(
      Routine::dtrsm, call.m, call.n, order_of(call), [&](Multiplier& by) { trsm(call, by); },
      [&] { host_trsm(call); });
}

void trmm(const Trmm& call) noexcept {
  serve(
      Routine::dtrmm, call.m, call.n, order_of(call), [&](Multiplier& by) { trmm(call, by); },
      [&] { host_trmm(call); });
}

void symm(const Symm& call) noexcept {
  serve(
      Routine::dsymm, call.m, call.n, order_of(call), [&](Multiplier& by) { symm(call, by); },
      [&] { host_symm(call); });
}

void syrk(const Syrk& call) noexcept {
  serve(Routine::dsyrk, call.n, call.n, call.k, [&](Multiplier& by) { syrk(call, by); }, [&] { host_syrk(call); });
}

void syrk(const SyrkOf<float>& call) noexcept {
  serve(Routine::ssyrk, call.n, call.n, call.k, [&](Multiplier& by) { syrk(call, by); }, [&] { host_syrk(call); });
}

void syr2k(const Syr2k& call) noexcept {
  serve(Routine::dsyr2k, call.n, call.n, call.k, [&](Multiplier& by) { syr2k(call, by); }, [&] { host_syr2k(call); });
}

void gemmtr(const Gemmtr& call) noexcept {
  serve(
      Routine::dgemmtr, call.n, call.n, call.k, [&](Multiplier& by) { gemmtr(call, by); }, [&] { host_gemmtr(call); });
}

void count_unserved(const char* routine, double flops) noexcept {
  const Uncancelled uncancelled;
  if (Service* const own = service(); own != nullptr) own->count_unserved(routine, flops);
}

void set_hook(gdr_blas_hook hook, void* context) noexcept {
  auto* const fresh = new (std::nothrow) Hook{hook, context, current_hook.load()};
  if (fresh == nullptr) return;
  while (!current_hook.compare_exchange_weak(fresh->before, fresh, std::memory_order_release)) {
  }
}

}  // namespace gdr::blas
