// The engine `opencl`.
#pragma once

#include <memory>
#include <string_view>

#include "gdr/emulator/session.h"

namespace gdr::emulator {

/// `device` is a name for choose_opencl_device(). The device is chosen when a program is lowered.
[[nodiscard]] std::unique_ptr<Engine> make_opencl_engine(std::string_view device);

}  // namespace gdr::emulator
