#include "g6.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "environment_settings.h"
#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gravity_board.h"
#include "process_instance.h"
#include "reporting.h"
#include "waiting_ranks.h"

namespace gdr::grape::g6 {
namespace {

using hostlib::JParticle;
using hostlib::Vec3;

/// Of the GRAPE-6 board; clients that were written for it have arrays of this size.
constexpr int kGrape6Pipelines = 48;
constexpr int kMostPipelines = 65536;

/// Which pairs a list holds.
enum class NeighbourRule : std::uint8_t {
  softened,  // r^2 + eps^2 < h^2, as GRAPE-6's own simulator
  plain      // r^2 < h^2, as later libraries for other hardware
};

struct Settings {
  DeviceOptions device;
  int pipelines = kGrape6Pipelines;
  int list_capacity = std::numeric_limits<int>::max();
  NeighbourRule rule = NeighbourRule::softened;
  bool with_self = false;
  bool fails_last_half = false;  // the first of the process
  bool fails_list = false;
};

Settings settings_from_environment() {
  Settings settings;
  settings.device = device_options_from_environment();
  settings.pipelines = number_from_environment("GDR_G6_NPIPES", kMostPipelines, settings.pipelines);
  settings.list_capacity =
      number_from_environment("GDR_G6_LIST_CAPACITY", std::numeric_limits<int>::max(), settings.list_capacity);
  settings.rule = is_second("GDR_G6_NEIGHBOURS", "softened", "plain") ? NeighbourRule::plain : NeighbourRule::softened;
  settings.with_self = is_second("GDR_G6_SELF", "exclude", "include");
  const std::string fails = base::environment("GDR_G6_FAIL_ONCE");
  if (!fails.empty() && fails != "lasthalf" && fails != "list" && fails != "both") {
    throw Error(fmt::format("GDR_G6_FAIL_ONCE = '{}' is refused: it must be lasthalf, list or both", fails));
  }
  settings.fails_last_half = fails == "lasthalf" || fails == "both";
  settings.fails_list = fails == "list" || fails == "both";
  return settings;
}

Vec3 vector(const double* components) {
  return components == nullptr ? Vec3{} : Vec3{components[0], components[1], components[2]};
}

/// Nothing if the caller does not want them.
void put(Vectors vectors, int n, const Vec3& value) {
  if (vectors == nullptr) return;
  vectors[n][0] = value.x;
  vectors[n][1] = value.y;
  vectors[n][2] = value.z;
}

/// By the polynomials of JParticle.
Vec3 predicted_position(const JParticle& j, double t) {
  const double d = t - j.t0;
  return j.x + d * (j.v + d * (j.a_by_2 + d * (j.jerk_by_6 + (0.75 * d) * j.snap_by_18)));
}
Vec3 predicted_velocity(const JParticle& j, double t) {
  const double d = t - j.t0;
  return j.v + d * (2.0 * j.a_by_2 + (3.0 * d) * (j.jerk_by_6 + d * j.snap_by_18));
}

struct Cluster {
  explicit Cluster(const DeviceOptions& options) : board(options) {}
  GravityBoard board;
  bool calculates = false;  // a first half was accepted
  std::vector<std::vector<int>> lists;
  std::vector<Target> set_by_one;  // by set_i_particle()
  int nj = 0;                      // of set_nj()
};

class Library {
 public:
  explicit Library(bool forked) : forked_(forked) {}

  [[nodiscard]] const Settings& settings() const { return settings_.values; }
  [[nodiscard]] Reporting& reporting() { return reporting_; }
  /// True once, if the environment asks for this failure, to try what a caller does then.
  [[nodiscard]] bool fails_now(bool Settings::* which) { return std::exchange(settings_.values.*which, false); }
  std::atomic<int> sort_mode{0};

  /// Runs `body` on the cluster that `number` means, one call at a time. -1 if there is none or the body throws.
  template <class Body>
  int on(int number, const char* function, Body body) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      return body(*meant_by(number)->second);
    } catch (const std::exception& error) {
      reporting_.fail(function, error.what());
      return -1;
    }
  }

  int open(int number) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      if (clusters_.contains(number)) {
        reporting_.fail("g6_open", fmt::format("cluster {} is open already and keeps its particles", number));
        return 0;
      }
      settings_.require();
      clusters_.emplace(number, std::make_unique<Cluster>(settings_.values.device));
      return 0;
    } catch (const std::exception& error) {
      reporting_.fail("g6_open", error.what());
      return -1;
    }
  }

  int close(int number) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      const auto found = meant_by(number);
      found->second->board.drop();
      reporting_.add(found->second->board.work());
      clusters_.erase(found);
      return 0;
    } catch (const std::exception& error) {
      reporting_.fail("g6_close", error.what());
      return -1;
    }
  }

  void write_report() noexcept {
    BoardWork open;
    try {
      const std::lock_guard lock(mutex_);
      for (const auto& [number, cluster] : clusters_) {
        cluster->board.drop();
        const BoardWork work = cluster->board.work();
        open.interactions += work.interactions;
        open.emulated_seconds += work.emulated_seconds;
      }
    } catch (const std::exception& error) {
      reporting_.fail("report", error.what());
    }
    reporting_.write(settings_.values.device, open, forked_);
  }

 private:
  using Clusters = std::map<int, std::unique_ptr<Cluster>>;

  /// The cluster of this number. If only one is open, every other number means that one: callers open a card by its
  /// number and go on with that of a process, which libraries for other hardware do not look at.
  Clusters::iterator meant_by(int number) {
    const auto found = clusters_.find(number);
    if (found != clusters_.end()) return found;
    if (clusters_.size() != 1) throw Error(fmt::format("cluster {} is not open", number));
    reporting_.note(
        fmt::format("cluster {} is not open; the one that is, {}, is taken for it", number, clusters_.begin()->first));
    return clusters_.begin();
  }

  const bool forked_;
  Reporting reporting_{"libg6"};
  FromEnvironment<Settings> settings_{settings_from_environment, reporting_};
  std::mutex mutex_;
  Clusters clusters_;
};

constinit foreign::ProcessInstance<Library> instance;

Library& library() { return instance.get(); }

[[gnu::constructor]] void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { instance.begin_anew(); });
}

/// Before the program starts MPI.
[[gnu::constructor]] void prepare_waiting() { foreign::let_waiting_ranks_yield(); }

[[gnu::destructor]] void report_at_exit() {
  if (Library* const last = instance.existing(); last != nullptr) last->write_report();
}

/// What `body` returns; `otherwise` if memory is exhausted before there is a library.
template <class Body>
int guarded(int otherwise, Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return otherwise;
  }
}

template <class Body>
int on(int cluster, const char* function, Body body) noexcept {
  return guarded(-1, [&] { return library().on(cluster, function, body); });
}

double squared_radius(double h2, double eps2) {
  return library().settings().rule == NeighbourRule::plain && h2 > 0 ? h2 + eps2 : h2;
}

void begin(Cluster& cluster, std::vector<Target> targets, std::size_t nj) {
  const std::uint64_t ni = targets.size();
  cluster.lists.clear();
  cluster.calculates = false;
  cluster.board.start(std::move(targets), nj);
  cluster.calculates = true;
  library().reporting().count_force_call(ni);
}

/// The particle that the board names as a neighbour in its run.
const JParticle& neighbour(const GravityBoard& board, std::size_t address) {
  const std::optional<JParticle>& particle = board.particle_of_run(address);
  if (!particle) throw Error(fmt::format("the board names a neighbour at address {}, where there is none", address));
  return *particle;
}

/// Adds to the list of each target the addresses in its sphere that have its own index, which the board leaves out.
void add_own(const GravityBoard& board, std::vector<std::vector<std::size_t>>& lists) {
  std::multimap<std::int64_t, std::size_t> targets;  // by index
  for (std::size_t n = 0; n < lists.size(); ++n) targets.emplace(board.targets()[n].particle.id, n);
  for (std::size_t address = 0; address < board.nj_of_run(); ++address) {
    const std::optional<JParticle>& j = board.particle_of_run(address);
    if (!j) continue;
    const auto [first, last] = targets.equal_range(j->id);
    for (auto found = first; found != last; ++found) {
      const Target& target = board.targets()[found->second];
      const Vec3 d = predicted_position(*j, board.time_of_run()) - target.particle.x;
      if (dot(d, d) + target.eps2 < target.h2) lists[found->second].push_back(address);
    }
  }
  for (std::vector<std::size_t>& addresses : lists) std::ranges::sort(addresses);
}

void write_results(Cluster& cluster, std::size_t ni, const Results& results) {
  GravityBoard& board = cluster.board;
  // Outputs may be one array: codes pass it twice when they do not want one of them.
  for (const auto& [vectors, part] :
       {std::pair{results.acc, &hostlib::Force::acc}, {results.jerk, &hostlib::Force::jerk}}) {
    for (std::size_t n = 0; n < ni; ++n) put(vectors, static_cast<int>(n), board.force(n).*part);
  }
  for (std::size_t n = 0; n < ni && results.pot != nullptr; ++n) results.pot[n] = board.force(n).pot;
  if (results.nearest == nullptr) return;
  for (std::size_t n = 0; n < ni; ++n) {
    const auto address = board.nearest(n);
    const JParticle* const j = address ? &neighbour(board, *address) : nullptr;
    results.nearest[n] = j == nullptr ? -1 : static_cast<int>(j->id);
    if (results.nearest_distance == nullptr) continue;
    const Vec3 d = j == nullptr ? Vec3{} : predicted_position(*j, board.time_of_run()) - board.targets()[n].particle.x;
    results.nearest_distance[n] = j == nullptr ? std::numeric_limits<float>::infinity()
                                               : static_cast<float>(std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z));
  }
}

/// What a caller that looks at no status cannot take for a result.
void write_failure(int ni, const Results& results) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (int n = 0; n < ni; ++n) {
    put(results.acc, n, {kNan, kNan, kNan});
    put(results.jerk, n, {kNan, kNan, kNan});
    if (results.pot != nullptr) results.pot[n] = kNan;
    if (results.nearest != nullptr) results.nearest[n] = -1;
    if (results.nearest_distance != nullptr) results.nearest_distance[n] = std::numeric_limits<float>::quiet_NaN();
  }
}

}  // namespace

int open(int cluster) noexcept {
  return guarded(-1, [&] { return library().open(cluster); });
}
int close(int cluster) noexcept {
  return guarded(-1, [&] { return library().close(cluster); });
}

int reset(int cluster) noexcept {
  return on(cluster, "g6_reset", [](Cluster& own) {
    own.calculates = false;
    own.lists.clear();
    return 0;
  });
}

int pipelines() noexcept {
  return guarded(kGrape6Pipelines, [] { return library().settings().pipelines; });
}

int j_capacity(int cluster) noexcept {
  const int capacity = on(cluster, "g6_getnjmax", [](Cluster& own) {
    return static_cast<int>(std::min<std::size_t>(own.board.capacity(), std::numeric_limits<int>::max()));
  });
  return std::max(capacity, 0);
}

int set_ti(int cluster, double t) noexcept {
  return on(cluster, "g6_set_ti", [&](Cluster& own) {
    own.board.set_time(t);
    return 0;
  });
}

int set_j_particle(int cluster, const JData& j) noexcept {
  return on(cluster, "g6_set_j_particle", [&](Cluster& own) {
    require_array({j.x}, "x of a j-particle");
    own.board.set(count_of("address", j.address), {.id = j.index,
                                                   .mass = j.mass,
                                                   .t0 = j.t,
                                                   .x = vector(j.x),
                                                   .v = vector(j.v),
                                                   .a_by_2 = vector(j.a_by_2),
                                                   .jerk_by_6 = vector(j.jerk_by_6),
                                                   .snap_by_18 = vector(j.snap_by_18)});
    return 0;
  });
}

int set_nj(int cluster, int nj) noexcept {
  return on(cluster, "g6_set_njp", [&](Cluster& own) {
    const std::size_t count = count_of("nj", nj);
    if (count > own.board.capacity()) {
      throw Error(fmt::format("nj = {} is refused: external memory holds {} particles", nj, own.board.capacity()));
    }
    own.board.clear_from(count);
    own.nj = nj;
    return 0;
  });
}

int first_half(const char* function, int cluster, const IData& i) noexcept {
  return on(cluster, function, [&](Cluster& own) {
    own.calculates = false;
    std::vector<Target> targets(count_of("ni", i.ni));
    if (!targets.empty()) require_array({i.index, i.x, i.v, i.eps2}, "index, x, v or eps2 of i-particles");
    for (std::size_t n = 0; n < targets.size(); ++n) {
      const double eps2 = i.eps2[i.eps2_of_each ? n : 0];
      targets[n] = {
          {i.index[n], vector(i.x[n]), vector(i.v[n])}, eps2, i.h2 == nullptr ? 0 : squared_radius(i.h2[n], eps2)};
    }
    begin(own, std::move(targets), count_of("nj", i.nj));
    return 0;
  });
}

int last_half(const char* function, int cluster, int ni, const Results& results) noexcept {
  const int status = on(cluster, function, [&](Cluster& own) {
    const std::size_t count = count_of("ni", ni);
    if (library().fails_now(&Settings::fails_last_half)) throw Error("fails as GDR_G6_FAIL_ONCE asks");
    if (!own.calculates) throw Error("no calculation was begun that could end");
    if (count > own.board.targets().size()) {
      throw Error(
          fmt::format("ni = {} is refused: the calculation has {} i-particles", ni, own.board.targets().size()));
    }
    write_results(own, count, results);
    return 0;
  });
  if (status != 0) write_failure(ni, results);
  return status;
}

int read_neighbour_list(int cluster) noexcept {
  return on(cluster, "g6_read_neighbour_list", [](Cluster& own) {
    own.lists.clear();
    if (library().fails_now(&Settings::fails_list)) return 1;
    if (!own.calculates) throw Error("no calculation was begun whose neighbours could be read");
    const Settings& settings = library().settings();
    std::vector<std::vector<std::size_t>> lists = own.board.lists();
    if (settings.with_self) add_own(own.board, lists);
    bool overflow = false;
    for (std::size_t n = 0; n < lists.size(); ++n) {
      std::vector<int>& list = own.lists.emplace_back();
      for (const std::size_t address : lists[n]) list.push_back(static_cast<int>(neighbour(own.board, address).id));
      if (library().sort_mode != 0) std::ranges::sort(list);
      overflow = overflow || list.size() > static_cast<std::size_t>(settings.list_capacity);
    }
    return overflow ? 1 : 0;
  });
}

int get_neighbour_list(int cluster, int pipe, int most, int* length, int* list) noexcept {
  if (length != nullptr) *length = 0;
  return on(cluster, "g6_get_neighbour_list", [&](Cluster& own) {
    const std::size_t room = count_of("maxlength", most);
    if (pipe < 0 || static_cast<std::size_t>(pipe) >= own.lists.size()) {
      throw Error(fmt::format("pipe {} is refused: lists were read for {}", pipe, own.lists.size()));
    }
    const std::vector<int>& found = own.lists[static_cast<std::size_t>(pipe)];
    const std::size_t count = std::min(found.size(), room);
    if (list != nullptr) std::copy_n(found.begin(), count, list);
    if (length != nullptr) *length = static_cast<int>(count);
    return found.size() >= room ? 1 : 0;
  });
}

int set_sort_mode(int mode) noexcept {
  return guarded(-1, [&] {
    library().sort_mode = mode;
    return 0;
  });
}
int sort_mode() noexcept {
  return guarded(0, [] { return library().sort_mode.load(); });
}

int predicted(int cluster, int nj, Vectors x, Vectors v) noexcept {
  return on(cluster, "g6_get_predicted_j_particles", [&](Cluster& own) {
    const std::size_t count = count_of("nj", nj);
    own.board.require_set(count);
    for (std::size_t address = 0; address < count; ++address) {
      const auto& j = own.board.particle(address);
      put(x, static_cast<int>(address), j ? predicted_position(*j, own.board.time()) : Vec3{});
      put(v, static_cast<int>(address), j ? predicted_velocity(*j, own.board.time()) : Vec3{});
    }
    return 0;
  });
}

int set_ni(int cluster, int ni) noexcept {
  return on(cluster, "g6_set_nip", [&](Cluster& own) {
    own.set_by_one.assign(count_of("ni", ni), {});
    return 0;
  });
}

int set_i_particle(int cluster, int address, int index, const double* x, const double* v, double eps2,
                   double h2) noexcept {
  return on(cluster, "g6_set_i_particle", [&](Cluster& own) {
    if (address < 0 || static_cast<std::size_t>(address) >= own.set_by_one.size()) {
      throw Error(fmt::format("address {} is refused: g6_set_nip declared {}", address, own.set_by_one.size()));
    }
    own.set_by_one[static_cast<std::size_t>(address)] = {{index, vector(x), vector(v)}, eps2, squared_radius(h2, eps2)};
    return 0;
  });
}

int get_force(const char* function, int cluster, Vectors acc, Vectors jerk, double* pot, int* nearest,
              int* flag) noexcept {
  std::size_t ni = 0;
  const int status = on(cluster, function, [&](Cluster& own) {
    ni = own.set_by_one.size();
    begin(own, own.set_by_one, count_of("nj", own.nj));
    write_results(own, ni, {acc, jerk, pot, nearest});
    if (flag != nullptr) std::fill_n(flag, ni, 0);
    return 0;
  });
  if (status != 0) {
    write_failure(static_cast<int>(ni), {acc, jerk, pot, nearest});
    if (flag != nullptr) std::fill_n(flag, ni, 1);
  }
  return status;
}

}  // namespace gdr::grape::g6
