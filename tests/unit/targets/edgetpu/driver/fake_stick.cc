#include "unit/targets/edgetpu/driver/fake_stick.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace edgetwin::edgetpu {

namespace {

using darwinn::HintKind;

darwinn::DmaHint instruction_hint(int chunk) {
  darwinn::DmaHint h;
  h.kind = HintKind::instruction;
  h.chunk = chunk;
  return h;
}

darwinn::DmaHint transfer_hint(darwinn::BaseAddress base, const std::string& name, int offset,
                               int size) {
  darwinn::DmaHint h;
  h.kind = HintKind::descriptor;
  h.meta.base = base;
  h.meta.name = name;
  h.offset = offset;
  h.size = size;
  h.direction = base == darwinn::BaseAddress::output ? darwinn::Direction::from_device
                                                     : darwinn::Direction::to_device;
  return h;
}

darwinn::DmaHint end_hint() {
  darwinn::DmaHint h;
  h.kind = HintKind::interrupt;
  return h;
}

darwinn::Bitstream program(size_t size, uint8_t seed) {
  darwinn::Bitstream b;
  for (size_t i = 0; i < size; ++i) b.data.push_back(static_cast<std::byte>(seed + i * 7));
  return b;
}

darwinn::Layer layer(const std::string& name, int z, int size, darwinn::LayerKind kind) {
  darwinn::Layer l;
  l.name = name;
  l.y_dim = l.x_dim = 1;
  l.z_dim = z;
  l.size_bytes = size;
  l.kind = kind;
  l.numerics = darwinn::Numerics{
      .zero_point = 0, .factor = 1.0F, .zero_point_place = {}, .factor_place = {}};
  return l;
}

}  // namespace

darwinn::Package small_package(uint64_t token, uint8_t seed) {
  darwinn::Executable caching, main;
  caching.type = darwinn::ExecutableType::parameter_caching;
  caching.parameter_caching_token = main.parameter_caching_token = token;
  caching.bitstreams = {program(64, seed)};
  for (int i = 0; i < 5000; ++i)
    caching.parameters.push_back(static_cast<std::byte>(seed * 31 + i * 13));
  caching.dma_hints = darwinn::DmaHints{
      .hints = {instruction_hint(0), transfer_hint(darwinn::BaseAddress::parameter, "", 0, 5000),
                end_hint()},
      .fully_deterministic = true};
  main.type = darwinn::ExecutableType::execution_only;
  main.bitstreams = {program(48, static_cast<uint8_t>(seed + 1)),
                     program(32, static_cast<uint8_t>(seed + 2))};
  main.inputs = {layer("in", 300, 304, darwinn::LayerKind::input)};
  main.outputs = {layer("first", 2000, 2000, darwinn::LayerKind::output),
                  layer("second", 5, 8, darwinn::LayerKind::output)};
  main.outputs[1].data_type = darwinn::DataType::signed8;
  main.dma_hints = darwinn::DmaHints{
      .hints = {instruction_hint(0), transfer_hint(darwinn::BaseAddress::input, "in", 0, 200),
                instruction_hint(1), transfer_hint(darwinn::BaseAddress::input, "in", 200, 104),
                transfer_hint(darwinn::BaseAddress::output, "second", 0, 8),
                transfer_hint(darwinn::BaseAddress::output, "first", 0, 2000), end_hint()},
      .fully_deterministic = true};
  darwinn::Package package;
  package.min_runtime_version = 13;
  package.executables = {main, caching};
  return package;
}

Bytes mixed(const darwinn::Executable& main, size_t index, ByteSpan input, ByteSpan weights) {
  Bytes out(static_cast<size_t>(main.outputs[index].size_bytes));
  uint32_t state = 17 + static_cast<uint32_t>(index);
  for (const ByteSpan data : {input, weights})
    for (const std::byte b : data) state = state * 31 + std::to_integer<uint32_t>(b);
  for (std::byte& b : out) {
    state = state * 1664525 + 1013904223;
    b = static_cast<std::byte>(state >> 24);
  }
  return out;
}

FakeStick::FakeStick() { power_on(); }

void FakeStick::power_on() {
  registers.clear();
  for (const RegisterInfo& reg : all_registers()) registers[reg.address] = reg.reset;
  weights_.clear();
  stream_.clear();
  current_ = nullptr;
  loading_ = nullptr;
  outputs_.clear();
  events_.clear();
  interrupts_.clear();
  dfu_state_ = DfuState::idle;
}

void FakeStick::port_reset() {
  ++resets;
  if (never_comes_back) plugged = false;
  if (boot && firmware_complete_ && !ignores_firmware) boot = false;
  firmware_complete_ = false;
  power_on();
}

Transferred FakeStick::dfu(uint8_t request, uint32_t value, std::span<std::byte> data) {
  constexpr size_t kBlock = 256;
  if (!boot) return {UsbStatus::stall, 0};
  switch (static_cast<DfuRequest>(request)) {
    case DfuRequest::download:
      if (data.empty()) {
        firmware_complete_ = true;
        dfu_state_ = DfuState::idle;
      } else {
        if (value == 0) firmware.clear();
        firmware.insert(firmware.end(), data.begin(), data.end());
        dfu_state_ = DfuState::download_idle;
      }
      return {UsbStatus::ok, data.size()};
    case DfuRequest::get_status: {
      const uint8_t status[6] = {0, 1, 0, 0, static_cast<uint8_t>(dfu_state_), 0};
      std::memcpy(data.data(), status, std::min(data.size(), sizeof status));
      return {UsbStatus::ok, sizeof status};
    }
    case DfuRequest::upload: {
      const size_t at = std::min(firmware.size(), value * kBlock);
      const size_t size = std::min(data.size(), firmware.size() - at);
      std::memcpy(data.data(), firmware.data() + at, size);
      return {UsbStatus::ok, size};
    }
    case DfuRequest::abort:
    case DfuRequest::clear_status:
      dfu_state_ = DfuState::idle;
      return {UsbStatus::ok, 0};
    default:
      break;
  }
  complain("an unknown request");
  return {UsbStatus::stall, 0};
}

Transferred FakeStick::control(uint8_t type, uint8_t request, uint32_t value, uint32_t index,
                               std::span<std::byte> data) {
  if ((type & 0x60) == 0x20) return dfu(request, value, data);
  const uint32_t address = index << 16 | value;
  const RegisterInfo* reg = find_register(address);
  if (boot || reg == nullptr || data.size() * 8 != static_cast<size_t>(reg->width) ||
      (request == kRegister32) != (reg->width == 32)) {
    complain("a wrong register access");
    return {UsbStatus::stall, 0};
  }
  if (type == kVendorRead) {
    std::memcpy(data.data(), &registers[address], data.size());
    return {UsbStatus::ok, data.size()};
  }
  uint64_t written = 0;
  std::memcpy(&written, data.data(), data.size());
  if (reg->id == Reg::scu_ctrl_3 && !sleeps_forever) {
    const bool asleep = field::scu_ctrl_3_force_sleep.get(written) == 3;
    written = field::scu_ctrl_3_cur_pwr_state.set(written, asleep ? 2 : 0);
    if (asleep) {
      registers[info(Reg::scalarCoreRunControl).address] = 0;
      weights_.clear();
    }
  }
  registers[address] = written;
  return {UsbStatus::ok, data.size()};
}

UsbStatus FakeStick::out(ByteSpan data) {
  if (registers[info(Reg::scalarCoreRunControl).address] != kRunGo) {
    complain("data for a chip that does not run");
    return UsbStatus::timeout;
  }
  if (!outputs_.empty()) complain("data after an unread output");
  stream_.insert(stream_.end(), data.begin(), data.end());
  while (stream_.size() >= kFrameHeaderBytes) {
    uint32_t length = 0;
    std::memcpy(&length, stream_.data(), sizeof length);
    if (stream_.size() < kFrameHeaderBytes + length) break;
    const Bytes payload(stream_.begin() + kFrameHeaderBytes,
                        stream_.begin() + kFrameHeaderBytes + length);
    const auto tag = static_cast<FrameTag>(std::to_integer<int>(stream_[4]) & 0xf);
    stream_.erase(stream_.begin(), stream_.begin() + kFrameHeaderBytes + length);
    frame(tag, payload);
  }
  return UsbStatus::ok;
}

void FakeStick::frame(FrameTag tag, ByteSpan payload) {
  if (current_ == nullptr) {
    for (const darwinn::Package* package : known)
      for (const darwinn::Executable& e : package->executables)
        if (std::ranges::equal(e.bitstreams[0].data, payload)) current_ = &e;
    hint_ = 0;
    input_.clear();
  }
  if (current_ == nullptr || hint_ >= current_->dma_hints->hints.size()) {
    complain("a frame that no executable awaits");
    return;
  }
  const darwinn::DmaHint& h = current_->dma_hints->hints[hint_];
  if (h.kind == HintKind::instruction) {
    const Bytes& wanted = current_->bitstreams[static_cast<size_t>(h.chunk)].data;
    if (tag != FrameTag::instructions || !std::ranges::equal(wanted, payload))
      complain("other instructions than awaited");
  } else {
    const bool weights = h.meta.base == darwinn::BaseAddress::parameter;
    if (tag != (weights ? FrameTag::parameters : FrameTag::input) ||
        payload.size() != static_cast<size_t>(h.size))
      complain("another transfer than awaited");
    if (weights) {
      weights_[current_] = to_bytes(payload);
      ++parameter_loads;
    } else {
      input_.insert(input_.end(), payload.begin(), payload.end());
    }
  }
  ++hint_;
  advance();
}

// What the chip does on its own: outputs, and the event when they have been read.
void FakeStick::advance() {
  while (current_ != nullptr && hint_ < current_->dma_hints->hints.size()) {
    const darwinn::DmaHint& h = current_->dma_hints->hints[hint_];
    if (h.kind == HintKind::interrupt) {
      if (!outputs_.empty()) return;
      std::array<std::byte, kEventBytes> event{};
      event[12] = std::byte{4};
      events_.push_back(event);
      current_ = nullptr;
      return;
    }
    if (h.kind != HintKind::descriptor || h.meta.base != darwinn::BaseAddress::output) return;
    Bytes weights;
    for (const darwinn::Package* package : known) {
      const darwinn::Executable* caching =
          package->find(darwinn::ExecutableType::parameter_caching);
      if (package->inference() == current_ && weights_.contains(caching))
        weights = weights_[caching];
    }
    if (weights.empty()) complain("an inference without weights");
    for (size_t i = 0; i < current_->outputs.size(); ++i)
      if (current_->outputs[i].name == h.meta.name)
        outputs_.push_back(mixed(*current_, i, input_, weights));
    ++inferences;
    if (interrupt_next != 0) interrupts_.push_back(std::exchange(interrupt_next, 0));
    ++hint_;
  }
}

std::optional<Transferred> FakeStick::in(uint8_t endpoint, std::span<std::byte> data) {
  const auto give = [&](ByteSpan from) {
    const size_t size = std::min(data.size(), from.size());
    std::memcpy(data.data(), from.data(), size);
    return Transferred{from.size() > data.size() ? UsbStatus::overflow : UsbStatus::ok, size};
  };
  if (endpoint == endpoint::kEvent && !events_.empty()) {
    const auto event = events_.front();
    events_.pop_front();
    return give(event);
  }
  if (endpoint == endpoint::kInterrupt && !interrupts_.empty()) {
    const uint32_t mask = interrupts_.front();
    interrupts_.pop_front();
    return give(std::as_bytes(std::span(&mask, 1)));
  }
  if (endpoint != endpoint::kOutput || outputs_.empty()) return std::nullopt;
  const size_t chunk = registers[info(Reg::outfeed_chunk_length).address] * kChunkUnitBytes;
  const size_t packet = speed == UsbSpeed::high ? 512 : 1024;
  Bytes& front = outputs_.front();
  // A packet that is not full ends a read; so does a full buffer.
  size_t size = 0;
  while (size < front.size() && size < data.size()) {
    const size_t part = std::min({chunk, packet, front.size() - size});
    if (size + part > data.size()) return Transferred{UsbStatus::overflow, size};
    size += part;
    if (part < packet) break;
  }
  const Transferred end = give(ByteSpan(front).first(size));
  front.erase(front.begin(), front.begin() + static_cast<std::ptrdiff_t>(size));
  if (front.empty()) outputs_.pop_front();
  advance();
  return end;
}

}  // namespace edgetwin::edgetpu
