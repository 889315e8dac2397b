// Starlab's dyn files: a tree of "(Particle ... )Particle". Each has blocks; in "(Dynamics" stand m, r and v, where r
// and v count from those of the node above. Leaves are the particles.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gdr/base/line_reader.h"
#include "kinds.h"

namespace gdr::hostlib {
namespace {

constexpr std::size_t kDeepestNode = 1000;

class StarlabReader {
 public:
  StarlabReader(std::string_view content, const std::string& file) : in_(content, file) {}

  /// The last snapshot.
  LoadedSnapshot last() {
    while (const std::optional<std::string_view> line = in_.next()) {
      if (line->starts_with('(')) {
        begin(line->substr(1));
      } else if (line->starts_with(')')) {
        end(line->substr(1));
      } else {
        entry(*line);
      }
    }
    if (!nodes_.empty()) in_.refuse(fmt::format("the file ends within {} nodes", nodes_.size()));
    if (snapshots_ > 1) loaded_.notes.push_back(fmt::format("the last of {} snapshots is taken", snapshots_));
    return std::move(loaded_);
  }

 private:
  struct Node {
    std::optional<std::int64_t> id;
    double mass = 0;
    Vec3 position, velocity;  // of the node above included
    bool has_nodes = false;
  };

  void begin(std::string_view block) {
    block_ = block;
    if (block != "Particle") return;
    if (nodes_.size() == kDeepestNode) in_.refuse(fmt::format("nodes are nested more than {} deep", kDeepestNode));
    Node node;
    if (nodes_.empty()) {
      loaded_.snapshot = {};
      ++snapshots_;
    } else {
      nodes_.back().has_nodes = true;
      node.position = nodes_.back().position;
      node.velocity = nodes_.back().velocity;
    }
    nodes_.push_back(node);
  }

  void end(std::string_view block) {
    block_ = {};
    if (block != "Particle") return;
    if (nodes_.empty()) in_.refuse("a node ends that did not begin");
    const Node node = nodes_.back();
    nodes_.pop_back();
    if (node.has_nodes) return;
    Particles& particles = loaded_.snapshot.particles;
    particles.push_back(node.id.value_or(static_cast<std::int64_t>(particles.size()) + 1), node.mass, node.position,
                        node.velocity);
  }

  void entry(std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || nodes_.empty()) return;
    const std::string_view name = base::trimmed(line.substr(0, equals));
    const std::string_view value = base::trimmed(line.substr(equals + 1));
    Node& node = nodes_.back();
    if (block_ == "Particle" && name == "i") {
      node.id = base::number_in<std::int64_t>(value);
    } else if (block_ == "Dynamics" && name == "m") {
      node.mass = numbers<1>(name, value)[0];
    } else if (block_ == "Dynamics" && name == "r") {
      node.position += vector(name, value);
    } else if (block_ == "Dynamics" && name == "v") {
      node.velocity += vector(name, value);
    } else if (block_ == "Dynamics" && nodes_.size() == 1 && (name == "system_time" || name == "t")) {
      loaded_.snapshot.time = numbers<1>(name, value)[0];
    }
  }

  [[nodiscard]] Vec3 vector(std::string_view name, std::string_view value) const {
    const auto [x, y, z] = numbers<3>(name, value);
    return {x, y, z};
  }

  template <std::size_t count>
  [[nodiscard]] std::array<double, count> numbers(std::string_view name, std::string_view value) const {
    const std::vector<std::string_view> fields = base::blank_fields(value);
    if (fields.size() != count) in_.refuse(fmt::format("{} has {} numbers instead of {}", name, fields.size(), count));
    std::array<double, count> values{};
    for (std::size_t k = 0; k < count; ++k) {
      const std::optional<double> number = base::number_in<double>(fields[k]);
      if (!number) in_.refuse(fmt::format("{}: '{}' is no number", name, fields[k]));
      values.at(k) = *number;
    }
    return values;
  }

  base::LineReader in_;
  std::string_view block_;
  std::vector<Node> nodes_;
  LoadedSnapshot loaded_;
  std::size_t snapshots_ = 0;
};

}  // namespace

bool is_starlab(std::string_view content) { return base::trimmed(content.substr(0, 256)).starts_with("(Particle"); }

LoadedSnapshot read_starlab(std::string_view content, const std::string& file) {
  // Brackets tell the end, so that a missing line feed there does not mean that the file is cut off.
  if (content.ends_with(")Particle")) {
    const std::string ended = std::string(content) + '\n';
    return StarlabReader(ended, file).last();
  }
  return StarlabReader(content, file).last();
}

}  // namespace gdr::hostlib
