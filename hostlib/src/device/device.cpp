#include "gdr/hostlib/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "device_boards.h"
#include "fresh_places.h"
#include "gdr/base/environment.h"
#include "gdr/base/nearest.h"
#include "gdr/base/quantity.h"
#include "gdr/base/stopping.h"
#include "gdr/emulator/thread_pool.h"
#include "gdr/hostlib/run_rules.h"
#include "run_follower.h"

namespace gdr {
namespace {

using emulator::Boards;
using emulator::kParticlesPerRun;
using isa::Program;
using isa::Transfer;
using isa::Variable;

constexpr unsigned kMostBoards = 64;
constexpr unsigned kMostThreads = 1024;

emulator::MachineDescription described(const DeviceOptions& options) {
  emulator::MachineDescription machine = emulator::load_machine(options.machine);
  if (options.clock_mhz) {
    if (!(*options.clock_mhz >= 1 && *options.clock_mhz <= 10000)) {
      throw Error(fmt::format("clock = {} MHz is refused: it must be 1 to 10000", *options.clock_mhz));
    }
    machine.clock_mhz = *options.clock_mhz;
  }
  return machine;
}

unsigned in_range(std::string_view name, unsigned value, unsigned most) {
  if (value < 1 || value > most) throw Error(fmt::format("{} = {} is refused: it must be 1 to {}", name, value, most));
  return value;
}

unsigned thread_count(unsigned asked) {
  return asked == 0 ? std::max(1u, std::thread::hardware_concurrency()) : in_range("threads", asked, kMostThreads);
}

}  // namespace

emulator::Boards hostlib::boards_of(const DeviceOptions& options) {
  return boards_of(options, emulator::make_engine(options.engine));
}

emulator::Boards hostlib::boards_of(const DeviceOptions& options, std::unique_ptr<emulator::Engine> engine) {
  return {described(options), in_range("boards", options.boards, kMostBoards), std::move(engine),
          thread_count(options.threads)};
}

namespace {

/// `before`, and `one` so many times. Throws gdr::Error if a count does not fit 64 bits.
emulator::BoardTotals with_repeated(const emulator::BoardTotals& before, emulator::BoardTotals one,
                                    std::uint64_t times) {
  const emulator::Counters& counters = one.counters;
  for (const std::uint64_t count :
       {one.clocks.total(), one.interactions, counters.lines, counters.host_bytes_in, counters.host_bytes_out,
        counters.em_words_read, counters.idp_words, counters.odp_words, counters.ring_words}) {
    if (static_cast<double>(count) * static_cast<double>(times) < 0x1p63) continue;
    throw Error(fmt::format("{} runs of {} clocks are refused: what they count does not fit 64 bits", times,
                            one.clocks.total()));
  }
  emulator::BoardTotals all = before;
  all.seconds += one.seconds.times(static_cast<double>(times));
  all.clocks += one.clocks.times(times);
  all.interactions += one.interactions * times;
  all.runs += one.runs * times;
  all.iterations += one.iterations * times;
  for (std::size_t unit = 0; unit < all.busy.size(); ++unit) {
    all.busy[unit] += one.busy[unit] * static_cast<double>(times);
  }
  for (; times != 0; times >>= 1) {  // counters only add up
    if (times % 2 != 0) all.counters += one.counters;
    const emulator::Counters same = one.counters;
    one.counters += same;
  }
  return all;
}

/// Throws gdr::Error if this library cannot run the program, which is of Type I.
void require_type_i(const Program& program) {
  for (const Transfer transfer : {Transfer::hlt, Transfer::rrn}) {
    for (const Variable* variable : program.variables_by(transfer)) {
      if (!variable->vector || variable->memory == isa::Memory::bm) {
        throw Error(fmt::format("kernel {}: variable {} travels by {} but is no vector of the PE", program.kernel,
                                variable->name, isa::name_of(transfer)));
      }
    }
  }
  if (program.variables_by(Transfer::rrn).empty()) {
    throw Error(fmt::format("kernel {} declares no result (rrn)", program.kernel));
  }
}

}  // namespace

namespace {

/// Computes runs in the background, one at a time. The thread stays for the next run, because starting one takes as
/// long as some ten thousand interactions.
class Background {
 public:
  Background() = default;
  ~Background() {
    if (!under_way_) return;
    try {
      threads_.wait(lane_);
    } catch (...) {  // NOLINT(bugprone-empty-catch): nobody waits for the results
    }
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  [[nodiscard]] bool under_way() const { return under_way_; }
  void start(std::function<std::vector<std::uint64_t>()> run) {
    threads_.post(lane_, 1, [this, run = std::move(run)](unsigned) { results_ = run(); });
    under_way_ = true;
  }
  /// Waits for the run. If the thread has not begun it, the caller computes it here.
  [[nodiscard]] std::vector<std::uint64_t> wait() {
    under_way_ = false;
    threads_.wait(lane_);
    return std::move(results_);
  }

 private:
  bool under_way_ = false;  // a run was started, and nobody has waited for it yet
  std::vector<std::uint64_t> results_;
  emulator::ThreadPool threads_{2};  // the waiting caller is one of the two
  emulator::ThreadPool::Lane lane_;
};

/// Marks a run as being computed by this process, while the object exists.
class AtWork {
 public:
  explicit AtWork(std::atomic<pid_t>& process) : process_(process) { process_ = getpid(); }
  ~AtWork() { process_ = 0; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  std::atomic<pid_t>& process_;
};

}  // namespace

struct Device::State {
  DeviceOptions options;
  Boards boards;
  Program program;
  bool loaded = false;
  bool keeps_calls = false;
  std::unique_ptr<emulator::BoardTime> emulated;
  bool follows_events = false;
  std::uint64_t most_followed_lines = kMostFollowedLines;
  std::unique_ptr<hostlib::RunFollower> follower;  // of the program; null unless events are followed
  hostlib::ParameterValues values;                 // in the order in which they were set
  hostlib::FreshPlaces fresh_places;               // of the program, if the engine computes
  emulator::Counters before;                       // of the run that this one continues, minus what its restart added
  std::function<void(std::size_t done, std::size_t all)> told;
  std::atomic<pid_t> at_work{0};           // the process that computes a run
  pid_t started_in = 0;                    // the process that started one in the background, until wait()
  std::unique_ptr<Background> background;  // null until the first run in the background

  State(const DeviceOptions& chosen, Boards made) : options(chosen), boards(std::move(made)) {}

  /// True in a process that was forked while a run was under way. The threads of that run do not exist in this process,
  /// and their data are as they were at the moment of the fork.
  [[nodiscard]] bool abandoned() const {
    const auto elsewhere = [](pid_t process) { return process != 0 && process != getpid(); };
    return elsewhere(at_work) || elsewhere(started_in);
  }

  [[nodiscard]] bool is_under_way() const { return background && background->under_way(); }

  void require_idle() const {
    if (abandoned()) {
      throw Error(
          "this process was forked while a run was under way, which goes on in its parent: open another device");
    }
    if (is_under_way()) throw Error("a run is under way: call wait() first");
  }

  void require_loaded() const {
    require_idle();
    if (!loaded) throw Error("no program is loaded");
  }

  /// The boards' inspector is their session.
  [[nodiscard]] emulator::Session& session() { return dynamic_cast<emulator::Session&>(boards.inspect()); }

  [[nodiscard]] std::size_t j_capacity() const {
    const std::uint64_t words = std::max<std::uint64_t>(program.record_words, 1);
    return boards.machine().em_words / words * boards.chips();
  }
  [[nodiscard]] std::size_t turn_capacity() const { return j_capacity() / (emulator::kBlocks * boards.chips()); }

  /// Runs a kernel of Type II: deals out the i-records to chips and blocks, with all chips in one ring.
  std::vector<std::uint64_t> run_turns(std::span<const std::uint64_t> i_fields, std::size_t turns) {
    if (options.boards != 1 && program.has_combined_results()) {
      throw Error(
          "boards: a kernel of Type II runs on one board, whose ring adds its results, unless all its 'collect' lines "
          "name blocks");
    }
    const std::size_t record = program.record_fields(Transfer::hlt);
    const std::size_t count = record == 0 ? 0 : i_fields.size() / record;
    const std::size_t share = record * kParticlesPerRun * emulator::kBlocks;
    if (computes()) fresh_places.before_turns(session(), count);
    for (unsigned chip = 0; computes() && chip < boards.chips() && chip * share < i_fields.size(); ++chip) {
      boards.write_block_particles(chip,
                                   i_fields.subspan(chip * share, std::min(share, i_fields.size() - chip * share)));
    }
    if (emulated) emulated->run_turns(count, turns);
    if (!computes()) return {};
    const emulator::Ring ring{0, boards.chips()};
    std::vector<std::uint64_t> results = std::move(boards.run_turns({&ring, 1}, {0, turns}).front());
    if (follower) follower->end_start(kParticlesPerRun);
    return results;
  }

  [[nodiscard]] bool computes() const { return boards.engine().computes; }

  void follow_if_asked() {
    if (!follows_events || !computes() || !boards.engine().exact) return;
    follower = std::make_unique<hostlib::RunFollower>(boards, most_followed_lines);
  }

  void note_value(std::string_view name, double value) {
    std::erase_if(values, [&](const auto& one) { return one.first == name; });
    values.emplace_back(name, value);
  }

  void require_j(std::size_t nj) const {
    if (nj <= j_capacity()) return;
    throw Error(fmt::format("nj = {} is refused: external memory holds {} j-records, {} too few", nj, j_capacity(),
                            nj - j_capacity()));
  }

  void require_timing_engine() const {
    if (computes()) throw Error("only engine timing runs without data");
  }

  std::vector<std::uint64_t> run(std::span<const std::uint64_t> i_fields, std::size_t nj) {
    const AtWork here(at_work);
    if (!follower) return lower_bits(computed(i_fields, nj));
    follower->begin();
    try {
      std::vector<std::uint64_t> results = lower_bits(computed(i_fields, nj));
      follower->end(program, options, values, i_fields, nj, boards.inspect());
      return results;
    } catch (const emulator::Fault&) {
      follower->fail();
      throw;
    }
  }

  /// Of results beside keys, only the bits that the host gets.
  [[nodiscard]] std::vector<std::uint64_t> lower_bits(std::vector<std::uint64_t> results) const {
    const std::size_t record = program.record_fields(Transfer::rrn);
    std::size_t first = 0;
    for (const Variable* variable : program.variables_by(Transfer::rrn)) {
      const std::size_t end = first + variable->elements;
      const auto mask = static_cast<std::uint64_t>(variable->integer.most());
      for (std::size_t at = 0; !variable->integer.is_any() && at < results.size(); at += record) {
        for (std::size_t field = first; field < end; ++field) results[at + field] &= mask;
      }
      first = end;
    }
    return results;
  }

  std::vector<std::uint64_t> computed(std::span<const std::uint64_t> i_fields, std::size_t nj) {
    if (program.is_type2()) return run_turns(i_fields, nj);
    const std::size_t record = program.record_fields(Transfer::hlt);
    const std::size_t count = record == 0 ? kParticlesPerRun : i_fields.size() / record;
    if (emulated) emulated->run(count, nj);
    std::vector<std::uint64_t> results;
    if (!computes()) return results;
    fresh_places.before_run(session(), count);
    results.reserve(count * program.record_fields(Transfer::rrn));
    for (std::size_t first = 0; first < count; first += kParticlesPerRun) {
      base::pause();
      const auto in_run = static_cast<unsigned>(std::min<std::size_t>(kParticlesPerRun, count - first));
      const auto part = boards.run(i_fields.subspan(first * record, in_run * record), in_run, first, nj);
      if (follower) follower->end_start(in_run);
      results.insert(results.end(), part.begin(), part.end());
      if (told) told(first + in_run, count);
    }
    return results;
  }

  void check_run(std::span<const std::uint64_t> i_fields, std::size_t nj) const {
    require_loaded();
    const std::size_t record = program.record_fields(Transfer::hlt);
    if (record == 0 ? !i_fields.empty() : i_fields.size() % record != 0) {
      throw Error(fmt::format("{} i-fields are no whole number of records of {}", i_fields.size(), record));
    }
    require_extent(record == 0 ? 0 : i_fields.size() / record, nj);
    require_integers(Transfer::hlt, i_fields);
  }

  /// Throws gdr::Error for numbers beyond the integers of a variable. Conversions refuse all others that they do not
  /// take.
  void require_integers(Transfer transfer, std::span<const std::uint64_t> fields) const {
    const auto variables = program.variables_by(transfer);
    if (std::ranges::all_of(variables, [](const isa::Variable* one) { return one->integer.is_any(); })) return;
    // Of experiments the records have the words of their bookkeeping here, too.
    hostlib::require_numbers(variables, transfer == Transfer::hlt ? "i" : "j", fields);
  }

  /// Throws gdr::Error unless the device has room for `ni` i-records and `nj` j-records or turns.
  void require_extent(std::size_t ni, std::size_t nj) const {
    if (!program.is_type2()) {
      require_j(nj);
      const std::size_t most = std::numeric_limits<std::int64_t>::max() / std::max<std::size_t>(nj, 1);
      if (ni > most) {
        throw Error(
            fmt::format("ni = {} is refused: with {} j-records it must be at most {}, so that interactions are "
                        "counted in 64 bits",
                        ni, nj, most));
      }
      return;
    }
    const std::size_t most = turn_capacity();
    if (nj < 1 || nj > most) throw Error(fmt::format("turns = {} is refused: it must be 1 to {}", nj, most));
    const std::size_t places = std::size_t{boards.chips()} * emulator::kBlocks * kParticlesPerRun;
    if (ni > places) {
      throw Error(fmt::format("{} i-records are refused: a kernel of Type II has places for {}", ni, places));
    }
  }
};

DeviceOptions device_options_from_environment() {
  DeviceOptions options;
  const auto number = [&](const char* name, unsigned least, unsigned most, unsigned& to) {
    const std::string value = base::environment(name);
    if (value.empty()) return;
    const std::optional<std::uint64_t> parsed = base::whole_number_of(value);
    if (!parsed || *parsed < least || *parsed > most) {
      throw Error(fmt::format("{} = '{}' is refused: it must be {} to {}", name, value, least, most));
    }
    to = static_cast<unsigned>(*parsed);
  };
  if (const std::string machine = base::environment("GDR_MACHINE"); !machine.empty()) options.machine = machine;
  if (const std::string engine = base::environment("GDR_ENGINE"); !engine.empty()) {
    std::vector<std::string> known = emulator::engine_names();
    std::erase(known, emulator::Engine::timing);  // which gives no results
    if (!emulator::is_engine(engine) || engine == emulator::Engine::timing) {
      throw Error(fmt::format("GDR_ENGINE = '{}' is refused: it must be one of {}, or lockstep:A,B with two of them{}",
                              engine, fmt::join(known, ", "), base::did_you_mean(engine, known)));
    }
    options.engine = engine;
  }
  if (const std::string clock = base::environment("GDR_CLOCK"); !clock.empty()) {
    constexpr double kLeastMhz = 1;
    constexpr double kMostMhz = 10000;
    const std::optional<double> mhz = base::number_of(clock, base::ValueUnit::megahertz);
    if (!mhz || *mhz < kLeastMhz || *mhz > kMostMhz) {
      throw Error(fmt::format("GDR_CLOCK = '{}' is refused: it must be {} to {} MHz", clock, kLeastMhz, kMostMhz) +
                  (mhz ? "" : fmt::format(", {}", base::forms_of(base::ValueUnit::megahertz))));
    }
    options.clock_mhz = mhz;
  }
  number("GDR_BOARDS", 1, kMostBoards, options.boards);
  number("GDR_THREADS", 0, kMostThreads, options.threads);
  return options;
}

Device::Device(const DeviceOptions& options) : state_(std::make_unique<State>(options, hostlib::boards_of(options))) {}
Device::Device(const DeviceOptions& options, std::unique_ptr<emulator::Engine> engine)
    : state_(std::make_unique<State>(options, hostlib::boards_of(options, std::move(engine)))) {}
Device::~Device() {
  // The run is not waited for and the state is not destroyed: its locks may be held by threads that this process lacks.
  if (state_ && state_->abandoned()) static_cast<void>(state_.release());
}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&& other) noexcept {
  Device taken(std::move(other));
  std::swap(state_, taken.state_);
  return *this;
}

void Device::load(Program program) {
  state_->require_idle();
  // After a refused program the device has no program.
  state_->loaded = false;
  state_->emulated.reset();
  state_->follower.reset();
  state_->values.clear();
  state_->fresh_places = {};
  state_->before = {};
  state_->program = {};
  if (!program.is_type2()) require_type_i(program);
  state_->boards.load(program);
  state_->program = std::move(program);
  if (state_->computes()) state_->fresh_places = {state_->program, state_->session()};
  state_->loaded = true;
  state_->follow_if_asked();
  if (!state_->options.timing) return;
  state_->emulated = std::make_unique<emulator::BoardTime>(state_->program, state_->boards.machine(),
                                                           state_->options.boards, state_->options.transfer);
  if (state_->keeps_calls) state_->emulated->keep_calls();
}

void Device::set_parameter(std::string_view name, double value) {
  state_->require_loaded();
  if (std::isnan(value)) {
    throw Error(fmt::format("parameter {} is nan: it must be a number, which may be infinite", name));
  }
  std::vector<std::string> known;
  for (const isa::Parameter& parameter : state_->program.parameters) {
    if (parameter.name == name) {
      const auto least = static_cast<double>(parameter.integer.least());
      const auto most = static_cast<double>(parameter.integer.most());
      if (!parameter.integer.is_any() && !(value >= least && value <= most)) {
        throw Error(fmt::format("parameter {} is {}: it must be a whole number from {} to {}", name, value,
                                parameter.integer.least(), parameter.integer.most()));
      }
      state_->boards.set_parameter(parameter, value);
      state_->note_value(name, value);
      if (state_->emulated) state_->emulated->set_parameter();
      return;
    }
    known.emplace_back(parameter.name);
  }
  throw Error(fmt::format("kernel {} has no parameter '{}' (known: {}){}", state_->program.kernel, name,
                          known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                          base::did_you_mean(name, known)));
}

void Device::write_j(std::size_t first, std::span<const std::uint64_t> fields) {
  state_->require_loaded();
  const std::size_t record = state_->program.record_fields(Transfer::elt);
  if (record == 0 ? !fields.empty() : fields.size() % record != 0) {
    throw Error(fmt::format("{} j-fields are no whole number of records of {}", fields.size(), record));
  }
  const std::size_t count = record == 0 ? 0 : fields.size() / record;
  const std::size_t capacity = state_->j_capacity();
  if (count > capacity || first > capacity - count) {
    throw Error(fmt::format("j-records {}..{} do not fit: external memory holds {}, {} too few", first,
                            first + count - 1, capacity, first + count - capacity));
  }
  state_->require_integers(Transfer::elt, fields);
  constexpr std::size_t kRecordsAPause = 4096;  // some milliseconds
  for (std::size_t n = 0; n < count && state_->computes(); ++n) {
    if (n % kRecordsAPause == 0) base::pause();
    state_->boards.write_record(first + n, fields.subspan(n * record, record));
  }
  if (state_->emulated) state_->emulated->send_j(count);
}

void Device::time_j(std::size_t records) {
  state_->require_loaded();
  state_->require_timing_engine();
  state_->require_j(records);
  if (state_->emulated) state_->emulated->send_j(records);
}

void Device::time_run(std::size_t ni, std::size_t nj, std::uint64_t times) {
  state_->require_loaded();
  state_->require_timing_engine();
  state_->require_extent(ni, nj);
  if (!state_->emulated) return;
  const auto one = [&] {
    if (state_->program.is_type2()) {
      state_->emulated->run_turns(ni, nj);
    } else {
      state_->emulated->run(ni, nj);
    }
  };
  if (state_->keeps_calls) {
    for (; times > 0; --times) one();
    return;
  }
  const emulator::BoardTotals before = state_->emulated->totals();
  state_->emulated->resume({});
  one();
  const emulator::BoardTotals of_one = state_->emulated->totals();
  state_->emulated->resume(before);
  state_->emulated->resume(with_repeated(before, of_one, times));
}

void Device::time_integration(std::size_t particles, std::size_t n) {
  state_->require_loaded();
  if (state_->emulated) state_->emulated->integrate(particles, n);
}

void Device::on_progress(std::function<void(std::size_t done, std::size_t all)> told) {
  state_->require_idle();
  state_->told = std::move(told);
}

std::vector<std::uint64_t> Device::run(std::span<const std::uint64_t> i_fields, std::size_t nj) {
  state_->check_run(i_fields, nj);
  return state_->run(i_fields, nj);
}

void Device::start(std::span<const std::uint64_t> i_fields, std::size_t nj) {
  state_->check_run(i_fields, nj);
  auto whole_run = [state = state_.get(), copy = std::vector(i_fields.begin(), i_fields.end()), nj] {
    return state->run(copy, nj);
  };
  if (!state_->background) state_->background = std::make_unique<Background>();
  state_->background->start(std::move(whole_run));
  state_->started_in = getpid();
}

std::vector<std::uint64_t> Device::wait() {
  if (state_->abandoned() || !state_->is_under_way()) {
    state_->require_idle();
    throw Error("no run is under way");
  }
  state_->started_in = 0;
  return state_->background->wait();
}

const Program& Device::program() const { return state_->program; }
std::size_t Device::fields(Transfer transfer) const { return state_->program.record_fields(transfer); }
std::size_t Device::j_capacity() const { return state_->j_capacity(); }
std::size_t Device::turn_capacity() const { return state_->turn_capacity(); }
const emulator::MachineDescription& Device::machine() const { return state_->boards.machine(); }
const DeviceOptions& Device::options() const { return state_->options; }
emulator::Counters Device::counters() const {
  state_->require_loaded();
  if (!state_->computes() && state_->emulated) return state_->emulated->counters();
  emulator::Counters all = state_->boards.counters();
  all += state_->before;
  return all;
}
DeviceTotals Device::totals() const { return {emulated().totals(), counters()}; }
void Device::resume(const DeviceTotals& totals) {
  static_cast<void>(emulated());
  state_->emulated->resume(totals.emulated);
  state_->before = totals.counters;
  state_->before -= state_->boards.counters();
}
unsigned Device::chips() const { return state_->boards.chips(); }
std::vector<emulator::PlacedEvent> Device::first_events() const {
  state_->require_loaded();
  return state_->boards.first_events();
}
std::vector<emulator::JunctionEvent> Device::first_junction_events() const {
  state_->require_loaded();
  return state_->boards.first_junction_events();
}
void Device::count(const emulator::JunctionEvent& event) {
  state_->require_loaded();
  state_->boards.count(event);
}
void Device::follow_events(std::uint64_t most_lines) {
  state_->require_idle();
  state_->most_followed_lines = most_lines;
  state_->follows_events = true;
  if (state_->loaded && !state_->follower) state_->follow_if_asked();
}
RunEvents Device::events() const {
  state_->require_loaded();
  RunEvents events = state_->follower ? state_->follower->followed() : RunEvents{};
  if (!state_->follower) events.first = state_->boards.first_events();
  const emulator::FpEvents all = counters().fp;
  events.counts = {all.invalid - events.untaken.invalid, all.overflow - events.untaken.overflow,
                   all.underflow - events.untaken.underflow};
  return events;
}
emulator::Inspector& Device::inspect() {
  state_->require_loaded();
  return state_->boards.inspect();
}
bool Device::computes() const { return state_->computes(); }
const emulator::BoardTime& Device::emulated() const {
  state_->require_loaded();
  if (!state_->emulated) throw Error("this device keeps no emulated time (DeviceOptions::timing)");
  return *state_->emulated;
}
void Device::keep_calls() {
  state_->keeps_calls = true;
  if (state_->emulated) state_->emulated->keep_calls();
}

}  // namespace gdr
