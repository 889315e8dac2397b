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
                       facts.local_memory_bytes, refusal_of(facts)});
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
  define("CONDITION_negative", static_cast<unsigned>(isa::Condition::negative));
  define("CONDITION_zero", static_cast<unsigned>(isa::Condition::zero));
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

/// Rows or short words of an access.
Place place_of(isa::Storage storage) {
  switch (storage) {
    case isa::Storage::gpr:
    case isa::Storage::lm:
      return Place::registers;
    case isa::Storage::t:
      return Place::t;
    case isa::Storage::bm:
      return Place::bm;
    case isa::Storage::record:
      return Place::record;
    case isa::Storage::flag:
      break;  // no word
  }
  return Place::nothing;
}

uint first_of(const isa::Access& access) {
  const bool in_lm = access.storage == isa::Storage::lm;
  const bool in_t = access.storage == isa::Storage::t;
  return access.address + (in_lm ? simd::kLmRow : in_t ? simd::kTRow : 0);
}

OperandCode operand_code(const isa::UnitOperand& operand) {
  using Kind = isa::UnitOperand::Kind;
  OperandCode code{};
  code.is_long = is_long(operand.width);
  code.negated = number(operand.negated);
  const auto at = [&](Place place) { code.place = static_cast<uint>(place); };
  switch (operand.kind) {
    case Kind::none:
      at(Place::nothing);
      break;
    case Kind::word:
      at(place_of(operand.word.storage));
      code.first = first_of(operand.word);
      code.step = operand.word.step;
      code.indirect = number(operand.word.indirect);
      break;
    case Kind::constant:
      at(Place::constant);
      code.constant_high = operand.constant.high;
      code.constant_low = operand.constant.low;
      break;
    case Kind::pe_id:
      at(Place::pe_id);
      break;
    case Kind::block_id:
      at(Place::block_id);
      break;
  }
  return code;
}

DestinationCode destination_code(const isa::Access& write) {
  return {static_cast<uint>(place_of(write.storage)),
          first_of(write),
          write.step,
          is_long(write.width),
          number(write.indirect),
          write.predicate.flag,
          number(write.predicate.inverted),
          number(write.predicate.jvalid)};
}

UnitCode unit_code(const isa::UnitWork& work) {
  UnitCode code{};
  code.a = operand_code(work.a);
  code.b = operand_code(work.b);
  for (const isa::Access& write : work.destinations()) {
    code.destinations[code.destination_count++] = destination_code(write);
  }
  code.unit = static_cast<uint>(work.unit);
  static_assert(static_cast<uint>(isa::Op::NOP) == 0, "a device moves words for operation 0");
  code.op = static_cast<uint>(work.op);
  code.is_long = is_long(work.width);
  code.one_pe = number(work.one_pe);
  code.pe = work.pe;
  code.flag = work.flag.flag;
  code.condition = static_cast<uint>(work.flag.condition);
  code.predicate = work.flag.predicate.flag;
  code.inverted = number(work.flag.predicate.inverted);
  code.jvalid = number(work.flag.predicate.jvalid);
  return code;
}

LineCode line_code(const isa::LineWork& line, std::size_t number_in_section) {
  LineCode code{};
  for (const isa::UnitWork& work : line.units()) {
    if (work.computes) code.units[code.unit_count++] = unit_code(work);
  }
  code.number = static_cast<uint>(number_in_section);
  code.elements = line.elements;
  code.mask = line.mask.flag;
  code.mask_inverted = number(line.mask.inverted);
  for (uint n = 0; n < code.unit_count; ++n) {
    const UnitCode& unit = code.units[n];
    for (uint to = 0; to < unit.destination_count; ++to) {
      const DestinationCode& destination = unit.destinations[to];
      const bool is_register = destination.place == static_cast<uint>(Place::registers);
      if (is_register && destination.step == 0 && line.elements > 1) code.in_order = 1;
    }
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
          code.lines.push_back(line_code(line.work, line_number++));
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
