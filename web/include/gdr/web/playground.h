// The computing part of the playground: answers requests in JSON. A page, a worker of a page, a test under Node.js and
// a native program can all send the same requests and compare the answers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace gdr::web {

/// Keeps the tables of the last run and the kernel that is being stepped through. docs/kernels/playground.md describes
/// the requests.
class Playground {
 public:
  Playground();
  ~Playground();
  Playground(const Playground&) = delete;
  Playground& operator=(const Playground&) = delete;

  /// The answer to a request; both are JSON objects. An error in a request does not throw: the answer is then
  /// `{"error": TEXT}`.
  [[nodiscard]] std::string answer(std::string_view request);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gdr::web
