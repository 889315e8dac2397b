#include "gdr/commandline/interrupts.h"

#include <filesystem>

namespace gdr::commandline {
namespace {

volatile std::sig_atomic_t asked_by_signal = 0;

}  // namespace

Interrupts::Interrupts() {
  asked_by_signal = 0;
  struct sigaction action{};
  action.sa_handler = [](int signal) { asked_by_signal = signal; };
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, &before_.first);
  sigaction(SIGTERM, &action, &before_.second);
}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &before_.first, nullptr);
  sigaction(SIGTERM, &before_.second, nullptr);
}

int Interrupts::signal() { return asked_by_signal; }

bool StopFile::is_there() {
  constexpr double kInterval = 0.5;  // seconds
  if (path_.empty() || watch_.seconds() - last_ < kInterval) return false;
  last_ = watch_.seconds();
  std::error_code none;
  return std::filesystem::exists(path_, none);
}

}  // namespace gdr::commandline
