#include "cli/devices/arguments.h"
#include "cli/networks/device_findings.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// What a stick needs before it computes; empty: nothing.
struct Remedy {
  std::string state, access, what;
};

Remedy remedy_of(edgetpu::Transport& transport, const edgetpu::UsbDevice& stick,
                 const edgetpu::FirmwareOptions& firmware) {
  Remedy remedy;
  const bool boot = edgetpu::stick_state(stick) == edgetpu::StickState::boot;
  remedy.state = boot ? "boot" : "runtime";
  switch (edgetpu::probe(transport, stick)) {
    case edgetpu::Access::free:
      remedy.access = "free";
      break;
    case edgetpu::Access::permission:
      remedy.access = "no permission";
      remedy.what = edgetpu::udev_rules();
      return remedy;
    case edgetpu::Access::in_use:
      remedy.access = "in use";
      remedy.what = "end the program that uses it";
      return remedy;
    case edgetpu::Access::failed:
      remedy.access = "not reachable";
      remedy.what = "plug it in again; try another port, cable or a hub with its own supply";
      return remedy;
  }
  if (stick.speed == edgetpu::UsbSpeed::low) {
    remedy.what = "plug it into another port: this speed is refused";
  } else if (boot) {
    const auto found = edgetpu::load_firmware(firmware);
    remedy.what = found.ok() ? "nothing: firmware " + found->file + " will be sent"
                             : "name its firmware: --firmware apex_latest_single_ep.bin (" +
                                   found.error().message + ")";
  } else if (stick.speed == edgetpu::UsbSpeed::high || stick.speed == edgetpu::UsbSpeed::full) {
    remedy.what = "it works, but a USB 3 port is faster";
  }
  return remedy;
}

}  // namespace

Result<int> execute(const DevicesArguments& a, Console& console) {
  if (a.registers || !a.accesses.empty()) return show_registers(a, console);
  EDGETWIN_TRY_ASSIGN(const twin::DeviceBus bus, twin::open_bus(a.device, 1));
  EDGETWIN_TRY_ASSIGN(const std::vector<edgetpu::UsbDevice> sticks,
                      edgetpu::attached(*bus.transport));
  Json list = Json::array();
  report::TextTable table({{"device"}, {"state"}, {"id"}, {"speed"}, {"access"}});
  std::vector<std::string> remedies;
  const std::string kind(bus.transport->name());
  for (const edgetpu::UsbDevice& stick : sticks) {
    if (!bus.path.empty() && stick.path() != bus.path) continue;
    const Remedy remedy = remedy_of(*bus.transport, stick, twin::firmware_options(a.device));
    const std::string id = remedy.state == "boot" ? "1a6e:089a" : "18d1:9302";
    const std::string device = kind == "usb" ? "usb:" + stick.path() : kind;
    table.add({device, remedy.state, id, std::string(name(stick.speed)), remedy.access});
    if (!remedy.what.empty()) remedies.push_back(device + ": " + remedy.what);
    Json j = Json::object();
    j.set("device", device).set("bus", stick.bus).set("path", stick.path());
    j.set("state", remedy.state).set("id", id).set("speed", name(stick.speed));
    j.set("access", remedy.access).set("remedy", remedy.what);
    list.push(std::move(j));
  }
  const bool any = list.size() > 0;
  console.json().set("devices", std::move(list));
  if (any) console.print(table.text());
  for (const std::string& line : remedies) console.print(line + "\n");
  if (!any)
    console.print(
        "no Edge TPU is attached: neither 1a6e:089a (boot) nor 18d1:9302 (runtime) is on the bus\n"
        "plug one in; a container needs /dev/bus/usb as a whole; --device virtual needs none\n");
  return any ? kYes : kNo;
}

}  // namespace edgetwin::cli
