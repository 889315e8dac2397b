// Two lanes on every host.
#pragma once

#include "compiler_host.h"

namespace gdr::emulator::simd {
namespace {
struct Host : CompilerHost {};
}  // namespace
}  // namespace gdr::emulator::simd
