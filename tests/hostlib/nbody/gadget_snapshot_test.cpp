// Snapshots of Gadget 1 and 2: their blocks and what the header says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foreign_snapshots.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {
namespace {

using testing::bodies;
using testing::error_of;
using testing::gadget;
using testing::GadgetFields;
using ::testing::HasSubstr;
using testing::loaded_text;

TEST(Gadget, APartOfASnapshotIsRefused) {
  for (const bool swapped : {false, true}) {
    for (const bool named : {false, true}) {
      const auto refusal = [&](const GadgetFields& fields) {
        return error_of([&] { (void)loaded_text(gadget(swapped, named, fields)); });
      };
      EXPECT_THAT(refusal({.files = 2}), HasSubstr("in: the snapshot is in 2 files: write it into one"));
      EXPECT_THAT(refusal({.totals = {0, 5, 0, 0, 6, 0}, .files = 1}),
                  HasSubstr("in: the snapshot has 6 particles of type 4, and this file 3 of them: write it into one"));
    }
  }
  // A writer of initial conditions may leave out the totals.
  for (const GadgetFields& whole : {GadgetFields{.totals = {0, 5, 0, 0, 3, 0}, .files = 1}, GadgetFields{.files = 1}}) {
    EXPECT_EQ(loaded_text(gadget(false, true, whole)).snapshot.particles, bodies());
  }
}

TEST(Gadget, BlocksOfFormat2AreFoundByTheirNames) {
  using Names = std::vector<std::string>;
  for (const bool swapped : {false, true}) {
    for (const Names& order :
         {Names{"VEL ", "POS ", "ID  ", "MASS"}, Names{"MASS", "POS ", "VEL ", "ID  "},
          Names{"POS ", "VEL ", "MASS", "ID  "}, Names{"INFO", "POS ", "ACCE", "VEL ", "ID  ", "POT ", "MASS"}}) {
      EXPECT_EQ(loaded_text(gadget(swapped, true, {}, order)).snapshot.particles, bodies())
          << ::testing::PrintToString(order);
    }
  }
  const auto refusal = [](const Names& order) {
    return error_of([&] { (void)loaded_text(gadget(false, true, {}, order)); });
  };
  EXPECT_THAT(refusal({"POS ", "ACCE", "ID  ", "MASS"}),
              HasSubstr("there is no block VEL with the velocities; there are ACCE, HEAD, ID, MASS, POS"));
  EXPECT_THAT(refusal({"POS ", "VEL ", "ID  ", "POS ", "MASS"}), HasSubstr("block POS is there twice"));
}

TEST(Gadget, ACosmologicalSnapshotIsRefused) {
  const auto refusal = [](const GadgetFields& fields) {
    return error_of([&] { (void)loaded_text(gadget(false, false, fields)); });
  };
  EXPECT_THAT(refusal({.time = 0.5, .redshift = 1, .omega0 = 0.3}),
              HasSubstr("in: the snapshot is cosmological (Redshift = 1): coordinates are comoving"));
  EXPECT_THAT(refusal({.time = 1, .omega0 = 0.3}), HasSubstr("cosmological (Omega0 = 0.3 at Time = 1)"));
  EXPECT_THAT(refusal({.time = 1, .omega0 = 0.3}), HasSubstr("write a header with Omega0 = 0"));
  // Runs without expansion may have parameters of cosmology.
  for (const GadgetFields& newtonian : {GadgetFields{.time = 0.5, .omega0 = 0.3}, GadgetFields{.time = 1}}) {
    EXPECT_EQ(loaded_text(gadget(false, false, newtonian)).snapshot.particles, bodies());
  }
}

TEST(Gadget, UnitsThatTheFileDoesNotStateAreToldOf) {
  EXPECT_THAT(loaded_text(gadget(false, false)).notes,
              ::testing::ElementsAre(HasSubstr("the file states no units: numbers are taken as they are, with G = 1")));
  EXPECT_THAT(loaded_text(gadget(false, false, {.hubble = 0.7})).notes,
              ::testing::ElementsAre(HasSubstr("the file states no units, and HubbleParam = 0.7, by which")));
}

}  // namespace
}  // namespace gdr::hostlib
