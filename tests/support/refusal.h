// What a call refuses.
#pragma once

#include <string>

#include "gdr/base/error.h"

namespace gdr::tests {

/// The message of the gdr::Error that `call` ends with; empty if it returns.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace gdr::tests
