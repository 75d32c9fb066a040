// A hostile host: any row of control requests, bulk transfers, reads, resets and given-up reads
// into the virtual stick, which knows one small model.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/bytes.h"
#include "targets/edgetpu/virtual_device/reference/reference.h"
#include "targets/edgetpu/virtual_device/stick/stick.h"
#include "unit/targets/edgetpu/virtual_device/pair.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::edgetpu;

std::shared_ptr<const Library> library() {
  static const auto made = [] {
    auto l = std::make_shared<Library>();
    if (!l->learn(pair_file(), std::make_shared<const Graph>(pair_graph()), "pair").ok()) {
      std::abort();
    }
    return l;
  }();
  return made;
}

const darwinn::Executable& executable(size_t i) {
  static const darwinn::File file = pair_file();
  return file.ops[0].packages[0].executables[i];
}

class Host {
 public:
  Host(ByteSpan script, StickMode mode) : script_(script), stick_(options(mode), compute()) {}

  void play() {
    while (!script_.empty()) step(byte());
    for (const Finding& f : stick_.findings()) {
      if (f.id.empty() || f.message.empty() || f.place.empty()) std::abort();
    }
    if (!stick_.verdict().ok() && to_text(stick_.verdict().error()).empty()) std::abort();
    if (stick_.time().total() < 0) std::abort();
  }

 private:
  static StickOptions options(StickMode mode) {
    StickOptions o;
    o.mode = mode;
    o.limits.steps = 5000;
    o.limits.descriptors = 200;
    o.limits.outputs = 200;
    return o;
  }
  static std::shared_ptr<Compute> compute() {
    return std::make_shared<ReferenceCompute>(library());
  }

  uint8_t byte() {
    if (script_.empty()) return 0;
    const auto b = std::to_integer<uint8_t>(script_[0]);
    script_ = script_.subspan(1);
    return b;
  }
  uint16_t word() {
    const uint16_t low = byte();
    return static_cast<uint16_t>(low | (uint16_t{byte()} << 8U));
  }
  ByteSpan some(size_t size) {
    const ByteSpan taken = script_.first(std::min(size, script_.size()));
    script_ = script_.subspan(taken.size());
    return taken;
  }

  void step(uint8_t code) {
    switch (code % 12) {
      case 0:
      case 1: {
        const Setup setup{byte(), byte(), word(), word()};
        control(setup, byte());
        break;
      }
      case 2: {  // a known register
        const auto& all = all_registers();
        const RegisterInfo& r = all[byte() % all.size()];
        const uint8_t request = r.width == 32 ? kRegister32 : kRegister64;
        control({(code & 0x80U) != 0 ? kVendorRead : kVendorWrite, request,
                 static_cast<uint16_t>(r.address), static_cast<uint16_t>(r.address >> 16U)},
                static_cast<size_t>(r.width / 8));
        break;
      }
      case 3:
        out(byte(), some(byte()));
        break;
      case 4:
        frame(byte() % 4, some(byte()));
        break;
      case 5:
        in(byte(), word() % 4096);
        break;
      case 6:
        stick_.gave_up(byte());
        break;
      case 7:
        if (byte() < 32) stick_.port_reset();
        break;
      case 8:
        bring_up();
        break;
      case 9:
        frame(0, executable(byte() % 2).bitstreams[0].data);
        break;
      case 10:
        frame(2, executable(1).parameters);
        break;
      default:
        read_all();
    }
  }

  void control(const Setup& setup, size_t size) {
    Bytes data = to_bytes(some(size));
    data.resize(size);
    const Replied r = stick_.control(setup, data);
    if (r.size > data.size()) std::abort();
  }
  void out(uint8_t endpoint, ByteSpan data) {
    if (stick_.out(endpoint, data).size > data.size()) std::abort();
  }
  void frame(uint8_t tag, ByteSpan data) {
    std::array<std::byte, kFrameHeaderBytes> header{};
    const auto size = static_cast<uint32_t>(data.size());
    std::memcpy(header.data(), &size, sizeof size);
    header[4] = std::byte{tag};
    out(endpoint::kOut, header);
    out(endpoint::kOut, data);
  }
  void in(uint8_t endpoint, size_t size) {
    Bytes data(size);
    if (stick_.in(endpoint, data).size > size) std::abort();
  }
  void read_all() {
    in(endpoint::kOutput, 2048);
    in(endpoint::kEvent, kEventBytes);
    in(endpoint::kInterrupt, kInterruptBytes);
  }
  void set(Reg reg, uint64_t value) {
    const RegisterInfo& r = info(reg);
    std::array<std::byte, 8> data{};
    std::memcpy(data.data(), &value, sizeof value);
    stick_.control({kVendorWrite, r.width == 32 ? kRegister32 : kRegister64,
                    static_cast<uint16_t>(r.address), static_cast<uint16_t>(r.address >> 16U)},
                   std::span(data).first(static_cast<size_t>(r.width / 8)));
  }
  void bring_up() {
#define NEED(reg, rule, value) set(Reg::reg, value);
#define NEED_SET(reg, rule) set(Reg::reg, Reg::reg == Reg::descr_ep ? 0xff : 0x80);
#include "targets/edgetpu/virtual_device/stick/bring_up.def"
#undef NEED
#undef NEED_SET
  }

  ByteSpan script_;
  Stick stick_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  Host(bytes.subspan(1), data[0] % 4 == 0 ? StickMode::boot : StickMode::runtime).play();
  return 0;
}
