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
  bool fp64 = false;  // else every operation is done in integers
  std::uint64_t memory_bytes = 0;
  std::uint64_t largest_buffer_bytes = 0;
  unsigned compute_units = 0;
  unsigned doubles_in_vector = 1;  // as the device prefers
  std::string refusal;             // why the engine cannot run there; empty: it can
};

/// Those of all platforms, in their order; none where there is no platform. Throws gdr::Error if this build has no
/// OpenCL, or if OpenCL fails.
[[nodiscard]] std::vector<OpenClDevice> opencl_devices();
/// Index into opencl_devices() of the device that a name means: its index, or a part of its name or its platform's, in
/// any case; the first that can be used. An empty name: what GDR_OPENCL_DEVICE says, else the first GPU that can be
/// used, else the first device. Throws gdr::Error, listing the devices there are and why they cannot be used.
[[nodiscard]] std::size_t choose_opencl_device(std::string_view name);

}  // namespace gdr::emulator
