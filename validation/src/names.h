// Names of enumerators, spelled as in docs/validation.toml.
#pragma once

#include "gdr/base/names.h"
#include "gdr/validation/row.h"

namespace gdr::validation {

inline constexpr base::Names<Role> kRoles({{Role::calibration, "calibration"},
                                           {Role::consistency, "consistency"},
                                           {Role::identity, "identity"},
                                           {Role::input, "input"},
                                           {Role::prediction, "prediction"},
                                           {Role::reading, "reading"},
                                           {Role::target, "target"}});
inline constexpr base::Names<Bar::Kind> kBarKinds({{Bar::Kind::none, "none"},
                                                   {Bar::Kind::holds, "holds"},
                                                   {Bar::Kind::exact, "exact"},
                                                   {Bar::Kind::printed, "printed"},
                                                   {Bar::Kind::relative, "relative"},
                                                   {Bar::Kind::sigma, "sigma"},
                                                   {Bar::Kind::at_least, "at_least"},
                                                   {Bar::Kind::at_most, "at_most"},
                                                   {Bar::Kind::within, "within"}});
inline constexpr base::Names<CaseField> kCaseFields({{CaseField::kernel, "kernel"},
                                                     {CaseField::network, "network"},
                                                     {CaseField::algorithm, "algorithm"},
                                                     {CaseField::layout, "layout"},
                                                     {CaseField::system, "system"},
                                                     {CaseField::stage, "stage"},
                                                     {CaseField::graph, "graph"},
                                                     {CaseField::method, "method"},
                                                     {CaseField::side, "side"},
                                                     {CaseField::limit, "limit"},
                                                     {CaseField::bytes, "bytes"}});
inline constexpr base::Names<interconnect::SummaAlgorithm> kAlgorithms({{interconnect::SummaAlgorithm::ca0, "CA0"},
                                                                        {interconnect::SummaAlgorithm::ca1, "CA1"},
                                                                        {interconnect::SummaAlgorithm::ca2, "CA2"},
                                                                        {interconnect::SummaAlgorithm::ca3, "CA3"},
                                                                        {interconnect::SummaAlgorithm::ca4, "CA4"}});
inline constexpr base::Names<interconnect::SummaLayout> kLayouts({{interconnect::SummaLayout::square, "2d"},
                                                                  {interconnect::SummaLayout::cube, "2.5d"}});
inline constexpr base::Names<HplSystem> kSystems({{HplSystem::board, "board"}, {HplSystem::host, "host"}});
inline constexpr base::Names<HplStage> kStages({{HplStage::panel, "panel"},
                                                {HplStage::update, "update"},
                                                {HplStage::swap, "swap"},
                                                {HplStage::backsub, "backsub"},
                                                {HplStage::total, "total"},
                                                {HplStage::speed, "speed"}});
inline constexpr base::Names<MappingGraph> kGraphs({{MappingGraph::bruck, "bruck"},
                                                    {MappingGraph::cg, "cg"},
                                                    {MappingGraph::sp, "sp"}});
inline constexpr base::Names<MappingMethod> kMethods({{MappingMethod::xyz, "xyz"},
                                                      {MappingMethod::none, "none"},
                                                      {MappingMethod::mincost, "mincost"},
                                                      {MappingMethod::minlink, "minlink"}});

}  // namespace gdr::validation
