// Memory that runs out at every place: each allocation of a call fails once. There is then the old file or the complete
// new one, a status or an exception, and nothing is leaked.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "failing_allocations.h"
#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/json.h"
#include "gdr/base/json_value.h"
#include "gdr/emulator/machine.h"
#include "gdr/hostlib/checkpoint.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/nbody_run.h"
#include "gdr/hostlib/plummer.h"
#include "gdr/hostlib/runtime.h"
#include "gdr/hostlib/snapshot.h"
#include "gdr/hostlib/table.h"
#include "reports/totals_json.h"
#include "scratch_directory.h"

namespace gdr::hostlib {
namespace {

using tests::ScratchDirectory;

/// Calls `action` with its first allocation failing, then its second, until it has all it wants; `after` every time.
/// Returns how often it failed. `action` returns whether it succeeded.
int each_allocation_failing(const std::function<bool()>& action, const std::function<void(bool succeeded)>& after) {
  int failures = 0;
  for (std::size_t served = 0;; ++served) {
    const std::ptrdiff_t live = tests::live_allocations();
    tests::fail_allocation_after(served);
    bool succeeded = false;
    try {
      succeeded = action();
    } catch (const std::bad_alloc&) {
    }
    const bool had_all = tests::serve_all_allocations();
    EXPECT_EQ(tests::live_allocations(), live) << "leaked after allocation " << served;
    after(succeeded);
    if (had_all) {
      EXPECT_TRUE(succeeded);
      return failures;
    }
    failures += succeeded ? 0 : 1;
  }
}

std::size_t entries(const ScratchDirectory& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory.path()), std::filesystem::directory_iterator()));
}

/// `write` replaces the file at its path by one whose content is `fresh`.
void old_or_new(const std::function<void(const std::filesystem::path&)>& write, std::size_t most_files = 1,
                const char* name = "output") {
  const ScratchDirectory directory;
  const std::filesystem::path path = directory / name;
  write(path);
  const std::string fresh = base::read_file(path);
  const std::string old = "what was there before\n";
  bool succeeded_once = false;
  const int failures = each_allocation_failing(
      [&] {
        write(path);
        return true;
      },
      [&](bool succeeded) {
        const std::string content = base::read_file(path);
        EXPECT_TRUE(succeeded ? content == fresh : content == old || content == fresh);
        EXPECT_LE(entries(directory), most_files) << "something is left over";
        succeeded_once = succeeded_once || succeeded;
        base::write_file(path, old);
      });
  EXPECT_GT(failures, 0);
  EXPECT_TRUE(succeeded_once);
}

TEST(ExhaustedMemory, LeavesTheOldFileOrTheWholeNewOne) {
  const std::string content(100000, 'x');
  old_or_new([&](const auto& path) { base::write_file(path, content); });
}

TEST(ExhaustedMemory, LeavesTheOldSnapshotOrTheWholeNewOne) {
  const Snapshot snapshot{3, 0.5, make_plummer(20, 1)};
  old_or_new([&](const auto& path) { write_snapshot(path, snapshot, SnapshotFormat::phigrape); });
}

TEST(ExhaustedMemory, LeavesTheOldCheckpointOrTheWholeNewOne) {
  DirectForce force;
  HermiteIntegrator integrator(force, make_plummer(16, 1), {});
  Checkpoint checkpoint;
  checkpoint.context = "context";
  checkpoint.initial_energy = -0.25;
  checkpoint.state = integrator.state();
  old_or_new([&](const auto& path) { write_checkpoint(path, checkpoint); }, 2);  // and the one before
}

TEST(ExhaustedMemory, LeavesTheOldTableOrTheWholeNewOne) {
  Table table;
  table.add("x", std::vector<double>(50, 1.5));
  table.add("n", std::vector<std::int64_t>(50, 7));
  for (const char* const name : {"table.csv", "table.npy"}) {
    old_or_new([&](const auto& path) { write_table(path, table); }, 1, name);
  }
}

/// Reads `content` as a table of one column `xj`, with at most `most` allocations. Returns the error.
std::string error_of_reading(const char* name, const std::string& content, std::size_t most) {
  const ScratchDirectory directory;
  base::write_file(directory / name, content);
  std::string error;
  tests::fail_allocation_after(most);
  try {
    static_cast<void>(read_table(directory / name, std::vector<ColumnType>{{"xj", NumberType::real}}));
  } catch (const Error& refused) {
    error = refused.what();
  } catch (const std::bad_alloc&) {
    error = "no memory left";
  }
  static_cast<void>(tests::serve_all_allocations());
  return error;
}

TEST(ExhaustedMemory, IsNotWhatTheHeaderOfAShortNpyFileBrings) {
  // 2,400 fields of 65,536 elements: 157 million columns in 60 kB.
  constexpr std::size_t kFields = 2400;
  std::string dictionary = "{'descr': [";
  for (std::size_t n = 0; n < kFields; ++n) dictionary += "('" + std::to_string(n) + "','|V0',(65536,)),";
  dictionary += "('xj','<f8')], 'fortran_order': False, 'shape': (1,)}";
  std::string file("\x93NUMPY\1\0", 8);
  file += static_cast<char>(dictionary.size() & 0xFF);
  file += static_cast<char>(dictionary.size() >> 8);
  file += dictionary + std::string(8, '\0');
  const std::string error = error_of_reading("in.npy", file, 10 * kFields);
  EXPECT_NE(error.find("in.npy: unknown column '0[0]' (expected: xj)"), std::string::npos) << error;
}

TEST(ExhaustedMemory, IsNotWhatALongNpyHeaderBrings) {
  std::string file("\x93NUMPY\2\0", 8);
  constexpr std::size_t kLength = (1 << 20) + 1;
  for (std::size_t n = 0; n < 4; ++n) file += static_cast<char>(kLength >> (8 * n) & 0xFF);
  file += "{'descr': [";
  while (file.size() < kLength) file += "('a','<f8'),";
  file.resize(12 + kLength, ' ');
  const std::string error = error_of_reading("in.npy", file, 100);
  EXPECT_NE(error.find("in.npy: its header has 1048577 bytes, of which at most 1048576 are read"), std::string::npos)
      << error;
}

TEST(ExhaustedMemory, IsNotWhatTheHeaderLineOfACsvFileBrings) {
  constexpr std::size_t kFields = 100000;
  std::string header = "xj";
  std::string row = "1";
  for (std::size_t n = 0; n < kFields; ++n) {
    header += "," + std::to_string(n);
    row += ",";
  }
  const std::string error = error_of_reading("in.csv", header + "\n" + row + "\n", 100);
  EXPECT_NE(error.find("in.csv:1: unknown column '0' (expected: xj)"), std::string::npos) << error;
}

NbodySettings run_to(double t_end, const ScratchDirectory& directory) {
  NbodySettings settings;
  settings.t_end = t_end;
  settings.every = 0.0625;
  settings.log = directory / "log";
  settings.checkpoint = directory / "checkpoint";
  return settings;
}

// Wherever memory runs out within the run: its checkpoint leads to the particles and the log of a run that had enough.
TEST(ExhaustedMemory, LeavesACheckpointOfAnNbodyRun) {
  constexpr double kEnd = 0.125;
  const auto go_on = [](const NbodyRun&) { return true; };
  const auto begun = [&](const ScratchDirectory& directory) {
    NbodySettings settings = run_to(kEnd, directory);
    settings.particles = make_plummer(12, 1);
    return std::make_unique<NbodyRun>(std::move(settings), DirectOptions{1, {}});
  };
  const ScratchDirectory whole;
  const std::unique_ptr<NbodyRun> expected = begun(whole);
  expected->integrate(go_on);
  int continued = 0;
  std::uint64_t blocks_kept = 0;
  bool had_all = false;
  for (std::size_t served = 0; !had_all; served += 13) {
    const ScratchDirectory directory;
    const std::unique_ptr<NbodyRun> run = begun(directory);
    bool exhausted = false;
    tests::fail_allocation_after(served);
    try {
      run->integrate(go_on);
    } catch (const std::bad_alloc&) {
      exhausted = true;
    }
    had_all = tests::serve_all_allocations();
    EXPECT_TRUE(exhausted || had_all);
    if (!exhausted || !run->last_output()) continue;  // it has no checkpoint before its first output
    EXPECT_EQ(run->end(), NbodyEnd::stopped);
    EXPECT_NO_THROW(static_cast<void>(run->sample(run->result_time())));
    NbodySettings settings = run_to(kEnd, directory);
    settings.restart = directory / "checkpoint";
    NbodyRun again(std::move(settings), DirectOptions{1, {}});
    EXPECT_EQ(again.counters().block_steps, run->counters().block_steps) << "no complete block is lost";
    blocks_kept = std::max(blocks_kept, again.counters().block_steps);
    again.integrate(go_on);
    EXPECT_EQ(again.particles(), expected->particles()) << served;
    EXPECT_EQ(base::read_file(directory / "log"), base::read_file(whole / "log")) << served;
    ++continued;
  }
  EXPECT_GT(continued, 20);
  EXPECT_GT(blocks_kept, 5u);
}

TEST(ExhaustedMemory, KeepsTheFinishedLinesOfALog) {
  const ScratchDirectory directory;
  const std::filesystem::path path = directory / "log";
  base::LineFile log(path);
  std::string expected;
  static_cast<void>(each_allocation_failing(
      [&] {
        log.append("a line that is longer than what a text keeps within itself\n");
        return true;
      },
      [&](bool succeeded) {
        if (succeeded) expected += "a line that is longer than what a text keeps within itself\n";
        EXPECT_EQ(base::read_file(path), expected);
      }));
}

isa::Program sum() {
  const assembler::AssembleResult result = assembler::assemble(
      "kernel k\nvar vector long xi hlt flt64to72\nbvar long xj elt flt64to72\nvar vector long r rrn flt72to64 fadd\n"
      "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt r\nloop body\n  fsub xj xi $lt\n  fadd r $lt r\n",
      "k.vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

TEST(ExhaustedMemory, LeavesNothingOfAnObjectFile) {
  const isa::Program program = sum();
  const std::vector<std::byte> object = isa::serialize(program);
  const int failures =
      each_allocation_failing([&] { return isa::deserialize(object, "k.gdro") == program; }, [](bool /*succeeded*/) {});
  EXPECT_GT(failures, 0);
}

TEST(ExhaustedMemory, LeavesNothingOfAnObjectFileThatIsWritten) {
  const isa::Program program = sum();
  const std::vector<std::byte> object = isa::serialize(program);
  const int failures = each_allocation_failing([&] { return isa::serialize(program) == object; }, [](bool) {});
  EXPECT_GT(failures, 0);
}

TEST(ExhaustedMemory, LeavesNothingOfADescription) {
  const std::size_t whole = emulator::load_machine("model1800").parameters.size();
  const auto load = [&] {
    try {
      return emulator::load_machine("model1800").parameters.size() == whole;
    } catch (const Error&) {  // the reader's streams swallow it and refuse a number
      return false;
    }
  };
  EXPECT_GT(each_allocation_failing(load, [](bool) {}), 0);
}

TEST(ExhaustedMemory, LeavesNothingOfAReport) {
  const std::string name(100, 'n');
  const auto report = [&] {
    base::Json json{{"name", name}, {"list", {1, 2.5, name}}};
    json["more"]["inside"] = name;
    return json.text();
  };
  const std::string whole = report();
  const int failures = each_allocation_failing([&] { return report() == whole; }, [](bool) {});
  EXPECT_GT(failures, 0);
}

/// Each count another, and seconds of many digits, so that none can stand for another.
DeviceTotals some_totals() {
  DeviceTotals totals;
  std::uint64_t count = std::uint64_t{1} << 63;
  for (std::uint64_t* const at :
       {&totals.emulated.interactions, &totals.emulated.clocks.stall, &totals.emulated.clocks.stalls.back(),
        &totals.emulated.counters.ring_words, &totals.counters.runs, &totals.counters.fp.underflow,
        &totals.counters.fp_lanes.slow, &totals.counters.conversions.saturated}) {
    *at = ++count;
  }
  double seconds = 1e-3 / 3;
  for (double* const at :
       {&totals.emulated.seconds.i_send, &totals.emulated.seconds.host, &totals.emulated.busy.back()}) {
    *at = seconds /= 3;
  }
  return totals;
}

TEST(ExhaustedMemory, LeavesNothingOfTheTotalsInACheckpoint) {
  const DeviceTotals totals = some_totals();
  const std::string text = to_json(totals).text();
  const auto read_back = [&] {
    const DeviceTotals read = totals_from(base::parse_json(text));
    return read.counters.fp.underflow == totals.counters.fp.underflow && to_json(read).text() == text;
  };
  EXPECT_GT(each_allocation_failing(read_back, [](bool) {}), 0);
  EXPECT_THROW(static_cast<void>(totals_from(base::parse_json("{}"))), base::JsonError);
}

TEST(ExhaustedMemory, BecomesAStatusOfTheCInterface) {
  const std::vector<std::byte> object = isa::serialize(sum());
  const auto* const bytes = reinterpret_cast<const unsigned char*>(object.data());
  const std::vector<double> x{1, 2, 3, 4};
  gdr_runtime* runtime = nullptr;
  ASSERT_EQ(gdr_runtime_open(bytes, object.size(), &runtime), GDR_OK);
  int failures = 0;
  for (std::size_t served = 0;; ++served) {
    double results[2] = {};
    tests::fail_allocation_after(served);
    int status = gdr_runtime_send_i(runtime, x.data(), 2);
    if (status == GDR_OK) status = gdr_runtime_send_j(runtime, 0, x.data(), 4);
    if (status == GDR_OK) status = gdr_runtime_start(runtime, 4);
    if (status == GDR_OK) status = gdr_runtime_wait(runtime);
    if (status == GDR_OK) status = gdr_runtime_get_result(runtime, results, 2);
    const bool had_all = tests::serve_all_allocations();
    EXPECT_TRUE(status == GDR_OK || status == GDR_ERROR_MEMORY) << status << " " << gdr_runtime_message();
    EXPECT_TRUE(status != GDR_OK || (results[0] == 6 && results[1] == 2));
    failures += status == GDR_OK ? 0 : 1;
    if (had_all) break;
  }
  gdr_runtime_close(runtime);
  EXPECT_GT(failures, 0);
}

TEST(ExhaustedMemory, LetsNoExceptionOutOfTheCInterfaceWhereItRefuses) {
  double value = 0;
  for (std::size_t served = 0; served < 5; ++served) {
    const auto refused = [&](int expected, const std::function<int()>& call) {
      tests::fail_allocation_after(served);
      const int status = call();
      static_cast<void>(tests::serve_all_allocations());
      EXPECT_TRUE(status == expected || status == GDR_ERROR_MEMORY) << status;
    };
    refused(GDR_ERROR_ARGUMENT, [] { return gdr_runtime_open(nullptr, 0, nullptr); });
    refused(GDR_ERROR_NOT_OPEN, [] { return gdr_runtime_set_parameter(nullptr, "scale", 1); });
    refused(GDR_ERROR_NOT_OPEN, [&] { return gdr_runtime_send_i(nullptr, &value, -1); });
    refused(GDR_ERROR_NOT_OPEN, [] { return gdr_runtime_wait(nullptr); });
  }
}

}  // namespace
}  // namespace gdr::hostlib
