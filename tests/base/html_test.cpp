#include "gdr/base/html.h"

#include <gtest/gtest.h>

namespace gdr::base {
namespace {

TEST(Html, CharactersThatMeanSomethingAreWrittenOut) {
  EXPECT_EQ(html(R"(a < b && c > "d")"), "a &lt; b &amp;&amp; c &gt; &quot;d&quot;");
}

TEST(Html, OtherTextStays) { EXPECT_EQ(html("r\xc2\xb2 = 'x'; "), "r\xc2\xb2 = 'x'; "); }

// The digest of a script is that of OpenSSL: printf 'alert(1)' | openssl dgst -sha256 -binary | base64
TEST(Html, PagesLoadNothingAndRunTheirOwnScriptAlone) {
  EXPECT_EQ(content_policy(),
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            "base-uri 'none'; form-action 'none'\">");
  EXPECT_EQ(content_policy("alert(1)"),
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            "script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='; base-uri 'none'; form-action 'none'\">");
}

}  // namespace
}  // namespace gdr::base
