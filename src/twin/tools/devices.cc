#include "edgetwin/devices.h"

#include "targets/edgetpu/device/connect.h"
#include "targets/edgetpu/device/register_words.h"
#include "twin/device.h"

namespace edgetwin {
namespace {

twin::DeviceChoice choice_of(const DeviceQuery& q) {
  twin::DeviceChoice c;
  c.device = q.device;
  c.firmware = q.firmware;
  c.any_firmware = q.any_firmware;
  return c;
}

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

Status add_all(edgetpu::RegisterPort& port, std::vector<DeviceRegister>& rows) {
  EDGETWIN_TRY_ASSIGN(const bool sleeps, edgetpu::chip_sleeps(port));
  for (const edgetpu::RegisterInfo& r : edgetpu::all_registers()) {
    DeviceRegister row{.name = std::string(r.name), .address = r.address};
    row.asleep = sleeps && edgetpu::needs_awake_chip(r.id);
    if (row.asleep) {
      rows.push_back(row);
      continue;
    }
    EDGETWIN_TRY_ASSIGN(row.value, port.read(r.id));
    rows.push_back(row);
    for (const edgetpu::RegisterField& f : edgetpu::all_register_fields()) {
      if (f.reg != r.id) continue;
      const edgetpu::BitField field{f.reg, f.low, f.bits};
      rows.push_back({.name = "." + std::string(f.name),
                      .address = r.address,
                      .value = field.get(row.value),
                      .meaning = std::string(f.meaning)});
    }
  }
  return Ok{};
}

Status add_one(edgetpu::RegisterPort& port, const std::string& text,
               std::vector<DeviceRegister>& rows) {
  EDGETWIN_TRY_ASSIGN(const edgetpu::RegisterWord word, edgetpu::parse_register(text));
  EDGETWIN_TRY_ASSIGN(const bool sleeps, edgetpu::chip_sleeps(port));
  if (sleeps && edgetpu::needs_awake_chip(word.field.reg)) {
    return Error(ErrorCode::device_request, std::string(info(word.field.reg).name) +
                                                " cannot be reached while the chip sleeps")
        .with_hint("Write scu_ctrl_3.force_sleep=2 first, which wakes it.");
  }
  DeviceRegister row{.name = text.substr(0, text.find('=')),
                     .address = info(word.field.reg).address,
                     .written = word.writes};
  EDGETWIN_TRY_ASSIGN(row.value, edgetpu::access_register(port, word));
  rows.push_back(std::move(row));
  return Ok{};
}

}  // namespace

Result<std::vector<AttachedDevice>> attached_devices(const DeviceQuery& query) {
  const twin::DeviceChoice choice = choice_of(query);
  EDGETWIN_TRY_ASSIGN(const twin::DeviceBus bus, twin::open_bus(choice, 1));
  EDGETWIN_TRY_ASSIGN(const std::vector<edgetpu::UsbDevice> sticks,
                      edgetpu::attached(*bus.transport));
  const std::string kind(bus.transport->name());
  std::vector<AttachedDevice> devices;
  for (const edgetpu::UsbDevice& stick : sticks) {
    if (!bus.path.empty() && stick.path() != bus.path) continue;
    const Remedy remedy = remedy_of(*bus.transport, stick, twin::firmware_options(choice));
    AttachedDevice d;
    d.device = kind == "usb" ? "usb:" + stick.path() : kind;
    d.bus = stick.bus;
    d.path = stick.path();
    d.state = remedy.state;
    d.id = remedy.state == "boot" ? "1a6e:089a" : "18d1:9302";
    d.speed = name(stick.speed);
    d.access = remedy.access;
    d.remedy = remedy.what;
    devices.push_back(std::move(d));
  }
  return devices;
}

Result<std::vector<DeviceRegister>> device_registers(const std::vector<std::string>& accesses,
                                                     bool all, const DeviceQuery& query) {
  for (const std::string& text : accesses) EDGETWIN_TRY(edgetpu::parse_register(text));
  const twin::DeviceChoice choice = choice_of(query);
  EDGETWIN_TRY_ASSIGN(const twin::DeviceBus bus, twin::open_bus(choice, 1));
  EDGETWIN_TRY_ASSIGN(const edgetpu::UsbDevice stick, edgetpu::choose(*bus.transport, bus.path));
  edgetpu::Clock& clock = bus.clock != nullptr ? *bus.clock : edgetpu::system_clock();
  EDGETWIN_TRY_ASSIGN(
      const edgetpu::Connected connected,
      edgetpu::connect(*bus.transport, stick.path(), twin::firmware_options(choice), {}, clock));
  edgetpu::RegisterPort port(*connected.connection, clock);
  std::vector<DeviceRegister> rows;
  for (const std::string& text : accesses) EDGETWIN_TRY(add_one(port, text, rows));
  if (all) EDGETWIN_TRY(add_all(port, rows));
  connected.connection->release(edgetpu::kInterface);
  return rows;
}

}  // namespace edgetwin
