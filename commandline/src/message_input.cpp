#include "gdr/commandline/message_input.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace gdr::commandline {

std::optional<std::string> MessageInput::next() {
  while (waiting_.empty() && read_some()) {
  }
  if (waiting_.empty()) return std::nullopt;
  std::string message = std::move(waiting_.front());
  waiting_.pop_front();
  return message;
}

const std::deque<std::string>& MessageInput::arrived() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (!ended_ && poll(&input, 1, 0) > 0 && read_some()) {
  }
  return waiting_;
}

bool MessageInput::read_some() {
  std::array<char, 65536> bytes;
  const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
  if (count < 0 && errno == EINTR) return true;
  ended_ = count <= 0;
  if (ended_) return false;
  framing_.push({bytes.data(), static_cast<std::size_t>(count)});
  while (std::optional<std::string> message = framing_.next()) waiting_.push_back(*std::move(message));
  return true;
}

void send_message(std::string_view message) {
  fmt::print("{}", base::framed(message));
  std::fflush(stdout);
}

}  // namespace gdr::commandline
