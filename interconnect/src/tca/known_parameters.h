// One table for each description: a parameter's key, unit, range and place in the struct, each written once.
#pragma once

#include <functional>
#include <numbers>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gdr/base/description.h"
#include "units.h"

namespace gdr::interconnect {

/// What a description of `Model` must give, and where it goes.
template <class Model>
struct KnownParameter {
  base::ParameterRule rule;
  std::function<void(Model&, double)> set;
};

/// Units of files to those of the models: seconds, bytes, bytes per second.
inline double scale_of(std::string_view unit) {
  constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
  if (unit.starts_with("us")) return kMicrosecond;
  if (unit.starts_with("MB/s")) return kMegabyte;
  return unit == "GiB" ? kGibibyte : 1;
}

template <class Model, class Owner, class Member>
  requires std::is_base_of_v<Owner, Model>
KnownParameter<Model> known(std::string key, std::string unit, double low, double high, Member Owner::* member) {
  const double scale = scale_of(unit);
  return {{std::move(key), std::move(unit), low, high, std::is_integral_v<Member>},
          [member, scale](Model& m, double v) { m.*member = static_cast<Member>(v * scale); }};
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
