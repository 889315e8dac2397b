#include "opencl_engine.h"

#include "opencl_session.h"
#include "simd/host_isas.h"

namespace gdr::emulator {
namespace {

class OpenClEngine final : public Engine {
 public:
  explicit OpenClEngine(std::string_view device) : device_(device) {}

  [[nodiscard]] std::shared_ptr<const Lowered> lower(const isa::Program& program) const override {
    return std::make_shared<opencl::LoweredOpenCl>(program, opencl::Machine::of_device(device_),
                                                   simd::default_jit_use());
  }
  [[nodiscard]] std::unique_ptr<Session> open(std::shared_ptr<const Lowered> program,
                                              const SessionOptions& options) const override {
    return std::make_unique<opencl::OpenClSession>(lowered_here<opencl::LoweredOpenCl>(program), options);
  }
  [[nodiscard]] EngineTraits traits() const override { return {.exact = true, .computes = true, .on_device = true}; }

 private:
  std::string device_;
};

}  // namespace

std::unique_ptr<Engine> make_opencl_engine(std::string_view device) { return std::make_unique<OpenClEngine>(device); }

}  // namespace gdr::emulator
