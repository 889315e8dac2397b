// Classes behind the C interface of the halo exchange (halo.h): a transport with its plan.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gdr/interconnect/halo.h"
#include "gdr/interconnect/halo_plan.h"
#include "gdr/interconnect/tca_machine.h"

namespace gdr::interconnect {

/// Copies `outer` x `inner` runs of `run` bytes; pitches are bytes between the beginnings of runs.
struct StridedCopy {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t run = 0;
  std::size_t inner = 1;
  std::size_t to_inner_pitch = 0;
  std::size_t from_inner_pitch = 0;
  std::size_t outer = 1;
  std::size_t to_outer_pitch = 0;
  std::size_t from_outer_pitch = 0;

  void run_now() const;
};

/// Copies from a region of a block into a contiguous buffer, and back.
[[nodiscard]] StridedCopy pack_copy(std::byte* buffer, const std::byte* block, const HaloRegion& region,
                                    std::size_t element_bytes);
[[nodiscard]] StridedCopy unpack_copy(std::byte* block, const std::byte* buffer, const HaloRegion& region,
                                      std::size_t element_bytes);
/// Copies between regions of equal shape.
[[nodiscard]] StridedCopy face_copy(std::byte* to, const HaloRegion& to_region, const std::byte* from,
                                    const HaloRegion& from_region, std::size_t element_bytes);

/// A transport with its plan. exchange() allocates nothing unless the network has changed.
class Reflect {
 public:
  virtual ~Reflect() = default;
  virtual void exchange() = 0;
  [[nodiscard]] virtual std::byte* block(int rank) = 0;

  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] const HaloPlans& plans() const { return plans_; }

 protected:
  HaloPlans plans_;
  double seconds_ = 0;
};

/// All ranks on the emulated nodes of `machine`, which must outlive the result.
[[nodiscard]] std::unique_ptr<Reflect> reflect_modelled(TcaMachine& machine, const HaloShape& shape, HaloMethod method);

/// Wraps a transport as a handle of the C interface, for transports outside this component.
[[nodiscard]] gdr_reflect* reflect_for_c(std::unique_ptr<Reflect> transport);
/// Sets the text that gdr_reflect_error(NULL) returns.
void set_init_error(const std::string& error);
[[nodiscard]] HaloShape shape_of(const gdr_halo_shape& shape);
[[nodiscard]] HaloMethod method_of(gdr_halo_method method);

}  // namespace gdr::interconnect
