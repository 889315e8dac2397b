#include "host_results.h"

#include <algorithm>
#include <bit>

#include "gdr/emulator/host_reduction.h"

namespace gdr::emulator {

ResultGroups::ResultGroups(const isa::Program& program, std::span<const Entry> out) : program_(program), out_(out) {
  for (std::size_t field = 0; field < out.size(); ++field) {
    const isa::Variable& variable = *out[field].variable;
    const isa::ConversionInfo& conversion = isa::info_of(*variable.conversion);
    const bool floating = variable.reduction && conversion.floating;
    const auto known = std::ranges::find_if(groups_, [&](const Group& group) {
      return group.reduction == variable.reduction && group.floating == floating && group.width == conversion.width;
    });
    if (known != groups_.end()) {
      known->fields.push_back(field);
    } else {
      groups_.push_back({variable.reduction, conversion.width, floating, {field}});
    }
  }
}

std::size_t ResultGroups::variable_of(std::size_t field) const {
  return static_cast<std::size_t>(out_[field].variable - program_.variables.data());
}

ResultGroups::Values ResultGroups::values_of(std::span<const LongWord> words, ConversionEvents& events) const {
  const std::size_t particles = out_.empty() ? 0 : words.size() / out_.size();
  Values values{std::vector<std::vector<double>>(groups_.size()), std::vector<std::vector<LongWord>>(groups_.size())};
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    const Group& group = groups_[number];
    const auto for_each_word = [&](auto take) {
      for (std::size_t particle = 0; particle < particles; ++particle) {
        for (const std::size_t field : group.fields) take(words[particle * out_.size() + field], field);
      }
    };
    if (group.floating) {
      values.numbers[number].reserve(particles * group.fields.size());
      for_each_word([&](LongWord word, std::size_t field) {
        values.numbers[number].push_back(std::bit_cast<double>(to_host(word, *out_[field].variable, events)));
      });
    } else {
      values.words[number].reserve(particles * group.fields.size());
      for_each_word([&](LongWord word, std::size_t) { values.words[number].push_back(word); });
    }
  }
  return values;
}

void ResultGroups::combine(Values& sums, const Values& more, JunctionEvent place, FpEvents& events,
                           FirstJunctionEvents& first) const {
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    const Group& group = groups_[number];
    if (!group.reduction) continue;
    const auto place_of = [&](std::size_t index) {
      place.variable = variable_of(group.fields[index % group.fields.size()]);
      place.result = index / group.fields.size();
      return place;
    };
    if (!group.floating) {
      std::vector<LongWord>& words = sums.words[number];
      for (std::size_t n = 0; n < words.size(); ++n) {
        words[n] = reduce(*group.reduction, words[n], more.words[number][n], group.width, place_of(n), events, first);
      }
      continue;
    }
    for (const NumberEvent& had : reduce_on_host(*group.reduction, sums.numbers[number], more.numbers[number])) {
      JunctionEvent event = place_of(had.index);
      event.event = had.event;
      events += had.event;
      first.add(event);
    }
  }
}

std::vector<std::uint64_t> ResultGroups::fields_of(const Values& values, ConversionEvents& events) const {
  std::size_t size = 0;
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    size += values.numbers[number].size() + values.words[number].size();
  }
  std::vector<std::uint64_t> fields(size);
  const std::size_t particles = out_.empty() ? 0 : size / out_.size();
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    const Group& group = groups_[number];
    for (std::size_t particle = 0; particle < particles; ++particle) {
      for (std::size_t n = 0; n < group.fields.size(); ++n) {
        const std::size_t at = particle * group.fields.size() + n;
        std::uint64_t& field = fields[particle * out_.size() + group.fields[n]];
        field = group.floating ? std::bit_cast<std::uint64_t>(values.numbers[number][at])
                               : to_host(values.words[number][at], *out_[group.fields[n]].variable, events);
      }
    }
  }
  return fields;
}

}  // namespace gdr::emulator
