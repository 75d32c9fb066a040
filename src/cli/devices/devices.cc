#include "edgetwin/devices.h"
#include "base/text.h"
#include "cli/devices/arguments.h"
#include "cli/networks/device_findings.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;

DeviceQuery query_of(const DevicesArguments& a) {
  return {a.device.device.empty() ? "usb" : a.device.device, a.device.firmware,
          a.device.any_firmware};
}

Json json_of(const AttachedDevice& d) {
  Json j = Json::object();
  j.set("device", d.device).set("bus", d.bus).set("path", d.path);
  j.set("state", d.state).set("id", d.id).set("speed", d.speed);
  return j.set("access", d.access).set("remedy", d.remedy);
}

// --registers and --register
Result<int> show_registers(const DevicesArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const std::vector<DeviceRegister> rows,
                      device_registers(a.accesses, a.registers, query_of(a)));
  report::TextTable table({{"register"}, {"address"}, {"value"}, {"meaning"}});
  Json list = Json::array();
  for (const DeviceRegister& r : rows) {
    const std::string name = (r.name.starts_with(".") ? "  " : "") + r.name;
    const std::string value = r.asleep ? "asleep" : hex_number(r.value);
    table.add({name, hex_number(r.address), value, r.written ? "written " + value : r.meaning});
    Json j = Json::object();
    list.push(j.set("name", name).set("address", hex_number(r.address)).set("value", value));
  }
  console.print(table.text());
  console.json().set("registers", std::move(list));
  return kYes;
}

}  // namespace

Result<int> execute(const DevicesArguments& a, Console& console) {
  if (a.registers || !a.accesses.empty()) return show_registers(a, console);
  EDGETWIN_TRY_ASSIGN(const std::vector<AttachedDevice> devices, attached_devices(query_of(a)));
  Json list = Json::array();
  report::TextTable table({{"device"}, {"state"}, {"id"}, {"speed"}, {"access"}});
  std::string remedies;
  for (const AttachedDevice& d : devices) {
    table.add({d.device, d.state, d.id, d.speed, d.access});
    if (!d.remedy.empty()) remedies += d.device + ": " + d.remedy + "\n";
    list.push(json_of(d));
  }
  console.json().set("devices", std::move(list));
  if (!devices.empty()) console.print(table.text() + remedies);
  if (devices.empty())
    console.print(
        "no Edge TPU is attached: neither 1a6e:089a (boot) nor 18d1:9302 (runtime) is on the bus\n"
        "plug one in; a container needs /dev/bus/usb as a whole; --device virtual needs none\n");
  return devices.empty() ? kNo : kYes;
}

}  // namespace edgetwin::cli
