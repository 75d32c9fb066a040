#include "targets/edgetpu/virtual_device/chip_compute.h"

namespace edgetwin::edgetpu {

Compute& ChipCompute::of(const Request& request) {
  if (reference_.has_graph(request)) return reference_;
  return machine_;
}

std::optional<std::string> ChipCompute::check_chunk(const Request& request) {
  machine_.check_chunk(request);
  return reference_.check_chunk(request);
}

Result<Bytes> ChipCompute::output(const Request& request, const Descriptor& wanted) {
  EDGETWIN_TRY(reference_.check_resident(request));
  return of(request).output(request, wanted);
}

void ChipCompute::finished(const Request& request) {
  machine_.finished(request);
  reference_.finished(request);
}

void ChipCompute::reset() {
  machine_.reset();
  reference_.reset();
}

std::optional<int64_t> ChipCompute::macs(const Request& request) {
  return of(request).macs(request);
}

}  // namespace edgetwin::edgetpu
