// The playground's side that computes: requests and answers in JSON, so that a page, a worker of a page, a test under
// Node.js and a native program ask the same things and can compare what they are told.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace gdr::web {

/// Keeps the last run's tables and the kernel that is stepped through. docs/playground.md describes the requests.
class Playground {
 public:
  Playground();
  ~Playground();
  Playground(const Playground&) = delete;
  Playground& operator=(const Playground&) = delete;

  /// The answer to a request, both JSON objects. Never throws for what a request says: the answer is then
  /// `{"error": TEXT}`.
  [[nodiscard]] std::string answer(std::string_view request);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gdr::web
