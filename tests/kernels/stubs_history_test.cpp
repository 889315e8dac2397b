// Generated stubs, in C and Fortran, that were used for other data before give what a runtime gives that was just
// opened.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/runtime.h"
#include "gravity_jerk_grape.h"
#include "histories.h"
#include "scaled_grape.h"

#ifdef GDR_FORTRAN
extern "C" {
int fortran_init();
int fortran_close();
int fortran_send_i(const void*, int);
int fortran_send_j(const void*, int, int);
int fortran_set_scale(double);
int fortran_set_shift(double);
int fortran_run(int);
int fortran_get_result(void*, int);
}
#endif

namespace gdr {
namespace {

using isa::Transfer;
using tests::HistoryNumbers;
using tests::HistoryStep;
using Fields = std::vector<std::uint64_t>;

/// The functions of a kernel's stub.
struct Face {
  isa::Program program;
  int (*init)();
  int (*close)();
  int (*send_i)(const void*, int);
  int (*send_j)(const void*, int, int);
  std::map<std::string, int (*)(double)> set;
  int (*run)(int);
  int (*get)(void*, int);
};

Face of_gravity_jerk() {
  return {hostlib::kernel_program("gravity_jerk"),
          gravity_jerk_grape_init,
          gravity_jerk_grape_close,
          [](const void* i, int n) {
            return gravity_jerk_send_i_particle(static_cast<const gravity_jerk_i_particle*>(i), n);
          },
          [](const void* j, int first, int n) {
            return gravity_jerk_send_elt_data0(static_cast<const gravity_jerk_j_particle*>(j), first, n);
          },
          {{"ti", gravity_jerk_set_ti}},
          gravity_jerk_grape_run,
          [](void* results, int n) { return gravity_jerk_get_result(static_cast<gravity_jerk_result*>(results), n); }};
}

Face of_scaled() {
  assembler::AssembleResult result = assembler::assemble(base::read_file(GDR_SCALED), "scaled.vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
#ifdef GDR_FORTRAN
  return {*std::move(result.program),
          fortran_init,
          fortran_close,
          fortran_send_i,
          fortran_send_j,
          {{"scale", fortran_set_scale}, {"shift", fortran_set_shift}},
          fortran_run,
          fortran_get_result};
#else
  return {*std::move(result.program),
          scaled_grape_init,
          scaled_grape_close,
          [](const void* i, int n) { return scaled_send_i_particle(static_cast<const scaled_i_particle*>(i), n); },
          [](const void* j, int first, int n) {
            return scaled_send_elt_data0(static_cast<const scaled_j_particle*>(j), first, n);
          },
          {{"scale", scaled_set_scale}, {"shift", scaled_set_shift}},
          scaled_grape_run,
          [](void* results, int n) { return scaled_get_result(static_cast<scaled_result*>(results), n); }};
#endif
}

class StubsPlayer {
 public:
  explicit StubsPlayer(std::uint64_t) {
    for (Used& used : used_) EXPECT_EQ(used.face.init(), GDR_OK) << gdr_runtime_message();
  }
  ~StubsPlayer() {
    for (const Used& used : used_) used.face.close();
  }
  StubsPlayer(const StubsPlayer&) = delete;
  StubsPlayer& operator=(const StubsPlayer&) = delete;

  void step(const HistoryStep& step) {
    Used& used = used_.at(step.object);
    HistoryNumbers numbers(step.data);
    switch (step.action) {
      case HistoryStep::Action::write:
        write(used, step.first, drawn(used, Transfer::elt, step.count, numbers));
        break;
      case HistoryStep::Action::run:
        run(used, static_cast<int>(step.nj), drawn(used, Transfer::hlt, step.ni, numbers));
        break;
      case HistoryStep::Action::parameter: {
        auto setter = used.face.set.begin();
        std::advance(setter, step.choice % used.face.set.size());
        const double value = numbers.between(-1, 1);
        EXPECT_EQ(setter->second(value), GDR_OK);
        used.parameters[setter->first] = value;
        used.refused_values.erase(setter->first);
        break;
      }
      case HistoryStep::Action::other_kernel:  // there is only one: it is initialised again
        EXPECT_EQ(used.face.init(), GDR_OK);
        used.parameters.clear();
        used.refused_values.clear();
        used.j.clear();
        used.right.clear();
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
    Face face;
    std::map<std::string, double> parameters{};
    Fields j{};
    std::vector<bool> right{};               // the records of j that were sent and not refused since
    std::set<std::string> refused_values{};  // parameters
  };

  static Fields drawn(const Used& used, Transfer transfer, std::size_t count, HistoryNumbers& numbers) {
    Fields fields;
    for (std::size_t n = 0; n < count; ++n) {
      for (const isa::Variable* variable : used.face.program.variables_by(transfer)) {
        const bool floating = variable->conversion && isa::info_of(*variable->conversion).floating;
        const bool positive = variable->name.starts_with("m") || variable->name.starts_with("eps");
        for (unsigned element = 0; element < variable->elements; ++element) {
          fields.push_back(floating ? std::bit_cast<std::uint64_t>(numbers.between(positive ? 1e-3 : -2, 2)) : n + 1);
        }
      }
    }
    return fields;
  }
  static int count(const Used& used, Transfer transfer, const Fields& fields) {
    return static_cast<int>(fields.size() / used.face.program.record_fields(transfer));
  }

  static void remember(Used& used, std::size_t first, const Fields& fields, bool right = true) {
    const auto end = first + static_cast<std::size_t>(count(used, Transfer::elt, fields));
    used.right.resize(std::max(used.right.size(), end));
    for (std::size_t n = first; n < end; ++n) used.right[n] = right;
    const std::size_t begin = first * used.face.program.record_fields(Transfer::elt);
    used.j.resize(std::max(used.j.size(), begin + fields.size()));
    std::ranges::copy(fields, used.j.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  static void write(Used& used, std::size_t first, const Fields& fields) {
    EXPECT_EQ(used.face.send_j(fields.data(), static_cast<int>(first), count(used, Transfer::elt, fields)), GDR_OK);
    remember(used, first, fields);
  }

  static void run(const Used& used, int nj, const Fields& i) {
    const int ni = count(used, Transfer::hlt, i);
    Fields got(static_cast<std::size_t>(ni) * used.face.program.record_fields(Transfer::rrn));
    Fields expected = got;
    EXPECT_EQ(used.face.send_i(i.data(), ni), GDR_OK);
    const auto first_wrong = static_cast<int>(std::ranges::find(used.right, false) - used.right.begin());
    if (nj > first_wrong || !used.refused_values.empty()) {
      EXPECT_EQ(used.face.run(nj), GDR_ERROR_STATE) << gdr_runtime_message();
      EXPECT_EQ(used.face.get(got.data(), ni), ni == 0 ? GDR_OK : GDR_ERROR_STATE);
      return;
    }
    EXPECT_EQ(used.face.run(nj), GDR_OK) << gdr_runtime_message();
    EXPECT_EQ(used.face.get(got.data(), ni), GDR_OK) << gdr_runtime_message();

    const std::vector<std::byte> object = isa::serialize(used.face.program);
    gdr_runtime* opened = nullptr;
    ASSERT_EQ(gdr_runtime_open(reinterpret_cast<const unsigned char*>(object.data()), object.size(), &opened), GDR_OK);
    const std::unique_ptr<gdr_runtime, void (*)(gdr_runtime*)> fresh(opened, gdr_runtime_close);
    for (const auto& [name, value] : used.parameters) gdr_runtime_set_parameter(opened, name.c_str(), value);
    gdr_runtime_send_j(opened, 0, used.j.data(), first_wrong);
    gdr_runtime_send_i(opened, i.data(), ni);
    gdr_runtime_start(opened, nj);
    gdr_runtime_wait(opened);
    EXPECT_EQ(gdr_runtime_get_result(opened, expected.data(), ni), GDR_OK);
    EXPECT_EQ(got, expected) << used.face.program.kernel;
  }

  static void err(Used& used, const HistoryStep& step, HistoryNumbers& numbers) {
    const Face& face = used.face;
    Fields words(1000);
    switch (step.choice % 4) {
      case 0:
        EXPECT_EQ(face.run(-1), GDR_ERROR_ARGUMENT);
        EXPECT_EQ(face.run(2000000000), GDR_ERROR_REFUSED);
        EXPECT_EQ(face.get(words.data(), 1), GDR_ERROR_STATE) << "a run that was refused has no results";
        break;
      case 1:
        EXPECT_EQ(face.send_j(words.data(), -1, 1), GDR_ERROR_ARGUMENT);
        break;
      case 2: {  // none of the records counts as sent
        Fields fields = drawn(used, Transfer::elt, 20, numbers);
        const std::size_t record = face.program.record_fields(Transfer::elt);
        fields[12 * record + 1] = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
        EXPECT_EQ(face.send_j(fields.data(), 40, 20), GDR_ERROR_REFUSED);
        remember(used, 40, fields, false);
        break;
      }
      default:
        EXPECT_EQ(face.set.begin()->second(std::numeric_limits<double>::quiet_NaN()), GDR_ERROR_REFUSED);
        used.refused_values.insert(face.set.begin()->first);
    }
  }

  std::array<Used, 2> used_{Used{of_gravity_jerk()}, Used{of_scaled()}};
};

TEST(StubsHistory, GivesWhatAFreshRuntimeGives) { tests::play_histories<StubsPlayer>(1, 12); }

TEST(NightlyStubsHistory, GivesWhatAFreshRuntimeGives) { tests::play_histories<StubsPlayer>(tests::new_seed(), 4000); }

}  // namespace
}  // namespace gdr
