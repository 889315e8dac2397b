#include "loop_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"

namespace gdr::emulator::opencl {
namespace {

/// Number of interactions from which compiling a body pays. On a core of a host the machine's kernel takes about a
/// microsecond for one interaction. LLVM takes two seconds there for one form of a body of 200 kB of text, like that of
/// gravity with jerk, and half a minute for one six times as long, like that of DGEMM.
std::uint64_t worth_compiling(const BodyKernel& kernel) {
  const std::uint64_t kilobytes = kernel.source.size() / kernel.forms / 1000;
  return 500'000 * kernel.forms * kilobytes * kilobytes / (200 * 200);
}

/// The number that the environment sets by this name, if it sets one.
std::optional<unsigned> number_set(const char* name) {
  const std::string wanted = base::environment(name);
  if (wanted.empty()) return std::nullopt;
  for (const unsigned number : {1U, 2U, 4U, 8U}) {
    if (wanted == std::to_string(number)) return number;
  }
  throw Error(fmt::format("{}={} is refused: it must be 1, 2, 4 or 8", name, wanted));
}

/// PEs of a work-item: what GDR_OPENCL_LANES says or else as many as the device prefers. Iterations side by side: what
/// GDR_OPENCL_TURNS says or else as many as possible on a GPU. A CPU has no use for more work-items.
DeviceShape shape_of(const OpenClDevice& device) {
  constexpr unsigned kMostWays = 4;  // of 1, 2, 4 and 8 the fastest for a board on an NVIDIA H200
  const unsigned preferred = std::min(std::bit_floor(std::max(device.doubles_in_vector, 1U)), 8U);
  DeviceShape shape;
  shape.lanes = number_set("GDR_OPENCL_LANES").value_or(preferred);
  shape.ways = number_set("GDR_OPENCL_TURNS").value_or(device.kind == "GPU" ? kMostWays : 1);
  shape.largest_group = device.largest_group;
  shape.local_memory_bytes = device.local_memory_bytes;
  return shape;
}

/// Most blocks for which iterations run side by side. With more there are work-items enough, and the steps of chains
/// would only wait for one another: on an NVIDIA H200 a board is twice as fast side by side, 16 boards are 0.8 times.
std::size_t few_blocks(const OpenClDevice& device) {
  const bool is_set = !base::environment("GDR_OPENCL_TURNS").empty();
  return is_set ? std::numeric_limits<std::size_t>::max() : device.compute_units;
}

std::atomic<std::uint64_t> turns_run{0};

}  // namespace

std::uint64_t turns_in_doubles() { return turns_run.load(std::memory_order_relaxed); }
void count_turns_in_doubles(std::uint64_t turns) { turns_run.fetch_add(turns, std::memory_order_relaxed); }

LoopBody::LoopBody(const DecodedProgram& program, std::shared_ptr<Machine> machine, JitUse use)
    : program_(program),
      machine_(std::move(machine)),
      use_(use),
      shape_(shape_of(machine_->device)),
      few_blocks_(few_blocks(machine_->device)) {
  if (lines_of(program.steps(isa::Section::loop_body)).empty()) {
    edges_.refusal = "it has no lines";
  } else {
    edges_ = jit::loop_edges(program);
  }
  if (!machine_->device.fp64) edges_.refusal = "the device has no doubles";
}

const CompiledBody* LoopBody::in_doubles(std::uint64_t interactions, std::size_t blocks) const {
  if (use_ == JitUse::never) return nullptr;
  const std::uint64_t all = interactions_.fetch_add(interactions, std::memory_order_relaxed) + interactions;
  const std::lock_guard lock(making_);
  std::unique_ptr<CompiledBody>& body = bodies_[blocks <= few_blocks_ ? 1 : 0];
  if (refusal_.empty() && body == nullptr) body = write(blocks <= few_blocks_);
  if (!refusal_.empty() || (use_ == JitUse::automatic && all < worth_compiling(body->kernel))) return nullptr;
  if (body->code == nullptr) compile(*body);
  return refusal_.empty() ? body.get() : nullptr;
}

/// Writes the body, or sets the refusal.
std::unique_ptr<CompiledBody> LoopBody::write(bool side_by_side) const {
  auto body = std::make_unique<CompiledBody>();
  refusal_ = edges_.refusal;
  if (!refusal_.empty()) return body;
  DeviceShape shape = shape_;
  if (!side_by_side) shape.ways = 1;
  const simd::Schedule schedule = simd::make_schedule(program_, {default_host_isa(), simd::Arithmetic::chip});
  jit::CodeTarget target;
  target.language = jit::CodeLanguage::opencl_c;
  body->kernel = make_body_kernel(jit::make_body_graph(program_, schedule, target), shape, program_);
  refusal_ = body->kernel.refusal;
  const std::size_t largest = machine_->device.largest_group;
  if (refusal_.empty() && body->kernel.items > largest) {
    refusal_ = fmt::format("a block needs {} work-items, and the device's work-groups have {} at most",
                           body->kernel.items, largest);
  }
  return body;
}

void LoopBody::compile(CompiledBody& body) const {
  try {
    body.code = as_errors([&] { return machine_->context->build(body.kernel.source); });
  } catch (const Error& error) {
    if (use_ == JitUse::always) {
      throw Error(fmt::format("GDR_JIT=on, but device '{}' does not compile the loop body: {}", machine_->device.name,
                              error.what()));
    }
    refusal_ = error.what();  // the machine's own kernel computes everything
  }
}

std::string LoopBody::refusal() const {
  const std::lock_guard lock(making_);
  return refusal_;
}

}  // namespace gdr::emulator::opencl
