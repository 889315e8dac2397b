// Kept inputs that are right, so that the fuzzers get behind the first check of a reader. One that a change of its
// format makes wrong is written anew: checkpoints by `gdr nbody --checkpoint`, object files by `gdr as` from
// assembler_source, `calls.gdro` by `gdr cc`.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <vector>

#include "gdr/base/file.h"
#include "gdr/hostlib/checkpoint.h"
#include "gdr/hostlib/hpl_dat.h"
#include "gdr/interconnect/trace.h"
#include "gdr/isa/program.h"
#include "gdr/selftest/history.h"

namespace gdr::tests {
namespace {

std::vector<std::filesystem::path> kept_inputs(const std::string& target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(GDR_FUZZ_CORPUS) / target)) {
    files.push_back(entry.path());
  }
  return files;
}

TEST(FuzzCorpus, HasCheckpointsOfTodaysFormat) {
  std::size_t read = 0;
  for (const std::filesystem::path& file : kept_inputs("checkpoint")) {
    if (file.extension() != ".ck") continue;
    EXPECT_NO_THROW((void)hostlib::read_checkpoint(file)) << file;
    ++read;
  }
  EXPECT_GE(read, 2u);
}

TEST(FuzzCorpus, HasObjectFilesOfTodaysFormatOfBothTypes) {
  bool has_type1 = false;
  bool has_type2 = false;
  for (const std::filesystem::path& file : kept_inputs("object_bytes")) {
    if (file.extension() != ".gdro") continue;
    const std::string bytes = base::read_file(file);
    const isa::Program program = isa::deserialize(std::as_bytes(std::span(bytes)), file.string());
    (program.is_type2() ? has_type2 : has_type1) = true;
  }
  EXPECT_TRUE(has_type1 && has_type2);
}

TEST(FuzzCorpus, HasTextsThatAreTaken) {
  for (const std::filesystem::path& file : kept_inputs("hpl_dat")) {
    EXPECT_NO_THROW((void)read_hpl_dat(file)) << file;
  }
  for (const std::filesystem::path& file : kept_inputs("history_text")) {
    EXPECT_NO_THROW((void)selftest::parse_history(base::read_file(file), file.string())) << file;
  }
  constexpr interconnect::Rank kMostRanks = 8;  // as in message_programs.cpp
  for (const std::filesystem::path& file : kept_inputs("message_programs")) {
    const std::string text = base::read_file(file);
    if (interconnect::is_goal(text)) {
      EXPECT_NO_THROW((void)interconnect::parse_goal(text, file.string(), kMostRanks)) << file;
    } else {
      EXPECT_NO_THROW((void)interconnect::make_program(interconnect::read_trace(file, kMostRanks))) << file;
    }
  }
}

}  // namespace
}  // namespace gdr::tests
