// The third implementation behind the interface of the engines, so that whatever runs on them runs on it too.
#pragma once

#include <memory>

#include "gdr/emulator/chip.h"

namespace gdr::tests {

[[nodiscard]] std::unique_ptr<emulator::Chip> make_naive_chip();

}  // namespace gdr::tests
