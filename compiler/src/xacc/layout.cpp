#include "layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace gdr::compiler {
namespace {

[[noreturn]] void refuse(const Place& place, const std::string& text) { throw XaccRefusal{place, text}; }

template <class T>
int find_in(const std::vector<T>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &T::name);
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

template <class T>
void require_new(const std::vector<T>& all, const XaccReference& subject, const char* what) {
  if (find_in(all, subject.name) >= 0) refuse(subject.place, fmt::format("{} '{}' exists", what, subject.name));
}

XaccNodes nodes_of(const XaccReference& subject) {
  XaccNodes nodes{subject.name, {}};
  for (const XaccRange& one : subject.at) {
    if (one.low != one.high) refuse(one.place, "the directive xmp nodes: a range of nodes is not taken");
    const long extent = one.all ? 0 : constant_value(one.low, one.place, "a number of nodes");
    if (!one.all && extent < 1) refuse(one.place, fmt::format("{} nodes are refused: there is at least 1", extent));
    nodes.extents.push_back(extent);
  }
  if (std::ranges::count(nodes.extents, 0) > 1) refuse(subject.place, "the directive xmp nodes takes one * only");
  return nodes;
}

XaccTemplate template_from(const XaccReference& subject) {
  XaccTemplate made{subject.name, {}, -1, {}};
  for (const XaccRange& one : subject.at) {
    if (one.all) refuse(one.place, "the directive xmp template: bounds of * are not taken");
    const long last = constant_value(one.high, one.place, "a bound of a template");
    if (subject.brackets) {
      if (one.low != one.high) refuse(one.place, "the directive xmp template: a range in brackets is not taken");
      made.bounds.emplace_back(0, last - 1);
    } else {
      made.bounds.emplace_back(one.low == one.high ? 1 : constant_value(one.low, one.place, "a bound of a template"),
                               last);
    }
    const auto [first, end] = made.bounds.back();
    if (end < first) refuse(one.place, fmt::format("a template from {} to {} is refused: it is empty", first, end));
  }
  return made;
}

}  // namespace

int XaccLayout::find_template(const std::string& name) const { return find_in(templates, name); }

int XaccLayout::find_array(const std::string& name, const XaccScope& scope) const {
  const auto found =
      std::ranges::find_if(arrays, [&](const XaccArray& one) { return one.name == name && one.scope == scope; });
  return found == arrays.end() ? -1 : static_cast<int>(found - arrays.begin());
}

int XaccLayout::node_set(const std::string& name, const Place& place) const {
  const int found = find_in(nodes, name);
  if (found < 0) refuse(place, fmt::format("'{}' is no node set: #pragma xmp nodes declares one", name));
  return found;
}

int XaccLayout::template_of(const std::string& name, const Place& place) const {
  const int found = find_template(name);
  if (found < 0) refuse(place, fmt::format("'{}' is no template: #pragma xmp template declares one", name));
  return found;
}

int XaccLayout::array(const std::string& name, std::size_t at, const Place& place) const {
  int found = -1;
  for (std::size_t n = 0; n < arrays.size(); ++n) {
    if (arrays[n].name != name || !arrays[n].scope.has(at)) continue;
    if (found < 0 || arrays[n].parameter) found = static_cast<int>(n);
  }
  if (found < 0) refuse(place, fmt::format("'{}' is no distributed array: #pragma xmp align makes one", name));
  return found;
}

/// All nodes bring together an array with a full shadow, each its block of one dimension.
void XaccLayout::require_one_split(const XaccArray& array, const Place& place) const {
  const XaccTemplate& on = templates[static_cast<std::size_t>(array.on)];
  const std::size_t dimensions = nodes[static_cast<std::size_t>(on.nodes)].extents.size();
  if (dimensions == 1) return;
  refuse(place, fmt::format("the directive xmp shadow: a full shadow (*) of '{}' is not taken: it takes nodes of one "
                            "dimension, and '{}' has {}",
                            array.name, nodes[static_cast<std::size_t>(on.nodes)].name, dimensions));
}

long XaccLayout::nodes_along(const XaccArray& array, std::size_t dimension) const {
  if (array.along[dimension] < 0) return 1;
  const XaccTemplate& on = templates[static_cast<std::size_t>(array.on)];
  const int node_dimension = on.node_dimension[static_cast<std::size_t>(array.along[dimension])];
  if (node_dimension < 0) return 1;
  return nodes[static_cast<std::size_t>(on.nodes)].extents[static_cast<std::size_t>(node_dimension)];
}

void XaccLayout::add(const XaccDirective& directive, const std::vector<XaccKnown>& known) {
  const XaccReference& subject = directive.subject;
  if (directive.kind == XaccKind::nodes) {
    require_new(nodes, subject, "a node set");
    nodes.push_back(nodes_of(subject));
  } else if (directive.kind == XaccKind::template_of) {
    require_new(templates, subject, "a template");
    templates.push_back(template_from(subject));
  } else if (directive.kind == XaccKind::distribute) {
    XaccTemplate& of = templates[static_cast<std::size_t>(template_of(subject.name, subject.place))];
    if (of.nodes >= 0) refuse(subject.place, fmt::format("the template '{}' is distributed twice", subject.name));
    if (subject.at.size() != of.bounds.size()) {
      refuse(subject.place, fmt::format("the template '{}' has {} dimensions, the directive xmp distribute {}",
                                        subject.name, of.bounds.size(), subject.at.size()));
    }
    of.nodes = node_set(directive.on.name, directive.on.place);
    int next = 0;
    for (const XaccRange& one : subject.at) of.node_dimension.push_back(one.all ? -1 : next++);
    const std::size_t wanted = nodes[static_cast<std::size_t>(of.nodes)].extents.size();
    if (static_cast<std::size_t>(next) != wanted) {
      refuse(subject.place,
             fmt::format("{} dimensions are split by block, the nodes '{}' have {}", next, directive.on.name, wanted));
    }
  } else if (directive.kind == XaccKind::align) {
    const XaccKnown* of = nullptr;
    for (const XaccKnown& one : known) {
      if (one.name == subject.name && one.scope.has(directive.pragma->begin) && (of == nullptr || one.parameter))
        of = &one;
    }
    if (of == nullptr) {
      refuse(subject.place, fmt::format("the directive xmp align: '{}' is no array that this file defines outside of "
                                        "functions, with constant sizes and without initial values, and no parameter "
                                        "of this function with constant sizes",
                                        subject.name));
    }
    if (find_array(subject.name, of->scope) >= 0)
      refuse(subject.place, fmt::format("a distributed array '{}' exists", subject.name));
    XaccArray array{
        subject.name, subject.place, of->extents,  template_of(directive.on.name, directive.on.place), {}, {},
        false,        of->scope,     of->parameter};
    const XaccTemplate& on = templates[static_cast<std::size_t>(array.on)];
    if (on.nodes < 0) refuse(directive.on.place, fmt::format("the template '{}' is not distributed yet", on.name));
    if (subject.at.size() != array.extents.size()) {
      refuse(subject.place, fmt::format("'{}' has {} dimensions, the directive xmp align {}", array.name,
                                        array.extents.size(), subject.at.size()));
    }
    if (directive.on.at.size() != on.bounds.size()) {
      refuse(directive.on.place, fmt::format("the template '{}' has {} dimensions, the directive xmp align {}", on.name,
                                             on.bounds.size(), directive.on.at.size()));
    }
    for (std::size_t d = 0; d < array.extents.size(); ++d) {
      const XaccRange& index = subject.at[d];
      array.shadow.emplace_back();
      array.along.push_back(-1);
      if (index.all) continue;
      for (std::size_t t = 0; t < on.bounds.size(); ++t) {
        if (!directive.on.at[t].all && directive.on.at[t].low == index.low) array.along.back() = static_cast<int>(t);
      }
      if (array.along.back() < 0) refuse(index.place, fmt::format("'{}' is no subscript of the template", index.low));
      const auto [first, last] = on.bounds[static_cast<std::size_t>(array.along.back())];
      if (first > 0 || last < array.extents[d] - 1) {
        refuse(index.place, fmt::format("'{}' has the subscripts 0 to {} in dimension {}, the template only {} to {}",
                                        array.name, array.extents[d] - 1, d, first, last));
      }
    }
    for (const XaccRange& one : directive.on.at) {
      if (!one.all && std::ranges::count(subject.at, one.low, &XaccRange::low) != 1) {
        refuse(one.place, fmt::format("'{}' is no subscript of '{}', or several", one.low, array.name));
      }
    }
    arrays.push_back(std::move(array));
  } else if (directive.kind == XaccKind::shadow) {
    XaccArray& array_of = arrays[static_cast<std::size_t>(array(subject.name, directive.pragma->begin, subject.place))];
    if (directive.widths.size() != array_of.extents.size()) {
      refuse(subject.place, fmt::format("'{}' has {} dimensions, the directive xmp shadow {}", subject.name,
                                        array_of.extents.size(), directive.widths.size()));
    }
    for (std::size_t d = 0; d < directive.widths.size(); ++d) {
      if (array_of.along[d] < 0 && directive.widths[d].any()) {
        refuse(subject.at[d].place, fmt::format("'{}' is not split in dimension {}: its shadow is 0", subject.name, d));
      }
      if (directive.widths[d].full) require_one_split(array_of, subject.at[d].place);
    }
    array_of.shadow = directive.widths;
  }
}

}  // namespace gdr::compiler
