#include "body_forms.h"

#include <algorithm>
#include <bit>

#include "gdr/base/error.h"

namespace gdr::emulator::opencl {
namespace {

/// Number of interactions from which compiling a body pays. On a core of a host the machine's kernel takes about a
/// microsecond for one interaction. LLVM takes two seconds there for a body of 200 kB of text, like that of gravity
/// with jerk, and half a minute for one six times as long, like that of DGEMM.
std::uint64_t worth_compiling(const BodyKernel& kernel) {
  const std::uint64_t kilobytes = kernel.source.size() / 1000;
  return 1'000'000 * kilobytes * kilobytes / (200 * 200);
}

std::atomic<std::uint64_t> turns_run{0};

}  // namespace

std::uint64_t turns_in_doubles() { return turns_run.load(std::memory_order_relaxed); }
void count_turns_in_doubles(std::uint64_t turns) { turns_run.fetch_add(turns, std::memory_order_relaxed); }

BodyForms::BodyForms(const DecodedProgram& program, std::shared_ptr<Machine> machine, JitUse use)
    : program_(program), machine_(std::move(machine)), use_(use) {
  if (lines_of(program.steps(isa::Section::loop_body)).empty()) {
    edges_.refusal = "it has no lines";
  } else {
    edges_ = jit::loop_edges(program);
  }
  if (!machine_->device.fp64) edges_.refusal = "the device has no doubles";
}

const BodyForm* BodyForms::quick(std::uint64_t interactions) const {
  if (use_ == JitUse::never) return nullptr;
  const std::uint64_t all = interactions_.fetch_add(interactions, std::memory_order_relaxed) + interactions;
  const std::lock_guard lock(making_);
  if (quick_ == nullptr) {
    quick_ = std::make_unique<BodyForm>();
    write(*quick_, jit::Rounding::quick);
  }
  if (quick_->failed || (use_ == JitUse::automatic && all < worth_compiling(quick_->kernel))) return nullptr;
  compile(*quick_);
  return quick_->failed ? nullptr : quick_.get();
}

const BodyForm* BodyForms::robust() const {
  const std::lock_guard lock(making_);
  if (robust_ == nullptr) {
    robust_ = std::make_unique<BodyForm>();
    write(*robust_, jit::Rounding::robust);
    // In a body without short results nothing is near a tie, so both forms are the same.
    robust_->failed = robust_->failed || robust_->kernel.source == quick_->kernel.source;
  }
  compile(*robust_);
  return robust_->failed ? nullptr : robust_.get();
}

void BodyForms::write(BodyForm& form, jit::Rounding rounding) const {
  refusal_ = edges_.refusal;
  if (refusal_.empty()) {
    const simd::Schedule schedule = simd::make_schedule(program_, {default_host_isa(), simd::Arithmetic::chip});
    // Vectors have 2, 4 or 8 lanes; where there are none, each work-item takes one PE.
    const unsigned lanes = std::min(std::bit_floor(std::max(machine_->device.doubles_in_vector, 1U)), 8U);
    jit::CodeTarget target;
    target.language = jit::CodeLanguage::opencl_c;
    form.kernel = make_body_kernel(jit::make_body_graph(program_, schedule, target), rounding, lanes, program_);
    refusal_ = form.kernel.refusal;
  }
  form.failed = !refusal_.empty();
}

void BodyForms::compile(BodyForm& form) const {
  if (form.failed || form.code != nullptr) return;
  try {
    form.code = as_errors([&] { return machine_->context->build(form.kernel.source); });
  } catch (const Error& error) {  // the machine's own kernel computes everything
    refusal_ = error.what();
    form.failed = true;
  }
}

std::string BodyForms::refusal() const {
  const std::lock_guard lock(making_);
  return refusal_;
}

}  // namespace gdr::emulator::opencl
