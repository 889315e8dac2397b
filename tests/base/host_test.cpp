#include "gdr/base/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace gdr::base {
namespace {

TEST(Host, SettingsAreThoseWhoseNamesBeginWithThePrefix) {
  ASSERT_EQ(setenv("GDRTEST_ONE", "a=b", 1), 0);
  ASSERT_EQ(setenv("GDRTEST_EMPTY", "", 1), 0);
  ASSERT_EQ(setenv("OTHER_GDRTEST_", "1", 1), 0);
  EXPECT_THAT(settings_of("GDRTEST_"),
              testing::ElementsAre(testing::Pair("GDRTEST_EMPTY", ""), testing::Pair("GDRTEST_ONE", "a=b")));
  unsetenv("GDRTEST_ONE");
  unsetenv("GDRTEST_EMPTY");
  EXPECT_TRUE(settings_of("GDRTEST_").empty());
}

TEST(Host, NamesAreOneLineWithoutQuotesOrBlanksAround) {
  for (const std::string& name : {system_name(), processor_name()}) {
    EXPECT_EQ(name.find_first_of("\"\n"), std::string::npos);
    EXPECT_FALSE(name.starts_with(' ')) << name;
  }
}

}  // namespace
}  // namespace gdr::base
