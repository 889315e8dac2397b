// The C interface of a device, called as C programs call it, rightly and wrongly.
#include "gdr/hostlib/runtime.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"

namespace gdr {
namespace {

std::vector<std::byte> object() {
  const assembler::AssembleResult result = assembler::assemble(
      "kernel k\nvar vector long xi hlt flt64to72\nbvar long xj elt flt64to72\nvar vector long r rrn flt72to64 fadd\n"
      "param scale : short flt64to36 = 1\n"
      "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt r\nloop body\n  fsub xj xi $lt\n  fadd r $lt r\n",
      "k.vsm");
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
  expect_refused(gdr_runtime_send_j(runtime(), -1, &value, 1), GDR_ERROR_ARGUMENT, "first = -1 is negative");
  expect_refused(gdr_runtime_start(runtime(), -2), GDR_ERROR_ARGUMENT, "nj = -2 is negative");
  expect_refused(gdr_runtime_get_result(runtime(), &value, -3), GDR_ERROR_ARGUMENT, "count = -3 is negative");
  expect_refused(gdr_runtime_get_words(runtime(), nullptr, 1), GDR_ERROR_ARGUMENT, "words is a null pointer");
  expect_refused(gdr_runtime_open(nullptr, 0, nullptr), GDR_ERROR_ARGUMENT, "runtime is a null pointer");
  expect_refused(gdr_runtime_wait(nullptr), GDR_ERROR_NOT_OPEN, "the kernel is not initialised");
}

TEST_F(Runtime, ForgetsTheMessageOnceACallSucceeds) {
  expect_refused(gdr_runtime_wait(runtime()), GDR_ERROR_STATE, "no run is under way");
  EXPECT_EQ(gdr_runtime_set_parameter(runtime(), "scale", 2), GDR_OK);
  EXPECT_STREQ(gdr_runtime_message(), "");
  expect_refused(gdr_runtime_wait(runtime()), GDR_ERROR_STATE, "no run is under way");
  EXPECT_EQ(gdr_runtime_get_words(runtime(), nullptr, 0), GDR_OK);
  EXPECT_STREQ(gdr_runtime_message(), "");
}

}  // namespace
}  // namespace gdr
