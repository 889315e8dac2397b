// Module grapedr._core: programs, devices and products for NumPy. What is easier said in Python is in
// grapedr/__init__.py.
#include <pybind11/stl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core.h"
#include "gdr/assembler/assembler.h"
#include "gdr/assembler/listing.h"
#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/stopping.h"
#include "gdr/compiler/assemble.h"
#include "gdr/compiler/compiler.h"
#include "gdr/compiler/precision.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/dgemm.h"
#include "gdr/hostlib/dgemm_scaling.h"
#include "gdr/hostlib/experiments.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/profile.h"
#include "gdr/hostlib/run_events.h"
#include "gdr/hostlib/run_rules.h"
#include "gdr/hostlib/table.h"
#include "gdr/isa/experiment.h"

namespace gdr::python {

bool Turns::try_take() {
  const pid_t here = getpid();
  pid_t taken = 0;
  if (taken_in_.compare_exchange_strong(taken, here)) {
    taken_by_ = std::this_thread::get_id();
    return true;
  }
  if (taken == here && taken_by_ == std::this_thread::get_id()) {
    throw Error("the device is in the middle of a run that called this function: use another device in it");
  }
  if (taken == here) return false;
  throw Error("this process was forked while a run was under way, which goes on in its parent: open another device");
}

void Turns::take() {
  while (!try_take()) taken_in_.wait(getpid());
}

void Turns::take_or_stop() {
  constexpr std::chrono::microseconds kWait{200};  // much less than a call takes for which others have to wait
  while (!try_take()) {
    base::pause();
    std::this_thread::sleep_for(kWait);
  }
}

void Turns::give() noexcept {
  taken_by_ = std::thread::id();
  taken_in_ = 0;
  taken_in_.notify_all();
}

namespace {
/// The host's work is added when it is asked for, as gdr nbody does at the end of a run.
emulator::BoardTime emulated(const Device& device, const HostSteps& host) {
  emulator::BoardTime time = device.emulated();
  if (host.steps > 0) time.integrate(host.steps, host.particles);
  return time;
}
}  // namespace

StageTimes stage_times(const Device& device, const HostSteps& host) {
  const emulator::BoardTime time = emulated(device, host);
  return {time.seconds(), time.interactions()};
}

py::dict timing(const StageTimes& times) {
  const auto& [seconds, interactions] = times;
  py::dict stages;
  stages["i_send"] = seconds.i_send;
  stages["j_send"] = seconds.j_send;
  stages["compute"] = seconds.compute;
  stages["add"] = seconds.add;
  stages["host"] = seconds.host;
  stages["total"] = seconds.total();
  stages["interactions"] = interactions;
  return stages;
}

namespace {
hostlib::Profile profile_of(const Device& device, const HostSteps& host) {
  const auto events = device.computes() ? std::optional(device.events().counts) : std::nullopt;
  return hostlib::make_profile(emulated(device, host), device.program(), device.options().engine, events);
}
}  // namespace

std::string profile_json(const Device& device, const HostSteps& host) {
  return hostlib::profile_json(profile_of(device, host));
}
std::string profile_page(const Device& device, const HostSteps& host) {
  return hostlib::profile_page(profile_of(device, host));
}

namespace {

/// Whole records, one a row, of 8-byte fields.
using Fields = py::array_t<std::uint64_t, py::array::c_style>;

/// The diagnostics of a source that does not assemble.
class AssemblyError : public Error {
 public:
  using Error::Error;
};

struct Assembled {
  isa::Program program;
  std::string listing;
  std::string warnings = {};      // of the assembler, as it prints them
  bool needs_parameters = false;  // compiled from a function: parameters without a value in it have no defaults
};

}  // namespace
template <>
inline constexpr bool kIsBound<Assembled> = true;
}  // namespace gdr::python

namespace pybind11::detail {
/// A program that the call keeps.
template <>
class type_caster<std::shared_ptr<gdr::python::Assembled>>
    : public copyable_holder_caster<gdr::python::Assembled, std::shared_ptr<gdr::python::Assembled>> {
 public:
  bool load(handle source, bool convert) {
    gdr::python::require_made(source, typeid(gdr::python::Assembled));
    return copyable_holder_caster::load(source, convert);
  }
};
}  // namespace pybind11::detail

namespace gdr::python {
namespace {

Assembled assemble(const std::string& source, const std::string& name,
                   const std::map<std::string, std::string>& definitions, bool schedule) {
  const auto level = schedule ? assembler::ScheduleLevel::list : assembler::ScheduleLevel::none;
  assembler::AssembleResult result =
      assembler::assemble(source, name, {.definitions = definitions, .schedule = {.level = level}});
  if (!result.program) throw AssemblyError(assembler::format_diagnostics(result));
  std::string listing = assembler::listing(*result.program, result.files);
  std::string warnings = result.diagnostics.empty() ? std::string() : assembler::format_diagnostics(result);
  return {*std::move(result.program), std::move(listing), std::move(warnings)};
}

Assembled shipped(const std::string& name, const std::map<std::string, std::string>& definitions) {
  isa::Program program = hostlib::kernel_program(name, definitions);
  std::string listing = assembler::listing(program);
  return {std::move(program), std::move(listing)};
}

/// The program of a pair function in LSUMP's language, nothing if there are errors; its assembly source; (line,
/// message) of each error. The text was made from a function in Python: `places` has the line and column in `file` for
/// each of its lines.
std::tuple<std::optional<Assembled>, std::string, std::vector<std::pair<unsigned, std::string>>> compile_pair(
    const std::string& text, const std::string& name, unsigned effort, const std::string& file,
    const std::vector<std::pair<unsigned, unsigned>>& places) {
  compiler::CompileOptions options;
  options.effort = effort;
  compiler::CompileResult result = computed([&] { return compiler::compile_lsump(text, name, options); });
  std::vector<std::pair<unsigned, std::string>> errors;
  for (compiler::Diagnostic& each : result.diagnostics) errors.emplace_back(each.line, std::move(each.message));
  if (!errors.empty()) return {std::nullopt, std::string(), std::move(errors)};
  for (auto& [line, of_line] : result.places) {
    for (compiler::WrittenPlace& place : of_line) {
      if (place.line < 1 || place.line > places.size()) continue;
      place.file = file;
      std::tie(place.line, place.column) = places[place.line - 1];
      place.function = name;
    }
  }
  assembler::AssembleOptions assembling;
  assembling.made_from = std::move(result.places);
  assembler::AssembleResult assembled = assembler::assemble(result.source, result.kernel + ".vsm", assembling);
  if (!assembled.program) throw AssemblyError(assembler::format_diagnostics(assembled));
  std::string listing = assembler::listing(*assembled.program, assembled.files);
  return {Assembled{*std::move(assembled.program), std::move(listing)}, std::move(result.source), std::move(errors)};
}

Assembled compiled_program(const std::filesystem::path& path, const compiler::CompileOptions& options) {
  const compiler::CompileResult compiled = compiler::compile_file(path, options);
  if (compiled.source.empty()) throw AssemblyError(compiler::format_diagnostics(compiled));
  assembler::AssembleResult result = compiler::assemble_compiled(compiled, options);
  if (!result.program) throw AssemblyError(assembler::format_diagnostics(result));
  std::string listing = assembler::listing(*result.program, result.files);
  return {*std::move(result.program), std::move(listing), {}, true};
}

/// The program of a pair function in a file, which may be the name of one in kernels/cc of a data folder.
Assembled compile_file(const std::string& file, unsigned effort, const std::vector<std::string>& clang) {
  if (!compiler::is_source(file)) {
    throw Error(file +
                ": a pair function is in C++ (.cc, .cpp, .cxx), LLVM's code (.ll, .bc) or LSUMP's language (.lsump)");
  }
  std::filesystem::path path = file;
  if (std::error_code none; !std::filesystem::exists(path, none) && !path.has_parent_path()) {
    path = base::find_data_file(std::filesystem::path("kernels") / "cc" / path).value_or(path);
  }
  compiler::CompileOptions options;
  options.effort = effort;
  options.clang = clang;
  return computed([&] { return compiled_program(path, options); });
}

/// (name, transfer, is a float, dimensions) of the variables that travel, in their order.
std::vector<std::tuple<std::string, std::string, bool, std::vector<std::uint16_t>>> variables(const Assembled& own) {
  std::vector<std::tuple<std::string, std::string, bool, std::vector<std::uint16_t>>> all;
  for (const isa::Transfer transfer : {isa::Transfer::hlt, isa::Transfer::elt, isa::Transfer::rrn}) {
    for (const isa::Variable* variable : hostlib::run_variables(own.program, transfer)) {
      all.emplace_back(variable->name, isa::name_of(transfer),
                       variable->conversion && isa::info_of(*variable->conversion).floating, variable->dimensions);
    }
  }
  return all;
}

std::vector<std::string> parameters(const Assembled& own) {
  std::vector<std::string> names;
  for (const isa::Parameter& parameter : own.program.parameters) {
    if (!isa::is_experiment(own.program) || parameter.name != isa::kExperimentLimit) names.push_back(parameter.name);
  }
  return names;
}

DeviceOptions options(const std::string& machine, unsigned boards, const std::string& engine, unsigned threads,
                      std::optional<double> clock_mhz) {
  DeviceOptions options;
  options.machine = machine;
  options.boards = boards;
  options.engine = engine;
  options.threads = threads;
  options.clock_mhz = clock_mhz;
  return options;
}

std::span<const std::uint64_t> span_of(const Fields& fields) {
  return {fields.data(), static_cast<std::size_t>(fields.size())};
}

/// A device whose calls may come from several threads. Each call, from its kernel and parameters to its results, is
/// computed as a whole.
class SharedDevice {
 public:
  explicit SharedDevice(const DeviceOptions& options) : device_(options) { device_.follow_events(); }

  /// Results, one a row, of i-records against j-records, and the events of the run, one a line. Parameters that are not
  /// given have their defaults. `told` may be None; it is called with the numbers of i-records that are done and of
  /// all.
  std::pair<Fields, std::string> run(const std::shared_ptr<Assembled>& program,
                                     const std::map<std::string, double>& parameters, const Fields& j, const Fields& i,
                                     const py::object& told) {
    std::string events;
    auto [results, columns] = in_turn(turns_, [&] {
      require(program);
      set(parameters);
      const Watched watched(device_, told);
      const hostlib::EventTotals before = hostlib::event_totals(device_);
      device_.write_j(0, span_of(j));
      auto words = device_.run(span_of(i), static_cast<std::size_t>(j.shape(0)));
      events = text_of_events(before);
      return std::pair(std::move(words), device_.fields(isa::Transfer::rrn));
    });
    Fields array({results.size() / columns, columns});
    std::copy(results.begin(), results.end(), array.mutable_data());
    return {array, events};
  }
  /// The words of a run of a kernel of Type II as columns of hostlib::collected_table(), and the events as run() gives
  /// them. Nothing that the kernel left in the machine is kept from an earlier call.
  std::pair<py::dict, std::string> run_turns(const std::shared_ptr<Assembled>& program,
                                             const std::map<std::string, double>& parameters, const Fields& j,
                                             const Fields& i, std::size_t turns) {
    std::string events;
    const hostlib::Table table = in_turn(turns_, [&] {
      loaded_.reset();
      require(program);
      set(parameters);
      const Watched watched(device_, py::none());
      const hostlib::EventTotals before = hostlib::event_totals(device_);
      device_.write_j(0, span_of(j));
      const std::vector<std::uint64_t> words = device_.run(span_of(i), turns);
      if (!device_.computes()) throw Error("engine timing computes no results");
      events = text_of_events(before);
      return hostlib::collected_table(program->program, turns, words, device_.chips());
    });
    return {columns_of(table), events};
  }
  /// The results of a kernel of experiments as columns of hostlib::experiment_table(), the report and the events.
  /// `told` may be None; it is called with the numbers of experiments that are done and of all.
  py::tuple run_experiments(const std::shared_ptr<Assembled>& program, const std::map<std::string, double>& parameters,
                            const Fields& starts, std::uint64_t steps, std::uint64_t round, bool refill,
                            const py::object& told) {
    Interrupts interrupts;
    const bool tells = !told.is_none();
    const auto tell = [&](std::size_t done, std::size_t all) {
      interrupts.tell();
      if (!tells) return;
      const WithLock lock;
      call_python(told, done, all);
    };
    std::string events;
    const auto [table, results] = in_turn(turns_, [&] {
      loaded_.reset();
      require(program);
      set(parameters);
      if (!device_.computes()) throw Error("engine timing computes no results");
      const Watched watched(device_, py::none());
      const hostlib::EventTotals before = hostlib::event_totals(device_);
      changed_.insert(std::string(isa::kExperimentLimit));
      hostlib::ExperimentResults done =
          hostlib::run_experiments(device_, span_of(starts), {steps, round, refill}, tell);
      events = text_of_events(before);
      return std::pair(hostlib::experiment_table(program->program, done), std::move(done));
    });
    py::dict report;
    report["rounds"] = results.rounds;
    report["round_steps"] = results.round_steps;
    report["places"] = results.places;
    report["occupancy"] = results.occupancy;
    report["occupancy_of_queue"] = results.occupancy_of_queue;
    report["unfinished"] = results.unfinished();
    return py::make_tuple(columns_of(table), report, events);
  }
  void load(const std::shared_ptr<Assembled>& program) {
    in_turn(turns_, [&] { require(program); });
  }
  void time_j(std::size_t records) {
    in_turn(turns_, [&] { device_.time_j(records); });
  }
  void time_run(std::size_t ni, std::size_t nj) {
    in_turn(turns_, [&] { device_.time_run(ni, nj); });
  }
  /// What `look` finds between two calls.
  template <class Look>
  auto between_calls(Look look) {
    return in_turn(turns_, [&] { return look(std::as_const(device_)); });
  }
  /// Kernel that ran last; empty if there is none.
  std::string kernel() {
    return in_turn(turns_, [&] { return loaded_ ? loaded_->program.kernel : std::string(); });
  }
  [[nodiscard]] std::string machine() const { return device_.machine().name; }  // these two never change
  [[nodiscard]] unsigned chips() const { return device_.chips(); }

 private:
  /// Tells of progress and looks for Ctrl-C while it exists.
  class Watched {
   public:
    Watched(Device& device, const py::object& told) : device_(device) {
      const bool tells = !told.is_none();
      device_.on_progress([this, &told, tells](std::size_t done, std::size_t all) {
        interrupts_.tell();
        if (!tells) return;
        const WithLock lock;
        call_python(told, done, all);
      });
    }
    ~Watched() { device_.on_progress({}); }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

   private:
    Device& device_;
    Interrupts interrupts_;
  };

  [[nodiscard]] std::string text_of_events(const hostlib::EventTotals& before) const {
    if (!device_.computes()) return "";
    std::string text;
    for (const std::string& line : hostlib::event_texts(device_, before)) text += (text.empty() ? "" : "\n") + line;
    return text.empty() ? text : "kernel " + device_.program().kernel + ": " + text;
  }
  static py::dict columns_of(const hostlib::Table& table) {
    py::dict columns;
    for (const hostlib::Column& column : table.columns()) {
      std::visit(
          [&]<class Number>(const std::vector<Number>& numbers) {
            columns[column.name.c_str()] =
                py::array_t<Number>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
          },
          column.numbers);
    }
    return columns;
  }
  void require(const std::shared_ptr<Assembled>& program) {
    if (loaded_ == program) return;
    loaded_.reset();  // a device whose program is refused has none
    changed_.clear();
    device_.load(program->program);
    loaded_ = program;
  }
  /// `changed_` holds at every moment, also after an exception, all parameters that may differ from their defaults.
  void set(const std::map<std::string, double>& given) {
    for (const isa::Parameter& parameter : loaded_->program.parameters) {
      if (!changed_.contains(parameter.name) || given.contains(parameter.name)) continue;
      device_.set_parameter(parameter.name, parameter.default_value);
      changed_.erase(parameter.name);
    }
    for (const auto& [name, value] : given) {
      changed_.insert(name);
      device_.set_parameter(name, value);
    }
  }

  Turns turns_;
  Device device_;
  std::shared_ptr<Assembled> loaded_;
  std::set<std::string> changed_;
};

}  // namespace
template <>
inline constexpr bool kIsBound<SharedDevice> = true;
namespace {

using ErrorRows = std::vector<std::tuple<std::string, double, double, std::size_t>>;

ErrorRows rows_of(const std::vector<compiler::ResultError>& errors) {
  ErrorRows rows;
  for (const compiler::ResultError& each : errors) rows.emplace_back(each.result, each.rms, each.max, each.left_out);
  return rows;
}

/// As compiler::measure_precision() reports it, on a board of its own.
py::dict precision(const std::string& file, unsigned effort, const std::map<std::string, double>& parameters,
                   const Fields& j, const Fields& i) {
  compiler::CompileOptions options;
  options.effort = effort;
  const std::span<const std::uint64_t> i_fields = span_of(i);
  const std::span<const std::uint64_t> j_fields = span_of(j);
  const auto records = static_cast<std::size_t>(j.shape(0));
  const compiler::PrecisionReport report = computed([&] {
    Device device;
    const auto run = [&](const compiler::CompileResult& compiled) {
      assembler::AssembleResult assembled = compiler::assemble_compiled(compiled, options);
      if (!assembled.program) throw AssemblyError(assembler::format_diagnostics(assembled));
      device.load(*std::move(assembled.program));
      for (const auto& [name, value] : parameters) device.set_parameter(name, value);
      device.write_j(0, j_fields);
      return device.run(i_fields, records);
    };
    return compiler::measure_precision(file, options,
                                       {{i_fields.begin(), i_fields.end()},
                                        {j_fields.begin(), j_fields.end()},
                                        {parameters.begin(), parameters.end()}},
                                       run, [](std::size_t, std::size_t) { base::pause(); });
  });
  py::list operations;
  for (const compiler::OperationPrecision& one : report.operations) {
    operations.append(py::make_tuple(one.operation, one.name, one.line, one.is_short ? "short" : "long",
                                     rows_of(one.errors), one.lines_saved, one.estimated));
  }
  py::dict told;
  told["lines"] = report.lines;
  told["as_written"] = rows_of(report.as_written);
  told["long_lines"] = report.long_lines;
  told["every_long"] = rows_of(report.every_long);
  told["operations"] = operations;
  return told;
}

using GivenTuple =
    std::tuple<std::string, std::string, std::string, std::vector<std::size_t>, std::string, std::string>;

isa::Transfer transfer_named(const std::string& name) {
  for (const isa::Transfer transfer : {isa::Transfer::hlt, isa::Transfer::elt, isa::Transfer::rrn}) {
    if (isa::name_of(transfer) == name) return transfer;
  }
  throw Error("transfer = '" + name + "' is refused: it must be hlt, elt or rrn");
}

/// Arrays as (name, kind, type, shape, unit, place of a masked number).
void require_arrays(const Assembled& own, const std::string& transfer, const std::string& what,
                    const std::vector<GivenTuple>& arrays) {
  std::vector<hostlib::GivenArray> given;
  for (const auto& [name, kind, type, shape, unit, masked] : arrays) {
    given.push_back({name, kind.empty() ? '?' : kind.front(), type, shape, unit, masked});
  }
  hostlib::require_arrays(own.program, transfer_named(transfer), what, given);
}

void require_numbers(const Assembled& own, const std::string& transfer, const std::string& what, const Fields& fields) {
  hostlib::require_numbers(own.program, transfer_named(transfer), what, span_of(fields));
}

void require_parameters(const Assembled& own, const std::vector<std::string>& given) {
  if (!own.needs_parameters) return;
  const std::vector<std::string> missing = hostlib::missing_parameters(own.program, given);
  if (missing.empty()) return;
  std::string names;
  for (const std::string& name : missing) names += (names.empty() ? "" : ", ") + name;
  const bool one = missing.size() == 1;
  throw Error((one ? "parameter " : "parameters ") + names + (one ? " is" : " are") + " missing: kernel " +
              own.program.kernel + " has no default for " + (one ? "it" : "them"));
}

std::string kind_of_run(const Assembled& own) {
  switch (hostlib::run_kind(own.program)) {
    case hostlib::RunKind::pairs:
      return "pairs";
    case hostlib::RunKind::turns:
      return "turns";
    case hostlib::RunKind::experiments:
      return "experiments";
  }
  GDR_ASSERT(false, "every kind of run has a name");
}

py::tuple pickled(const Assembled& own) {
  const std::vector<std::byte> bytes = isa::serialize(own.program);
  return py::make_tuple(py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()), own.listing, own.warnings,
                        own.needs_parameters);
}

Assembled unpickled(const py::tuple& state) {
  if (state.size() != 4)
    throw Error("a pickled kernel of " + std::to_string(state.size()) + " parts is refused: it has 4");
  const std::string bytes = state[0].cast<py::bytes>();
  return {isa::deserialize(std::as_bytes(std::span(bytes)), "pickled kernel"), state[1].cast<std::string>(),
          state[2].cast<std::string>(), state[3].cast<bool>()};
}

/// Floating-point events by kind.
std::map<std::string, std::uint64_t> events(const Device& device) {
  const emulator::FpEvents events = device.events().counts;
  return {{"invalid", events.invalid}, {"overflow", events.overflow}, {"underflow", events.underflow}};
}

DgemmPrecision precision_of(const std::string& name) {
  for (const DgemmPrecision precision : {DgemmPrecision::paper, DgemmPrecision::full}) {
    if (name == name_of(precision)) return precision;
  }
  throw Error("precision = '" + name + "' is refused: it must be paper or double");
}

Vectors dgemm(const Vectors& a, const Vectors& b, const std::string& precision, const DeviceOptions& options) {
  if (a.ndim() != 2 || b.ndim() != 2 || a.shape(1) != b.shape(0)) {
    throw Error("a and b are refused: they must be matrices, b with as many rows as a has columns");
  }
  const auto m = static_cast<std::size_t>(a.shape(0));
  const auto k = static_cast<std::size_t>(a.shape(1));
  const auto n = static_cast<std::size_t>(b.shape(1));
  const MatrixView view_a{a.data(), a.shape(1), 1};
  const MatrixView view_b{b.data(), b.shape(1), 1};
  const DgemmPrecision chosen = precision_of(precision);
  Vectors array({m, n});
  auto elements = array.mutable_unchecked<2>();
  computed([&] {
    std::vector<double> product(m * n);
    if (m > 0 && n > 0 && k > 0) {
      BoardDgemm boards(options, dgemm_program(chosen));
      product = scaled_product(boards, m, n, k, view_a, view_b);
    }
    // The board's product stands column by column.
    for (std::size_t i = 0; i < m; ++i) {
      base::pause();
      for (std::size_t j = 0; j < n; ++j) {
        elements(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(j)) = product[i + j * m];
      }
    }
  });
  return array;
}

}  // namespace
}  // namespace gdr::python

// The macro gives the module's function; its name is Python's.
PYBIND11_MODULE(_core, module) {
  using namespace gdr;
  using namespace gdr::python;

  Computation::end_before_the_interpreter();
  static const py::exception<Error> error(module, "Error", PyExc_ValueError);
  static const py::exception<AssemblyError> assembly_error(module, "AssemblyError", error.ptr());
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const AssemblyError& caught) {
      PyErr_SetString(assembly_error.ptr(), caught.what());
    } catch (const Error& caught) {
      PyErr_SetString(error.ptr(), caught.what());
    }
  });

  bind<Assembled, std::shared_ptr<Assembled>>(module, "Program")
      .def_property_readonly("kernel", [](const Assembled& own) { return own.program.kernel; })
      .def_property_readonly("flops", [](const Assembled& own) { return own.program.flops; })
      .def_property_readonly("is_type2", [](const Assembled& own) { return own.program.is_type2(); })
      .def_property_readonly("is_experiment", [](const Assembled& own) { return isa::is_experiment(own.program); })
      .def_property_readonly("counts_steps", [](const Assembled& own) { return isa::counts_steps(own.program); })
      .def_property_readonly("loop_lines",
                             [](const Assembled& own) { return own.program.lines(isa::Section::loop_body).size(); })
      .def_readonly("listing", &Assembled::listing)
      .def_readonly("warnings", &Assembled::warnings)
      .def_property_readonly("run_kind", &kind_of_run)
      .def("require_arrays", &require_arrays)
      .def("require_numbers", &require_numbers)
      .def("require_parameters", &require_parameters)
      .def("turns",
           [](const Assembled& own, unsigned chips, std::size_t j, std::optional<std::size_t> turns) {
             return hostlib::turns_of(own.program, chips, j, turns, "j", "turns");
           })
      .def("compiled",
           [](Assembled own) {
             own.needs_parameters = true;
             return own;
           })
      .def(py::pickle(&pickled, &unpickled))
      .def_property_readonly("variables", &variables)
      .def_property_readonly("parameters", &parameters);
  module.def("assemble", &assemble);
  module.def("shipped", &shipped);
  module.def("compile_pair", &compile_pair);
  module.def("compile_file", &compile_file);

  bind<DeviceOptions>(module, "Options").def(py::init(&options));
  bind<SharedDevice>(module, "Device")
      .def(py::init<const DeviceOptions&>())
      .def("load", &SharedDevice::load)
      .def("run", &SharedDevice::run)
      .def("run_turns", &SharedDevice::run_turns)
      .def("run_experiments", &SharedDevice::run_experiments)
      .def_property_readonly("assumed",
                             [](SharedDevice& device) {
                               return device.between_calls([](const Device& own) { return own.emulated().assumed(); });
                             })
      .def_property_readonly(
          "timing",
          [](SharedDevice& device) {
            return python::timing(device.between_calls([](const Device& own) { return stage_times(own); }));
          })
      .def("profile_json",
           [](SharedDevice& device) {
             return device.between_calls([](const Device& own) { return python::profile_json(own); });
           })
      .def("profile_page",
           [](SharedDevice& device) {
             return device.between_calls([](const Device& own) { return python::profile_page(own); });
           })
      .def("time_j", &SharedDevice::time_j)
      .def("time_run", &SharedDevice::time_run)
      .def_property_readonly(
          "j_capacity",
          [](SharedDevice& device) { return device.between_calls([](const Device& own) { return own.j_capacity(); }); })
      .def_property_readonly("events", [](SharedDevice& device) { return device.between_calls(&events); })
      .def_property_readonly("kernel", &SharedDevice::kernel)
      .def_property_readonly("machine", &SharedDevice::machine)
      .def_property_readonly("chips", &SharedDevice::chips);

  module.def("dgemm", &dgemm);
  module.def("precision", &python::precision);
  module.attr("version") = GDR_VERSION;
  add_runs(module);
}
