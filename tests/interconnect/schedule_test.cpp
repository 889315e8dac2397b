#include "gdr/interconnect/schedule.h"

#include <gtest/gtest.h>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

Schedule pair_of_messages() {
  Schedule schedule{"walk", std::vector<std::vector<Step>>(3)};
  add_message(schedule, 0, 0, 2, 64, 7);
  add_message(schedule, 1, 0, 2, 64, 7);
  add_message(schedule, 0, 1, 2, 8, 0);
  return schedule;
}

std::string refusal(const Schedule& schedule) {
  try {
    check(schedule);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Schedule, EveryMessageHasBothEnds) {
  EXPECT_EQ(refusal(pair_of_messages()), "");
  Schedule without_receive = pair_of_messages();
  without_receive.ranks[2][1].receives.clear();
  EXPECT_EQ(refusal(without_receive),
            "schedule walk: rank 2 step 0: a send of 64 bytes of piece 7 from rank 0 to rank 2 has no receive");
  Schedule without_send = pair_of_messages();
  without_send.ranks[1][0].sends.clear();
  EXPECT_EQ(refusal(without_send),
            "schedule walk: rank 2 step 0: a receive of 8 bytes of piece 0 from rank 1 to rank 2 has no send");
}

TEST(Schedule, AReceiveOfOtherBytesIsNoneOfTheSend) {
  Schedule schedule = pair_of_messages();
  schedule.ranks[2][0].receives[0].bytes = 65;
  EXPECT_NE(refusal(schedule).find("a send of 64 bytes of piece 7 from rank 0 to rank 2 has no receive"),
            std::string::npos)
      << refusal(schedule);
}

}  // namespace
}  // namespace gdr::interconnect
