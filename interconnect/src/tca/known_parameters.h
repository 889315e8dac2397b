// One table for each description. It is the only place that gives a parameter's key, unit, range and struct member.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <numbers>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gdr/base/description.h"
#include "gdr/base/units.h"
#include "units.h"

namespace gdr::interconnect {

/// A parameter that a description of `Model` must give, and how it is stored.
template <class Model>
struct KnownParameter {
  base::ParameterRule rule;
  std::function<void(Model&, double)> set;
};

/// Factor from a unit of the files to that of the models: seconds, bytes, bytes per second.
inline double scale_of(std::string_view unit) {
  constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
  if (unit.starts_with("us")) return kMicrosecond;
  if (unit.starts_with("MB/s")) return kMegabyte;
  if (unit == "Gflops") return kGiga;
  return unit == "GiB" ? kGibibyte : 1;
}

template <class Model, class Owner, class Member>
  requires std::is_base_of_v<Owner, Model>
KnownParameter<Model> known(std::string key, std::string unit, double low, double high, Member Owner::* member) {
  const double scale = scale_of(unit);
  return {{std::move(key), std::move(unit), low, high, std::is_integral_v<Member>},
          [member, scale](Model& m, double v) { m.*member = static_cast<Member>(v * scale); }};
}

/// The parameters of every description that involves PEACH2: rings, the link, and the link on which its rates were
/// measured; then `own`.
template <class Model>
std::vector<KnownParameter<Model>> with_peach2_wire(std::vector<KnownParameter<Model>> own) {
  std::vector<KnownParameter<Model>> all{
      known<Model>("rings", "1", 1, 2, &Model::rings),
      known<Model>("ring_nodes", "nodes", 2, 8, &Model::ring_nodes),
      known<Model>("link_rate", "MB/s of eight lanes", 1e-3, 1e9, &Model::eight_lanes),
      known<Model>("lanes", "1", 1, 64, &Model::lanes),
      known<Model>("max_payload", "B", 1, 4096, &Model::payload),
      known<Model>("packet_overhead", "B", 0, 1024, &Model::packet_overhead),
      known<Model>("measured_link_rate", "MB/s of eight lanes", 1e-3, 1e9, &Model::measured_eight_lanes),
      known<Model>("measured_lanes", "1", 1, 64, &Model::measured_lanes),
      known<Model>("measured_payload", "B", 1, 4096, &Model::measured_payload),
      known<Model>("hop", "us", 0, 1e6, &Model::hop),
      known<Model>("collision", "1", 1e-3, 1, &Model::collision),
  };
  std::ranges::move(own, std::back_inserter(all));
  return all;
}

template <class Model>
std::vector<base::ParameterRule> rules_of(const std::vector<KnownParameter<Model>>& parameters) {
  std::vector<base::ParameterRule> rules;
  for (const KnownParameter<Model>& parameter : parameters) rules.push_back(parameter.rule);
  return rules;
}

template <class Model>
Model read(const std::vector<KnownParameter<Model>>& parameters, const base::Description& file) {
  Model model;
  for (const KnownParameter<Model>& parameter : parameters) parameter.set(model, file.value(parameter.rule.key));
  return model;
}

}  // namespace gdr::interconnect
