// A hostile device: every answer, length and status of its transfers is made of the input. The
// driver must come to an end with an error or an answer, and read nothing that it was not given.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>

#include "targets/edgetpu/device/dfu.h"
#include "targets/edgetpu/driver/session.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::edgetpu;

// Bytes of the input one after the other; zeros at its end.
class Source {
 public:
  Source(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  uint8_t next() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  bool empty() const { return left_ == 0; }
  void fill(std::span<std::byte> to) {
    for (std::byte& b : to) b = static_cast<std::byte>(next());
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

class HostileConnection : public UsbConnection {
 public:
  HostileConnection(Source& source, const UsbDevice& device) : source_(source), device_(device) {}
  UsbStatus claim(int /*interface*/) override { return status(); }
  UsbStatus release(int /*interface*/) override { return UsbStatus::ok; }
  UsbStatus reset() override { return UsbStatus::ok; }
  Result<Bytes> device_descriptor() override {
    Bytes raw(18);
    std::memcpy(raw.data() + 8, &device_.vendor, 2);
    std::memcpy(raw.data() + 10, &device_.product, 2);
    return raw;
  }
  Result<Bytes> configuration_descriptor() override {
    Bytes raw(source_.next());
    source_.fill(raw);
    return raw;
  }
  // Registers remember, and the chip falls asleep and wakes as told, unless the input says
  // otherwise: else nothing would come further than the first poll.
  Transferred control(uint8_t type, uint8_t /*request*/, uint16_t value, uint16_t index,
                      std::span<std::byte> data, int /*timeout_ms*/) override {
    const UsbStatus s = status();
    uint64_t& held = registers_[uint32_t{index} << 16 | value];
    const size_t size = std::min(data.size(), sizeof held);
    if ((type & 0x80) == 0) {
      std::memcpy(&held, data.data(), size);
      if ((uint32_t{index} << 16 | value) == info(Reg::scu_ctrl_3).address)
        held = field::scu_ctrl_3_cur_pwr_state.set(
            held, field::scu_ctrl_3_force_sleep.get(held) == 3 ? 2 : 0);
    } else if (source_.next() < 224 && type != kDfuRead) {
      std::memcpy(data.data(), &held, size);
    } else {
      source_.fill(data);
    }
    return {s, size_of(data.size())};
  }
  Submitted submit(uint8_t endpoint, std::span<std::byte> data, int /*timeout_ms*/) override {
    if ((endpoint & 0x80) != 0) source_.fill(data.first(std::min<size_t>(data.size(), 64)));
    ends_[++last_] = {status(), size_of(data.size())};
    return {UsbStatus::ok, last_};
  }
  Waited wait(TransferId id, int /*timeout_ms*/) override {
    const auto found = ends_.find(id);
    if (found == ends_.end()) return {true, {UsbStatus::invalid, 0}};
    if (!source_.empty() && source_.next() % 8 == 7) return {false, {}};
    const Transferred end = found->second;
    ends_.erase(found);
    return {true, end};
  }
  void cancel(TransferId /*id*/) override {}
  void cancel_all() override {}

 private:
  // Mostly well, so that the fuzzer comes further than the first step.
  UsbStatus status() {
    const uint8_t b = source_.next();
    return b < 240 ? UsbStatus::ok : static_cast<UsbStatus>(b % 11);
  }
  size_t size_of(size_t wanted) {
    const uint8_t b = source_.next();
    return b < 240 ? wanted : wanted * (b - 240) / 8;
  }

  Source& source_;
  UsbDevice device_;
  std::map<uint32_t, uint64_t> registers_;
  std::map<TransferId, Transferred> ends_;
  TransferId last_ = 0;
};

class HostileBus : public Transport {
 public:
  HostileBus(const uint8_t* data, size_t size) : source_(data, size) {}
  std::string_view name() const override { return "hostile"; }
  Result<std::vector<UsbDevice>> list() override {
    const bool boot = source_.next() % 4 == 1;
    return std::vector<UsbDevice>{{1,
                                   2,
                                   {1},
                                   boot ? kBootVendor : kRuntimeVendor,
                                   boot ? kBootProduct : kRuntimeProduct,
                                   static_cast<UsbSpeed>(source_.next() % 6)}};
  }
  Opened open(const UsbDevice& device) override {
    return {UsbStatus::ok, std::make_unique<HostileConnection>(source_, device)};
  }

 private:
  Source source_;
};

darwinn::Package package() {
  using darwinn::BaseAddress;
  using darwinn::HintKind;
  darwinn::Executable main;
  main.type = darwinn::ExecutableType::stand_alone;
  main.bitstreams.resize(1);
  main.bitstreams[0].data.resize(32);
  main.parameters.resize(100);
  darwinn::Layer in, out;
  in.name = "in";
  in.y_dim = in.x_dim = out.y_dim = out.x_dim = 1;
  in.z_dim = 60;
  in.size_bytes = 64;
  out = in;
  out.name = "out";
  out.z_dim = out.size_bytes = 3000;
  main.inputs = {in};
  main.outputs = {out};
  return {.min_runtime_version = 13,
          .executables = {main},
          .signature = {},
          .compiler_version = {},
          .model_identifier = {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const auto model = *DeviceModel::make(package());
  (void)find_dfu(ByteSpan(reinterpret_cast<const std::byte*>(bytes), size));
  HostileBus bus(bytes, size);
  JumpingClock clock;
  DeviceOptions options;
  options.clock = &clock;
  options.open_tries = 2;
  options.transfer_timeout_ms = 300;
  options.times.tries = 2;
  options.firmware.folders = {"/nonexistent"};
  auto session = DeviceSession::open(bus, "", options);
  if (!session.ok()) return 0;
  DeviceJob job;
  job.model = model;
  job.inputs.emplace_back(model->inputs()[0].buffer_bytes);
  job.outputs.emplace_back(model->outputs()[0].buffer_bytes);
  (void)(*session)->run(job);
  (void)(*session)->temperature();
  return 0;
}
