// hwloc's XML, versions 1 and 2: <topology> with nested <object type="..." os_index="...">.
#include <fmt/format.h>

#include <map>

#include "foreign/xml.h"
#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/interconnect/imported_network.h"

namespace gdr::interconnect {
namespace {

/// An object of the machine, and the objects in it that hold cores.
struct HwlocObject {
  std::string name;
  std::size_t parent = 0;
  std::size_t cores = 0;
  std::vector<std::size_t> children = {};
};

}  // namespace

ImportedNetwork parse_hwloc(std::string_view text, std::string_view name) {
  const std::vector<XmlElement> elements = read_xml(text, name);
  const auto refuse = [&](std::size_t line, const std::string& why) {
    throw Error(fmt::format("{}: {}", base::place_in(name, line), why));
  };
  if (elements.empty() || elements[0].name != "topology") {
    refuse(elements.empty() ? 0 : elements[0].line, "the root must be <topology>, as lstopo writes it");
  }
  std::vector<HwlocObject> objects;
  std::vector<std::pair<unsigned, std::size_t>> open;  // depth in the file, object
  std::map<std::string, unsigned> numbers;             // by type
  std::vector<std::size_t> cores;
  for (const XmlElement& element : elements) {
    if (element.name != "object") continue;
    const auto type = element.attributes.find("type");
    if (type == element.attributes.end()) refuse(element.line, "an object without type is refused");
    while (!open.empty() && open.back().first >= element.depth) open.pop_back();
    const bool is_root = objects.empty();
    if (open.empty() && !is_root) refuse(element.line, "a second machine is refused");
    objects.push_back({fmt::format("{}{}", type->second, numbers[type->second]++), is_root ? 0 : open.back().second});
    const std::size_t own = objects.size() - 1;
    if (!is_root) objects[objects[own].parent].children.push_back(own);
    open.emplace_back(element.depth, own);
    if (type->second != "Core") continue;
    cores.push_back(own);
    for (std::size_t at = own;; at = objects[at].parent) {
      ++objects[at].cores;
      if (at == 0) break;
    }
  }
  if (cores.empty()) refuse(elements[0].line, "the machine has no object of type Core");
  ImportedNetwork network;
  // An object is a switch if two of its children hold cores.
  const auto is_switch = [&](std::size_t object) {
    std::size_t branches = 0;
    for (const std::size_t child : objects[object].children) branches += objects[child].cores > 0 ? 1 : 0;
    return branches > 1;
  };
  const auto switch_above = [&](std::size_t object) {
    do {
      object = objects[object].parent;
    } while (object != 0 && !is_switch(object));
    return object;
  };
  for (const std::size_t core : cores) {
    network.hosts.push_back(objects[core].name);
    if (cores.size() > 1) network.cables.push_back({objects[core].name, objects[switch_above(core)].name, 0});
  }
  for (std::size_t object = 1; object < objects.size(); ++object) {
    if (is_switch(object) && is_switch(switch_above(object))) {
      network.cables.push_back({objects[object].name, objects[switch_above(object)].name, 0});
    }
  }
  network.notes.emplace_back("hwloc knows no bandwidths: every cable has that of --bandwidth");
  return network;
}

}  // namespace gdr::interconnect
