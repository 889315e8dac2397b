// Interface of the library gdr_opencl: devices, memory and kernels, in types that do not depend on OpenCL. The library
// is loaded when devices are requested, so that gdr runs on hosts without OpenCL. Failures are std::runtime_error, a
// type that both sides share whatever libraries they are linked with.
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
  std::uint64_t local_memory_bytes = 0;  // of a work-group
  unsigned compute_units = 0;
  unsigned doubles_in_vector = 1;  // preferred vector width
};

class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// A built program. Thread safe.
class Code {
 public:
  virtual ~Code() = default;
};

using Argument = std::variant<const Buffer*, std::uint32_t, std::uint64_t>;
struct Range {
  std::size_t counts[3] = {1, 1, 1};
  std::size_t group = 0;  // work-items of a work-group in the first dimension; 0: the device chooses
};

/// A queue whose work is done in order. Reads and writes are done when they return. Not thread safe.
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

/// An open device. Thread safe.
class Context {
 public:
  virtual ~Context() = default;
  [[nodiscard]] virtual std::unique_ptr<Queue> make_queue() = 0;
  /// The contents of the new buffer are undefined.
  [[nodiscard]] virtual std::unique_ptr<Buffer> make_buffer(std::size_t bytes) = 0;
  /// If it fails, the exception has the compiler's messages.
  [[nodiscard]] virtual std::unique_ptr<Code> build(const std::string& source) = 0;
};

class Driver {
 public:
  virtual ~Driver() = default;
  /// The devices in the order of platforms; empty if there is no platform.
  [[nodiscard]] virtual std::vector<DeviceFacts> devices() = 0;
  /// Opens the device with index `number` in devices().
  [[nodiscard]] virtual std::unique_ptr<Context> open(std::size_t number) = 0;
};

}  // namespace gdr::emulator::opencl

#define GDR_OPENCL_DRIVER gdr_opencl_driver_2

/// The only driver of the process.
extern "C" __attribute__((visibility("default"))) gdr::emulator::opencl::Driver* GDR_OPENCL_DRIVER();
