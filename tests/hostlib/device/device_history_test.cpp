// A device that was used gives what a fresh one gives, whatever it ran before: other numbers of particles, other
// kernels, calls that were refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/kernel_program.h"
#include "histories.h"

namespace gdr {
namespace {

using isa::Transfer;
using tests::HistoryNumbers;
using tests::HistoryStep;

/// Two parameters; sums, and a greatest value for each i.
constexpr std::string_view kScaled = R"(kernel scaled
var  vector long xi hlt flt64to72
bvar scalar long xj elt flt64to72
bvar scalar short mj elt flt64to36
param scale : short flt64to36 = 1
param shift : long flt64to72 = 0.5
var  vector long f rrn flt72to64 fadd
var  vector long most rrn flt72to64 fmax
var  vector short s
var  vector long b
loop initialization
  vlen 4
  uxor $lt $lt $lt
  upassa $lt f
  upassa $lt most
  bm scale s
  bm shift b
loop body
  vlen 4
  fsub xj xi $lt
  fadd $lti b $lt
  fmul $lt s $lt
  fmul $lt mj $lt
  fadd f $lt f
  fmax most $lt most
)";

const isa::Program& kernel(unsigned number) {
  static const std::array<isa::Program, 5> kernels{
      hostlib::kernel_program("gravity"),
      hostlib::kernel_program("gravity_jerk"),
      hostlib::kernel_program("gravity_jerk", {{"nearest", "1"}, {"list", "4"}}),
      [] {
        assembler::AssembleResult result = assembler::assemble(kScaled, "scaled.vsm");
        if (!result.program) throw Error(assembler::format_diagnostics(result));
        return *std::move(result.program);
      }(),
      hostlib::kernel_program("vdw"),
  };
  return kernels.at(number % kernels.size());
}

std::vector<std::uint64_t> records_of(const isa::Program& program, Transfer transfer, std::size_t first,
                                      std::size_t count, HistoryNumbers& numbers) {
  std::vector<std::uint64_t> fields;
  for (std::size_t n = 0; n < count; ++n) {
    for (const isa::Variable* variable : program.variables_by(transfer)) {
      for (unsigned element = 0; element < variable->elements; ++element) {
        if (variable->conversion && isa::info_of(*variable->conversion).floating) {
          const bool positive = variable->name.starts_with("eps") || variable->name.starts_with("m");
          fields.push_back(std::bit_cast<std::uint64_t>(numbers.between(positive ? 1e-3 : -2, 2)));
        } else {
          fields.push_back(first + n + 1);
        }
      }
    }
  }
  return fields;
}

class DevicePlayer {
 public:
  DevicePlayer(std::uint64_t seed, const std::string& engine) {
    for (unsigned n = 0; n < used_.size(); ++n) {
      Used& used = used_.at(n);
      used.options.engine = engine;
      used.options.machine = (seed + n) % 4 == 0 ? "model1800" : "model450";
      used.options.boards = (seed + n) % 4 == 1 ? 2 : 1;
      used.options.threads = 1 + static_cast<unsigned>(seed % 2);
      used.device = std::make_unique<Device>(used.options);
      load(used, static_cast<unsigned>(seed / 4 + n));
    }
  }

  void step(const HistoryStep& step) {
    Used& used = used_.at(step.object);
    const isa::Program& program = *used.program;
    HistoryNumbers numbers(step.data);
    switch (step.action) {
      case HistoryStep::Action::write:
        write(used, step.first, records_of(program, Transfer::elt, step.first, step.count, numbers));
        break;
      case HistoryStep::Action::run:
        run(used, step, records_of(program, Transfer::hlt, 0, step.ni, numbers));
        break;
      case HistoryStep::Action::parameter:
        if (program.parameters.empty()) break;
        {
          const std::string& name = program.parameters[step.choice % program.parameters.size()].name;
          const double value = name == "first" ? static_cast<double>(numbers.below(9)) : numbers.between(-1, 1);
          used.device->set_parameter(name, value);
          used.parameters[name] = value;
        }
        break;
      case HistoryStep::Action::other_kernel:
        load(used, step.choice);
        break;
      case HistoryStep::Action::mistake:
        err(used, step, numbers);
        break;
      case HistoryStep::Action::other_object:
        break;
    }
  }

 private:
  struct Used {
    DeviceOptions options;
    std::unique_ptr<Device> device;
    const isa::Program* program = nullptr;
    std::map<std::string, double> parameters;
    std::vector<std::uint64_t> j;  // all that was written since load()
  };

  static void load(Used& used, unsigned number) {
    used.program = &kernel(number);
    used.device->load(*used.program);
    used.parameters.clear();
    used.j.clear();
  }

  static void remember(Used& used, std::size_t first, const std::vector<std::uint64_t>& fields) {
    const std::size_t begin = first * used.program->record_fields(Transfer::elt);
    used.j.resize(std::max(used.j.size(), begin + fields.size()));
    std::ranges::copy(fields, used.j.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  static void write(Used& used, std::size_t first, const std::vector<std::uint64_t>& fields) {
    used.device->write_j(first, fields);
    remember(used, first, fields);
  }

  struct Answer {
    std::vector<std::uint64_t> results;
    std::array<std::uint64_t, 3> events{};
    friend bool operator==(const Answer&, const Answer&) = default;
  };
  static std::array<std::uint64_t, 3> events_of(const Device& device) {
    const emulator::FpEvents fp = device.counters().fp;
    return {fp.invalid, fp.overflow, fp.underflow};
  }
  static Answer answer(Device& device, const std::vector<std::uint64_t>& i, std::size_t nj, bool in_background) {
    const auto before = events_of(device);
    Answer answer;
    if (in_background) {
      device.start(i, nj);
      answer.results = device.wait();
    } else {
      answer.results = device.run(i, nj);
    }
    answer.events = events_of(device);
    for (std::size_t n = 0; n < before.size(); ++n) answer.events.at(n) -= before.at(n);
    return answer;
  }

  static void run(Used& used, const HistoryStep& step, const std::vector<std::uint64_t>& i) {
    const Answer got = answer(*used.device, i, step.nj, step.choice % 2 == 0);
    Device fresh(used.options);
    fresh.load(*used.program);
    for (const auto& [name, value] : used.parameters) fresh.set_parameter(name, value);
    fresh.write_j(0, used.j);
    const Answer expected = answer(fresh, i, step.nj, false);
    EXPECT_EQ(got.results, expected.results) << used.program->kernel;
    EXPECT_EQ(got.events, expected.events) << used.program->kernel;
  }

  static void err(Used& used, const HistoryStep& step, HistoryNumbers& numbers) {
    Device& device = *used.device;
    const isa::Program& program = *used.program;
    std::vector<std::uint64_t> i = records_of(program, Transfer::hlt, 0, step.ni, numbers);
    const std::uint64_t nan = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
    switch (step.choice % 6) {
      case 0:
        EXPECT_THROW(static_cast<void>(device.run(i, device.j_capacity() + 1)), Error);
        break;
      case 1:
        EXPECT_THROW(device.set_parameter("none", 1), Error);
        break;
      case 2: {  // the records before the one that is refused are written
        std::vector<std::uint64_t> fields = records_of(program, Transfer::elt, 40, 20, numbers);
        const std::size_t record = program.record_fields(Transfer::elt);
        const isa::Variable& first = *program.variables_by(Transfer::elt).front();
        const bool floating = first.conversion && isa::info_of(*first.conversion).floating;
        fields[12 * record + (floating ? 0 : 1)] = nan;
        EXPECT_THROW(device.write_j(40, fields), Error);
        fields.resize(12 * record);
        remember(used, 40, fields);
        break;
      }
      case 3:
        i.back() = nan;
        i[program.record_fields(Transfer::hlt) - 1] = nan;
        try {  // an integer may have these bits
          static_cast<void>(device.run(i, step.nj));
        } catch (const Error&) {
          break;
        }
        break;
      case 4: {
        struct Told : std::runtime_error {
          using std::runtime_error::runtime_error;
        };
        device.on_progress([](std::size_t, std::size_t) { throw Told("enough"); });
        EXPECT_THROW(static_cast<void>(device.run(i, step.nj)), Told);
        device.on_progress({});
        break;
      }
      default: {
        isa::Program refused = kernel(step.choice);
        std::erase_if(refused.variables,
                      [](const isa::Variable& variable) { return variable.transfer == Transfer::rrn; });
        EXPECT_THROW(device.load(std::move(refused)), Error);
        EXPECT_THROW(static_cast<void>(device.run(i, step.nj)), Error);
        load(used, step.choice / 6);
      }
    }
  }

  std::array<Used, 2> used_;
};

/// Loops are compiled from the first run on, or never.
class DeviceHistory : public testing::TestWithParam<std::pair<std::string, std::string>> {
 protected:
  DeviceHistory() { setenv("GDR_JIT", GetParam().second.c_str(), 1); }
  ~DeviceHistory() override { unsetenv("GDR_JIT"); }
};

TEST_P(DeviceHistory, GivesWhatAFreshDeviceGives) { tests::play_histories<DevicePlayer>(15, 20, GetParam().first); }

INSTANTIATE_TEST_SUITE_P(Engines, DeviceHistory,
                         testing::Values(std::pair("simd", "on"), std::pair("simd", "off"), std::pair("native", "on")),
                         [](const auto& tested) { return tested.param.first + "_jit_" + tested.param.second; });

TEST(NightlyDeviceHistory, GivesWhatAFreshDeviceGives) {
  setenv("GDR_JIT", "on", 1);
  tests::play_histories<DevicePlayer>(tests::new_seed(), 4000, std::string("simd"));
  unsetenv("GDR_JIT");
}

}  // namespace
}  // namespace gdr
