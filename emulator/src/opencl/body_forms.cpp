#include "body_forms.h"

#include <algorithm>
#include <bit>

#include "gdr/base/error.h"

namespace gdr::emulator::opencl {
namespace {

// Interactions that make compiling worth while: the machine's kernel takes about a microsecond for one on a core of a
// host, compiling a second.
constexpr std::uint64_t kWorthCompiling = 1'000'000;

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
  if (use_ == JitUse::automatic && all < kWorthCompiling) return nullptr;
  return form(jit::Rounding::quick);
}

const BodyForm* BodyForms::form(jit::Rounding rounding) const {
  const std::lock_guard lock(making_);
  std::unique_ptr<BodyForm>& form = forms_[static_cast<std::size_t>(rounding)];
  if (form == nullptr) {
    form = std::make_unique<BodyForm>();
    make(*form, rounding);
  }
  return form->code == nullptr ? nullptr : form.get();
}

void BodyForms::make(BodyForm& form, jit::Rounding rounding) const {
  refusal_ = edges_.refusal;
  if (!refusal_.empty()) return;
  const simd::Schedule schedule = simd::make_schedule(program_, {default_host_isa(), simd::Arithmetic::chip});
  // Vectors have 2, 4 or 8 lanes; where there are none, or three, each work-item takes one PE.
  const unsigned lanes = std::min(std::bit_floor(std::max(machine_->device.doubles_in_vector, 1U)), 8U);
  form.kernel = make_body_kernel(jit::make_body_graph(program_, schedule), rounding, lanes, program_);
  refusal_ = form.kernel.refusal;
  if (!refusal_.empty()) return;
  try {
    form.code = as_errors([&] { return machine_->context->build(form.kernel.source); });
  } catch (const Error& error) {  // the machine's own kernel does it all
    refusal_ = error.what();
  }
}

std::string BodyForms::refusal() const {
  const std::lock_guard lock(making_);
  return refusal_;
}

}  // namespace gdr::emulator::opencl
