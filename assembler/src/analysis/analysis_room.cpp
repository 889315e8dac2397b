#include "analysis_room.h"

#include <optional>
#include <string>

#include "analysis_holds.h"
#include "schedule/bundles.h"
#include "search/line_windows.h"

namespace gdr::assembler {

void find_room(const SectionGraph& graph, const std::vector<NamedResource>& resources, Analysis& analysis) {
  const BundleGraph bundles = bundles_of(graph);
  std::vector<ResourceUse> uses(graph.operations.size());
  for (std::size_t bundle = 0; bundle < bundles.bundles.size(); ++bundle) {
    for (const Bundle::Member& member : bundles.bundles[bundle].members) {
      uses[member.operation] = {bundle, member.offset};
    }
  }
  std::vector<Resource> shared;
  for (const NamedResource& resource : resources) {
    Resource& one = shared.emplace_back();
    one.each = resource.each;
    for (const std::size_t user : resource.users) one.uses.push_back(uses[user]);
  }
  const std::optional<NoRoom> why = too_few_lines(bundles, shared, analysis.least_lines(), analysis.lines);
  if (!why) return;
  NoRoomIn& found = analysis.no_room;
  found.lines = static_cast<unsigned>(why->lines);
  if (why->resource) {
    found.name = resources[*why->resource].name;
    found.uses = static_cast<unsigned>(why->uses);
    found.first = static_cast<unsigned>(why->first);
    found.last = static_cast<unsigned>(why->last);
    return;
  }
  const UnitOperation& operation = graph.operations[bundles.bundles[why->bundle].members.front().operation];
  found.line = operation.line;
  found.operation = name_of_operation(*operation.from, operation.unit);
}

}  // namespace gdr::assembler
