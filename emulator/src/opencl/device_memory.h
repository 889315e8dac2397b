// Memory of a device for one session, which grows as needed.
#pragma once

#include <memory>
#include <string_view>

#include "machine.h"

namespace gdr::emulator::opencl {

/// The queue and the buffers of one session on a device. Work is done in order.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::shared_ptr<Machine> machine)
      : machine_(std::move(machine)), queue_(as_errors([&] { return machine_->context->make_queue(); })) {}

  [[nodiscard]] Queue& queue() { return *queue_; }
  [[nodiscard]] const Machine& machine() const { return *machine_; }

  /// Makes a zeroed buffer. Throws gdr::Error, naming `what` and the sizes, if the device cannot provide it.
  [[nodiscard]] std::unique_ptr<Buffer> make(std::string_view what, std::size_t bytes);
  /// Returns `buffer` after making it anew if it is missing or too small. Its contents are then lost.
  const Buffer& provide(std::unique_ptr<Buffer>& buffer, std::string_view what, std::size_t bytes);

 private:
  std::shared_ptr<Machine> machine_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace gdr::emulator::opencl
