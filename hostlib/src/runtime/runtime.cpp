// The C interface of a device. Exceptions become statuses.
#include "gdr/hostlib/runtime.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event_telling.h"
#include "gdr/base/environment.h"
#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/own_files.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/experiments.h"
#include "gdr/hostlib/profile.h"
#include "gdr/hostlib/run_events.h"
#include "gdr/hostlib/trace.h"

namespace {

/// Which j-records are those of the calling program. A run never computes with those of an earlier call, or with none,
/// in the place of others.
class SentRecords {
 public:
  void sent(std::size_t first, std::size_t count) { set(first, count, State::sent); }
  void refused(std::size_t first, std::size_t count) { set(first, count, State::refused); }

  /// The first of the records 0 to end - 1 that is not sent; `end` if all are.
  [[nodiscard]] std::size_t first_not_sent(std::size_t end) const { return std::min(from_zero_, end); }
  /// The first record that was refused, if there is one.
  [[nodiscard]] std::optional<std::size_t> first_refused() const {
    if (number_refused_ == 0) return std::nullopt;
    return static_cast<std::size_t>(std::ranges::find(records_, State::refused) - records_.begin());
  }

 private:
  enum class State : std::uint8_t { never_sent, sent, refused };

  void set(std::size_t first, std::size_t count, State state) {
    if (count == 0) return;
    if (records_.size() < first + count) records_.resize(first + count);
    const auto range = std::ranges::subrange(records_.begin() + static_cast<std::ptrdiff_t>(first),
                                             records_.begin() + static_cast<std::ptrdiff_t>(first + count));
    number_refused_ -= static_cast<std::size_t>(std::ranges::count(range, State::refused));
    std::ranges::fill(range, state);
    if (state == State::refused) number_refused_ += count;
    if (state != State::sent) from_zero_ = std::min(from_zero_, first);
    while (from_zero_ < records_.size() && records_[from_zero_] == State::sent) ++from_zero_;
  }

  std::vector<State> records_;
  std::size_t from_zero_ = 0;  // records before the first one that is not sent
  std::size_t number_refused_ = 0;
};

}  // namespace

struct gdr_runtime {
  gdr::Device device;
  std::string profile;  // files to write at the end; empty: none
  std::string trace;
  bool tells_events = false;  // on standard error; afterwards it is false again
  std::string event_place;    // stands before them
  std::vector<std::uint64_t> particles;
  std::vector<std::uint64_t> results;
  bool running = false;
  bool refused_particles = false;  // by the last call of send_i
  SentRecords records{};
  std::set<std::string, std::less<>> refused_parameters{};  // whose last value was refused
};

namespace {

using gdr::isa::Transfer;

thread_local std::string runtime_message;
thread_local std::string runtime_event_text;

/// Keeps the message and returns the status. If memory does not suffice, the message is empty.
int failed(int status, std::string_view why) noexcept {
  try {
    runtime_message = why;
  } catch (const std::bad_alloc&) {
    runtime_message.clear();
  }
  return status;
}

/// Calls `body`, which returns a status, and turns an exception into a status.
template <class Body>
int guarded(Body body) {
  runtime_message.clear();
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return GDR_ERROR_MEMORY;  // without a message, which would take memory
  } catch (const std::exception& error) {
    return failed(GDR_ERROR_REFUSED, error.what());
  }
}

int not_open() { return failed(GDR_ERROR_NOT_OPEN, "the kernel is not initialised"); }
int null_pointer(const std::string& name) { return failed(GDR_ERROR_ARGUMENT, name + " is a null pointer"); }
/// A number outside `least` to `most`. `name` is that of the generated stubs, which callers see.
int outside(const std::string& name, std::int64_t value, std::int64_t least, std::uint64_t most) {
  return failed(GDR_ERROR_ARGUMENT, name + " = " + std::to_string(value) + " is refused: it must be " +
                                        std::to_string(least) + " to " + std::to_string(most));
}
constexpr int kMostRecords = std::numeric_limits<int>::max();

/// GDR_OK if the runtime can be used now.
int check(const gdr_runtime* runtime) {
  if (runtime == nullptr) return not_open();
  if (runtime->running) return failed(GDR_ERROR_STATE, "a run is under way: wait for it first");
  return GDR_OK;
}

/// GDR_OK if a run of `nj` would compute with what the program sent, as it was sent last.
int check_sent(const gdr_runtime& runtime, std::size_t nj) {
  if (nj > runtime.device.j_capacity()) return GDR_OK;  // the device refuses it
  if (!runtime.refused_parameters.empty()) {
    return failed(GDR_ERROR_STATE, "the value of parameter " + *runtime.refused_parameters.begin() +
                                       " was refused: set it before the next run");
  }
  if (runtime.refused_particles) {
    return failed(GDR_ERROR_STATE, "the i-records were refused: send them before the next run");
  }
  // A run of Type II uses as many records as the board has places for in its iterations, and may leave some empty.
  const bool is_type2 = runtime.device.program().is_type2();
  const std::optional<std::size_t> refused = runtime.records.first_refused();
  if (refused && (is_type2 || *refused < nj)) {
    return failed(GDR_ERROR_STATE,
                  "j-record " + std::to_string(*refused) + " was refused: send it before the next run");
  }
  if (is_type2 || runtime.device.fields(Transfer::elt) == 0) return GDR_OK;
  if (const std::size_t missing = runtime.records.first_not_sent(nj); missing < nj) {
    return failed(GDR_ERROR_STATE, "j-record " + std::to_string(missing) +
                                       " was never sent, and nj = " + std::to_string(nj) + " uses it");
  }
  return GDR_OK;
}

/// The same for a call with `n` records at `records`.
int check(const gdr_runtime* runtime, const char* name, const void* records, int n) {
  if (runtime == nullptr) return not_open();
  if (n < 0) return outside("n", n, 0, kMostRecords);
  if (records == nullptr && n > 0) return null_pointer(name);
  return check(runtime);
}

std::vector<std::uint64_t> fields_of(const void* records, std::size_t count) {
  std::vector<std::uint64_t> fields(count);
  if (count > 0) std::memcpy(fields.data(), records, count * sizeof(std::uint64_t));
  return fields;
}

/// The file that an environment variable names for a kernel; empty if the variable is not set. Throws gdr::Error for an
/// ending that is not among `endings`.
std::string file_from_environment(const char* variable, const std::string& kernel,
                                  std::initializer_list<std::string_view> endings) {
  std::string name = gdr::base::environment(variable);
  if (name.empty()) return name;
  if (std::none_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); })) {
    std::string known;
    for (const std::string_view ending : endings) known += (known.empty() ? "" : " or ") + std::string(ending);
    throw gdr::Error(std::string(variable) + " = '" + name + "' is refused: it must end in " + known);
  }
  constexpr std::string_view kKernel = "%k";
  for (std::size_t at = name.find(kKernel); at != std::string::npos; at = name.find(kKernel, at + kernel.size())) {
    name.replace(at, kKernel.size(), kernel);
  }
  return name;
}

/// The file for the profile or trace of a kernel. The first kernel of the process that names a file has it; those of
/// other names put theirs behind its name, so that none overwrites another, and this is told once.
std::string own_file(const char* variable, const std::string& file, const std::string& kernel) {
  if (file.empty()) return file;
  static std::mutex mutex;
  static std::map<std::string, std::string> kernels;          // by file, the one that has it
  static std::set<std::pair<std::string, std::string>> told;  // file and kernel
  const std::lock_guard lock(mutex);
  const std::string& first =
      kernels.try_emplace(std::filesystem::absolute(file).lexically_normal().string(), kernel).first->second;
  if (first == kernel) return file;
  const std::filesystem::path path(file);
  const std::string own =
      (path.parent_path() / (path.stem().string() + "-" + kernel + path.extension().string())).string();
  if (told.emplace(file, kernel).second) {
    std::fprintf(stderr, "gdr: %s: %s is of kernel %s, and that of kernel %s is %s\n", variable, file.c_str(),
                 first.c_str(), kernel.c_str(), own.c_str());
  }
  return own;
}

/// Throws gdr::Error, naming the variable, if the file could not be written when the kernel is closed.
void require_writable(const std::string& variable, const std::string& file) {
  if (file.empty()) return;
  try {
    gdr::base::require_writable(file);
  } catch (const gdr::Error& error) {
    throw gdr::Error(variable + ": " + error.what());
  }
}

/// What GDR_EVENTS asks for; `usual` if it is not set. Throws gdr::Error for another value.
bool tells_events_by_environment(bool usual) {
  const std::string asked = gdr::base::environment("GDR_EVENTS");
  if (!asked.empty() && asked != "tell" && asked != "off") {
    throw gdr::Error("GDR_EVENTS = '" + asked + "' is refused: it must be tell or off");
  }
  return asked.empty() ? usual : asked == "tell";
}

std::string event_text_of(const gdr::Device& device) {
  std::string text;
  if (!device.computes()) return text;
  for (const std::string& line : gdr::hostlib::event_texts(device)) text += line + "\n";
  return text;
}

void tell_events(gdr_runtime& runtime) {
  const std::string text = event_text_of(runtime.device);
  if (text.empty()) return;
  runtime.tells_events = false;
  std::fprintf(stderr, "%s: %s", runtime.event_place.c_str(), text.c_str());
}

void write_profile(const gdr_runtime& runtime) {
  const gdr::Device& device = runtime.device;
  const gdr::hostlib::Profile profile =
      gdr::hostlib::make_profile(device.emulated(), device.program(), device.options().engine, device.events().counts);
  gdr::base::write_file(runtime.profile, gdr::base::ending_of(runtime.profile) == ".json"
                                             ? gdr::hostlib::profile_json(profile)
                                             : gdr::hostlib::profile_page(profile));
}

}  // namespace

void gdr::hostlib::tell_events_by_default(gdr_runtime& runtime, std::string place) {
  runtime.tells_events = tells_events_by_environment(true);
  runtime.event_place = std::move(place);
}

int gdr_runtime_open(const unsigned char* object, size_t bytes, gdr_runtime** runtime) {
  return guarded([&] {
    if (runtime == nullptr) return null_pointer("runtime");
    *runtime = nullptr;
    if (object == nullptr) return null_pointer("object");
    const std::span code(reinterpret_cast<const std::byte*>(object), bytes);
    gdr::isa::Program program = gdr::isa::deserialize(code, "the stub's object");
    // File names are checked before anything is computed.
    std::string profile = file_from_environment("GDR_PROFILE", program.kernel, {".html", ".json"});
    std::string trace = file_from_environment("GDR_TRACE", program.kernel, {".json"});
    profile = own_file("GDR_PROFILE", profile, program.kernel);
    trace = own_file("GDR_TRACE", trace, program.kernel);
    for (const auto& [variable, file] : {std::pair("GDR_PROFILE", &profile), std::pair("GDR_TRACE", &trace)}) {
      require_writable(variable, *file);
    }
    gdr::base::refuse_lost_files(std::array<gdr::base::NamedFile, 2>{{{"GDR_PROFILE", profile}, {"GDR_TRACE", trace}}});
    const bool tells_events = tells_events_by_environment(false);
    gdr::Device device(gdr::device_options_from_environment());
    device.follow_events();
    device.load(std::move(program));
    if (!trace.empty()) device.keep_calls();
    std::string kernel = device.program().kernel;
    *runtime = new gdr_runtime{
        std::move(device), std::move(profile), std::move(trace), tells_events, std::move(kernel), {}, {}};
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_set_parameter(gdr_runtime* runtime, const char* name, double value) {
  return guarded([&] {
    if (runtime == nullptr) return not_open();
    if (name == nullptr) return null_pointer("name");
    // Of names that the kernel does not know nothing is computed.
    const auto& known = runtime->device.program().parameters;
    const bool is_known = std::ranges::find(known, std::string_view(name), &gdr::isa::Parameter::name) != known.end();
    if (is_known) runtime->refused_parameters.emplace(name);
    if (const int status = check(runtime); status != GDR_OK) return status;
    runtime->device.set_parameter(name, value);
    runtime->refused_parameters.erase(name);
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_send_i(gdr_runtime* runtime, const void* records, int n) {
  return guarded([&] {
    if (runtime != nullptr) runtime->refused_particles = true;
    if (const int status = check(runtime, "records", records, n); status != GDR_OK) return status;
    runtime->particles = fields_of(records, static_cast<std::size_t>(n) * runtime->device.fields(Transfer::hlt));
    runtime->refused_particles = false;
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_send_j(gdr_runtime* runtime, int first, const void* records, int n) {
  return guarded([&] {
    if (runtime == nullptr) return not_open();
    const std::size_t room = runtime->device.j_capacity();
    const auto from = static_cast<std::size_t>(std::max(first, 0));
    const auto number = static_cast<std::size_t>(std::max(n, 0));
    // Until they are written, none of them is what the program wants.
    if (first >= 0 && from < room) runtime->records.refused(from, std::min(number, room - from));
    if (const int status = check(runtime, "records", records, n); status != GDR_OK) return status;
    if (first < 0) return outside("first", first, 0, room - 1);
    // Checked before the records are copied, which may take more memory than the host has.
    if (const std::size_t end = from + number; end > room) {
      return failed(GDR_ERROR_REFUSED, "j-records " + std::to_string(first) + ".." + std::to_string(end - 1) +
                                           " do not fit: external memory holds " + std::to_string(room));
    }
    runtime->device.write_j(from, fields_of(records, number * runtime->device.fields(Transfer::elt)));
    runtime->records.sent(from, number);
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_start(gdr_runtime* runtime, int nj) {
  return guarded([&] {
    if (const int status = check(runtime); status != GDR_OK) return status;
    runtime->results.clear();  // a run that is refused or fails has no results
    const gdr::Device& device = runtime->device;
    if (nj < 0 && device.program().is_type2()) return outside("turns", nj, 1, device.turn_capacity());
    if (nj < 0) return outside("nj", nj, 0, device.j_capacity());
    if (const int status = check_sent(*runtime, static_cast<std::size_t>(nj)); status != GDR_OK) return status;
    runtime->device.start(runtime->particles, static_cast<std::size_t>(nj));
    runtime->running = true;
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_wait(gdr_runtime* runtime) {
  return guarded([&] {
    if (runtime == nullptr) return not_open();
    if (!runtime->running) return failed(GDR_ERROR_STATE, "no run is under way");
    runtime->running = false;
    runtime->results = runtime->device.wait();
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_get_result(gdr_runtime* runtime, void* records, int n) {
  return guarded([&] {
    if (const int status = check(runtime, "records", records, n); status != GDR_OK) return status;
    const std::size_t record = runtime->device.fields(Transfer::rrn);
    const std::size_t fields = static_cast<std::size_t>(n) * record;
    if (fields > runtime->results.size()) {
      return failed(GDR_ERROR_STATE, "the last run has " + std::to_string(runtime->results.size() / record) +
                                         " results, " + std::to_string(n) + " are asked for");
    }
    if (fields > 0) std::memcpy(records, runtime->results.data(), fields * sizeof(std::uint64_t));
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_get_words(gdr_runtime* runtime, void* words, int n) {
  return guarded([&] {
    if (const int status = check(runtime, "words", words, n); status != GDR_OK) return status;
    const auto wanted = static_cast<std::size_t>(n);
    if (wanted > runtime->results.size()) {
      return failed(GDR_ERROR_STATE, "the last run has " + std::to_string(runtime->results.size()) + " words, " +
                                         std::to_string(n) + " are asked for");
    }
    if (wanted > 0) std::memcpy(words, runtime->results.data(), wanted * sizeof(std::uint64_t));
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_experiments(gdr_runtime* runtime, const void* starts, int n, int64_t most_steps, void* results) {
  return guarded([&] {
    if (const int status = check(runtime, "starts", starts, n); status != GDR_OK) return status;
    if (results == nullptr && n > 0) return null_pointer("results");
    constexpr std::uint64_t kMost = gdr::hostlib::kMostExperimentSteps;
    if (most_steps < 1 || static_cast<std::uint64_t>(most_steps) > kMost) {
      return outside("most_steps", most_steps, 1, kMost);
    }
    if (const int status = check_sent(*runtime, 0); status != GDR_OK) return status;
    const gdr::isa::Program& program = runtime->device.program();
    const std::size_t fields = gdr::hostlib::start_columns(program).size();
    const gdr::hostlib::ExperimentOptions options{static_cast<std::uint64_t>(most_steps), 0, true};
    const gdr::hostlib::ExperimentResults done = gdr::hostlib::run_experiments(
        runtime->device, fields_of(starts, static_cast<std::size_t>(n) * fields), options);
    const std::size_t columns = gdr::hostlib::result_columns(program).size();
    auto* to = static_cast<unsigned char*>(results);
    const auto put = [&](const std::uint64_t* words, std::size_t number) {
      std::memcpy(to, words, number * sizeof(std::uint64_t));
      to += number * sizeof(std::uint64_t);
    };
    for (std::size_t one = 0; one < static_cast<std::size_t>(n); ++one) {
      const std::uint64_t end[2] = {done.steps[one], done.finished[one]};
      put(done.fields.data() + one * columns, columns);
      put(end, 2);
    }
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_emulated_seconds(const gdr_runtime* runtime, double* seconds) {
  return guarded([&] {
    if (const int status = check(runtime, "seconds", seconds, 1); status != GDR_OK) return status;
    *seconds = runtime->device.emulated().seconds().total();
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_events(const gdr_runtime* runtime, int64_t* counts) {
  return guarded([&] {
    if (const int status = check(runtime, "counts", counts, 1); status != GDR_OK) return status;
    const gdr::emulator::FpEvents events = runtime->device.events().counts;
    counts[0] = static_cast<int64_t>(events.invalid);
    counts[1] = static_cast<int64_t>(events.overflow);
    counts[2] = static_cast<int64_t>(events.underflow);
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_event_text(const gdr_runtime* runtime, const char** text) {
  return guarded([&] {
    if (const int status = check(runtime, "text", text, 1); status != GDR_OK) return status;
    runtime_event_text = event_text_of(runtime->device);
    *text = runtime_event_text.c_str();
    return static_cast<int>(GDR_OK);
  });
}

int gdr_runtime_finish(gdr_runtime* runtime) {
  return guarded([&] {
    if (runtime == nullptr) return not_open();
    const bool has_files = !runtime->profile.empty() || !runtime->trace.empty();
    if (!has_files && !runtime->tells_events) return static_cast<int>(GDR_OK);
    if (std::exchange(runtime->running, false)) runtime->results = runtime->device.wait();
    if (!runtime->profile.empty()) write_profile(*runtime);
    if (!runtime->trace.empty()) {
      const gdr::hostlib::Trace trace =
          gdr::hostlib::make_trace(runtime->device.emulated(), runtime->device.program(), {});
      gdr::base::write_file(runtime->trace, trace.json);
    }
    if (runtime->tells_events) tell_events(*runtime);
    return static_cast<int>(GDR_OK);
  });
}

void gdr_runtime_close(gdr_runtime* runtime) {
  if (runtime == nullptr) runtime_message.clear();  // a success; else the message may be that of gdr_runtime_finish()
  delete runtime;
}

const char* gdr_runtime_strerror(int status) {
  switch (status) {
    case GDR_OK:
      return "success";
    case GDR_ERROR_NOT_OPEN:
      return "the kernel is not initialised";
    case GDR_ERROR_ARGUMENT:
      return "an argument is wrong";
    case GDR_ERROR_REFUSED:
      return "refused by the machine or the library";
    case GDR_ERROR_STATE:
      return "called in the wrong order";
    case GDR_ERROR_MEMORY:
      return "the host's memory is exhausted";
    default:
      return "unknown status";
  }
}

const char* gdr_runtime_message(void) { return runtime_message.c_str(); }
