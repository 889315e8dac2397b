#include "loop/code/code_writer.h"

#include "jit/ir_writer.h"
#include "opencl/opencl_writer.h"

namespace gdr::emulator::jit {

std::unique_ptr<Writer> make_writer(const CodeTarget& target, Part part) {
  if (target.language == CodeLanguage::opencl_c) return std::make_unique<opencl::OpenClWriter>(part);
  return std::make_unique<IrWriter>(target, part);
}

}  // namespace gdr::emulator::jit
