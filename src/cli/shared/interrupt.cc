#include "cli/shared/interrupt.h"

#include <pthread.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <system_error>
#include <thread>

#include "base/file.h"

namespace edgetwin::cli {
namespace {

std::atomic<bool> gentle = false, asked = false;

// Waits in an own thread, so that it may do what a signal handler must not.
void wait_for(sigset_t signals) {
  int signal = 0;
  do {
    if (::sigwait(&signals, &signal) != 0) return;
  } while (gentle && !asked.exchange(true));
  remove_unfinished();
  ::signal(signal, SIG_DFL);
  sigset_t only = {};
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
}

}  // namespace

void stop_gently() { gentle = true; }

bool stop_was_asked() { return asked; }

void tidy_up_on_signals() {
  sigset_t signals = {};
  ::sigemptyset(&signals);
  for (const int signal : std::array{SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now = {};
    const bool known = ::sigaction(signal, nullptr, &now) == 0;
    if (known && now.sa_handler != SIG_IGN) ::sigaddset(&signals, signal);
  }
  sigset_t before = {};
  ::pthread_sigmask(SIG_BLOCK, &signals, &before);
  try {
    std::thread(wait_for, signals).detach();
  } catch (const std::system_error&) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);  // as without it
  }
}

}  // namespace edgetwin::cli
