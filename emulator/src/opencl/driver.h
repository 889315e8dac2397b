// What the library gdr_opencl does: devices, memory and kernels behind types that know nothing of OpenCL. It is loaded
// when somebody asks for devices, so that gdr runs where there is no OpenCL. Failures are std::runtime_error: both
// sides know it, whichever libraries they are linked with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace gdr::emulator::opencl {

struct DeviceFacts {
  std::string name;
  std::string platform;
  std::string version;
  std::string kind;  // CPU, GPU, accelerator
  bool has_fp64 = false;
  bool has_int64 = false;
  bool little_endian = false;
  bool available = false;
  bool compiles = false;
  std::uint64_t memory_bytes = 0;
  std::uint64_t largest_buffer_bytes = 0;
  std::size_t largest_group = 0;
  unsigned compute_units = 0;
  unsigned doubles_in_vector = 1;  // preferred
};

class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// A program that was built. Thread safe.
class Code {
 public:
  virtual ~Code() = default;
};

using Argument = std::variant<const Buffer*, std::uint32_t, std::uint64_t>;
struct Range {
  std::size_t counts[3] = {1, 1, 1};
  std::size_t group = 0;  // work-items of a work-group along the first; 0: as the device likes
};

/// Work in order. Reads and writes are done when they return. Not thread safe.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void write(const Buffer& to, std::size_t offset, const void* from, std::size_t bytes) = 0;
  virtual void read(const Buffer& from, std::size_t offset, void* to, std::size_t bytes) = 0;
  virtual void copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset,
                    std::size_t bytes) = 0;
  virtual void clear(const Buffer& to, std::size_t offset, std::size_t bytes) = 0;
  virtual void run(const Code& code, const char* kernel, const std::vector<Argument>& arguments,
                   const Range& range) = 0;
};

/// A device at work. Thread safe.
class Context {
 public:
  virtual ~Context() = default;
  [[nodiscard]] virtual std::unique_ptr<Queue> make_queue() = 0;
  /// What stands in it is undefined.
  [[nodiscard]] virtual std::unique_ptr<Buffer> make_buffer(std::size_t bytes) = 0;
  /// The compiler's messages are part of the failure.
  [[nodiscard]] virtual std::unique_ptr<Code> build(const std::string& source) = 0;
};

class Driver {
 public:
  virtual ~Driver() = default;
  /// In the order of platforms; none without a platform.
  [[nodiscard]] virtual std::vector<DeviceFacts> devices() = 0;
  /// `number`: index into devices().
  [[nodiscard]] virtual std::unique_ptr<Context> open(std::size_t number) = 0;
};

/// Of the library: the one driver of the process.
using GetDriver = Driver* (*)();
#define GDR_OPENCL_DRIVER "gdr_opencl_driver_1"

}  // namespace gdr::emulator::opencl
