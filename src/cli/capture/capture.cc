#include "base/file.h"
#include "cli/capture/arguments.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "targets/edgetpu/capture/decode.h"
#include "targets/edgetpu/capture/replay.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::cli {
namespace {

using edgetpu::CapturedDevice;
using report::Json;

std::string address_of(const CapturedDevice& d) {
  return std::to_string(d.bus) + "." + std::to_string(d.address);
}

// The wanted one, or the last that is accessed as an Edge TPU: after a download it has a new
// address.
Result<CapturedDevice> device_of(const CaptureArguments& a, const edgetpu::UsbCapture& capture) {
  std::optional<CapturedDevice> chosen;
  std::string all;
  for (const CapturedDevice& d : edgetpu::captured_devices(capture)) {
    all += (all.empty() ? "" : ", ") + address_of(d);
    if (a.address.empty() ? d.looks_like_edgetpu : address_of(d) == a.address) chosen = d;
  }
  if (chosen) return *chosen;
  return Error(ErrorCode::bad_value, a.address.empty()
                                         ? "no device of the capture is accessed as an Edge TPU"
                                         : "the capture has no device " + a.address)
      .in_file(a.file)
      .with_hint(all.empty() ? "The capture has no packets." : "It has the devices " + all + ".");
}

Result<bool> replay_on_virtual(const std::vector<edgetpu::UsbAction>& actions, Console& console) {
  edgetpu::VirtualBus bus;
  EDGETWIN_TRY_ASSIGN(const edgetpu::Replayed r, edgetpu::replay(actions, bus));
  Json list = Json::array();
  for (const auto& d : r.differences) {
    console.print(std::to_string(d.packet) + ": " + d.text + "\n");
    Json j = Json::object();
    list.push(j.set("packet", d.packet).set("difference", d.text));
  }
  for (const Finding& f : bus.stick().findings()) console.finding(f);
  console.print(std::string(r.differences.empty() ? "equal: " : "different: ") +
                std::to_string(r.done) + " transfers again, " + std::to_string(r.compared) +
                " answers compared, " + std::to_string(r.differences.size()) + " differ, " +
                std::to_string(r.skipped) + " left out\n");
  console.json().set("differences", std::move(list)).set("transfers", r.done);
  console.json().set("compared", r.compared).set("left_out", r.skipped);
  return r.differences.empty();
}

}  // namespace

Result<int> execute(const CaptureArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.file));
  EDGETWIN_TRY_ASSIGN(const edgetpu::UsbCapture capture, edgetpu::read_capture(data, a.file));
  EDGETWIN_TRY_ASSIGN(const CapturedDevice device, device_of(a, capture));
  if (capture.cut > 0) {
    console.note(std::to_string(capture.cut) + " packets were not captured whole");
  }
  const std::vector<edgetpu::UsbAction> actions = edgetpu::actions_of(capture, device);
  console.json().set("device", address_of(device)).set("packets", device.packets);
  if (!a.replay.empty()) {
    EDGETWIN_TRY_ASSIGN(const bool equal, replay_on_virtual(actions, console));
    return equal ? kYes : kNo;
  }
  Json list = Json::array();
  for (const edgetpu::DriverLine& line : edgetpu::driver_lines(actions)) {
    console.print(std::to_string(line.packet) + ": " + line.text + "\n");
    Json j = Json::object();
    list.push(j.set("packet", line.packet).set("transfer", line.text));
  }
  console.print("device " + address_of(device) + ": " + std::to_string(device.packets) +
                " packets, " + std::to_string(actions.size()) + " transfers\n");
  console.json().set("transfers", std::move(list));
  return kYes;
}

}  // namespace edgetwin::cli
