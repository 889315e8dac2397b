#include "g5.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "environment_settings.h"
#include "gdr/base/error.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/record.h"
#include "process_instance.h"
#include "reporting.h"
#include "waiting_ranks.h"

namespace gdr::grape::g5 {
namespace {

using hostlib::RecordLayout;
using hostlib::Vec3;
using isa::Transfer;

constexpr int kMostDevices = 64;
constexpr int kMostPipelines = 65536;

struct Settings {
  DeviceOptions device;
  int pipelines = static_cast<int>(emulator::kParticlesPerRun);
  bool negative_potential = false;
};

Settings settings_from_environment() {
  Settings settings;
  settings.device = device_options_from_environment();
  settings.pipelines = number_from_environment("GDR_G5_NPIPES", kMostPipelines, settings.pipelines);
  settings.negative_potential = is_second("GDR_G5_POTENTIAL", "positive", "negative");
  return settings;
}

double finite(const char* name, std::size_t number, double value) {
  if (std::isfinite(value)) return value;
  throw Error(fmt::format("{} of particle {} is {}: it must be finite", name, number, value));
}

Vec3 finite(const char* name, std::size_t number, const double (&x)[3]) {
  return {finite(name, number, x[0]), finite(name, number, x[1]), finite(name, number, x[2])};
}

double softening(double eps2) {
  if (eps2 >= 0 && std::isfinite(eps2)) return eps2;
  throw Error(fmt::format("eps^2 = {} is refused: it must be at least 0 and finite", eps2));
}

/// kernels/gravity.vsm on a device of its own.
class Board {
 public:
  explicit Board(const DeviceOptions& options) : device_(options) {
    if (!device_.computes()) throw Error(fmt::format("engine {} computes no forces", options.engine));
    isa::Program program = hostlib::kernel_program("gravity");
    const RecordLayout j(program, Transfer::elt);
    const RecordLayout i(program, Transfer::hlt);
    const RecordLayout result(program, Transfer::rrn);
    j_ = {j.fields(), j.field("xj", 3), j.field("mj", 1)};
    i_ = {i.fields(), i.field("xi", 3), i.field("eps2", 1)};
    result_ = {result.fields(), result.field("acc", 3), result.field("pot", 1)};
    device_.load(std::move(program));
  }

  [[nodiscard]] std::size_t capacity() const { return device_.j_capacity(); }
  void set_nj(int n) {
    stop();
    nj_.reset();
    const std::size_t nj = count_of("n", n);
    if (nj > capacity()) throw Error(fmt::format("n = {} is refused: the memory holds {} particles", nj, capacity()));
    nj_ = nj;
  }
  /// Positions and masses, or only one of them; the other one stays, and is 0 at the beginning.
  void set_j(std::size_t address, std::size_t n, std::optional<ConstVectors> x, std::optional<const double*> m) {
    stop();
    if (n > capacity() || address > capacity() - n) {
      throw Error(
          fmt::format("{} particles from address {} on are refused: the memory holds {}", n, address, capacity()));
    }
    j_records_.resize(std::max(j_records_.size(), (address + n) * j_.fields));
    const auto records = std::span(j_records_).subspan(address * j_.fields, n * j_.fields);
    std::vector<std::uint64_t> fields(records.begin(), records.end());
    try {
      if (n > 0 && x) require_array({*x}, "x of j-particles");
      if (n > 0 && m) require_array({*m}, "m of j-particles");
      for (std::size_t k = 0; k < n; ++k) {
        const std::span record = std::span(fields).subspan(k * j_.fields, j_.fields);
        if (x) hostlib::put(record, j_.vector, finite("position", address + k, (*x)[k]));
        if (m) hostlib::put(record, j_.number, finite("mass", address + k, (*m)[k]));
      }
    } catch (const Error&) {
      for (std::size_t k = address; k < address + n; ++k) {
        if (x) refused_positions_.insert(k);
        if (m) refused_masses_.insert(k);
      }
      throw;
    }
    device_.write_j(address, fields);
    std::ranges::copy(fields, records.begin());
    const auto accept = [&](std::set<std::size_t>& refused) {
      refused.erase(refused.lower_bound(address), refused.lower_bound(address + n));
    };
    if (x) accept(refused_positions_);
    if (m) accept(refused_masses_);
  }
  /// For all i-particles without a softening of their own; nothing: the library's. Not a number: it was refused.
  void set_eps2_of_all(std::optional<double> eps2) {
    stop();
    eps2_of_all_ = eps2;
  }
  void set_i(int count, ConstVectors x) {
    stop();
    x_.reset();
    const std::size_t n = count_of("n", count);
    if (n > 0) require_array({x}, "x of i-particles");
    std::vector<Vec3> positions;
    for (std::size_t k = 0; k < n; ++k) positions.push_back(finite("position", k, x[k]));
    x_ = std::move(positions);
    eps2_.emplace();
  }
  /// Of the first i-particles; `eps2_of` makes eps^2 of a value.
  template <class Function>
  void set_eps2(int count, const double* values, Function eps2_of) {
    stop();
    eps2_.reset();
    const std::size_t n = count_of("n", count);
    if (!x_ || n > x_->size()) {
      throw Error(fmt::format("eps of {} i-particles is refused: {} are set", n, x_ ? x_->size() : 0));
    }
    if (n > 0) require_array({values}, "eps or eps^2 of i-particles");
    std::vector<double> eps2;
    for (std::size_t k = 0; k < n; ++k) eps2.push_back(softening(eps2_of(values[k])));
    eps2_ = std::move(eps2);
  }
  /// With what was set last: throws gdr::Error if some of it was refused.
  void run(double eps2_of_library) {
    stop();
    ran_.reset();
    const double eps2 = eps2_of_all_.value_or(eps2_of_library);
    if (!nj_) throw Error("n was refused, and no other was set");
    if (!x_) throw Error("i-particles were refused, and no others were set");
    for (const std::set<std::size_t>& refused : {std::cref(refused_positions_), std::cref(refused_masses_)}) {
      if (refused.empty() || *refused.begin() >= *nj_) continue;
      throw Error(fmt::format("the particle at address {} was refused, and no other was set", *refused.begin()));
    }
    if (!eps2_ || (std::isnan(eps2) && eps2_->size() < x_->size())) {
      throw Error("eps was refused, and no other was set");
    }
    std::vector<std::uint64_t> fields(x_->size() * i_.fields);
    for (std::size_t k = 0; k < x_->size(); ++k) {
      const std::span record = std::span(fields).subspan(k * i_.fields, i_.fields);
      hostlib::put(record, i_.vector, (*x_)[k]);
      hostlib::put(record, i_.number, k < eps2_->size() ? (*eps2_)[k] : eps2);
    }
    device_.start(fields, *nj_);
    running_ = true;
    ran_ = x_->size();
  }
  /// i-particles of the last run; waits for it. Throws gdr::Error if there was none, or if it failed.
  std::size_t wait() {
    if (std::exchange(running_, false)) {
      const std::optional<std::size_t> begun = std::exchange(ran_, std::nullopt);
      results_ = device_.wait();
      ran_ = begun;
    }
    if (!ran_) throw Error("no run was begun");
    return *ran_;
  }
  [[nodiscard]] Vec3 acceleration(std::size_t n) const { return hostlib::vector_at(result(n), result_.vector); }
  [[nodiscard]] double potential(std::size_t n) const { return hostlib::number_at(result(n), result_.number); }
  [[nodiscard]] BoardWork work() {
    stop();
    return {device_.emulated().interactions(), device_.emulated().seconds().total()};
  }

 private:
  struct Layout {
    std::size_t fields = 0;
    std::size_t vector = 0;
    std::size_t number = 0;
  };
  [[nodiscard]] std::span<const std::uint64_t> result(std::size_t n) const {
    return std::span(results_).subspan(n * result_.fields, result_.fields);
  }
  /// A device takes no call while it runs. If the run fails, g5_get_force() says so.
  void stop() {
    if (!running_) return;
    try {
      static_cast<void>(wait());
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): wait() has no results from now on
    }
  }

  Device device_;
  Layout j_;
  Layout i_;
  Layout result_;
  std::optional<std::size_t> nj_ = 0;  // none: what was set last was refused, as below
  std::optional<std::vector<Vec3>> x_ = std::vector<Vec3>();
  std::optional<std::vector<double>> eps2_ = std::vector<double>();  // of the first i-particles, not those of all
  std::optional<double> eps2_of_all_;
  std::vector<std::uint64_t> j_records_;     // as the memory has them
  std::set<std::size_t> refused_positions_;  // addresses
  std::set<std::size_t> refused_masses_;
  bool running_ = false;
  std::optional<std::size_t> ran_;  // i-particles of the last run
  std::vector<std::uint64_t> results_;
};

class Library {
 public:
  explicit Library(bool forked) : forked_(forked) {}

  [[nodiscard]] const Settings& settings() const { return settings_.values; }
  [[nodiscard]] Reporting& reporting() { return reporting_; }
  std::atomic<double> eps2{0};

  /// Runs `body` on a device, opening it if need be; calls on one device take turns. False if the body throws.
  template <class Body>
  bool on(int number, const char* function, Body body) noexcept {
    try {
      if (number < 0 || number >= kMostDevices) {
        throw Error(fmt::format("device {} is refused: it must be 0 to {}", number, kMostDevices - 1));
      }
      settings_.require();
      Place& place = places_.at(static_cast<std::size_t>(number));
      const std::lock_guard lock(place.mutex);
      if (!place.board) place.board = std::make_unique<Board>(settings_.values.device);
      body(*place.board);
      return true;
    } catch (const std::exception& error) {
      reporting_.fail(function, error.what());
      return false;
    }
  }

  void close() noexcept {
    for (int number = 0; number < kMostDevices; ++number) close(number);
  }

  void close(int number) noexcept {
    for_board(number, "g5_close", [&](std::unique_ptr<Board>& board) {
      reporting_.add(board->work());
      board.reset();
    });
  }

  /// Of all devices, instead of what single devices were given.
  void set_eps2(double value) noexcept {
    eps2 = value;
    for (int number = 0; number < kMostDevices; ++number) {
      for_board(number, "g5_set_eps_to_all",
                [](std::unique_ptr<Board>& board) { board->set_eps2_of_all(std::nullopt); });
    }
  }

  void write_report() noexcept {
    close();
    reporting_.write(settings_.values.device, {}, forked_);
  }

 private:
  struct Place {
    std::mutex mutex;
    std::unique_ptr<Board> board;
  };

  /// Calls `body` with the board of a device if it is open.
  template <class Body>
  void for_board(int number, const char* function, Body body) noexcept {
    if (number < 0 || number >= kMostDevices) return;
    Place& place = places_[static_cast<std::size_t>(number)];
    try {
      const std::lock_guard lock(place.mutex);
      if (place.board) body(place.board);
    } catch (const std::exception& error) {
      reporting_.fail(function, error.what());
    }
  }

  const bool forked_;
  Reporting reporting_{"libg5"};
  FromEnvironment<Settings> settings_{settings_from_environment, reporting_};
  std::array<Place, kMostDevices> places_;
};

constinit foreign::ProcessInstance<Library> instance;

[[gnu::constructor]] void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { instance.begin_anew(); });
}

/// Before the program starts MPI.
[[gnu::constructor]] void prepare_waiting() { foreign::let_waiting_ranks_yield(); }

[[gnu::destructor]] void report_at_exit() {
  if (Library* const last = instance.existing(); last != nullptr) last->write_report();
}

/// False if memory is exhausted before there is a library, or if the body throws.
template <class Body>
bool on(int device, const char* function, Body body) noexcept {
  try {
    return instance.get().on(device, function, body);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

void open(int device) noexcept {
  on(device, "g5_open", [](Board&) {});
}

void close() noexcept {
  if (Library* const own = instance.existing(); own != nullptr) own->close();
}

int pipelines() noexcept {
  try {
    return instance.get().settings().pipelines;
  } catch (const std::bad_alloc&) {
    return static_cast<int>(emulator::kParticlesPerRun);
  }
}

void close(int device) noexcept {
  if (Library* const own = instance.existing(); own != nullptr) own->close(device);
}

int j_capacity(int device) noexcept {
  int capacity = 0;
  on(device, "g5_get_jmemsize", [&](Board& board) {
    capacity = static_cast<int>(std::min<std::size_t>(board.capacity(), std::numeric_limits<int>::max()));
  });
  return capacity;
}

void set_eta(double eta) noexcept {
  on(0, "g5_set_eta", [&](Board&) {
    if (eta == 0) return;
    instance.get().reporting().note("g5_set_eta has no effect: forces have no cutoff and reach to any distance");
  });
}

void set_eps2(double eps2) noexcept {
  double accepted = std::numeric_limits<double>::quiet_NaN();  // of one that is refused
  on(0, "g5_set_eps_to_all", [&](Board&) { accepted = softening(eps2); });
  if (Library* const own = instance.existing(); own != nullptr) own->set_eps2(accepted);
}

void set_eps2(int device, double eps2) noexcept {
  on(device, "g5_set_eps_to_all", [&](Board& board) {
    board.set_eps2_of_all(std::numeric_limits<double>::quiet_NaN());
    board.set_eps2_of_all(softening(eps2));
  });
}

void set_nj(int device, int nj) noexcept {
  on(device, "g5_set_n", [&](Board& board) { board.set_nj(nj); });
}

void set_j(int device, int address, int n, ConstVectors x, const double* m) noexcept {
  on(device, "g5_set_xmj", [&](Board& board) { board.set_j(count_of("address", address), count_of("n", n), x, m); });
}

void set_j_positions(int device, int address, int n, ConstVectors x) noexcept {
  on(device, "g5_set_xj",
     [&](Board& board) { board.set_j(count_of("address", address), count_of("n", n), x, std::nullopt); });
}

void set_j_masses(int device, int address, int n, const double* m) noexcept {
  on(device, "g5_set_mj",
     [&](Board& board) { board.set_j(count_of("address", address), count_of("n", n), std::nullopt, m); });
}

void set_i(int device, int n, ConstVectors x) noexcept {
  on(device, "g5_set_xi", [&](Board& board) { board.set_i(n, x); });
}

void set_i(int device, int n, ConstVectors x, const double* eps2) noexcept {
  on(device, "g5_set_xei", [&](Board& board) {
    board.set_i(n, x);
    board.set_eps2(n, eps2, [](double value) { return value; });
  });
}

void set_eps(int device, int n, const double* eps) noexcept {
  on(device, "g5_set_eps", [&](Board& board) { board.set_eps2(n, eps, [](double value) { return value * value; }); });
}

void run(int device) noexcept {
  on(device, "g5_run", [](Board& board) { board.run(instance.get().eps2); });
}

/// An array that the program passes as a null pointer is not written.
void get_force(int device, int n, Vectors a, double* p) noexcept {
  const auto put_force = [&](std::size_t k, const Vec3& acceleration, double potential) {
    if (a != nullptr) {
      a[k][0] = acceleration.x;
      a[k][1] = acceleration.y;
      a[k][2] = acceleration.z;
    }
    if (p != nullptr) p[k] = potential;
  };
  const bool done = on(device, "g5_get_force", [&](Board& board) {
    const std::size_t count = count_of("n", n);
    const std::size_t ran = board.wait();
    if (count > ran) throw Error(fmt::format("n = {} is refused: the run has {} i-particles", n, ran));
    const double sign = instance.get().settings().negative_potential ? 1 : -1;  // the kernel gives - sum m / r
    for (std::size_t k = 0; k < count; ++k) put_force(k, board.acceleration(k), sign * board.potential(k));
    instance.get().reporting().count_force_call(ran);
  });
  if (done) return;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (int k = 0; k < n; ++k) put_force(static_cast<std::size_t>(k), {kNone, kNone, kNone}, kNone);
}

void force_on(int device, ConstVectors x, Vectors a, double* p, int n) noexcept {
  if (n == 0) return;
  set_i(device, n, x);
  run(device);
  get_force(device, n, a, p);
}

void force_on(int device, ConstVectors x, const double* eps2, Vectors a, double* p, int n) noexcept {
  if (n == 0) return;
  set_i(device, n, x, eps2);
  run(device);
  get_force(device, n, a, p);
}

}  // namespace gdr::grape::g5
