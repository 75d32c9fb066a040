#include "targets/edgetpu/virtual_device/machine_compute.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace edgetwin::edgetpu {
namespace {

// What came is what the run has assumed; more may still be to come.
bool begins(ByteSpan assumed, const Bytes& came) {
  return came.size() <= assumed.size() &&
         (came.empty() || std::memcmp(assumed.data(), came.data(), came.size()) == 0);
}

}  // namespace

std::optional<std::string> MachineCompute::check_chunk(const Request& /*request*/) {
  ran_ = false;
  return std::nullopt;
}

Status MachineCompute::run_waiting() {
  for (const Request& r : std::exchange(waiting_, {})) {
    EDGETWIN_TRY(machine_.run(r.program, r.chunks, r.input, r.parameters));
  }
  return Ok{};
}

// A program may want data of the host after an output. The machine runs to the end all the same;
// where other data come than it has assumed, it runs again.
Result<Bytes> MachineCompute::output(const Request& request, const Descriptor& wanted) {
  EDGETWIN_TRY(executed_);
  EDGETWIN_TRY(run_waiting());
  const bool fresh = ran_ && begins(last_.input, request.input) &&
                     last_.parameters.size() == request.parameters.size();
  if (!fresh) {
    EDGETWIN_TRY_ASSIGN(
        last_, machine_.run(request.program, request.chunks, request.input, request.parameters));
    ran_ = true;
  }
  if (last_.sent.size() < request.delivered + wanted.length) {
    return Error(ErrorCode::stick_layer, "the program sends less than it announces")
        .detail(std::to_string(last_.sent.size()) + " bytes in all, announced are at least " +
                std::to_string(request.delivered + wanted.length));
  }
  const auto begin = last_.sent.begin() + static_cast<std::ptrdiff_t>(request.delivered);
  return Bytes(begin, begin + wanted.length);
}

void MachineCompute::finished(const Request& request) {
  ran_ = false;
  if (request.delivered > 0) return;
  // The same program again replaces what it did before.
  std::erase_if(waiting_, [&](const Request& r) { return r.program == request.program; });
  waiting_.push_back(request);
  constexpr size_t kMostWaiting = 16;
  if (waiting_.size() > kMostWaiting && executed_.ok()) executed_ = run_waiting();
}

void MachineCompute::reset() {
  machine_.reset();
  waiting_.clear();
  executed_ = Ok{};
  ran_ = false;
}

std::optional<int64_t> MachineCompute::macs(const Request& request) {
  return machine_.macs(request.program, request.chunks);
}

}  // namespace edgetwin::edgetpu
