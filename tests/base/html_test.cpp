#include "gdr/base/html.h"

#include <gtest/gtest.h>

namespace gdr::base {
namespace {

TEST(Html, CharactersThatMeanSomethingAreWrittenOut) {
  EXPECT_EQ(html(R"(a < b && c > "d")"), "a &lt; b &amp;&amp; c &gt; &quot;d&quot;");
}

TEST(Html, OtherTextStays) { EXPECT_EQ(html("r\xc2\xb2 = 'x'; "), "r\xc2\xb2 = 'x'; "); }

}  // namespace
}  // namespace gdr::base
