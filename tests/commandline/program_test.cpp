// A program that is not gdr has its command line from the component.
#include "gdr/commandline/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gdr::commandline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Program kMill{"mill", "grinds", "2.5", {}, nullptr, nullptr};

struct Choices {
  std::string grain;
  std::uint64_t turns = 10;
  std::vector<std::uint64_t> sieves;
};

/// The answer to these words, whose values go to `choices`.
Answer answer(std::vector<std::string> words, Choices& choices) {
  words.insert(words.begin(), "mill");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return read_command_line(static_cast<int>(arguments.size()), arguments.data(), kMill, [&](Command command) {
    command.add_option("grain", choices.grain, "what to grind", one_of({"rye", "wheat"})).required();
    const Option turns = command.add_option("--turns", choices.turns, "turns of the stone", whole_in_range(1, 5000));
    command.keep_old_name("--rounds", turns);
    command.add_option("--sieves", choices.sieves, "widths of sieves").delimiter(',');
  });
}

Answer answer(std::vector<std::string> words) {
  Choices choices;
  return answer(std::move(words), choices);
}

TEST(ProgramWithoutCommands, RunsWithTheValuesOfItsWords) {
  Choices choices;
  const Answer given = answer({"rye", "--turns", "1.5K", "--sieves", "3,1"}, choices);
  EXPECT_FALSE(given.status);
  EXPECT_EQ(given.message, "");
  EXPECT_EQ(choices.grain, "rye");
  EXPECT_EQ(choices.turns, 1500U);
  EXPECT_EQ(choices.sieves, (std::vector<std::uint64_t>{3, 1}));
}

TEST(ProgramWithoutCommands, NamesItselfAndTheOptionThatWasMeant) {
  const Answer given = answer({"rye", "--tunrs", "3"});
  EXPECT_EQ(given.status, kUsage);
  EXPECT_EQ(given.output, "");
  EXPECT_EQ(given.message, "mill: unknown option '--tunrs'; did you mean '--turns'?\nTry 'mill --help'.\n");
}

TEST(ProgramWithoutCommands, RefusesValuesWithTheirRange) {
  EXPECT_THAT(answer({"rye", "--turns", "0"}).message,
              StartsWith("mill: --turns: 0 is refused: it must be a whole number from 1 to 5000\n"));
  EXPECT_THAT(answer({"oats"}).message, HasSubstr("oats is refused: it must be one of rye, wheat"));
  EXPECT_THAT(answer({}).message, HasSubstr("grain is required: what to grind"));
}

TEST(ProgramWithoutCommands, RefusesAListWithAValueTwice) {
  const Answer given = answer({"rye", "--sieves", "3,3"});
  EXPECT_EQ(given.status, kUsage);
  EXPECT_EQ(given.message, "mill: --sieves: 3 is given twice\n");
}

TEST(ProgramWithoutCommands, AcceptsAnOldNameWithANote) {
  Choices choices;
  const Answer given = answer({"rye", "--rounds", "7"}, choices);
  EXPECT_FALSE(given.status);
  EXPECT_EQ(given.message, "mill: note: --rounds is called --turns now\n");
  EXPECT_EQ(choices.turns, 7U);
}

TEST(ProgramWithoutCommands, HasAVersionAndAHelp) {
  const Answer version = answer({"--version"});
  EXPECT_EQ(version.status, kSuccess);
  EXPECT_EQ(version.output, "mill 2.5\n");
  const Answer help = answer({"--help"});
  EXPECT_EQ(help.status, kSuccess);
  EXPECT_THAT(help.output, StartsWith("grinds\nUsage: mill [OPTIONS] grain\n"));
  EXPECT_THAT(help.output, HasSubstr("turns of the stone (1 to 5000; default: 10)"));
}

TEST(NamedValues, AreReadFromTheirTexts) {
  const std::vector<std::string> numbers{"eps=0.5", "m=2e3"};
  EXPECT_EQ(named_numbers("--param", numbers),
            (std::vector<std::pair<std::string, double>>{{"eps", 0.5}, {"m", 2000}}));
  const std::vector<std::string> texts{"N=4", "FAST"};
  EXPECT_EQ(named_texts("-D", texts, "1"), (std::map<std::string, std::string>{{"N", "4"}, {"FAST", "1"}}));
}

TEST(NamedValues, AreRefusedWithTheirOption) {
  const auto refusal = [](const std::string& text) {
    try {
      static_cast<void>(named_numbers("--param", std::vector<std::string>{text}));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("eps"), StartsWith("--param: 'eps' is refused: it must be NAME=NUMBER"));
  EXPECT_THAT(refusal("=1"), StartsWith("--param: '=1' is refused"));
  EXPECT_THAT(refusal("eps=1x"), StartsWith("--param: 'eps=1x' is refused"));
  const std::vector<std::string> twice{"N=1", "N=2"};
  EXPECT_THROW(static_cast<void>(named_texts("-D", twice, "1")), UsageError);
}

}  // namespace
}  // namespace gdr::commandline
