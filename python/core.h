// What the parts of grapedr._core share.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "gdr/hostlib/device.h"

namespace gdr::python {

namespace py = pybind11;

/// Rows of doubles.
using Vectors = py::array_t<double, py::array::c_style>;

/// Emulated seconds by stage since the kernel was loaded, their total, and interactions.
[[nodiscard]] py::dict timing(const Device& device);

/// What limits the runs since the kernel was loaded, as hostlib gives it.
[[nodiscard]] std::string profile_json(const Device& device);
[[nodiscard]] std::string profile_page(const Device& device);

/// Start models, Nbody and NbodyRun.
void add_runs(py::module_& module);

}  // namespace gdr::python
