// `devices --registers`: registers of a device by name.
#include "base/text.h"
#include "cli/devices/arguments.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "targets/edgetpu/device/connect.h"
#include "targets/edgetpu/device/register_words.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// A row for a register or a field.
class RegisterRows {
 public:
  void add(std::string_view name, uint32_t address, const std::string& value,
           std::string_view meaning) {
    table_.add({std::string(name), hex_number(address), value, std::string(meaning)});
    Json j = Json::object();
    j.set("name", name).set("address", hex_number(address)).set("value", value);
    list_.push(std::move(j));
  }
  std::string text() const { return table_.text(); }
  Json json() { return std::move(list_); }

 private:
  report::TextTable table_{{{"register"}, {"address"}, {"value"}, {"meaning"}}};
  Json list_ = Json::array();
};

Status add_all(edgetpu::RegisterPort& port, RegisterRows& rows) {
  EDGETWIN_TRY_ASSIGN(const bool sleeps, edgetpu::chip_sleeps(port));
  for (const edgetpu::RegisterInfo& r : edgetpu::all_registers()) {
    if (sleeps && edgetpu::needs_awake_chip(r.id)) {
      rows.add(r.name, r.address, "asleep", "");
      continue;
    }
    EDGETWIN_TRY_ASSIGN(const uint64_t value, port.read(r.id));
    rows.add(r.name, r.address, hex_number(value), "");
    for (const edgetpu::RegisterField& f : edgetpu::all_register_fields()) {
      if (f.reg != r.id) continue;
      const edgetpu::BitField field{f.reg, f.low, f.bits};
      rows.add("  ." + std::string(f.name), r.address, hex_number(field.get(value)), f.meaning);
    }
  }
  return Ok{};
}

Status add_one(edgetpu::RegisterPort& port, const std::string& text, RegisterRows& rows) {
  EDGETWIN_TRY_ASSIGN(const edgetpu::RegisterWord word, edgetpu::parse_register(text));
  EDGETWIN_TRY_ASSIGN(const bool sleeps, edgetpu::chip_sleeps(port));
  if (sleeps && edgetpu::needs_awake_chip(word.field.reg)) {
    return Error(ErrorCode::device_request, std::string(info(word.field.reg).name) +
                                                " cannot be reached while the chip sleeps")
        .with_hint("Write scu_ctrl_3.force_sleep=2 first, which wakes it.");
  }
  EDGETWIN_TRY_ASSIGN(const uint64_t value, edgetpu::access_register(port, word));
  rows.add(text.substr(0, text.find('=')), info(word.field.reg).address, hex_number(value),
           word.writes ? "written " + hex_number(word.value) : "");
  return Ok{};
}

}  // namespace

Result<int> show_registers(const DevicesArguments& a, Console& console) {
  for (const std::string& text : a.accesses) EDGETWIN_TRY(edgetpu::parse_register(text));
  EDGETWIN_TRY_ASSIGN(const twin::DeviceBus bus, twin::open_bus(a.device, 1));
  EDGETWIN_TRY_ASSIGN(const edgetpu::UsbDevice stick, edgetpu::choose(*bus.transport, bus.path));
  edgetpu::Clock& clock = bus.clock != nullptr ? *bus.clock : edgetpu::system_clock();
  EDGETWIN_TRY_ASSIGN(
      const edgetpu::Connected connected,
      edgetpu::connect(*bus.transport, stick.path(), twin::firmware_options(a.device), {}, clock));
  edgetpu::RegisterPort port(*connected.connection, clock);
  RegisterRows rows;
  for (const std::string& text : a.accesses) EDGETWIN_TRY(add_one(port, text, rows));
  if (a.registers) EDGETWIN_TRY(add_all(port, rows));
  console.print(rows.text());
  console.json().set("registers", rows.json());
  connected.connection->release(edgetpu::kInterface);
  return kYes;
}

}  // namespace edgetwin::cli
