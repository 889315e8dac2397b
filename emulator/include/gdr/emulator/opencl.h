// Devices that the engine `opencl` runs on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::emulator {

struct OpenClDevice {
  std::string name;
  std::string platform;
  std::string version;
  std::string kind;   // CPU, GPU or accelerator
  bool fp64 = false;  // if false, all operations are computed with integers
  std::uint64_t memory_bytes = 0;
  std::uint64_t largest_buffer_bytes = 0;
  unsigned compute_units = 0;
  unsigned doubles_in_vector = 1;        // the device's preferred vector width
  std::uint64_t largest_group = 0;       // work-items of a work-group
  std::uint64_t local_memory_bytes = 0;  // of a work-group
  std::string refusal;                   // why the engine cannot run on this device; empty if it can
};

/// The devices of all platforms, in the order of the platforms; empty if there is no platform. Throws gdr::Error if
/// this build has no OpenCL, or if OpenCL fails.
[[nodiscard]] std::vector<OpenClDevice> opencl_devices();
/// Index into opencl_devices() of the first usable device that matches `name`: a device's index, or a part of its own
/// or its platform's name, in any case. If `name` is empty, GDR_OPENCL_DEVICE is used; if that is empty, too, the first
/// usable GPU, else the first usable device. Throws gdr::Error, listing the devices and why they cannot be used, if
/// none matches.
[[nodiscard]] std::size_t choose_opencl_device(std::string_view name);

}  // namespace gdr::emulator
