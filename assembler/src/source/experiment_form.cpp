#include "experiment_form.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "gdr/isa/experiment.h"
#include "gdr/isa/isa.h"

namespace gdr::assembler {
namespace {

using isa::Section;

// The status leaves as a whole number, results without a conversion as doubles (isa/td/gdr.td).
constexpr std::string_view kStatusConversion = "fix72to64";
constexpr std::string_view kUsualConversion = "flt72to64";

// More elements of results than this do not fit into local memory; the declaration is refused where it is read.
constexpr std::size_t kMostResults = isa::kLmShortWords;

/// Broadcast memory by which words of a conversion leave: two places, one of which is filled while the other leaves.
std::string exit_of(std::string_view conversion) { return fmt::format("experiment_{}", conversion); }

}  // namespace

void ExperimentForm::note(const Declaration& declaration) {
  const std::vector<Word>& attributes = declaration.attributes;
  if (declaration.broadcast || attributes.empty() ||
      isa::transfer_named(attributes.front().text) != isa::Transfer::rrn) {
    return;
  }
  std::string conversion(kUsualConversion);
  if (attributes.size() > 1 && isa::conversion_named(attributes[1].text)) conversion = attributes[1].text;
  std::vector<std::string> words{declaration.name.text};
  for (const Number& dimension : declaration.dimensions) {
    std::vector<std::string> longer;
    for (const std::string& word : words) {
      for (std::int64_t n = 0; n < dimension.value && longer.size() < kMostResults; ++n) {
        longer.push_back(fmt::format("{}[{}]", word, n));
      }
    }
    words = std::move(longer);
  }
  for (std::string& word : words) results_.push_back({std::move(word), conversion});
}

std::vector<std::string> ExperimentForm::declarations() const {
  std::vector<std::string> lines{fmt::format("include \"{}\"", kExperimentFile), "experiment_words"};
  std::set<std::string, std::less<>> conversions{std::string(kStatusConversion)};
  for (const Result& result : results_) conversions.insert(result.conversion);
  for (const std::string& conversion : conversions) {
    lines.push_back(
        fmt::format("bvar vector long {}[2][{}] rrn {}", exit_of(conversion), isa::kPesPerBlock, conversion));
  }
  return lines;
}

std::vector<std::string> ExperimentForm::opening(Section section) const {
  switch (section) {
    case Section::initialization:
      return {"experiment_initializes"};
    case Section::loop_initialization:
      return {"experiment_begins"};
    case Section::loop_body:
      return {"experiment_counts"};
    case Section::loop_termination:
      return {"experiment_ends"};
  }
  return {};
}

std::vector<std::string> ExperimentForm::closing(Section section) const {
  switch (section) {
    case Section::initialization:
      return {"experiment_initialized"};
    case Section::loop_initialization:
      return {"experiment_begun"};
    case Section::loop_body:
      return {"experiment_counted"};
    case Section::loop_termination:
      break;
  }
  std::vector<std::string> lines{"experiment_ended"};
  std::map<std::string, unsigned, std::less<>> leaving;  // words so far, by conversion
  const auto leave = [&](std::string_view word, std::string_view conversion) {
    lines.push_back(
        fmt::format("experiment_leaves {} {}[{}]", word, exit_of(conversion), leaving[std::string(conversion)]++ % 2));
  };
  leave(isa::kExperimentStatus, kStatusConversion);
  for (const Result& result : results_) leave(result.word, result.conversion);
  return lines;
}

}  // namespace gdr::assembler
