// The one function of the module for JavaScript: a request goes in as text, the answer comes out as text.
#include <string>

#include "gdr/web/playground.h"

namespace {

gdr::web::Playground& playground() {
  static gdr::web::Playground only;
  return only;
}

}  // namespace

extern "C" {

/// UTF-8 with a 0 behind it, both ways; the answer stays until the next call.
const char* gdr_answer(const char* request) {
  static std::string answer;
  answer = playground().answer(request);
  return answer.c_str();
}

}  // extern "C"
