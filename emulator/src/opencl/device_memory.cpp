#include "device_memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace gdr::emulator::opencl {

std::unique_ptr<Buffer> DeviceMemory::make(std::string_view what, std::size_t bytes) {
  const OpenClDevice& device = machine_->device;
  const std::uint64_t most = std::min(device.largest_buffer_bytes, device.memory_bytes);
  if (bytes > most) {
    throw Error(fmt::format("{} of {} bytes do not fit into device '{}', whose buffers have {} bytes at most", what,
                            bytes, device.name, most));
  }
  return as_errors([&] {
    auto buffer = machine_->context->make_buffer(std::max<std::size_t>(bytes, kWordBytes));
    queue_->clear(*buffer, 0, buffer->bytes());
    return buffer;
  });
}

const Buffer& DeviceMemory::provide(std::unique_ptr<Buffer>& buffer, std::string_view what, std::size_t bytes) {
  if (buffer == nullptr || buffer->bytes() < bytes) buffer = make(what, bytes);
  return *buffer;
}

}  // namespace gdr::emulator::opencl
