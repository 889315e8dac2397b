// Start models, Nbody, and NbodyRun with its outputs and restarts.
#include <pybind11/stl.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core.h"
#include "gdr/base/error.h"
#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/nbody_run.h"
#include "gdr/hostlib/output_times.h"
#include "gdr/hostlib/restart.h"
#include "gdr/hostlib/run_report.h"
#include "gdr/hostlib/start_model.h"

namespace gdr::python {
namespace {

Vectors array_of(const std::vector<hostlib::Vec3>& vectors) {
  Vectors array({vectors.size(), std::size_t{3}});
  double* to = array.mutable_data();
  for (const hostlib::Vec3& vector : vectors) {
    *to++ = vector.x;
    *to++ = vector.y;
    *to++ = vector.z;
  }
  return array;
}

py::dict dict_of(const hostlib::Particles& particles) {
  py::dict dict;
  dict["id"] = py::array_t<std::int64_t>(static_cast<py::ssize_t>(particles.id.size()), particles.id.data());
  dict["mass"] = py::array_t<double>(static_cast<py::ssize_t>(particles.mass.size()), particles.mass.data());
  dict["position"] = array_of(particles.position);
  dict["velocity"] = array_of(particles.velocity);
  return dict;
}

using Ids = std::vector<std::int64_t>;

/// Particles with these ids, by default 0, 1 and so on.
hostlib::Particles particles_of(const Vectors& mass, const Vectors& position, const Vectors& velocity,
                                const std::optional<Ids>& ids) {
  const py::ssize_t n = mass.size();
  const auto is_table = [n](const Vectors& vectors) {
    return vectors.ndim() == 2 && vectors.shape(0) == n && vectors.shape(1) == 3;
  };
  if (mass.ndim() != 1 || !is_table(position) || !is_table(velocity)) {
    throw Error("particles are refused: shapes must be mass (n), position (n, 3), velocity (n, 3)");
  }
  hostlib::Particles particles;
  const double* x = position.data();
  const double* v = velocity.data();
  for (py::ssize_t k = 0; k < n; ++k, x += 3, v += 3) {
    particles.push_back(k, mass.data()[k], {x[0], x[1], x[2]}, {v[0], v[1], v[2]});
  }
  if (ids) particles.id = *ids;
  return particles;
}

hostlib::Particles start(const std::string& kind, std::size_t particles, std::optional<std::uint64_t> seed) {
  hostlib::StartModel model;
  model.kind = hostlib::start_kind(kind);
  model.particles = particles;
  if (seed) hostlib::require_parameter_of(model.kind, "seed");
  model.seed = seed.value_or(model.seed);
  return hostlib::make_start(model);
}

/// Marks an integration as under way. Throws gdr::Error if one is already, in another thread or around the function
/// that was called after a block: both would go on with the same particles.
class Integration {
 public:
  explicit Integration(bool& under_way) : under_way_(under_way) {
    if (under_way_) throw Error("an integration of these particles is under way: wait for its end");
    under_way_ = true;
  }
  ~Integration() { under_way_ = false; }
  Integration(const Integration&) = delete;
  Integration& operator=(const Integration&) = delete;

 private:
  bool& under_way_;
};

/// An N-body system on a board of its own.
class Nbody {
 public:
  Nbody(const hostlib::Particles& particles, double eps, double eta, const std::string& kernel,
        const DeviceOptions& options)
      : eps_(eps),
        device_(options),
        force_(device_, hostlib::kernel_program(kernel)),
        integrator_(force_, particles, {.eta = eta, .eps = eps}) {}

  /// Block by block, so that Ctrl-C is seen, and so that other threads see the particles after each block.
  void evolve(double t_end) {
    in_turn(turns_, [&] {
      const Integration integration(under_way_);
      integrator_.evolve(t_end, [&](const hostlib::HermiteIntegrator& integrator) {
        time_ = integrator.time();
        const Pause pause(turns_);
        const WithLock lock;
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      });
      time_ = t_end;
    });
  }
  /// What `look` finds between two blocks.
  template <class Look>
  auto between_blocks(Look look) {
    return in_turn(turns_, [&] { return look(std::as_const(*this)); });
  }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] hostlib::Particles particles() const { return integrator_.particles_at(time_); }
  [[nodiscard]] double energy() const { return hostlib::energy(particles(), eps_).total(); }
  [[nodiscard]] std::uint64_t steps() const { return integrator_.counters().steps; }
  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] HostSteps host_steps() const { return {steps(), integrator_.state().bodies.size()}; }
  [[nodiscard]] std::string state_hash() const { return hostlib::state_hash(particles()); }

 private:
  double eps_;
  Device device_;
  hostlib::BoardForce force_;
  hostlib::HermiteIntegrator integrator_;
  double time_ = 0;
  Turns turns_;
  bool under_way_ = false;
};

/// Reads settings that grapedr.NbodyRun puts together; what a key may hold is checked there or by NbodyRun.
class SettingsReader {
 public:
  explicit SettingsReader(py::dict from) : from_(std::move(from)) {}
  template <class Value>
  void take(const char* key, Value& to) const {
    if (from_.contains(key)) to = from_[key].cast<Value>();
  }
  void take(const char* key, std::optional<double>& to) const {
    if (from_.contains(key)) to = from_[key].cast<double>();
  }
  void take(const char* key, std::filesystem::path& to) const {
    if (from_.contains(key)) to = from_[key].cast<std::string>();
  }

 private:
  py::dict from_;
};

hostlib::NbodySettings settings_of(const py::dict& from) {
  const SettingsReader reader(from);
  hostlib::NbodySettings settings;
  std::string start;
  reader.take("start", start);
  if (!start.empty()) {
    hostlib::StartModel model;
    model.kind = hostlib::start_kind(start);
    model.particles = hostlib::fixed_particles(model.kind);
    reader.take("n", model.particles);
    if (model.particles == 0) {
      throw Error("n is missing: start = '" + start + "' needs n, the number of particles, which must be at least " +
                  std::to_string(hostlib::least_particles(model.kind)));
    }
    for (const char* parameter : {"seed", "w0", "separation", "pericentre", "eccentricity"}) {
      if (from.contains(parameter)) hostlib::require_parameter_of(model.kind, parameter);
    }
    reader.take("seed", model.seed);
    reader.take("w0", model.w0);
    reader.take("separation", model.separation);
    reader.take("pericentre", model.pericentre);
    reader.take("eccentricity", model.eccentricity);
    settings.start = model;
  }
  if (from.contains("mass")) {
    std::optional<Ids> ids;
    if (from.contains("id")) ids = from["id"].cast<Ids>();
    settings.particles = particles_of(from["mass"].cast<Vectors>(), from["position"].cast<Vectors>(),
                                      from["velocity"].cast<Vectors>(), ids);
    reader.take("time", settings.particles_time);
    reader.take("step", settings.particles_step);
  }
  reader.take("in_file", settings.in);
  std::string units;
  reader.take("units", units);
  if (!units.empty()) settings.units = hostlib::units_named(units);
  reader.take("scale_to_henon", settings.scale_to_henon);
  reader.take("restart", settings.restart);
  reader.take("force_restart", settings.force_restart);
  reader.take("kernel", settings.kernel);
  settings.kernel = hostlib::kernel_name(settings.kernel);
  reader.take("eta", settings.hermite.eta);
  reader.take("eps", settings.hermite.eps);
  if (!settings.restart.empty()) {
    reader.take("eta", settings.changed_eta);
    reader.take("eps", settings.changed_eps);
    settings.change_kernel = from.contains("kernel");
  }
  reader.take("regularise", settings.hermite.regularise);
  reader.take("t_end", settings.t_end);
  reader.take("every", settings.every);
  reader.take("out", settings.out);
  reader.take("log", settings.log);
  reader.take("checkpoint", settings.checkpoint);
  reader.take("checkpoint_minutes", settings.checkpoint_minutes);
  reader.take("max_energy_error", settings.most_energy_error);
  reader.take("orbits", settings.orbits);
  settings.keep_samples = true;
  return settings;
}

/// Throws gdr::Error for what only a board can be told.
void require_no_board(const hostlib::NbodySettings& settings, const DeviceOptions& options) {
  const DeviceOptions usual;
  const char* name = settings.kernel != hostlib::NbodySettings{}.kernel ? "kernel_name"
                     : options.machine != usual.machine                 ? "machine"
                     : options.boards != usual.boards                   ? "boards"
                     : options.clock_mhz                                ? "clock_mhz"
                                                                        : nullptr;
  if (name != nullptr) throw Error(std::string(name) + " has no effect with engine = direct, which has no board");
}

HostSteps host_steps(const hostlib::NbodyRun& run) { return {run.counters().steps, run.state().bodies.size()}; }

/// hostlib's run, output by output. Ctrl-C ends it after a block, with its checkpoint written.
class Run {
 public:
  Run(const py::dict& settings, const DeviceOptions& options)
      : run_(make(settings_of(settings), options, settings["given"].cast<std::vector<std::string>>())) {}

  /// True if there are more outputs to come. `on_block`, if not None, is called after every block with time and steps;
  /// what it raises ends the run as Ctrl-C does, and so does False.
  bool to_next_output(const py::object& on_block) {
    std::exception_ptr raised;
    bool more = false;
    in_turn(turns_, [&] {
      const Integration integration(under_way_);
      ended_ = false;
      more = run_->integrate_to_output([&](const hostlib::NbodyRun& run) {
        const Pause pause(turns_);
        const WithLock lock;
        try {
          if (PyErr_CheckSignals() != 0) throw py::error_already_set();
          if (on_block.is_none()) return true;
          const py::object answer = call_python(on_block, run.time(), run.counters().steps);
          return answer.is_none() || is_true(answer);
        } catch (...) {
          raised = std::current_exception();
          return false;
        }
      });
      ended_ = !more;
    });
    if (raised) std::rethrow_exception(raised);
    return more;
  }

  /// What `look` finds between two blocks.
  template <class Look>
  auto between_blocks(Look look) {
    return in_turn(turns_, [&] { return look(std::as_const(*run_)); });
  }
  /// How the run ended. None while that is not known: before the first call of to_next_output(), during one, and
  /// between two outputs.
  std::optional<std::string> end() {
    return in_turn(turns_, [&]() -> std::optional<std::string> {
      switch (run_->end()) {
        case hostlib::NbodyEnd::stopped:
          return "stopped";
        case hostlib::NbodyEnd::energy_error:
          return "energy error";
        case hostlib::NbodyEnd::reached:
          break;
      }
      return ended_ ? std::optional<std::string>("reached") : std::nullopt;
    });
  }
  /// Time and energy error, if there is one, of the last watch, if a person is to be told of it or the run ended by it.
  static std::optional<std::pair<double, std::optional<double>>> large_energy_error(const hostlib::NbodyRun& run) {
    const auto& watch = run.last_watch();
    const bool ended = run.end() == hostlib::NbodyEnd::energy_error;
    if (!watch || (watch->trouble <= hostlib::kTroubleToTell && !ended)) return std::nullopt;
    return std::pair{watch->t, watch->energy_error};
  }
  /// What `gdr nbody` prints as it starts from a file: warnings and notes.
  static std::vector<std::string> start_warnings(const hostlib::NbodyRun& run) {
    std::vector<std::string> all = hostlib::warnings_of_start(run);
    all.insert(all.end(), run.notes().begin(), run.notes().end());
    return all;
  }
  /// Names and rows.
  static std::pair<std::vector<std::string>, std::vector<std::vector<double>>> samples(const hostlib::NbodyRun& run) {
    return {hostlib::sample_columns(), run.samples()};
  }
  /// What never changes in a run.
  [[nodiscard]] py::dict facts() const {
    const hostlib::Provenance& provenance = run_->provenance();
    py::dict dict;
    dict["start"] = run_->start();
    dict["particles"] = run_->state().bodies.size();
    dict["eps"] = run_->state().options.eps;
    dict["eta"] = run_->state().options.eta;
    if (run_->has_board()) {
      dict["kernel"] = provenance.kernel;
      dict["kernel_sha256"] = provenance.kernel_sha256;
      dict["machine"] = provenance.machine;
      dict["clock_mhz"] = provenance.clock_mhz;
      dict["boards"] = provenance.boards;
    }
    dict["engine"] = provenance.engine;
    dict["version"] = provenance.version;
    return dict;
  }

 private:
  /// `given` are the names of the choices that a restart does not take from its checkpoint.
  static std::unique_ptr<hostlib::NbodyRun> make(hostlib::NbodySettings settings, DeviceOptions options,
                                                 const std::vector<std::string>& given) {
    return computed([&] {
      if (!settings.restart.empty()) {
        const auto is_given = [&](std::string_view choice) { return std::ranges::count(given, choice) > 0; };
        hostlib::continue_as(hostlib::provenance_in(settings.restart), is_given, settings.kernel, options);
      }
      if (options.engine == hostlib::kDirectEngine) {
        require_no_board(settings, options);
        return std::make_unique<hostlib::NbodyRun>(std::move(settings), hostlib::DirectOptions{options.threads, {}});
      }
      isa::Program program = hostlib::kernel_program(settings.kernel);
      return std::make_unique<hostlib::NbodyRun>(std::move(settings), Device(options), std::move(program));
    });
  }

  std::unique_ptr<hostlib::NbodyRun> run_;
  Turns turns_;
  bool under_way_ = false;
  bool ended_ = false;  // by the last call of to_next_output()
};

}  // namespace

template <>
inline constexpr bool kIsBound<Nbody> = true;
template <>
inline constexpr bool kIsBound<Run> = true;

void add_runs(py::module_& module) {
  module.def("start", [](const std::string& kind, std::size_t particles, std::optional<std::uint64_t> seed) {
    return dict_of(computed([&] { return python::start(kind, particles, seed); }));
  });
  module.def("next_output_time", [](double every, double end, double time) {
    hostlib::require_every(every, false);
    return hostlib::next_output_time(every, end, time, time).value_or(end);
  });
  bind<Nbody>(module, "Nbody")
      .def(py::init([](const Vectors& mass, const Vectors& position, const Vectors& velocity,
                       const std::optional<Ids>& ids, double eps, double eta, const std::string& kernel,
                       const DeviceOptions& options) {
        const hostlib::Particles particles = particles_of(mass, position, velocity, ids);
        return computed([&] { return std::make_unique<Nbody>(particles, eps, eta, kernel, options); });
      }))
      .def("evolve", &Nbody::evolve)
      .def_property_readonly("time", [](Nbody& own) { return own.between_blocks(std::mem_fn(&Nbody::time)); })
      .def_property_readonly("particles",
                             [](Nbody& own) { return dict_of(own.between_blocks(std::mem_fn(&Nbody::particles))); })
      .def_property_readonly("energy", [](Nbody& own) { return own.between_blocks(std::mem_fn(&Nbody::energy)); })
      .def_property_readonly("steps", [](Nbody& own) { return own.between_blocks(std::mem_fn(&Nbody::steps)); })
      .def_property_readonly("state_hash",
                             [](Nbody& own) { return own.between_blocks(std::mem_fn(&Nbody::state_hash)); })
      .def_property_readonly(
          "timing",
          [](Nbody& own) {
            return timing(own.between_blocks([](const Nbody& n) { return stage_times(n.device(), n.host_steps()); }));
          })
      .def("profile_json",
           [](Nbody& own) {
             return own.between_blocks([](const Nbody& n) { return profile_json(n.device(), n.host_steps()); });
           })
      .def("profile_page", [](Nbody& own) {
        return own.between_blocks([](const Nbody& n) { return profile_page(n.device(), n.host_steps()); });
      });
  using hostlib::NbodyRun;
  bind<Run>(module, "NbodyRun")
      .def(py::init<const py::dict&, const DeviceOptions&>())
      .def("to_next_output", &Run::to_next_output)
      .def_property_readonly("end", &Run::end)
      .def_property_readonly(
          "time", [](Run& own) { return own.between_blocks([](const NbodyRun& run) { return run.time(); }); })
      .def_property_readonly(
          "begin_time",
          [](Run& own) { return own.between_blocks([](const NbodyRun& run) { return run.begin_time(); }); })
      .def_property_readonly(
          "end_time", [](Run& own) { return own.between_blocks([](const NbodyRun& run) { return run.end_time(); }); })
      .def_property_readonly(
          "last_output",
          [](Run& own) { return own.between_blocks([](const NbodyRun& run) { return run.last_output(); }); })
      .def_property_readonly("start_warnings", [](Run& own) { return own.between_blocks(&Run::start_warnings); })
      .def_property_readonly("large_energy_error",
                             [](Run& own) { return own.between_blocks(&Run::large_energy_error); })
      .def("particles_at",
           [](Run& own, double t) {
             return dict_of(own.between_blocks([&](const NbodyRun& run) { return run.particles_at(t); }));
           })
      .def("state_hash_at",
           [](Run& own, double t) {
             return own.between_blocks([&](const NbodyRun& run) { return hostlib::state_hash(run.particles_at(t)); });
           })
      .def_property_readonly("samples", [](Run& own) { return own.between_blocks(&Run::samples); })
      .def_property_readonly(
          "orbits",
          [](Run& own) {
            py::dict dict;
            for (const hostlib::Orbit& orbit : own.between_blocks([](const NbodyRun& run) { return run.orbits(); })) {
              dict[py::int_(orbit.id)] = array_of(orbit.places);
            }
            return dict;
          })
      .def_property_readonly(
          "steps",
          [](Run& own) { return own.between_blocks([](const NbodyRun& run) { return run.counters().steps; }); })
      .def_property_readonly(
          "blocks",
          [](Run& own) { return own.between_blocks([](const NbodyRun& run) { return run.counters().block_steps; }); })
      .def_property_readonly(
          "block_sizes",
          [](Run& own) { return own.between_blocks([](const NbodyRun& run) { return run.counters().block_sizes; }); })
      .def_property_readonly(
          "forced", [](Run& own) { return own.between_blocks([](const NbodyRun& run) { return run.forced(); }); })
      .def_property_readonly("facts", &Run::facts)
      .def_property_readonly("timing",
                             [](Run& own) {
                               return timing(own.between_blocks(
                                   [](const NbodyRun& run) { return stage_times(run.device(), host_steps(run)); }));
                             })
      .def("profile_json",
           [](Run& own) {
             return own.between_blocks([](const NbodyRun& run) { return profile_json(run.device(), host_steps(run)); });
           })
      .def("profile_page", [](Run& own) {
        return own.between_blocks([](const NbodyRun& run) { return profile_page(run.device(), host_steps(run)); });
      });
}

}  // namespace gdr::python
