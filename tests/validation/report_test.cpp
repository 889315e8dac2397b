// Verdicts by every kind of bar, what is counted, and how it is written.
#include "gdr/validation/report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gdr/base/error.h"
#include "once_each.h"
#include "testing.h"

namespace gdr::validation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::optional<bool> verdict(const Bar& bar, double published, const Ours& ours) {
  Row row;
  row.published = published;
  row.bar = bar;
  return judge(row, ours).pass;
}

TEST(ValidationVerdict, BarsHoldUpToTheirLimitsAndNotBeyond) {
  using Kind = Bar::Kind;
  EXPECT_EQ(verdict({.kind = Kind::exact}, 3, 3.0), true);
  EXPECT_EQ(verdict({.kind = Kind::exact}, 3, std::nextafter(3.0, 4)), false);
  EXPECT_EQ(verdict({.kind = Kind::relative, .limit = 0.25}, 4, 5.0), true);
  EXPECT_EQ(verdict({.kind = Kind::relative, .limit = 0.25}, 4, 3.0), true);
  EXPECT_EQ(verdict({.kind = Kind::relative, .limit = 0.25}, 4, 2.9), false);
  EXPECT_EQ(verdict({.kind = Kind::at_least, .limit = 2}, 0, 2.0), true);
  EXPECT_EQ(verdict({.kind = Kind::at_least, .limit = 2}, 0, 1.9), false);
  EXPECT_EQ(verdict({.kind = Kind::at_most, .limit = 2}, 0, 2.0), true);
  EXPECT_EQ(verdict({.kind = Kind::at_most, .limit = 2}, 0, 2.1), false);
  EXPECT_EQ(verdict({.kind = Kind::within, .low = 1, .high = 2}, 0, 1.0), true);
  EXPECT_EQ(verdict({.kind = Kind::within, .low = 1, .high = 2}, 0, 2.0), true);
  EXPECT_EQ(verdict({.kind = Kind::within, .low = 1, .high = 2}, 0, 2.1), false);
  EXPECT_EQ(verdict({.kind = Kind::printed, .decimals = 1}, 1.3, 1.34), true);
  EXPECT_EQ(verdict({.kind = Kind::printed, .decimals = 1}, 1.3, 1.36), false);
  EXPECT_EQ(verdict({.kind = Kind::holds}, 0, true), true);
  EXPECT_EQ(verdict({.kind = Kind::holds}, 0, false), false);
}

TEST(ValidationVerdict, NumberThatIsNoneNeverPasses) {
  for (const Bar& bar : {Bar{.kind = Bar::Kind::exact}, Bar{.kind = Bar::Kind::relative, .limit = 1},
                         Bar{.kind = Bar::Kind::at_least}, Bar{.kind = Bar::Kind::at_most},
                         Bar{.kind = Bar::Kind::within, .low = -1, .high = 1}, Bar{.kind = Bar::Kind::printed}}) {
    EXPECT_EQ(verdict(bar, 1, std::nan("")), false) << name_of(bar.kind);
  }
}

TEST(ValidationVerdict, NothingIsDecidedWithoutBarVerificationOrModel) {
  Row row;
  row.published = 2;
  row.bar.kind = Bar::Kind::exact;
  EXPECT_EQ(judge(row, {}).pass, std::nullopt);
  EXPECT_EQ(judge(row, {}).error, std::nullopt);
  row.verified = false;
  EXPECT_EQ(judge(row, 2.0).pass, std::nullopt);
  EXPECT_EQ(judge(row, 3.0).error, 0.5);
  row.verified = true;
  row.misprint = true;
  EXPECT_EQ(judge(row, 2.0).pass, std::nullopt);
  row.misprint = false;
  row.bar.kind = Bar::Kind::none;
  EXPECT_EQ(judge(row, 2.0).pass, std::nullopt);
}

/// One row of every outcome; two predictions with errors of +100 %.
const char* const kRows = R"([[row]]
id = "A"
section = "last"
source = "book"
quantity = "width"
published = 2
unit = "m"
role = "prediction"
model = "doubled"
note = "Of the door."
parts = [
  { id = "near", bar = { kind = "relative", limit = 1 } },
  { id = "far", bar = { kind = "exact" } },
  { id = "open", bar = { kind = "none" }, role = "input" },
  { id = "odd", bar = { kind = "exact" }, role = "input", misprint = true, note = "Misprinted." },
  { id = "none", bar = { kind = "exact" }, role = "target", model = "nothing" },
]
[[row]]
id = "B"
section = "first"
source = "book"
quantity = "door"
statement = "is shut"
role = "identity"
bar = { kind = "holds" }
model = "yes"
)";

TEST(ValidationVerdict, ErrorsOfFitsAreBarsInStandardErrors) {
  Row row;
  row.published = 10;
  row.sigma = 0.5;
  row.bar = {.kind = Bar::Kind::sigma, .limit = 2};
  EXPECT_EQ(judge(row, 11.0).pass, true);
  EXPECT_EQ(judge(row, 9.0).pass, true);
  EXPECT_EQ(judge(row, std::nextafter(11.0, 12)).pass, false);
  EXPECT_EQ(judge(row, std::nan("")).pass, false);
  EXPECT_DOUBLE_EQ(*judge(row, 10.25).sigmas, 0.5);
  EXPECT_EQ(text_of(row.bar), "2 sigma");
  row.sigma.reset();
  row.bar = {.kind = Bar::Kind::relative, .limit = 1};
  EXPECT_EQ(judge(row, 10.25).sigmas, std::nullopt);
}

TEST(ValidationReport, DerivedNumbersAndStandardErrorsAreShownAsSuch) {
  Judged judged;
  judged.row.id = RowId("A");
  judged.row.unit = "m";
  judged.row.published = 4;
  judged.row.derived = true;
  judged.ours = 5.0;
  judged.verdict = {.error = 0.25, .sigmas = 1.5, .pass = {}};
  EXPECT_THAT(table(std::vector{judged}), HasSubstr("A   4 m (derived)  5 m   +25.00 %, 1.5 sigma"));
}

TEST(ValidationReport, NumbersWithoutARowStandOnThePageWithTheirReason) {
  Data data = parse(kRows);
  const std::vector<Judged> rows = judge_rows(data, simple_models());
  EXPECT_THAT(page(data, rows), Not(HasSubstr("## Not compared")));
  data.not_compared.push_back({"book", "Book 1999, table 2", "7 m", "the door is lost"});
  EXPECT_THAT(page(data, rows), HasSubstr("| 7 m | Book 1999, table 2 | the door is lost |\n"));
}

TEST(ValidationReport, OutcomesAreCounted) {
  const Summary summary = summarize(judge_rows(parse(kRows), simple_models()));
  EXPECT_EQ(summary.rows, 6U);
  EXPECT_EQ(summary.passed, 2U);
  EXPECT_EQ(summary.missed, 1U);
  EXPECT_EQ(summary.misprints, 1U);
  EXPECT_EQ(summary.undecided, 1U);
  EXPECT_EQ(summary.not_built, 1U);
  EXPECT_EQ(summary.predictions, 2U);
  EXPECT_EQ(summary.median_error, 1);
  EXPECT_THAT(text_of(summary),
              HasSubstr("6 rows: 2 within their bar (prediction 1 of 2, identity 1 of 1), 1 beyond it"));
  EXPECT_THAT(text_of(summary), HasSubstr("median error of 2 predicted numbers 1e+02 %"));
}

TEST(ValidationReport, MedianOfAnEvenNumberIsBetweenTheMiddleTwo) {
  std::vector<Judged> rows;
  for (const double error : {0.4, -0.1, 0.2, 10.0}) {
    Judged judged;
    judged.row.role = Role::prediction;
    judged.ours = 1.0;
    judged.verdict.error = error;
    rows.push_back(judged);
  }
  EXPECT_DOUBLE_EQ(*summarize(rows).median_error, 0.3);
  rows.pop_back();
  EXPECT_DOUBLE_EQ(*summarize(rows).median_error, 0.2);
  EXPECT_EQ(summarize({}).median_error, std::nullopt);
}

TEST(ValidationReport, OnlyARowWithItsPartsIsComputed) {
  const Data data = parse(kRows);
  std::vector<std::string> told;
  std::vector<double> done;
  const auto progress = [&](double share, std::string_view row) {
    done.push_back(share);
    told.emplace_back(row);
  };
  EXPECT_EQ(judge_rows(data, simple_models(), "B", progress).size(), 1U);
  EXPECT_THAT(told, ElementsAre("B"));
  EXPECT_THAT(done, ElementsAre(1.0));
  EXPECT_EQ(judge_rows(data, simple_models(), "A").size(), 5U);
  EXPECT_EQ(judge_rows(data, simple_models(), "A.far").size(), 1U);
  EXPECT_TRUE(judge_rows(data, simple_models(), "A.fa").empty());
  EXPECT_THAT(wholes(data), ElementsAre("A", "B"));
}

/// Rows A.0, A.1, ... of the model `model`.
Data rows_of(const std::string& model, int count) {
  Data data;
  for (int n = 0; n < count; ++n) {
    Row row;
    row.id = RowId("A." + std::to_string(n));
    row.model = model;
    data.rows.push_back(row);
  }
  return data;
}

TEST(ValidationReport, RowsAreComputedOnceEachAndKeepTheirOrder) {
  std::atomic<int> computed = 0;
  const Models models(std::vector<Model>{{"number", {}, [&](const Row& row) -> Ours {
                                            ++computed;
                                            return std::stod(row.id.text().substr(2));
                                          }}});
  std::vector<double> done;
  bool told_by_caller = true;
  const auto progress = [&, caller = std::this_thread::get_id()](double share, std::string_view) {
    told_by_caller = told_by_caller && std::this_thread::get_id() == caller;
    done.push_back(share);
  };
  constexpr int kRows = 200;
  const std::vector<Judged> rows = judge_rows(rows_of("number", kRows), models, {}, progress);
  ASSERT_EQ(rows.size(), std::size_t{kRows});
  for (int n = 0; n < kRows; ++n) EXPECT_EQ(std::get<double>(rows[static_cast<std::size_t>(n)].ours), n);
  EXPECT_EQ(computed, kRows);
  EXPECT_TRUE(told_by_caller);
  ASSERT_FALSE(done.empty());
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_EQ(done.back(), 1);
}

TEST(ValidationReport, RowsAreComputedSideBySide) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one thread";
  // Each row waits until the other one has begun.
  std::promise<void> begun[2];
  std::shared_future<void> has_begun[2] = {begun[0].get_future().share(), begun[1].get_future().share()};
  const Models models(std::vector<Model>{{"meet", {}, [&](const Row& row) -> Ours {
                                            const auto own = row.id.text() == "A.0" ? 0U : 1U;
                                            begun[own].set_value();
                                            return has_begun[1 - own].wait_for(std::chrono::minutes(1)) ==
                                                   std::future_status::ready;
                                          }}});
  for (const Judged& judged : judge_rows(rows_of("meet", 2), models)) EXPECT_TRUE(std::get<bool>(judged.ours));
}

TEST(ValidationReport, LongRowsAreBegunFirst) {
  std::mutex mutex;
  std::vector<std::string> begun;
  const Models models(std::vector<Model>{{"timed",
                                          {},
                                          [&](const Row& row) -> Ours {
                                            const std::lock_guard lock(mutex);
                                            begun.push_back(row.id.text());
                                            return true;
                                          },
                                          [](const Row& row) { return row.id.text() == "A.17" ? 5.0 : 0.0; }}});
  const std::vector<Judged> rows = judge_rows(rows_of("timed", 40), models);
  // Another thread may come to its row before.
  const auto first = std::ranges::find(begun, "A.17") - begun.begin();
  EXPECT_LT(first, 9);
  EXPECT_EQ(rows[17].row.id.text(), "A.17");
}

TEST(ValidationReport, ARowThatNeedsAResultUnderWayComesAfterTheOthers) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one thread";
  // Row 0 computes what row 1 needs, too, and ends only when the last row is done: a thread that waited for it in row 1
  // would leave the last row to nobody.
  OnceEach<int, bool> results;
  std::promise<void> last_is_done;
  const Models models(std::vector<Model>{{"shared", {}, [&](const Row& row) -> Ours {
                                            if (row.id.text() == "A.9") last_is_done.set_value();
                                            if (row.id.text() != "A.0" && row.id.text() != "A.1") return true;
                                            return results.of(1, [&] {
                                              return last_is_done.get_future().wait_for(std::chrono::minutes(1)) ==
                                                     std::future_status::ready;
                                            });
                                          }}});
  for (const Judged& judged : judge_rows(rows_of("shared", 10), models)) EXPECT_TRUE(std::get<bool>(judged.ours));
}

TEST(ValidationReport, ARowThatCannotBeComputedIsTold) {
  const Models models(std::vector<Model>{{"broken", {}, [](const Row& row) -> Ours {
                                            if (row.id.text() == "A.7") throw Error("no kernel for A.7");
                                            return true;
                                          }}});
  try {
    static_cast<void>(judge_rows(rows_of("broken", 20), models));
    FAIL() << "nothing was told";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no kernel for A.7");
  }
}

TEST(ValidationReport, TableHasALineForEachRow) {
  const std::string text = table(judge_rows(parse(kRows), simple_models()));
  EXPECT_THAT(text, HasSubstr("A.near  2 m        4 m        +100.00 %  100 %  yes       width\n"));
  EXPECT_THAT(text, HasSubstr("A.far   2 m        4 m        +100.00 %  exact  NO        width\n"));
  EXPECT_THAT(text, HasSubstr("A.odd   2 m        4 m        +100.00 %  exact  misprint  width\n"));
  EXPECT_THAT(text, HasSubstr("not built"));
  EXPECT_THAT(text, HasSubstr("B       is shut    holds                 holds  yes       door\n"));
}

TEST(ValidationReport, PageHasSectionsInOrderOfTheirKeysAndNotesOnce) {
  const Data data = parse(kRows);
  const std::string text = page(data, judge_rows(data, simple_models()));
  EXPECT_LT(text.find("## First things"), text.find("## Last things"));
  EXPECT_THAT(text, HasSubstr("- A: Of the door.\n"));
  EXPECT_THAT(text, HasSubstr("- A.odd: Misprinted.\n"));
  EXPECT_EQ(text.find("Of the door."), text.rfind("Of the door."));
  EXPECT_THAT(text, HasSubstr("| prediction | 2 | 2 | 1 of 2 | p |\n"));
  EXPECT_THAT(text, HasSubstr("- Book 1999: A. Author: Book, 1999\n"));
}

}  // namespace
}  // namespace gdr::validation
