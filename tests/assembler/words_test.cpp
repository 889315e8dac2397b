// The same source, options and seed give the same words on every host and from every compiler that gdr is built with:
// words.txt holds digests of the words of many kernels, packed in every way. A new kernel and a change of the scheduler
// change that file, too, which so says which kernels get longer. With GDR_WRITE_WORDS=1 the test writes it.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <span>

#include "chain_kernel.h"
#include "gdr/base/digest.h"
#include "gdr/base/file.h"
#include "slowed_down.h"
#include "testing.h"

namespace gdr::assembler::testing {
namespace {

struct Packing {
  std::string_view name;
  ScheduleOptions options;
};

const std::vector<Packing>& packings() {
  static const std::vector<Packing> all{
      {"none", {}},
      {"list", {.level = ScheduleLevel::list}},
      {"full", {.level = ScheduleLevel::full, .effort = 0.1}},
      {"full, seed 2", {.level = ScheduleLevel::full, .seed = 2, .effort = 0.1}},
      {"full, pipeline", {.level = ScheduleLevel::full, .effort = 0.1, .pipeline = true}},
  };
  return all;
}

/// Name, packing, lines of the loop body, and the first half of the digest of all sections' words.
std::string words_of(std::string_view name, std::string_view source, const Packing& packing) {
  AssembleOptions options;
  options.schedule = packing.options;
  options.include_directories = {GDR_KERNELS_DIR};
  const isa::Program program = assembled(source, options);
  std::string words;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const isa::ProgramLine& line : program.lines(static_cast<isa::Section>(section))) {
      words += fmt::format("{:016x}\n", fmt::join(line.word.parts, " "));
    }
    words += "end of section\n";
  }
  return fmt::format("{}: {}: {} lines, {}\n", name, packing.name, program.lines(isa::Section::loop_body).size(),
                     base::sha256_hex(std::as_bytes(std::span(words))).substr(0, 32));
}

/// Our kernels, packed by hand already, and random ones with one operation in each line.
std::map<std::string, std::string> sources() {
  std::map<std::string, std::string> sources;
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() == ".vsm") sources[entry.path().filename()] = base::read_file(entry.path());
  }
  constexpr unsigned kOperations = 30;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    sources[fmt::format("random kernel {}", seed)] = tests::ChainKernel(seed).source(kOperations);
  }
  if (tests::kSlowedDown) std::erase_if(sources, [](const auto& source) { return source.first != "random kernel 1"; });
  return sources;
}

TEST(Words, OfEveryKernelInEveryPackingAreWhatTheyWere) {
  std::string words;
  for (const auto& [name, source] : sources()) {
    for (const Packing& packing : packings()) words += words_of(name, source, packing);
  }
  if (std::getenv("GDR_WRITE_WORDS") != nullptr && !tests::kSlowedDown) base::write_file(GDR_WORDS, words);
  const std::string kept = base::read_file(GDR_WORDS);
  if (tests::kSlowedDown) {
    EXPECT_THAT(kept, ::testing::HasSubstr(words));
  } else {
    EXPECT_EQ(words, kept)
        << "If that is meant: GDR_WRITE_WORDS=1 assembler_tests --gtest_filter='Words.*' writes the file";
  }
}

TEST(Kernels, AreAllInTheTableOfTheirReadme) {
  const std::string readme = base::read_file(GDR_KERNELS_DIR "/README.md");
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm") continue;
    EXPECT_THAT(readme, ::testing::HasSubstr("`" + entry.path().filename().string() + "`"));
  }
}

}  // namespace
}  // namespace gdr::assembler::testing
