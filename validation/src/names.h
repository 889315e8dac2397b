// Names of enumerators, spelled as in docs/validation.toml.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "gdr/validation/row.h"

namespace gdr::validation {

template <class Enum, std::size_t kCount>
using Names = std::array<std::pair<Enum, std::string_view>, kCount>;

inline constexpr Names<Role, 7> kRoles{{{Role::calibration, "calibration"},
                                        {Role::consistency, "consistency"},
                                        {Role::identity, "identity"},
                                        {Role::input, "input"},
                                        {Role::prediction, "prediction"},
                                        {Role::reading, "reading"},
                                        {Role::target, "target"}}};
inline constexpr Names<Bar::Kind, 8> kBarKinds{{{Bar::Kind::none, "none"},
                                                {Bar::Kind::holds, "holds"},
                                                {Bar::Kind::exact, "exact"},
                                                {Bar::Kind::printed, "printed"},
                                                {Bar::Kind::relative, "relative"},
                                                {Bar::Kind::at_least, "at_least"},
                                                {Bar::Kind::at_most, "at_most"},
                                                {Bar::Kind::within, "within"}}};
inline constexpr Names<CaseField, 10> kCaseFields{{{CaseField::kernel, "kernel"},
                                                   {CaseField::network, "network"},
                                                   {CaseField::algorithm, "algorithm"},
                                                   {CaseField::layout, "layout"},
                                                   {CaseField::system, "system"},
                                                   {CaseField::stage, "stage"},
                                                   {CaseField::graph, "graph"},
                                                   {CaseField::method, "method"},
                                                   {CaseField::side, "side"},
                                                   {CaseField::limit, "limit"}}};
inline constexpr Names<interconnect::SummaAlgorithm, 5> kAlgorithms{{{interconnect::SummaAlgorithm::ca0, "CA0"},
                                                                     {interconnect::SummaAlgorithm::ca1, "CA1"},
                                                                     {interconnect::SummaAlgorithm::ca2, "CA2"},
                                                                     {interconnect::SummaAlgorithm::ca3, "CA3"},
                                                                     {interconnect::SummaAlgorithm::ca4, "CA4"}}};
inline constexpr Names<interconnect::SummaLayout, 2> kLayouts{
    {{interconnect::SummaLayout::square, "2d"}, {interconnect::SummaLayout::cube, "2.5d"}}};
inline constexpr Names<HplSystem, 2> kSystems{{{HplSystem::board, "board"}, {HplSystem::host, "host"}}};
inline constexpr Names<HplStage, 6> kStages{{{HplStage::panel, "panel"},
                                             {HplStage::update, "update"},
                                             {HplStage::swap, "swap"},
                                             {HplStage::backsub, "backsub"},
                                             {HplStage::total, "total"},
                                             {HplStage::speed, "speed"}}};
inline constexpr Names<MappingGraph, 3> kGraphs{
    {{MappingGraph::bruck, "bruck"}, {MappingGraph::cg, "cg"}, {MappingGraph::sp, "sp"}}};
inline constexpr Names<MappingMethod, 4> kMethods{{{MappingMethod::xyz, "xyz"},
                                                   {MappingMethod::none, "none"},
                                                   {MappingMethod::mincost, "mincost"},
                                                   {MappingMethod::minlink, "minlink"}}};

template <class Enum, std::size_t kCount>
constexpr std::string_view name_in(const Names<Enum, kCount>& names, Enum value) {
  return std::ranges::find(names, value, &std::pair<Enum, std::string_view>::first)->second;
}

template <class Enum, std::size_t kCount>
constexpr std::optional<Enum> value_in(const Names<Enum, kCount>& names, std::string_view name) {
  const auto* const found = std::ranges::find(names, name, &std::pair<Enum, std::string_view>::second);
  return found == names.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace gdr::validation
