// The C interface of a device, called as C programs call it, rightly and wrongly.
#include "gdr/hostlib/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "scratch_directory.h"

namespace gdr {
namespace {

std::vector<std::byte> object(const std::string& source = "k.vsm", const std::string& kernel = "k") {
  const assembler::AssembleResult result = assembler::assemble(
      "kernel " + kernel +
          "\nvar vector long xi hlt flt64to72\nbvar long xj elt flt64to72\nvar vector long r rrn flt72to64 fadd\n"
          "param scale : short flt64to36 = 1\n"
          "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt r\nloop body\n  fsub xj xi $lt\n  fadd r $lt r\n",
      source);
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return isa::serialize(*result.program);
}

class Runtime : public testing::Test {
 protected:
  Runtime() {
    const std::vector<std::byte> bytes = object();
    gdr_runtime* opened = nullptr;
    EXPECT_EQ(gdr_runtime_open(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), &opened), GDR_OK)
        << gdr_runtime_message();
    runtime_.reset(opened);
  }
  gdr_runtime* runtime() { return runtime_.get(); }
  static void expect_refused(int status, int expected, std::string_view words) {
    EXPECT_EQ(status, expected);
    EXPECT_EQ(gdr_runtime_message(), words);
  }

 private:
  std::unique_ptr<gdr_runtime, void (*)(gdr_runtime*)> runtime_{nullptr, gdr_runtime_close};
};

TEST_F(Runtime, NamesTheArgumentThatIsRefused) {
  double value = 0;
  expect_refused(gdr_runtime_set_parameter(runtime(), nullptr, 1), GDR_ERROR_ARGUMENT, "name is a null pointer");
  expect_refused(gdr_runtime_send_i(runtime(), nullptr, 1), GDR_ERROR_ARGUMENT, "records is a null pointer");
  expect_refused(gdr_runtime_send_j(runtime(), -1, &value, 1), GDR_ERROR_ARGUMENT,
                 "first = -1 is refused: it must be 0 to 134217727");
  expect_refused(gdr_runtime_start(runtime(), -2), GDR_ERROR_ARGUMENT, "nj = -2 is refused: it must be 0 to 134217728");
  expect_refused(gdr_runtime_get_result(runtime(), &value, -3), GDR_ERROR_ARGUMENT,
                 "n = -3 is refused: it must be 0 to 2147483647");
  expect_refused(gdr_runtime_get_words(runtime(), nullptr, 1), GDR_ERROR_ARGUMENT, "words is a null pointer");
  expect_refused(gdr_runtime_open(nullptr, 0, nullptr), GDR_ERROR_ARGUMENT, "runtime is a null pointer");
  expect_refused(gdr_runtime_wait(nullptr), GDR_ERROR_NOT_OPEN, "the kernel is not initialised");
}

TEST_F(Runtime, RefusesMoreRecordsThanFitBeforeItCopiesThem) {
  const double record = 1;  // no more than this is there to be read
  EXPECT_EQ(gdr_runtime_send_j(runtime(), 0, &record, 2000000000), GDR_ERROR_REFUSED);
  EXPECT_THAT(gdr_runtime_message(), testing::StartsWith("j-records 0..1999999999 do not fit: external memory holds "));
}

TEST_F(Runtime, ForgetsTheMessageOnceACallSucceeds) {
  expect_refused(gdr_runtime_wait(runtime()), GDR_ERROR_STATE, "no run is under way");
  EXPECT_EQ(gdr_runtime_set_parameter(runtime(), "scale", 2), GDR_OK);
  EXPECT_STREQ(gdr_runtime_message(), "");
  expect_refused(gdr_runtime_wait(runtime()), GDR_ERROR_STATE, "no run is under way");
  EXPECT_EQ(gdr_runtime_get_words(runtime(), nullptr, 0), GDR_OK);
  EXPECT_STREQ(gdr_runtime_message(), "");
}

/// Runs 3 i-particles against one j-particle whose difference from the second overflows.
void run_once(gdr_runtime* runtime) {
  const std::array<double, 3> particles{1, -1e308, 2};
  const double record = 1.7e308;
  ASSERT_EQ(gdr_runtime_send_i(runtime, particles.data(), 3), GDR_OK) << gdr_runtime_message();
  ASSERT_EQ(gdr_runtime_send_j(runtime, 0, &record, 1), GDR_OK) << gdr_runtime_message();
  ASSERT_EQ(gdr_runtime_start(runtime, 1), GDR_OK) << gdr_runtime_message();
  ASSERT_EQ(gdr_runtime_wait(runtime), GDR_OK) << gdr_runtime_message();
}

TEST_F(Runtime, ComputesNothingWithOldRecordsInThePlaceOfRefusedOnes) {
  const std::array<double, 3> records{1, 2, 3};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double result = 0;
  ASSERT_EQ(gdr_runtime_send_i(runtime(), records.data(), 1), GDR_OK);
  const auto expect_sum = [&](int nj, double sum) {
    ASSERT_EQ(gdr_runtime_start(runtime(), nj), GDR_OK) << gdr_runtime_message();
    ASSERT_EQ(gdr_runtime_wait(runtime()), GDR_OK);
    ASSERT_EQ(gdr_runtime_get_result(runtime(), &result, 1), GDR_OK);
    EXPECT_EQ(result, sum);
  };
  const auto expect_none = [&](int nj, std::string_view words) {
    expect_refused(gdr_runtime_start(runtime(), nj), GDR_ERROR_STATE, words);
    expect_refused(gdr_runtime_get_result(runtime(), &result, 1), GDR_ERROR_STATE,
                   "the last run has 0 results, 1 are asked for");
  };
  expect_none(1, "j-record 0 was never sent, and nj = 1 uses it");
  ASSERT_EQ(gdr_runtime_send_j(runtime(), 0, records.data(), 3), GDR_OK);
  expect_sum(3, 3);  // of x_j - 1
  expect_none(4, "j-record 3 was never sent, and nj = 4 uses it");
  ASSERT_EQ(gdr_runtime_send_j(runtime(), 4, records.data(), 3), GDR_OK);
  expect_none(7, "j-record 3 was never sent, and nj = 7 uses it");
  ASSERT_EQ(gdr_runtime_send_j(runtime(), 3, records.data(), 1), GDR_OK);
  expect_sum(7, 6);
  for (const double* wrong : {&nan, static_cast<const double*>(nullptr)}) {
    EXPECT_NE(gdr_runtime_send_j(runtime(), 2, wrong, 1), GDR_OK);
    expect_none(3, "j-record 2 was refused: send it before the next run");
    expect_sum(2, 1);
    ASSERT_EQ(gdr_runtime_send_j(runtime(), 2, records.data(), 1), GDR_OK);
    expect_sum(3, 1);
  }
  EXPECT_NE(gdr_runtime_set_parameter(runtime(), "scale", nan), GDR_OK);
  expect_none(1, "the value of parameter scale was refused: set it before the next run");
  ASSERT_EQ(gdr_runtime_set_parameter(runtime(), "scale", 1), GDR_OK);
  EXPECT_NE(gdr_runtime_set_parameter(runtime(), "scales", 1), GDR_OK);
  expect_sum(1, 0);
  EXPECT_NE(gdr_runtime_send_i(runtime(), nullptr, 2), GDR_OK);
  expect_none(1, "the i-records were refused: send them before the next run");
  ASSERT_EQ(gdr_runtime_send_i(runtime(), records.data(), 1), GDR_OK);
  expect_sum(1, 0);
  EXPECT_EQ(gdr_runtime_start(runtime(), -1), GDR_ERROR_ARGUMENT);
  expect_refused(gdr_runtime_get_result(runtime(), &result, 1), GDR_ERROR_STATE,
                 "the last run has 0 results, 1 are asked for");
}

TEST_F(Runtime, TellsEmulatedTimeAndEvents) {
  double before = -1;
  double after = -1;
  std::array<std::int64_t, 3> counts{-1, -1, -1};
  ASSERT_EQ(gdr_runtime_emulated_seconds(runtime(), &before), GDR_OK);
  ASSERT_EQ(gdr_runtime_events(runtime(), counts.data()), GDR_OK);
  EXPECT_THAT(counts, testing::Each(0));
  run_once(runtime());
  ASSERT_EQ(gdr_runtime_emulated_seconds(runtime(), &after), GDR_OK);
  ASSERT_EQ(gdr_runtime_events(runtime(), counts.data()), GDR_OK);
  EXPECT_GE(before, 0);
  EXPECT_GT(after, before);
  EXPECT_EQ(counts[0], 0);
  EXPECT_GT(counts[1], 0);
  EXPECT_EQ(counts[2], 0);
}

TEST_F(Runtime, ClosingWhatIsNotOpenLeavesNoMessage) {
  expect_refused(gdr_runtime_wait(nullptr), GDR_ERROR_NOT_OPEN, "the kernel is not initialised");
  gdr_runtime_close(nullptr);
  EXPECT_EQ(gdr_runtime_message(), std::string_view());
}

TEST_F(Runtime, TellsNothingToANullPointer) {
  double seconds = 0;
  expect_refused(gdr_runtime_emulated_seconds(nullptr, &seconds), GDR_ERROR_NOT_OPEN, "the kernel is not initialised");
  expect_refused(gdr_runtime_emulated_seconds(runtime(), nullptr), GDR_ERROR_ARGUMENT, "seconds is a null pointer");
  expect_refused(gdr_runtime_events(runtime(), nullptr), GDR_ERROR_ARGUMENT, "counts is a null pointer");
  expect_refused(gdr_runtime_finish(nullptr), GDR_ERROR_NOT_OPEN, "the kernel is not initialised");
  EXPECT_EQ(gdr_runtime_finish(runtime()), GDR_OK);
}

/// Environment of this process while it lives.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Setting() { ::unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

using Opened = std::unique_ptr<gdr_runtime, void (*)(gdr_runtime*)>;

Opened opened(int expected, const std::string& source = "k.vsm", const std::string& kernel = "k") {
  const std::vector<std::byte> bytes = object(source, kernel);
  gdr_runtime* runtime = nullptr;
  EXPECT_EQ(gdr_runtime_open(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), &runtime), expected)
      << gdr_runtime_message();
  return {runtime, gdr_runtime_close};
}

TEST(RuntimeEnvironment, ASlowerClockTakesLonger) {
  const auto seconds_at = [](const std::string& mhz) {
    const Setting clock("GDR_CLOCK", mhz);
    const Opened runtime = opened(GDR_OK);
    run_once(runtime.get());
    double seconds = 0;
    EXPECT_EQ(gdr_runtime_emulated_seconds(runtime.get(), &seconds), GDR_OK);
    return seconds;
  };
  EXPECT_GT(seconds_at("100"), seconds_at("400"));
}

TEST(RuntimeEnvironment, NamesAVariableThatIsRefused) {
  const auto message_with = [](const char* name, const std::string& value) {
    const Setting setting(name, value);
    EXPECT_EQ(opened(GDR_ERROR_REFUSED), nullptr);
    return std::string(gdr_runtime_message());
  };
  EXPECT_EQ(message_with("GDR_CLOCK", "fast"),
            "GDR_CLOCK = 'fast' is refused: it must be 1 to 10000 MHz, such as 400, 400MHz or 0.4GHz");
  EXPECT_EQ(message_with("GDR_CLOCK", "0"), "GDR_CLOCK = '0' is refused: it must be 1 to 10000 MHz");
  EXPECT_EQ(message_with("GDR_PROFILE", "p.txt"), "GDR_PROFILE = 'p.txt' is refused: it must end in .html or .json");
  EXPECT_EQ(message_with("GDR_EVENTS", "loud"), "GDR_EVENTS = 'loud' is refused: it must be tell or off");
  EXPECT_EQ(message_with("GDR_TRACE", "t"), "GDR_TRACE = 't' is refused: it must end in .json");
}

TEST(RuntimeEnvironment, RefusesOneFileForProfileAndTraceHoweverItIsSpelled) {
  const tests::ScratchDirectory folder;
  std::filesystem::create_symlink("k.json", folder.path() / "link.json");
  const Setting profile("GDR_PROFILE", (folder.path() / "%k.json").string());
  for (const char* name : {"k.json", "%k.json", "./k.json", "link.json"}) {
    const Setting trace("GDR_TRACE", (folder.path() / name).string());
    EXPECT_EQ(opened(GDR_ERROR_REFUSED), nullptr) << name;
    EXPECT_THAT(gdr_runtime_message(),
                testing::EndsWith(std::string(name == std::string("%k.json") ? "k.json" : name) +
                                  ": named for two outputs, of which one would replace the other: "
                                  "GDR_PROFILE and GDR_TRACE"))
        << name;
  }
  const Setting trace("GDR_TRACE", (folder.path() / "%k_trace.json").string());
  EXPECT_NE(opened(GDR_OK), nullptr);
}

TEST(RuntimeEnvironment, WritesProfileAndTraceOfTheKernelInTheEnd) {
  const tests::ScratchDirectory folder;
  const Setting profile("GDR_PROFILE", (folder.path() / "%k_profile.json").string());
  const Setting trace("GDR_TRACE", (folder.path() / "%k_trace.json").string());
  const Opened runtime = opened(GDR_OK);
  run_once(runtime.get());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  ASSERT_EQ(gdr_runtime_finish(runtime.get()), GDR_OK) << gdr_runtime_message();
  EXPECT_THAT(base::read_file(folder.path() / "k_profile.json"), testing::HasSubstr("\"verdict\""));
  EXPECT_THAT(base::read_file(folder.path() / "k_trace.json"), testing::HasSubstr("\"traceEvents\""));
}

TEST_F(Runtime, TellsEventsWithTheirPlacesAsText) {
  const char* text = nullptr;
  ASSERT_EQ(gdr_runtime_event_text(runtime(), &text), GDR_OK);
  EXPECT_STREQ(text, "");
  run_once(runtime());
  ASSERT_EQ(gdr_runtime_event_text(runtime(), &text), GDR_OK);
  EXPECT_STREQ(text,
               "1 floating-point event: 0 invalid, 1 overflow, 0 underflow\n"
               "  k.vsm:10:3: overflow of the adder at chip 0, block 0, PE 0, element 1, loop body, iteration 0\n");
  expect_refused(gdr_runtime_event_text(runtime(), nullptr), GDR_ERROR_ARGUMENT, "text is a null pointer");
  expect_refused(gdr_runtime_event_text(nullptr, &text), GDR_ERROR_NOT_OPEN, "the kernel is not initialised");
}

/// What a program prints whose runs have events, and which finishes twice.
std::string told_at_the_end(const std::string& setting) {
  const Setting events("GDR_EVENTS", setting);
  const Opened runtime = opened(GDR_OK);
  run_once(runtime.get());
  testing::internal::CaptureStderr();
  EXPECT_EQ(gdr_runtime_finish(runtime.get()), GDR_OK) << gdr_runtime_message();
  EXPECT_EQ(gdr_runtime_finish(runtime.get()), GDR_OK) << gdr_runtime_message();
  return testing::internal::GetCapturedStderr();
}

TEST(RuntimeEnvironment, TellsOfEventsOnceIfAskedTo) {
  const std::string told = told_at_the_end("tell");
  EXPECT_THAT(told, testing::StartsWith("k: "));
  EXPECT_THAT(told, testing::HasSubstr(" overflow, "));
  EXPECT_EQ(told.find("floating-point event"), told.rfind("floating-point event"));
  EXPECT_EQ(told_at_the_end("off"), "");
  EXPECT_EQ(told_at_the_end(""), "");
}

TEST(RuntimeEnvironment, WritesProfilesWithoutTheLinesOfSourcesThatCannotBeReached) {
  const tests::ScratchDirectory folder;
  const Setting profile("GDR_PROFILE", (folder.path() / "p.json").string());
  const Opened runtime = opened(GDR_OK, std::string(5000, 'n') + ".vsm");  // longer than any file's name
  run_once(runtime.get());
  EXPECT_EQ(gdr_runtime_finish(runtime.get()), GDR_OK) << gdr_runtime_message();
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "p.json"));
}

TEST(RuntimeEnvironment, KeepsTheFilesOfSeveralKernelsApart) {
  const tests::ScratchDirectory folder;
  const Setting profile("GDR_PROFILE", (folder.path() / "p.json").string());
  const Setting trace("GDR_TRACE", (folder.path() / "t.json").string());
  const auto closed = [&](const std::string& kernel) {
    testing::internal::CaptureStderr();
    const Opened runtime = opened(GDR_OK, "k.vsm", kernel);
    run_once(runtime.get());
    EXPECT_EQ(gdr_runtime_finish(runtime.get()), GDR_OK) << gdr_runtime_message();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(closed("k"), "");
  EXPECT_THAT(closed("second"),
              testing::AllOf(testing::HasSubstr("gdr: GDR_PROFILE: "), testing::HasSubstr("p-second.json"),
                             testing::HasSubstr("t-second.json")));
  EXPECT_EQ(closed("second"), "");
  EXPECT_EQ(closed("k"), "");
  EXPECT_THAT(base::read_file(folder.path() / "p.json"), testing::HasSubstr("\"kernel\": \"k\""));
  EXPECT_THAT(base::read_file(folder.path() / "p-second.json"), testing::HasSubstr("\"second\""));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "t.json"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "t-second.json"));
}

TEST(RuntimeEnvironment, RefusesOneFileForTheProfileOfAnotherKernelAndItsTrace) {
  const tests::ScratchDirectory folder;
  const Setting profile("GDR_PROFILE", (folder.path() / "p.json").string());
  const Setting trace("GDR_TRACE", (folder.path() / "p-%k.json").string());
  const Opened first = opened(GDR_OK);
  EXPECT_EQ(opened(GDR_ERROR_REFUSED, "k.vsm", "second"), nullptr);
  EXPECT_THAT(gdr_runtime_message(), testing::HasSubstr("p-second.json: named for two outputs"));
}

TEST(RuntimeEnvironment, RefusesAFileThatCannotBeWrittenBeforeItComputes) {
  const tests::ScratchDirectory folder;
  for (const char* variable : {"GDR_PROFILE", "GDR_TRACE"}) {
    const Setting file(variable, (folder.path() / "missing" / "p.json").string());
    EXPECT_EQ(opened(GDR_ERROR_REFUSED), nullptr);
    EXPECT_THAT(gdr_runtime_message(), testing::AllOf(testing::StartsWith(variable), testing::HasSubstr("missing")));
  }
}

TEST(RuntimeEnvironment, TellsOfAFileThatCanNoLongerBeWritten) {
  const tests::ScratchDirectory folder;
  std::filesystem::create_directory(folder.path() / "gone");
  const Setting profile("GDR_PROFILE", (folder.path() / "gone" / "p.json").string());
  const Opened runtime = opened(GDR_OK);
  std::filesystem::remove(folder.path() / "gone");
  run_once(runtime.get());
  EXPECT_EQ(gdr_runtime_finish(runtime.get()), GDR_ERROR_REFUSED);
  EXPECT_THAT(gdr_runtime_message(), testing::HasSubstr("gone"));
}

Opened opened_source(const std::string& source) {
  const assembler::AssembleResult result = assembler::assemble(source, "k.vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  const std::vector<std::byte> bytes = isa::serialize(*result.program);
  gdr_runtime* runtime = nullptr;
  EXPECT_EQ(gdr_runtime_open(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), &runtime), GDR_OK)
      << gdr_runtime_message();
  return Opened(runtime, gdr_runtime_close);
}

constexpr const char* kSum =
    "kernel k\nbvar vector long sum rrn flt72to64 fadd\nvar vector long x hlt\nloop body\n  nop\n"
    "loop termination\n  bm x sum @0\n  nop\n  nop\n  collect sum\n";

/// A stub's `send_i_particle` replaces all i-particles.
TEST(RuntimeOfTypeTwo, ComputesWithTheParticlesThatWereSentLast) {
  const Opened runtime = opened_source(kSum);
  const std::vector<double> ones(8192, 1);
  const auto sum_of = [&](int particles) {
    EXPECT_EQ(gdr_runtime_send_i(runtime.get(), ones.data(), particles), GDR_OK) << gdr_runtime_message();
    EXPECT_EQ(gdr_runtime_start(runtime.get(), 1), GDR_OK) << gdr_runtime_message();
    EXPECT_EQ(gdr_runtime_wait(runtime.get()), GDR_OK);
    double sum = -1;
    EXPECT_EQ(gdr_runtime_get_words(runtime.get(), &sum, 1), GDR_OK);
    return sum;
  };
  EXPECT_EQ(sum_of(6), 1);
  EXPECT_EQ(sum_of(8192), 64);  // 16 blocks of 4 chips
  EXPECT_EQ(sum_of(6), 1);
  EXPECT_EQ(sum_of(0), 0);
}

TEST(RuntimeOfTypeTwo, CallsTheTurnsTurns) {
  const Opened runtime = opened_source(kSum);
  EXPECT_EQ(gdr_runtime_start(runtime.get(), -1), GDR_ERROR_ARGUMENT);
  EXPECT_STREQ(gdr_runtime_message(), "turns = -1 is refused: it must be 1 to 2097152");
  EXPECT_EQ(gdr_runtime_start(runtime.get(), 0), GDR_ERROR_REFUSED);
  EXPECT_STREQ(gdr_runtime_message(), "turns = 0 is refused: it must be 1 to 2097152");
}

TEST(RuntimeOfExperiments, NamesTheMostStepsWithTheirRange) {
  const Opened runtime = opened_source(
      "kernel k experiment\nvar vector long x hlt\nvar vector long y rrn\nexperiment begin\n  fpassa x y\n"
      "experiment step\n  fadd y f\"1\" $lt y\n  fsub $lti f\"9\" $ok1\n");
  const double start = 1;
  std::array<double, 3> result{};
  for (const std::int64_t steps : {std::int64_t{0}, std::int64_t{1} << 53}) {
    EXPECT_EQ(gdr_runtime_experiments(runtime.get(), &start, 1, steps, result.data()), GDR_ERROR_ARGUMENT);
    EXPECT_EQ(gdr_runtime_message(),
              "most_steps = " + std::to_string(steps) + " is refused: it must be 1 to 4503599627370496");
  }
  EXPECT_EQ(gdr_runtime_experiments(runtime.get(), nullptr, 1, 5, result.data()), GDR_ERROR_ARGUMENT);
  EXPECT_STREQ(gdr_runtime_message(), "starts is a null pointer");
}

}  // namespace
}  // namespace gdr
