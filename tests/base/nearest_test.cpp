// Suggestions for mistyped names.
#include "gdr/base/nearest.h"

#include <gtest/gtest.h>

namespace gdr::base {
namespace {

using Names = std::vector<std::string>;

TEST(Nearest, CountsLettersToChange) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("enigne", "engine"), 1U);  // two neighbours swapped
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
}

TEST(Nearest, FindsWhatWasMeant) {
  const Names options{"--t-end", "--engine", "--eps", "--eta", "--boards"};
  EXPECT_EQ(nearest("--tend", options), "--t-end");
  EXPECT_EQ(nearest("--t_end", options), "--t-end");
  EXPECT_EQ(nearest("--T-END", options), "--t-end");
  EXPECT_EQ(nearest("--enigne", options), "--engine");
  EXPECT_EQ(nearest("--board", options), "--boards");
}

TEST(Nearest, TakesABeginningThatOnlyOneHas) {
  EXPECT_EQ(nearest("allg", {"allgather", "bcast"}), "allgather");
  EXPECT_EQ(nearest("tor", {"torus-4", "torus-8"}), std::nullopt);
  EXPECT_EQ(nearest("a", {"allgather"}), std::nullopt);
}

TEST(Nearest, FindsNothingWhereNothingIsSimilar) {
  EXPECT_EQ(nearest("help", {"hpl", "run"}), std::nullopt);  // two letters of four
  EXPECT_EQ(nearest("frobnicate", {"run", "as"}), std::nullopt);
  EXPECT_EQ(nearest("x", {"m", "n"}), std::nullopt);
  EXPECT_EQ(nearest("", {"m"}), std::nullopt);
  EXPECT_EQ(nearest("anything", {}), std::nullopt);
}

TEST(Nearest, EndsAMessage) {
  EXPECT_EQ(did_you_mean("model180", {"model1800", "prototype"}), "; did you mean 'model1800'?");
  EXPECT_EQ(did_you_mean("frobnicate", {"model1800"}), "");
}

}  // namespace
}  // namespace gdr::base
