// The boards behind a device, for what drives them in another way.
#pragma once

#include "gdr/emulator/board.h"
#include "gdr/hostlib/device.h"

namespace gdr::hostlib {

/// Throws gdr::Error for a machine that is unknown or wrong and for options out of range.
[[nodiscard]] emulator::Boards boards_of(const DeviceOptions& options);
[[nodiscard]] emulator::Boards boards_of(const DeviceOptions& options, std::unique_ptr<emulator::Engine> engine);

}  // namespace gdr::hostlib
