// What the playground answers, without a browser.
#include "gdr/web/playground.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "gdr/course/judge.h"

namespace gdr::web {
namespace {

using nlohmann::json;

std::string kernel(const std::string& name) {
  std::ifstream file(std::string(GDR_KERNELS_DIR "/") + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

json ask(Playground& playground, const json& request) { return json::parse(playground.answer(request.dump())); }

json run_request(const std::string& name) {
  return {{"call", "run"}, {"name", name}, {"source", kernel(name)}, {"ni", 8}, {"nj", 64}};
}

/// Cells of a CSV file's column.
std::vector<double> column(const std::string& csv, std::size_t wanted) {
  std::vector<double> values;
  std::stringstream lines(csv);
  std::string line;
  std::getline(lines, line);  // names
  while (std::getline(lines, line)) {
    std::stringstream cells(line);
    std::string cell;
    for (std::size_t n = 0; n <= wanted; ++n) std::getline(cells, cell, ',');
    values.push_back(std::stod(cell));
  }
  return values;
}

TEST(Playground, CheckTellsClocksOfAKernelAndColumnsOfItsData) {
  Playground playground;
  const json answer =
      ask(playground, {{"call", "check"}, {"name", "tutorial.vsm"}, {"source", kernel("tutorial.vsm")}});
  EXPECT_TRUE(answer["diagnostics"].empty());
  EXPECT_EQ(answer["kernel"]["name"], "tutorial");
  EXPECT_EQ(answer["kernel"]["loop"]["lines"], 3);
  EXPECT_EQ(answer["kernel"]["j_columns"], json({"xj", "mj"}));
  EXPECT_EQ(answer["kernel"]["i_columns"], json({"xi"}));
}

TEST(Playground, DiagnosticsCarryTheirPlaces) {
  Playground playground;
  const json answer =
      ask(playground, {{"call", "check"}, {"name", "k.vsm"}, {"source", "kernel k\nloop body\n  frob $t\n"}});
  ASSERT_FALSE(answer["diagnostics"].empty());
  const json& first = answer["diagnostics"][0];
  EXPECT_EQ(first["severity"], "error");
  EXPECT_EQ(first["line"], 3);
  EXPECT_EQ(first["column"], 3);
  EXPECT_TRUE(answer["kernel"].is_null());
  EXPECT_NE(answer["text"].get<std::string>().find("k.vsm:3:3: error"), std::string::npos);
}

// sum_j m_j (x_j - x_i), in doubles: the machine's words are longer, the mass is rounded to 25 bits.
TEST(Playground, RunGivesTheSumsOfItsOwnData) {
  Playground playground;
  const json answer = ask(playground, run_request("tutorial.vsm"));
  ASSERT_FALSE(answer.contains("error")) << answer;
  const auto file = [&](const char* name) {
    return ask(playground, {{"call", "file"}, {"name", name}})["text"].get<std::string>();
  };
  const std::vector<double> xj = column(file("j.csv"), 0);
  const std::vector<double> mj = column(file("j.csv"), 1);
  const std::vector<double> xi = column(file("i.csv"), 0);
  const std::vector<double> sums = column(file("results.csv"), 0);
  ASSERT_EQ(xj.size(), 64U);
  ASSERT_EQ(xi.size(), 8U);
  ASSERT_EQ(sums.size(), 8U);
  for (std::size_t i = 0; i < xi.size(); ++i) {
    EXPECT_EQ(xi[i], xj[i]);
    double sum = 0;
    double size = 0;
    for (std::size_t j = 0; j < xj.size(); ++j) {
      sum += mj[j] * (xj[j] - xi[i]);
      size += std::abs(mj[j] * (xj[j] - xi[i]));
    }
    EXPECT_NEAR(sums[i], sum, size * 0x1p-24);  // half a unit of the mass, and the sums' roundings far below
  }
  EXPECT_EQ(answer["rows"].size(), 8U);
  EXPECT_EQ(answer["hash"].get<std::string>().size(), 64U);
}

json of_lsump(const std::string& call, const std::string& source) {
  return {{"call", call}, {"name", "pull.lsump"}, {"source", source}, {"ni", 8}, {"nj", 64}};
}

constexpr const char* kPull = "/VARI xi;\n/VARJ xj, mj;\n/VARF a, n;\na += mj * (xj - xi);\nn += 1;\n";

TEST(Playground, CompilesLsumpAndShowsItsAssembly) {
  Playground playground;
  const json answer = ask(playground, of_lsump("check", kPull));
  EXPECT_TRUE(answer["diagnostics"].empty()) << answer;
  EXPECT_EQ(answer["kernel"]["name"], "pull");
  EXPECT_EQ(answer["kernel"]["result_columns"], json({"a", "n"}));
  EXPECT_NE(answer["assembly"].get<std::string>().find("kernel pull"), std::string::npos);
  EXPECT_EQ(answer["files"][answer["own_file"].get<std::size_t>()], "pull.lsump");
  for (const json& line : answer["kernel"]["loop"]["body"]) EXPECT_EQ(line["file"], answer["own_file"]) << line;
}

TEST(Playground, AMistakeInLsumpHasItsPlaceAndNoAssembly) {
  Playground playground;
  const json answer = ask(playground, of_lsump("check", "/VARI xi;\n/VARJ xj;\n/VARF a;\na += xj - zi;\n"));
  ASSERT_EQ(answer["diagnostics"].size(), 1U);
  EXPECT_EQ(answer["diagnostics"][0]["severity"], "error");
  EXPECT_EQ(answer["diagnostics"][0]["file"], answer["own_file"]);
  EXPECT_EQ(answer["diagnostics"][0]["line"], 4);
  EXPECT_EQ(answer["diagnostics"][0]["column"], 11);
  EXPECT_EQ(answer["assembly"], "");
  EXPECT_TRUE(answer["kernel"].is_null());
}

TEST(Playground, RunsLsumpWithTheSameResultsAtEachEffort) {
  Playground playground;
  json request = of_lsump("run", kPull);
  std::vector<std::string> hashes;
  for (const int effort : {1, 2, 3}) {
    request["effort"] = effort;
    const json answer = ask(playground, request);
    ASSERT_FALSE(answer.contains("error")) << answer;
    EXPECT_EQ(answer["rows"][0][1], "64");
    hashes.push_back(answer["hash"]);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
  request["effort"] = 4;
  EXPECT_EQ(ask(playground, request)["error"], "request: effort: 4 is refused: it must be 1, 2 or 3");
}

TEST(Playground, StepsThroughLinesOfLsump) {
  Playground playground;
  ask(playground, of_lsump("debug", kPull));
  ask(playground, {{"call", "command"}, {"line", "break pull.lsump:4"}});
  const json state = ask(playground, {{"call", "command"}, {"line", "continue"}});
  const json own = ask(playground, of_lsump("check", kPull))["own_file"];
  const auto is_there = [&](const json& place) { return place["file"] == own && place["line"] == 4; };
  EXPECT_TRUE(std::any_of(state["lines"].begin(), state["lines"].end(), is_there)) << state["lines"];
}

// The name comes from a link, which anybody may have made.
TEST(Playground, ShowsACommandThatRunsNothingBesideGdr) {
  Playground playground;
  json request = run_request("tutorial.vsm");
  EXPECT_EQ(ask(playground, request)["command"],
            "gdr run tutorial.vsm --i i.csv --j j.csv --output results.csv && sha256sum results.csv");
  request["name"] = "k.vsm; echo 'run'; #.vsm";
  EXPECT_EQ(
      ask(playground, request)["command"],
      "gdr run 'k.vsm; echo '\\''run'\\''; #.vsm' --i i.csv --j j.csv --output results.csv && sha256sum results.csv");
}

TEST(Playground, NamesAFileThatIsNoOptionAndHasOneLine) {
  Playground playground;
  json request = run_request("tutorial.vsm");
  request["name"] = "--json.vsm";
  EXPECT_EQ(ask(playground, request)["command"],
            "gdr run ./--json.vsm --i i.csv --j j.csv --output results.csv && sha256sum results.csv");
  for (const char* name : {"two\nlines.vsm", "carriage\rreturn.vsm", "escape\x1b[2J.vsm", "delete\x7f.vsm"}) {
    request["name"] = name;
    const std::string error = json::parse(playground.answer(request.dump())).value("error", std::string("no error"));
    EXPECT_NE(error.find("request: name: "), std::string::npos) << name;
    EXPECT_NE(error.find("is refused"), std::string::npos) << name;
  }
}

TEST(Playground, SeedAndModelDecideOfTheHash) {
  Playground playground;
  json request = run_request("gravity.vsm");
  const std::string first = ask(playground, request)["hash"];
  EXPECT_EQ(ask(playground, request)["hash"], first);
  request["seed"] = 2;
  EXPECT_NE(ask(playground, request)["hash"], first);
  request["seed"] = 1;
  request["model"] = "random";
  EXPECT_NE(ask(playground, request)["hash"], first);
}

TEST(Playground, StepsLineByLineThroughAPair) {
  Playground playground;
  json request = run_request("tutorial.vsm");
  request["call"] = "debug";
  ASSERT_FALSE(ask(playground, request).contains("error"));
  const auto command = [&](const char* line) { return ask(playground, {{"call", "command"}, {"line", line}}); };
  const json at = command("pair i=3 j=10");
  EXPECT_EQ(at["i"], 3);
  EXPECT_EQ(at["j"], 10);
  const unsigned line = at["lines"][0]["line"];
  const json next = command("step");
  EXPECT_EQ(next["lines"][0]["line"], line + 1);
  EXPECT_TRUE(command("end")["end"]);
  const json refused = command("frobnicate");
  EXPECT_NE(refused["refused"].get<std::string>().find("unknown command"), std::string::npos);
  EXPECT_TRUE(refused["end"]);
}

TEST(Playground, RefusesWhatItCannotTake) {
  Playground playground;
  const auto why = [&](const std::string& request) {
    return json::parse(playground.answer(request)).value("error", std::string("no error"));
  };
  EXPECT_NE(why("{").find("request"), std::string::npos);
  EXPECT_NE(why("[1]").find("object"), std::string::npos);
  EXPECT_NE(why(R"({"call":"fly"})").find("'fly' is unknown"), std::string::npos);
  EXPECT_NE(why(R"({"call":"command","line":"step"})").find("no kernel"), std::string::npos);
  json request = run_request("tutorial.vsm");
  request["ni"] = -1;
  EXPECT_NE(why(request.dump()).find("ni"), std::string::npos);
  request["ni"] = 4097;
  EXPECT_NE(why(request.dump()).find("1 to 4096"), std::string::npos);
  request = run_request("dgemm.vsm");
  request["nj"] = 65;
  EXPECT_NE(why(request.dump()).find("Type II"), std::string::npos);
}

TEST(Playground, JudgesAsTheCommandLineDoes) {
  Playground playground;
  const json list = ask(playground, {{"call", "exercises"}})["exercises"];
  ASSERT_EQ(list.size(), 12u);
  EXPECT_EQ(list[1]["name"], "moment");
  EXPECT_FALSE(list[1]["hints"].empty());
  const std::string right = kernel("../course/exercises/moment/solution.vsm");
  const json answer =
      ask(playground, {{"call", "judge"}, {"exercise", "moment"}, {"name", "m.vsm"}, {"source", right}, {"seed", 3}});
  const course::Exercise exercise = course::load_exercise("moment");
  const course::Verdict verdict = course::judge(exercise, course::assembled(right, "other.vsm"), {3, 0});
  EXPECT_EQ(answer["verdict"], "ACCEPTED");
  EXPECT_EQ(answer["hash"], verdict.hash);
  EXPECT_EQ(answer["text"], course::text_of(verdict, exercise));
}

TEST(Playground, RunsOwnParticlesWhateverElseTheirFilesHold) {
  Playground playground;
  json request = run_request("tutorial.vsm");
  request["own_i"] = "name,xi\n1,0.5\n2,-1\n";
  request["own_j"] = "mj,xj\n2,1\n3,0.25\n4,0\n";
  const json answer = ask(playground, request);
  ASSERT_FALSE(answer.contains("error")) << answer;
  EXPECT_EQ(answer["ni"], 2);
  EXPECT_EQ(answer["nj"], 3);
  // sum_j m_j (x_j - x_i), exact in these numbers.
  const double first = std::stod(answer["rows"][0][0].get<std::string>());
  const double second = std::stod(answer["rows"][1][0].get<std::string>());
  EXPECT_EQ(first, 2 * 0.5 + 3 * -0.25 + 4 * -0.5);
  EXPECT_EQ(second, 2 * 2 + 3 * 1.25 + 4 * 1);
  request["own_j"] = "mj\n2\n";
  EXPECT_NE(ask(playground, request)["error"].get<std::string>().find("j.csv:1: "), std::string::npos);
  request["own_j"] = "mj,xj\n2,one\n";
  EXPECT_NE(ask(playground, request)["error"].get<std::string>().find("j.csv:2: column 'xj': 'one'"),
            std::string::npos);
}

TEST(Playground, TellsWhatALineDoesToTheBlock) {
  Playground playground;
  json request = run_request("tutorial.vsm");
  request["call"] = "debug";
  ask(playground, request);
  const json state = ask(playground, {{"call", "command"}, {"line", "pair i=0 j=0"}});
  // fsub xj xi $lt: the adder reads the j-record and local memory, and writes T.
  EXPECT_EQ(state["work"]["section"], "loop body");
  EXPECT_EQ(state["work"]["units"], json({"adder"}));
  EXPECT_EQ(state["work"]["reads"], json({"record", "lm"}));
  EXPECT_EQ(state["work"]["writes"], json({"t"}));
  EXPECT_EQ(state["work"]["has_record"], true);
  EXPECT_TRUE(ask(playground, {{"call", "command"}, {"line", "end"}})["work"].is_null());
}

TEST(Playground, ExplainsDiagnosticsAndHovers) {
  Playground playground;
  const json text = ask(playground, {{"call", "explain"}, {"number", 103}});
  EXPECT_NE(text["text"].get<std::string>().find("E0103"), std::string::npos);
  EXPECT_TRUE(ask(playground, {{"call", "explain"}, {"number", 9999}}).contains("error"));

  const auto say = [&](const json& message) {
    return ask(playground, {{"call", "language"}, {"message", message}})["messages"];
  };
  say({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "initialize"}, {"params", {{"capabilities", json::object()}}}});
  say({{"jsonrpc", "2.0"},
       {"method", "textDocument/didOpen"},
       {"params",
        {{"textDocument",
          {{"uri", "file:///k.vsm"}, {"languageId", "gdr"}, {"version", 1}, {"text", kernel("tutorial.vsm")}}}}}});
  const std::string source = kernel("tutorial.vsm");
  const auto line = std::count(source.begin(), source.begin() + static_cast<long>(source.find("fmul")), '\n');
  const json replies = say(
      {{"jsonrpc", "2.0"},
       {"id", 2},
       {"method", "textDocument/hover"},
       {"params", {{"textDocument", {{"uri", "file:///k.vsm"}}}, {"position", {{"line", line}, {"character", 3}}}}}});
  ASSERT_FALSE(replies.empty());
  const json reply = json::parse(replies.back().get<std::string>());
  EXPECT_NE(reply["result"]["contents"]["value"].get<std::string>().find("fmul"), std::string::npos);
  EXPECT_TRUE(ask(playground, {{"call", "language"}}).contains("error"));
}

TEST(Playground, GivesASourceToBeginEachExerciseWith) {
  Playground playground;
  for (const json& exercise : ask(playground, {{"call", "exercises"}})["exercises"]) {
    json request = {{"call", "judge"}, {"exercise", exercise["name"]}, {"source", exercise["start"]}};
    const json answer = ask(playground, request);
    // It assembles; what is missing are the results.
    EXPECT_EQ(answer["verdict"], "RUN ERROR") << exercise["name"] << answer["text"];
  }
}

TEST(Playground, JudgesWrongKernelsAndRefusesWrongRequests) {
  Playground playground;
  json request = {{"call", "judge"}, {"exercise", "mass"}, {"source", kernel("tutorial.vsm")}};
  EXPECT_EQ(ask(playground, request)["verdict"], "RUN ERROR");
  request["source"] = "kernel k\nloop body\n  frob $t\n";
  const json answer = ask(playground, request);
  EXPECT_EQ(answer["verdict"], "COMPILE ERROR");
  EXPECT_NE(answer["messages"].get<std::string>().find("kernel.vsm:3:3: error:"), std::string::npos);
  request["schedule"] = "full";
  EXPECT_NE(ask(playground, request)["error"].get<std::string>().find("judged as they are written"), std::string::npos);
  EXPECT_NE(ask(playground, {{"call", "judge"}, {"exercise", "none"}})["error"].get<std::string>().find("1 to 12"),
            std::string::npos);
}

}  // namespace
}  // namespace gdr::web
