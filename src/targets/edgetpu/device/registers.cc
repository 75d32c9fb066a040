#include "targets/edgetpu/device/registers.h"

#include <algorithm>

namespace edgetwin::edgetpu {

const std::vector<RegisterInfo>& all_registers() {
  static const std::vector<RegisterInfo> table = {
#define REGISTER(address, width, name, reset) {Reg::name, address, width, #name, reset},
#define FIELD(reg, name, low, bits, meaning)
#include "targets/edgetpu/device/registers.def"
#undef FIELD
#undef REGISTER
  };
  return table;
}

const std::vector<RegisterField>& all_register_fields() {
  static const std::vector<RegisterField> table = {
#define REGISTER(address, width, name, reset)
#define FIELD(reg, name, low, bits, meaning) {Reg::reg, #name, low, bits, meaning},
#include "targets/edgetpu/device/registers.def"
#undef FIELD
#undef REGISTER
  };
  return table;
}

const RegisterInfo& info(Reg reg) { return all_registers()[static_cast<size_t>(reg)]; }

const RegisterInfo* find_register(uint32_t address) {
  const auto& table = all_registers();
  const auto found = std::ranges::lower_bound(table, address, {}, &RegisterInfo::address);
  return found != table.end() && found->address == address ? &*found : nullptr;
}

std::string_view name(DfuState state) {
  switch (state) {
    case DfuState::app_idle:
      return "appIDLE";
    case DfuState::app_detach:
      return "appDETACH";
    case DfuState::idle:
      return "dfuIDLE";
    case DfuState::download_sync:
      return "dfuDNLOAD-SYNC";
    case DfuState::download_busy:
      return "dfuDNBUSY";
    case DfuState::download_idle:
      return "dfuDNLOAD-IDLE";
    case DfuState::manifest_sync:
      return "dfuMANIFEST-SYNC";
    case DfuState::manifest:
      return "dfuMANIFEST";
    case DfuState::manifest_wait_reset:
      return "dfuMANIFEST-WAIT-RESET";
    case DfuState::upload_idle:
      return "dfuUPLOAD-IDLE";
    case DfuState::error:
      return "dfuERROR";
  }
  return "an unknown state";
}

std::string_view dfu_status(uint8_t code) {
  constexpr std::string_view kNames[] = {
      "OK",      "errTARGET", "errFILE",    "errWRITE",     "errERASE",    "errCHECK_ERASED",
      "errPROG", "errVERIFY", "errADDRESS", "errNOTDONE",   "errFIRMWARE", "errVENDOR",
      "errUSBR", "errPOR",    "errUNKNOWN", "errSTALLEDPKT"};
  return code < std::size(kNames) ? kNames[code] : "an unknown status";
}

std::string_view name(FrameTag tag) {
  switch (tag) {
    case FrameTag::instructions:
      return "instructions";
    case FrameTag::input:
      return "input";
    case FrameTag::parameters:
      return "parameters";
    case FrameTag::output:
      return "output";
    case FrameTag::interrupt0:
      return "interrupt 0";
    case FrameTag::interrupt1:
      return "interrupt 1";
    case FrameTag::interrupt2:
      return "interrupt 2";
    case FrameTag::interrupt3:
      return "interrupt 3";
  }
  return "an unknown tag";
}

}  // namespace edgetwin::edgetpu
