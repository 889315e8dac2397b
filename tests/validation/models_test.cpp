// The models behind docs/validation.toml.
#include "gdr/validation/models.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "gdr/base/error.h"
#include "gdr/validation/data.h"

namespace gdr::validation {
namespace {

using ::testing::IsEmpty;

const Models& models() {
  static const Models all;
  return all;
}

const Data& data() {
  static const Data file = read_data(models());
  return file;
}

/// Models that are arithmetic, so that all their rows are computed in no time.
bool is_quick(const std::string& model) {
  for (const char* system : {"kernel.", "gravity.", "board.", "hub.", "peach2.", "tca.", "summa.theory"}) {
    if (model.starts_with(system)) return true;
  }
  return model == "hpl.stage";
}

TEST(ValidationModels, RowsWithoutAModelAreThoseThatSaySo) {
  std::set<std::string> without;
  for (const Row& row : data().rows) {
    if (row.model.empty()) without.insert(row.id.text());
  }
  EXPECT_THAT(without, IsEmpty());
}

TEST(ValidationModels, NumbersDoNotFollowFromIds) {
  std::size_t compared = 0;
  for (const Row& row : data().rows) {
    if (!is_quick(row.model)) continue;
    Row renamed = row;
    renamed.id = RowId("X.host.torus.2.5d-CA9");
    EXPECT_EQ(models().ours(renamed), models().ours(row)) << row.id.text();
    ++compared;
  }
  EXPECT_GT(compared, 100U);
}

TEST(ValidationModels, NumbersFollowFromTheCase) {
  Row row;
  row.model = "hpl.stage";
  row.what.system = HplSystem::host;
  double sum = 0;
  for (const HplStage stage : {HplStage::panel, HplStage::update, HplStage::swap, HplStage::backsub}) {
    row.what.stage = stage;
    sum += std::get<double>(models().ours(row));
  }
  row.what.stage = HplStage::total;
  EXPECT_NEAR(std::get<double>(models().ours(row)), sum, 1e-9 * sum);
  row.what.system = HplSystem::board;
  EXPECT_LT(std::get<double>(models().ours(row)), sum);
}

TEST(ValidationModels, BytesAreToldInTheUnitOfTheRow) {
  Row row;
  row.model = "mapping.busiest_link";
  row.what.graph = MappingGraph::sp;
  row.what.method = MappingMethod::xyz;
  row.unit = "B";
  const double bytes = std::get<double>(models().ours(row));
  row.unit = "KB";
  EXPECT_EQ(std::get<double>(models().ours(row)), bytes / 1000);
  row.unit = "m";
  EXPECT_THROW(static_cast<void>(models().ours(row)), Error);
}

TEST(ValidationModels, NameThatIsNoneIsRefused) {
  Row row;
  row.model = "none.such";
  EXPECT_THROW(static_cast<void>(models().ours(row)), Error);
  row.model.clear();
  EXPECT_EQ(models().ours(row), Ours{});
}

}  // namespace
}  // namespace gdr::validation
