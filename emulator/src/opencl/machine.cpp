#include "machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <mutex>

#include "gdr/base/environment.h"
#include "gdr/base/plugin.h"
#include "gdr/isa/operations.h"
#include "machine_text.h"

namespace gdr::emulator {
namespace {

using opencl::DeviceFacts;
using opencl::Driver;

/// The driver; null if this build has none.
Driver* driver() {
  static Driver* const found = []() -> Driver* {
    const auto get = GDR_PLUGIN_FUNCTION("libgdr_opencl.so", GDR_OPENCL_DRIVER);
    return get == nullptr ? nullptr : get();
  }();
  return found;
}

Driver& required_driver() {
  Driver* const found = driver();
  if (found == nullptr) {
    throw Error("engine 'opencl' needs " +
                base::missing_plugin("libgdr_opencl.so", "OpenCL's loader, libOpenCL.so.1,", "GDR_OPENCL"));
  }
  return *found;
}

std::string refusal_of(const DeviceFacts& device) {
  if (std::endian::native != std::endian::little || !device.little_endian) return "its words are big endian";
  if (!device.available) return "it is not available";
  if (!device.compiles) return "it has no compiler";
  if (!device.has_int64) return "it has no integers of 64 bits";
  if (device.largest_group < kPesPerBlock) {
    return fmt::format("its work-groups have {} items at most, and a block has {} PEs", device.largest_group,
                       kPesPerBlock);
  }
  return {};
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

std::string listed(const std::vector<OpenClDevice>& devices) {
  if (devices.empty()) return "OpenCL finds no device on this host";
  std::string text = "the devices are";
  for (std::size_t n = 0; n < devices.size(); ++n) {
    const OpenClDevice& device = devices[n];
    text += fmt::format("{} {}: {} ({}{}{})", n == 0 ? "" : ",", n, device.name, device.platform,
                        device.refusal.empty() ? "" : "; cannot be used: ", device.refusal);
  }
  return text;
}

bool means(const std::string& name, const OpenClDevice& device, std::size_t number) {
  if (name == std::to_string(number)) return true;
  return lower_case(device.name).find(name) != std::string::npos ||
         lower_case(device.platform).find(name) != std::string::npos;
}

}  // namespace

std::vector<OpenClDevice> opencl_devices() {
  std::vector<OpenClDevice> devices;
  for (const DeviceFacts& facts : opencl::as_errors([] { return required_driver().devices(); })) {
    devices.push_back({facts.name, facts.platform, facts.version, facts.kind, facts.has_fp64, facts.memory_bytes,
                       facts.largest_buffer_bytes, facts.compute_units, facts.doubles_in_vector, facts.largest_group,
                       refusal_of(facts)});
  }
  return devices;
}

std::size_t choose_opencl_device(std::string_view name) {
  std::string wanted = lower_case(name);
  std::string by = "engine 'opencl:" + std::string(name) + "'";
  if (wanted.empty()) {
    const std::string chosen = base::environment("GDR_OPENCL_DEVICE");
    wanted = lower_case(chosen);
    by = chosen.empty() ? "engine 'opencl'" : "GDR_OPENCL_DEVICE=" + chosen;
  }
  const std::vector<OpenClDevice> devices = opencl_devices();
  for (const bool only_gpus : {true, false}) {
    if (only_gpus && !wanted.empty()) continue;
    for (std::size_t n = 0; n < devices.size(); ++n) {
      const bool fits = wanted.empty() ? !only_gpus || devices[n].kind == "GPU" : means(wanted, devices[n], n);
      if (fits && devices[n].refusal.empty()) return n;
    }
  }
  throw Error(fmt::format("{} is refused: no device that can be used {}: {}", by,
                          wanted.empty() ? "is there" : "has this index or name", listed(devices)));
}

namespace opencl {
namespace {

std::string definitions() {
  std::string text;
  const auto define = [&](std::string_view name, std::uint64_t value) {
    text += fmt::format("#define {} {}\n", name, value);
  };
  define("PES", kPesPerBlock);
  define("BLOCKS", kBlocks);
  define("ELEMENTS", isa::kVectorElements);
  define("KEPT", kKeptEvents);
  define("LM_ROW", simd::kLmRow);
  define("LM_WORDS", isa::kLmShortWords);
  define("T_ROW", simd::kTRow);
  define("BM_PLACE", kBmPlace);
  define("BLOCK_WORDS", kBlockWords);
  define("LOOP_BODY", static_cast<unsigned>(isa::Section::loop_body));
  define("LOOP_TERMINATION", static_cast<unsigned>(isa::Section::loop_termination));
  define("STEP_LINE", static_cast<unsigned>(StepKind::line));
  define("STEP_COLLECT", static_cast<unsigned>(StepKind::collect));
  define("UNIT_bm", static_cast<unsigned>(isa::Unit::bm));
  define("BM_none", static_cast<unsigned>(isa::BmMode::none));
  define("BM_read", static_cast<unsigned>(isa::BmMode::read));
  define("CONDITION_negative", static_cast<unsigned>(isa::Condition::negative));
  define("CONDITION_zero", static_cast<unsigned>(isa::Condition::zero));
#define GDR_SOURCE(name) define("SOURCE_" #name, static_cast<unsigned>(isa::Source::name));
  GDR_SOURCE(gpr_a)
  GDR_SOURCE(gpr_b)
  GDR_SOURCE(lm)
  GDR_SOURCE(bm)
  GDR_SOURCE(t_short)
  GDR_SOURCE(t_long)
  GDR_SOURCE(immediate)
  GDR_SOURCE(pe_id)
  GDR_SOURCE(bb_id)
#undef GDR_SOURCE
#define GDR_OPERATION(OP, name, sources) define("OP_" #name, static_cast<unsigned>(isa::Op::OP));
  GDR_OPERATIONS(GDR_OPERATION)
#undef GDR_OPERATION
#define GDR_OPERATION(OP, name, sources) " X(" #name ")"
  text += "#define OPERATIONS(X)" GDR_OPERATIONS(GDR_OPERATION) "\n";
#undef GDR_OPERATION
  return text;
}

uint is_long(Width width) { return width == Width::long_word ? 1 : 0; }
uint number(bool value) { return value ? 1 : 0; }

PortCode port_code(const isa::ReadPort& port, unsigned first_row) {
  return {first_row + port.address, is_long(port.width), number(port.vector), number(port.indirect)};
}

WriteCode write_code(const isa::Line& line, const isa::WritePort& port, unsigned first_row) {
  return {static_cast<uint>(port.source),
          first_row + port.address,
          port.source == isa::Unit::none ? 0 : is_long(isa::result_width(line, port.source)),
          number(port.vector),
          number(port.indirect),
          port.predicate.flag,
          number(port.predicate.inverted),
          number(port.predicate.jvalid)};
}

SlotCode slot_code(const isa::Line& line, isa::Unit unit) {
  const isa::Slot& slot = isa::slot_of(line, unit);
  if (!isa::info_of(slot.op).computes()) return {};
  return {static_cast<uint>(slot.op),
          static_cast<uint>(unit),
          static_cast<uint>(slot.a),
          static_cast<uint>(slot.b),
          number(slot.negate_a),
          number(slot.negate_b),
          is_long(slot.width),
          slot.flag.flag,
          static_cast<uint>(slot.flag.condition),
          slot.flag.predicate.flag,
          number(slot.flag.predicate.inverted),
          number(slot.flag.predicate.jvalid)};
}

LineCode line_code(const isa::Line& line, std::size_t number_in_section) {
  LineCode code{};
  code.immediate_high = line.immediate.value.high;
  code.immediate_low = line.immediate.value.low;
  code.number = static_cast<uint>(number_in_section);
  code.elements = line.vlen;
  code.mask = line.mask.flag;
  code.mask_inverted = number(line.mask.inverted);
  code.gpr_a = port_code(line.gpr_a, 0);
  code.gpr_b = port_code(line.gpr_b, 0);
  code.lm = port_code(line.lm_read, simd::kLmRow);
  code.bm = {line.bm.address, is_long(line.bm.width), number(line.bm.vector), 0};
  code.bm_mode = static_cast<uint>(line.bm.mode);
  code.bm_record = number(line.bm.record);
  code.bm_source = static_cast<uint>(line.bm.store_source);
  code.bm_one_pe = number(line.bm.one_pe);
  code.bm_pe = line.bm.pe;
  code.t_write = write_code(line, line.t_write, simd::kTRow);
  code.gpr_write = write_code(line, line.gpr_write, 0);
  code.lm_write = write_code(line, line.lm_write, simd::kLmRow);
  std::size_t slot = 0;
  for (const isa::Unit unit : {isa::Unit::adder, isa::Unit::multiplier, isa::Unit::alu}) {
    code.slots[slot++] = slot_code(line, unit);
  }
  return code;
}

}  // namespace

std::string machine_source() { return kMachineTypes + definitions() + kMachineText; }

ProgramCode make_program_code(const DecodedProgram& program) {
  ProgramCode code;
  code.sections.record_words = program.program.record_words;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    code.sections.begin[section] = static_cast<uint>(code.steps.size());
    std::size_t line_number = 0;
    const isa::Visitor take{
        [&](const DecodedLine& line) {
          code.steps.push_back({static_cast<uint>(StepKind::line), static_cast<uint>(code.lines.size()), 0, 0});
          code.lines.push_back(line_code(line.line, line_number++));
        },
        [](const isa::TransferStep&) {},
        [&](const isa::CollectStep& collect) {
          const bool not_first = collect.not_first && section == static_cast<std::size_t>(isa::Section::loop_body);
          code.steps.push_back({static_cast<uint>(StepKind::collect), program.program.address_of(collect),
                                collect.words(), number(not_first)});
        }};
    for (const DecodedStep& step : program.sections[section]) std::visit(take, step);
    // A turn receives its record even if the body has no lines, so it needs a step.
    const bool is_body = section == static_cast<std::size_t>(isa::Section::loop_body);
    if (is_body && code.steps.size() == code.sections.begin[section]) code.steps.push_back({});
    code.sections.end[section] = static_cast<uint>(code.steps.size());
  }
  if (code.lines.empty()) code.lines.push_back({});
  return code;
}

Machine::Machine(std::size_t number_of_device) : device(opencl_devices().at(number_of_device)) {
  as_errors([&] {
    context = required_driver().open(number_of_device);
    kernels = context->build(machine_source());
  });
}

std::shared_ptr<Machine> Machine::of_device(std::string_view name) {
  // Machines are never closed: at the end of a process OpenCL may be unloaded before this code.
  static std::mutex mutex;
  static auto* const machines = new std::map<std::size_t, std::shared_ptr<Machine>>;
  const std::size_t wanted = choose_opencl_device(name);
  const std::lock_guard lock(mutex);
  std::shared_ptr<Machine>& machine = (*machines)[wanted];
  if (machine == nullptr) machine = std::make_shared<Machine>(wanted);
  return machine;
}

}  // namespace opencl
}  // namespace gdr::emulator
