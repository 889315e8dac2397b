// The boards of a device, for code that uses them without the class Device.
#pragma once

#include "gdr/emulator/board.h"
#include "gdr/hostlib/device.h"

namespace gdr::hostlib {

/// Throws gdr::Error if the machine is unknown, its description is wrong, or an option is out of range.
[[nodiscard]] emulator::Boards boards_of(const DeviceOptions& options);
[[nodiscard]] emulator::Boards boards_of(const DeviceOptions& options, std::unique_ptr<emulator::Engine> engine);

}  // namespace gdr::hostlib
