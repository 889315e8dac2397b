// What the directives of a file declare: nodes, templates, distributed arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "directive.h"

namespace gdr::compiler {

struct XaccNodes {
  std::string name;
  std::vector<long> extents;  // the first runs fastest; 0: as many as the ranks leave
};

struct XaccTemplate {
  std::string name;
  std::vector<std::pair<long, long>> bounds;  // first and last, by dimension
  int nodes = -1;                             // index of a node set; -1 before distribute
  std::vector<int> node_dimension;            // by dimension of the template; -1: not split
};

/// Where a name is seen: offsets of the file.
struct XaccScope {
  std::size_t from = 0;
  std::size_t to = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] bool has(std::size_t at) const { return from <= at && at <= to; }
  bool operator==(const XaccScope&) const = default;
};

/// An array of file scope, or a parameter of a function, which is seen in the function.
struct XaccKnown {
  std::string name;
  XaccScope scope;
  std::vector<long> extents;  // slowest first
  bool parameter = false;
};

struct XaccArray {
  std::string name;
  Place place;                    // of align
  std::vector<long> extents;      // slowest first
  int on = 0;                     // template
  std::vector<int> along;         // template's dimension of each of the array's; -1: not split
  std::vector<XaccWidth> shadow;  // by dimension of the array
  bool diagonal = false;          // a loop reads elements that are shifted in two split dimensions
  XaccScope scope = {};
  bool parameter = false;  // the function's callers have the memory

  /// True if both have the same elements on every node.
  [[nodiscard]] bool lies_as(const XaccArray& other) const {
    return on == other.on && extents == other.extents && along == other.along && shadow == other.shadow;
  }
  /// True if every node holds all elements, its own and copies of the others'.
  [[nodiscard]] bool is_full() const { return std::ranges::any_of(shadow, &XaccWidth::full); }
};

struct XaccLayout {
  std::vector<XaccNodes> nodes;
  std::vector<XaccTemplate> templates;
  std::vector<XaccArray> arrays;

  /// Takes a directive that declares something and passes over all others. `known` has the arrays that may be
  /// distributed. Throws XaccRefusal.
  void add(const XaccDirective& directive, const std::vector<XaccKnown>& known);

  /// Index of what has the name; throws XaccRefusal at `place` if nothing has.
  [[nodiscard]] int node_set(const std::string& name, const Place& place) const;
  [[nodiscard]] int template_of(const std::string& name, const Place& place) const;
  /// The array that has the name at an offset.
  [[nodiscard]] int array(const std::string& name, std::size_t at, const Place& place) const;
  /// The same for names of which there may be none: -1.
  [[nodiscard]] int find_template(const std::string& name) const;
  /// The array of this name and scope.
  [[nodiscard]] int find_array(const std::string& name, const XaccScope& scope) const;

  /// Nodes along a dimension of an array; 1 if it is not split, 0 if only the ranks tell.
  [[nodiscard]] long nodes_along(const XaccArray& array, std::size_t dimension) const;

 private:
  void require_one_split(const XaccArray& array, const Place& place) const;
};

}  // namespace gdr::compiler
