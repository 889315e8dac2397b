#include "gdr/base/stopping.h"

#include <utility>

namespace gdr::base {
namespace {

thread_local Stopping* asked = nullptr;  // the innermost of this thread

}  // namespace

Stopping::Stopping(std::function<bool()> goes_on) : goes_on_(std::move(goes_on)), outer_(std::exchange(asked, this)) {}
Stopping::~Stopping() { asked = outer_; }

bool is_stoppable() { return asked != nullptr; }

void pause() {
  if (asked != nullptr && !asked->goes_on_()) throw Stopped();
}

}  // namespace gdr::base
