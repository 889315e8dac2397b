// Changes of a text by offsets, none of which adds or removes a line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace gdr::compiler {

class XaccEdits {
 public:
  void replace(std::size_t begin, std::size_t end, std::string text) {
    edits_.push_back({begin, end, 2, edits_.size(), std::move(text)});
  }
  /// Text in front of what begins at `at`, and behind what ends there.
  void before(std::size_t at, std::string text) { edits_.push_back({at, at, 1, edits_.size(), std::move(text)}); }
  void behind(std::size_t at, std::string text) { edits_.push_back({at, at, 0, 0, std::move(text)}); }

  /// The changed text. An argument of a macro is found once for each of its places: changes that repeat are made once.
  [[nodiscard]] std::string apply(const std::string& text) const {
    std::vector<Edit> all = edits_;
    // Of what ends at one place the inner is found last, and closes first.
    std::ranges::reverse(all);
    std::ranges::stable_sort(all, [](const Edit& a, const Edit& b) {
      return std::tie(a.begin, a.rank, a.order) < std::tie(b.begin, b.rank, b.order);
    });
    std::string out;
    std::size_t at = 0;
    const Edit* last = nullptr;
    for (const Edit& edit : all) {
      if (last != nullptr && edit.rank == 2 && last->rank == 2 && last->begin == edit.begin && last->end == edit.end &&
          last->text == edit.text) {
        continue;
      }
      last = &edit;
      if (edit.begin < at) continue;  // inside of a part that is replaced
      out.append(text, at, edit.begin - at);
      out += edit.text;
      at = edit.end;
    }
    return out.append(text, at, std::string::npos);
  }

 private:
  struct Edit {
    std::size_t begin;
    std::size_t end;
    int rank;
    std::size_t order;
    std::string text;
  };
  std::vector<Edit> edits_;
};

}  // namespace gdr::compiler
