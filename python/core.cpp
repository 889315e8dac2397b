// Module grapedr._core: programs, devices and products for NumPy. What is easier said in Python is in
// grapedr/__init__.py.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/assembler/listing.h"
#include "gdr/base/error.h"
#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/dgemm.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/start_model.h"

namespace py = pybind11;

namespace gdr::python {
namespace {

/// Whole records, one a row, of 8-byte fields.
using Fields = py::array_t<std::uint64_t, py::array::c_style>;
using Vectors = py::array_t<double, py::array::c_style>;

/// The diagnostics of a source that does not assemble.
class AssemblyError : public Error {
 public:
  using Error::Error;
};

struct Assembled {
  isa::Program program;
  std::string listing;
};

Assembled assemble(const std::string& source, const std::string& name,
                   const std::map<std::string, std::string>& definitions, bool schedule) {
  const auto level = schedule ? assembler::ScheduleLevel::list : assembler::ScheduleLevel::none;
  assembler::AssembleResult result =
      assembler::assemble(source, name, {.definitions = definitions, .schedule = {.level = level}});
  if (!result.program) throw AssemblyError(assembler::format_diagnostics(result));
  std::string listing = assembler::listing(*result.program, result.files);
  return {*std::move(result.program), std::move(listing)};
}

Assembled shipped(const std::string& name, const std::map<std::string, std::string>& definitions) {
  isa::Program program = hostlib::kernel_program(name, definitions);
  std::string listing = assembler::listing(program);
  return {std::move(program), std::move(listing)};
}

/// (name, transfer, is a float, dimensions) of the variables that travel, in their order.
std::vector<std::tuple<std::string, std::string, bool, std::vector<std::uint16_t>>> variables(const Assembled& own) {
  std::vector<std::tuple<std::string, std::string, bool, std::vector<std::uint16_t>>> all;
  for (const isa::Transfer transfer : {isa::Transfer::hlt, isa::Transfer::elt, isa::Transfer::rrn}) {
    for (const isa::Variable* variable : own.program.variables_by(transfer)) {
      all.emplace_back(variable->name, isa::name_of(transfer),
                       variable->conversion && isa::info_of(*variable->conversion).floating, variable->dimensions);
    }
  }
  return all;
}

std::vector<std::string> parameters(const Assembled& own) {
  std::vector<std::string> names;
  for (const isa::Parameter& parameter : own.program.parameters) names.push_back(parameter.name);
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

/// i-records run against nj j-records; results one a row. Other Python threads go on.
Fields run(Device& device, const Fields& i, std::size_t nj) {
  std::vector<std::uint64_t> results;
  {
    const py::gil_scoped_release release;
    results = device.run(span_of(i), nj);
  }
  const std::size_t columns = device.fields(isa::Transfer::rrn);
  Fields array({results.size() / columns, columns});
  std::copy(results.begin(), results.end(), array.mutable_data());
  return array;
}

py::dict timing(const Device& device) {
  const emulator::StageSeconds& seconds = device.emulated().seconds();
  py::dict stages;
  stages["i_send"] = seconds.i_send;
  stages["j_send"] = seconds.j_send;
  stages["compute"] = seconds.compute;
  stages["add"] = seconds.add;
  stages["host"] = seconds.host;
  stages["total"] = seconds.total();
  stages["interactions"] = device.emulated().interactions();
  return stages;
}

/// Floating-point events by kind.
std::map<std::string, std::uint64_t> events(const Device& device) {
  const emulator::FpEvents& events = device.counters().fp;
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
  std::vector<double> product(m * n);
  if (m > 0 && n > 0 && k > 0) {
    const py::gil_scoped_release release;
    BoardDgemm board(options, dgemm_program(precision_of(precision)));
    product = board.multiply(m, n, k, view_a, view_b);
  }
  // The board's product stands column by column.
  Vectors array({m, n});
  auto elements = array.mutable_unchecked<2>();
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      elements(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(j)) = product[i + j * m];
    }
  }
  return array;
}

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

hostlib::Particles particles_of(const Vectors& mass, const Vectors& position, const Vectors& velocity) {
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
  return particles;
}

hostlib::Particles start(const std::string& kind, std::size_t particles, std::uint64_t seed) {
  hostlib::StartModel model;
  model.kind = hostlib::start_kind(kind);
  model.particles = particles;
  model.seed = seed;
  return hostlib::make_start(model);
}

/// An N-body system on a board of its own.
class Nbody {
 public:
  Nbody(const hostlib::Particles& particles, double eps, double eta, const std::string& kernel,
        const DeviceOptions& options)
      : eps_(eps),
        device_(options),
        force_(device_, hostlib::kernel_program(kernel)),
        integrator_(force_, particles, {.eta = eta, .eps = eps}) {}

  /// Block by block, so that Ctrl-C is seen.
  void evolve(double t_end) {
    const py::gil_scoped_release release;
    integrator_.evolve(t_end, [](const hostlib::HermiteIntegrator&) {
      const py::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    });
    time_ = t_end;
  }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] hostlib::Particles particles() const { return integrator_.particles_at(time_); }
  [[nodiscard]] double energy() const { return hostlib::energy(particles(), eps_).total(); }
  [[nodiscard]] std::uint64_t steps() const { return integrator_.counters().steps; }
  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] std::string state_hash() const { return hostlib::state_hash(particles()); }

 private:
  double eps_;
  Device device_;
  hostlib::BoardForce force_;
  hostlib::HermiteIntegrator integrator_;
  double time_ = 0;
};

}  // namespace
}  // namespace gdr::python

// The macro gives the module's function; its name is Python's.
PYBIND11_MODULE(_core, module) {
  using namespace gdr;
  using namespace gdr::python;

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

  py::class_<Assembled>(module, "Program")
      .def_property_readonly("kernel", [](const Assembled& own) { return own.program.kernel; })
      .def_property_readonly("flops", [](const Assembled& own) { return own.program.flops; })
      .def_property_readonly("is_type2", [](const Assembled& own) { return own.program.is_type2(); })
      .def_property_readonly("loop_lines",
                             [](const Assembled& own) { return own.program.lines(isa::Section::loop_body).size(); })
      .def_readonly("listing", &Assembled::listing)
      .def_property_readonly("variables", &variables)
      .def_property_readonly("parameters", &parameters);
  module.def("assemble", &assemble);
  module.def("shipped", &shipped);

  py::class_<DeviceOptions>(module, "Options").def(py::init(&options));
  py::class_<Device>(module, "Device")
      .def(py::init<const DeviceOptions&>())
      .def("load", [](Device& device, const Assembled& own) { device.load(own.program); })
      .def("set_parameter", &Device::set_parameter)
      .def("write_j", [](Device& device, std::size_t first, const Fields& j) { device.write_j(first, span_of(j)); })
      .def("run", &run)
      .def_property_readonly("timing", &timing)
      .def_property_readonly("events", &events)
      .def_property_readonly("machine", [](const Device& device) { return device.machine().name; })
      .def_property_readonly("chips", &Device::chips);

  module.def("dgemm", &dgemm);
  module.def("start", [](const std::string& kind, std::size_t particles, std::uint64_t seed) {
    return dict_of(python::start(kind, particles, seed));
  });
  py::class_<Nbody>(module, "Nbody")
      .def(py::init([](const Vectors& mass, const Vectors& position, const Vectors& velocity, double eps, double eta,
                       const std::string& kernel, const DeviceOptions& options) {
        return std::make_unique<Nbody>(particles_of(mass, position, velocity), eps, eta, kernel, options);
      }))
      .def("evolve", &Nbody::evolve)
      .def_property_readonly("time", &Nbody::time)
      .def_property_readonly("particles", [](const Nbody& own) { return dict_of(own.particles()); })
      .def_property_readonly("energy", &Nbody::energy)
      .def_property_readonly("steps", &Nbody::steps)
      .def_property_readonly("state_hash", &Nbody::state_hash)
      .def_property_readonly("timing", [](const Nbody& own) { return timing(own.device()); });
}
