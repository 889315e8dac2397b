#include "loop_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

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

/// PEs of a work-item: what GDR_OPENCL_LANES says or else as many as the device prefers.
unsigned lanes_on(const OpenClDevice& device) {
  const std::string wanted = base::environment("GDR_OPENCL_LANES");
  for (const unsigned lanes : {1U, 2U, 4U, 8U}) {
    if (wanted == std::to_string(lanes)) return lanes;
  }
  if (!wanted.empty()) throw Error(fmt::format("GDR_OPENCL_LANES={} is refused: it must be 1, 2, 4 or 8", wanted));
  return std::min(std::bit_floor(std::max(device.doubles_in_vector, 1U)), 8U);
}

std::atomic<std::uint64_t> turns_run{0};

}  // namespace

std::uint64_t turns_in_doubles() { return turns_run.load(std::memory_order_relaxed); }
void count_turns_in_doubles(std::uint64_t turns) { turns_run.fetch_add(turns, std::memory_order_relaxed); }

LoopBody::LoopBody(const DecodedProgram& program, std::shared_ptr<Machine> machine, JitUse use)
    : program_(program), machine_(std::move(machine)), use_(use), lanes_(lanes_on(machine_->device)) {
  if (lines_of(program.steps(isa::Section::loop_body)).empty()) {
    edges_.refusal = "it has no lines";
  } else {
    edges_ = jit::loop_edges(program);
  }
  if (!machine_->device.fp64) edges_.refusal = "the device has no doubles";
}

const CompiledBody* LoopBody::in_doubles(std::uint64_t interactions) const {
  if (use_ == JitUse::never) return nullptr;
  const std::uint64_t all = interactions_.fetch_add(interactions, std::memory_order_relaxed) + interactions;
  const std::lock_guard lock(making_);
  if (body_ == nullptr) write();
  if (!refusal_.empty() || (use_ == JitUse::automatic && all < worth_compiling(body_->kernel))) return nullptr;
  if (body_->code == nullptr) compile();
  return refusal_.empty() ? body_.get() : nullptr;
}

void LoopBody::write() const {
  body_ = std::make_unique<CompiledBody>();
  refusal_ = edges_.refusal;
  if (!refusal_.empty()) return;
  const simd::Schedule schedule = simd::make_schedule(program_, {default_host_isa(), simd::Arithmetic::chip});
  jit::CodeTarget target;
  target.language = jit::CodeLanguage::opencl_c;
  body_->kernel = make_body_kernel(jit::make_body_graph(program_, schedule, target), lanes_, program_);
  refusal_ = body_->kernel.refusal;
  const std::size_t largest = machine_->device.largest_group;
  if (refusal_.empty() && body_->kernel.items > largest) {
    refusal_ = fmt::format("a block needs {} work-items, and the device's work-groups have {} at most",
                           body_->kernel.items, largest);
  }
}

void LoopBody::compile() const {
  try {
    body_->code = as_errors([&] { return machine_->context->build(body_->kernel.source); });
  } catch (const Error& error) {  // the machine's own kernel computes everything
    refusal_ = error.what();
  }
}

std::string LoopBody::refusal() const {
  const std::lock_guard lock(making_);
  return refusal_;
}

}  // namespace gdr::emulator::opencl
