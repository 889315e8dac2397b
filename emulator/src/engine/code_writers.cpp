#include "loop/code_writer.h"

#include "jit/ir_writer.h"
#include "opencl/opencl_writer.h"

namespace gdr::emulator::jit {

std::unique_ptr<Writer> make_writer(const CodeTarget& target, char prefix) {
  if (target.language == CodeLanguage::opencl_c) return std::make_unique<opencl::OpenClWriter>(prefix);
  return std::make_unique<IrWriter>(target, prefix);
}

}  // namespace gdr::emulator::jit
