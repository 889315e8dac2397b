// OpenCL behind driver.h. The only file that includes its headers.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "../driver.h"

namespace gdr::emulator::opencl {
namespace {

// The extension cl_khr_icd has this number; it is not in every cl.h.
constexpr cl_int kNoPlatform = -1001;

void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  const char* why = "";
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES) why = ": the device has no memory";
  if (status == CL_OUT_OF_HOST_MEMORY) why = ": the host has no memory";
  if (status == CL_INVALID_BUFFER_SIZE) why = ": the device takes no buffer of this size";
  throw std::runtime_error(fmt::format("OpenCL: {} gave {}{}", what, status, why));
}

/// An object of OpenCL, given back in the end.
template <class Object, cl_int (*release)(Object)>
class Held {
 public:
  Held() = default;
  explicit Held(Object object) : object_(object) {}
  Held(Held&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (object_ != nullptr) release(object_);
  }
  [[nodiscard]] Object get() const { return object_; }

 private:
  Object object_ = nullptr;
};

cl_int release_context(cl_context context) { return clReleaseContext(context); }
cl_int release_queue(cl_command_queue queue) { return clReleaseCommandQueue(queue); }
cl_int release_buffer(cl_mem buffer) { return clReleaseMemObject(buffer); }
cl_int release_program(cl_program program) { return clReleaseProgram(program); }
cl_int release_kernel(cl_kernel kernel) { return clReleaseKernel(kernel); }

using HeldContext = Held<cl_context, release_context>;
using HeldQueue = Held<cl_command_queue, release_queue>;
using HeldBuffer = Held<cl_mem, release_buffer>;
using HeldProgram = Held<cl_program, release_program>;
using HeldKernel = Held<cl_kernel, release_kernel>;

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  check(clGetDeviceInfo(device, what, 0, nullptr, &size), "clGetDeviceInfo");
  std::string text(size, '\0');
  check(clGetDeviceInfo(device, what, size, text.data(), nullptr), "clGetDeviceInfo");
  return text.substr(0, text.find('\0'));
}

std::string text_of(cl_platform_id platform, cl_platform_info what) {
  std::size_t size = 0;
  check(clGetPlatformInfo(platform, what, 0, nullptr, &size), "clGetPlatformInfo");
  std::string text(size, '\0');
  check(clGetPlatformInfo(platform, what, size, text.data(), nullptr), "clGetPlatformInfo");
  return text.substr(0, text.find('\0'));
}

template <class Number>
Number number_of(cl_device_id device, cl_device_info what) {
  Number number{};
  check(clGetDeviceInfo(device, what, sizeof number, &number, nullptr), "clGetDeviceInfo");
  return number;
}

std::string kind_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return "GPU";
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return "CPU";
  return "accelerator";
}

DeviceFacts facts_of(cl_platform_id platform, cl_device_id device) {
  DeviceFacts facts;
  facts.name = text_of(device, CL_DEVICE_NAME);
  facts.platform = text_of(platform, CL_PLATFORM_NAME);
  facts.version = text_of(device, CL_DEVICE_VERSION);
  facts.kind = kind_of(number_of<cl_device_type>(device, CL_DEVICE_TYPE));
  facts.has_fp64 = number_of<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  // The embedded profile may leave out integers of 64 bits.
  facts.has_int64 = text_of(device, CL_DEVICE_PROFILE) != "EMBEDDED_PROFILE" ||
                    text_of(device, CL_DEVICE_EXTENSIONS).find("cles_khr_int64") != std::string::npos;
  facts.little_endian = number_of<cl_bool>(device, CL_DEVICE_ENDIAN_LITTLE) != 0;
  facts.available = number_of<cl_bool>(device, CL_DEVICE_AVAILABLE) != 0;
  facts.compiles = number_of<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) != 0;
  facts.memory_bytes = number_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  facts.largest_buffer_bytes = number_of<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  facts.largest_group = number_of<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  facts.local_memory_bytes = number_of<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  facts.compute_units = number_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  facts.doubles_in_vector = number_of<cl_uint>(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE);
  return facts;
}

struct Found {
  cl_platform_id platform;
  cl_device_id device;
};

std::vector<Found> found_devices() {
  std::vector<Found> found;
  cl_uint count = 0;
  const cl_int status = clGetPlatformIDs(0, nullptr, &count);
  if (status == kNoPlatform || (status == CL_SUCCESS && count == 0)) return found;
  check(status, "clGetPlatformIDs");
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (const cl_platform_id platform : platforms) {
    // A platform without devices is none of ours to complain about.
    cl_uint devices = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) != CL_SUCCESS || devices == 0) continue;
    std::vector<cl_device_id> ids(devices);
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, devices, ids.data(), nullptr), "clGetDeviceIDs");
    for (const cl_device_id id : ids) found.push_back({platform, id});
  }
  return found;
}

class ClBuffer final : public Buffer {
 public:
  ClBuffer(cl_context context, std::size_t bytes) : bytes_(bytes) {
    cl_int status = CL_SUCCESS;
    buffer_ = HeldBuffer(clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status));
    check(status, "clCreateBuffer");
  }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] cl_mem get() const { return buffer_.get(); }

 private:
  HeldBuffer buffer_;
  std::size_t bytes_;
};

cl_mem memory_of(const Buffer& buffer) { return static_cast<const ClBuffer&>(buffer).get(); }

class ClCode final : public Code {
 public:
  ClCode(cl_context context, cl_device_id device, const std::string& source) {
    const char* text = source.c_str();
    const std::size_t length = source.size();
    cl_int status = CL_SUCCESS;
    program_ = HeldProgram(clCreateProgramWithSource(context, 1, &text, &length, &status));
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program_.get(), 1, &device, "-cl-std=CL1.2", nullptr, nullptr);
    if (status == CL_SUCCESS) return;
    std::size_t size = 0;
    std::string log;
    if (clGetProgramBuildInfo(program_.get(), device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) == CL_SUCCESS) {
      log.resize(size);
      clGetProgramBuildInfo(program_.get(), device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    }
    throw std::runtime_error(fmt::format("OpenCL: clBuildProgram gave {}: {}", status, log.substr(0, log.find('\0'))));
  }
  [[nodiscard]] cl_program get() const { return program_.get(); }

 private:
  HeldProgram program_;
};

class ClQueue final : public Queue {
 public:
  ClQueue(cl_context context, cl_device_id device) {
    cl_int status = CL_SUCCESS;
    queue_ = HeldQueue(clCreateCommandQueue(context, device, 0, &status));
    check(status, "clCreateCommandQueue");
  }
  ~ClQueue() override { clFinish(queue_.get()); }

  void write(const Buffer& to, std::size_t offset, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    check(clEnqueueWriteBuffer(queue_.get(), memory_of(to), CL_TRUE, offset, bytes, from, 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }
  void read(const Buffer& from, std::size_t offset, void* to, std::size_t bytes) override {
    if (bytes == 0) return;
    check(clEnqueueReadBuffer(queue_.get(), memory_of(from), CL_TRUE, offset, bytes, to, 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  }
  void copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset,
            std::size_t bytes) override {
    if (bytes == 0) return;
    check(clEnqueueCopyBuffer(queue_.get(), memory_of(from), memory_of(to), from_offset, to_offset, bytes, 0, nullptr,
                              nullptr),
          "clEnqueueCopyBuffer");
  }
  void clear(const Buffer& to, std::size_t offset, std::size_t bytes) override {
    if (bytes == 0) return;
    const cl_uint zero = 0;
    check(clEnqueueFillBuffer(queue_.get(), memory_of(to), &zero, sizeof zero, offset, bytes, 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
  }

  void run(const Code& code, const char* kernel, const std::vector<Argument>& arguments, const Range& range) override {
    const cl_kernel made = kernel_of(code, kernel);
    for (cl_uint n = 0; n < arguments.size(); ++n) {
      const Argument& argument = arguments[n];
      cl_int status = CL_SUCCESS;
      if (const auto* const buffer = std::get_if<const Buffer*>(&argument)) {
        const cl_mem memory = memory_of(**buffer);
        status = clSetKernelArg(made, n, sizeof(cl_mem), static_cast<const void*>(&memory));
      } else if (const auto* const small = std::get_if<std::uint32_t>(&argument)) {
        status = clSetKernelArg(made, n, sizeof *small, small);
      } else {
        const auto& large = std::get<std::uint64_t>(argument);
        status = clSetKernelArg(made, n, sizeof large, &large);
      }
      check(status, "clSetKernelArg");
    }
    const std::size_t group[3] = {range.group, 1, 1};
    check(clEnqueueNDRangeKernel(queue_.get(), made, 3, nullptr, range.counts, range.group == 0 ? nullptr : group, 0,
                                 nullptr, nullptr),
          kernel);
    check(clFlush(queue_.get()), "clFlush");
  }

 private:
  /// Arguments belong to a kernel's object: each queue has its own.
  cl_kernel kernel_of(const Code& code, const char* name) {
    const cl_program program = static_cast<const ClCode&>(code).get();
    HeldKernel& kernel = kernels_[{program, name}];
    if (kernel.get() == nullptr) {
      cl_int status = CL_SUCCESS;
      kernel = HeldKernel(clCreateKernel(program, name, &status));
      check(status, "clCreateKernel");
    }
    return kernel.get();
  }

  std::map<std::pair<cl_program, std::string_view>, HeldKernel> kernels_;
  HeldQueue queue_;
};

class ClContext final : public Context {
 public:
  explicit ClContext(cl_device_id device) : device_(device) {
    cl_int status = CL_SUCCESS;
    context_ = HeldContext(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status));
    check(status, "clCreateContext");
  }
  std::unique_ptr<Queue> make_queue() override { return std::make_unique<ClQueue>(context_.get(), device_); }
  std::unique_ptr<Buffer> make_buffer(std::size_t bytes) override {
    return std::make_unique<ClBuffer>(context_.get(), bytes);
  }
  std::unique_ptr<Code> build(const std::string& source) override {
    return std::make_unique<ClCode>(context_.get(), device_, source);
  }

 private:
  cl_device_id device_;
  HeldContext context_;
};

class ClDriver final : public Driver {
 public:
  std::vector<DeviceFacts> devices() override {
    std::vector<DeviceFacts> facts;
    for (const Found& found : found_devices()) facts.push_back(facts_of(found.platform, found.device));
    return facts;
  }
  std::unique_ptr<Context> open(std::size_t number) override {
    return std::make_unique<ClContext>(found_devices().at(number).device);
  }
};

}  // namespace
}  // namespace gdr::emulator::opencl

gdr::emulator::opencl::Driver* GDR_OPENCL_DRIVER() {
  static gdr::emulator::opencl::ClDriver driver;
  return &driver;
}
