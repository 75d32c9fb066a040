#include "targets/edgetpu/virtual_device/stick/stick.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

constexpr uint8_t kIn = 0x80, kTypeMask = 0x60, kStandard = 0x00, kClass = 0x20, kVendor = 0x40;
// Standard requests.
constexpr uint8_t kGetStatus = 0, kClearFeature = 1, kSetFeature = 3, kGetDescriptor = 6,
                  kGetConfiguration = 8, kSetConfiguration = 9, kSetInterface = 11;
constexpr unsigned kDeviceDescriptor = 1, kConfigurationDescriptor = 2;

Replied give(ByteSpan from, std::span<std::byte> to) {
  const size_t size = std::min(from.size(), to.size());
  std::copy_n(from.begin(), size, to.begin());
  return {Reply::done, size};
}

uint64_t number(std::span<const std::byte> data) {
  uint64_t value = 0;
  std::memcpy(&value, data.data(), std::min(data.size(), sizeof value));
  return value;
}

template <size_t kSize>
Replied whole_packet(std::deque<std::array<std::byte, kSize>>& queue, std::span<std::byte> data) {
  if (queue.empty()) return {Reply::nak, 0};
  if (data.size() < kSize) return {Reply::overflow, 0};
  std::copy(queue.front().begin(), queue.front().end(), data.begin());
  queue.pop_front();
  return {Reply::done, kSize};
}

}  // namespace

Stick::Stick(StickOptions options, std::shared_ptr<Compute> compute)
    : options_(std::move(options)),
      compute_(std::move(compute)),
      chip_(findings_),
      dfu_(findings_, options_.accept_firmware),
      runner_(options_.limits),
      mode_(options_.mode) {
  power_cycle();
}

void Stick::power_cycle() {
  dfu_.reset();
  detached_ = false;
  mode_ = options_.mode;
  port_reset();
}

bool Stick::port_reset() {
  const StickMode before = mode_;
  if (dfu_.reset() && mode_ == StickMode::boot) mode_ = StickMode::runtime;
  if (detached_) mode_ = StickMode::boot;
  detached_ = false;
  chip_.power_on();
  chip_.take_lost_state();
  forget();
  events_.clear();
  interrupts_.clear();
  return mode_ != before;
}

// What the units of the chip lose in sleep.
void Stick::forget() {
  stuck_ = false;
  frame_ = {};
  request_ = {};
  held_.reset();
  in_request_ = false;
  pending_.clear();
  front_begun_ = false;
  outputs_.clear();
  output_read_ = 0;
  runner_.begin();
  if (compute_) compute_->reset();
}

void Stick::get_stuck(StickRule rule, const std::string& place, std::string message) {
  findings_.add(rule, place, std::move(message));
  stuck_ = true;
}

Replied Stick::control(const Setup& setup, std::span<std::byte> data) {
  time_.control_ns += control_ns();
  ++time_.transfers;
  switch (setup.request_type & kTypeMask) {
    case kStandard:
      return standard_request(setup, data);
    case kClass: {
      if (mode_ == StickMode::runtime) {
        detached_ = setup.request == static_cast<uint8_t>(DfuRequest::detach);
        return {detached_ ? Reply::done : Reply::stall, 0};
      }
      const auto moved = dfu_.request(setup.request, setup.value, data);
      return moved ? Replied{Reply::done, *moved} : Replied{Reply::stall, 0};
    }
    case kVendor:
      if (mode_ == StickMode::runtime) return register_access(setup, data);
      findings_.add(StickRule::firmware, "register", "is accessed before the firmware is there");
      return {Reply::stall, 0};
    default:
      return {Reply::stall, 0};
  }
}

Replied Stick::standard_request(const Setup& setup, std::span<std::byte> data) {
  constexpr std::byte kZeros[2] = {};
  switch (setup.request) {
    case kGetDescriptor: {
      const unsigned type = setup.value >> 8U;
      if (type == kDeviceDescriptor) return give(device_descriptor(), data);
      if (type == kConfigurationDescriptor) return give(configuration_descriptor(), data);
      return {Reply::stall, 0};
    }
    case kGetConfiguration:
      return give(std::as_bytes(std::span(&configuration_, 1)), data);
    case kSetConfiguration:
      if (setup.value > 1) return {Reply::stall, 0};
      configuration_ = static_cast<uint8_t>(setup.value);
      return {Reply::done, 0};
    case kGetStatus:
      return give(kZeros, data);
    case kClearFeature:
    case kSetFeature:
    case kSetInterface:
      return {Reply::done, 0};
    default:
      return {Reply::stall, 0};
  }
}

Replied Stick::register_access(const Setup& setup, std::span<std::byte> data) {
  if (setup.request > kRegister32) return {Reply::stall, 0};
  const int width = setup.request == kRegister32 ? 32 : 64;
  const uint32_t address = (uint32_t{setup.index} << 16U) | setup.value;
  const auto bytes = static_cast<size_t>(width / 8);
  if (data.size() != bytes) {
    findings_.add(StickRule::unknown_register, "register access",
                  "has " + std::to_string(data.size()) + " bytes of data for " +
                      std::to_string(width) + " bits");
    return {Reply::stall, 0};
  }
  if ((setup.request_type & kIn) != 0) {
    const auto value = chip_.read(address, width);
    if (!value) return {Reply::stall, 0};
    std::memcpy(data.data(), &*value, bytes);
  } else if (!chip_.write(address, width, number(data))) {
    return {Reply::stall, 0};
  }
  if (chip_.take_lost_state()) forget();
  const bool written = (setup.request_type & kIn) == 0;
  if (written && address == info(Reg::scalarCoreRunControl).address) run_held(number(data));
  return {Reply::done, bytes};
}

Replied Stick::out(uint8_t endpoint, ByteSpan data) {
  if (mode_ == StickMode::boot || endpoint != endpoint::kOut) {
    findings_.add(StickRule::transfer, "bulk transfer",
                  "to endpoint " + std::to_string(endpoint) +
                      (mode_ == StickMode::boot ? " of the boot loader, which has none"
                                                : ", which this firmware does not use"));
    return {mode_ == StickMode::boot ? Reply::stall : Reply::nak, 0};
  }
  if (chip_.asleep()) findings_.add(StickRule::asleep, "bulk data", "comes to a sleeping chip");
  if (stuck_ || chip_.asleep()) return {Reply::nak, 0};
  size_t moved = 0;
  while (moved < data.size() && !stuck_) {
    const ByteSpan rest = data.subspan(moved);
    if (frame_.header_bytes < kFrameHeaderBytes) {
      const size_t take = std::min(rest.size(), kFrameHeaderBytes - frame_.header_bytes);
      std::copy_n(rest.begin(), take,
                  frame_.header.begin() + static_cast<std::ptrdiff_t>(frame_.header_bytes));
      frame_.header_bytes += take;
      moved += take;
      if (frame_.header_bytes == kFrameHeaderBytes) begin_frame();
    } else {
      const size_t take = std::min(rest.size(), frame_.left);
      take_payload(rest.first(take));
      moved += take;
    }
  }
  time_.out_ns += bulk_ns(speed(), moved);
  time_.out_bytes += static_cast<int64_t>(moved);
  ++time_.transfers;
  return {stuck_ && moved < data.size() ? Reply::nak : Reply::done, moved};
}

Replied Stick::in(uint8_t endpoint, std::span<std::byte> data) {
  if (mode_ == StickMode::boot) return {Reply::stall, 0};
  Replied replied{Reply::stall, 0};
  if (endpoint == endpoint::kOutput) replied = output_in(data);
  if (endpoint == endpoint::kEvent) replied = whole_packet(events_, data);
  if (endpoint == endpoint::kInterrupt) replied = whole_packet(interrupts_, data);
  if (replied.reply == Reply::overflow) {
    findings_.add(StickRule::read_size, "endpoint " + std::to_string(endpoint & 0x7fU) + " in",
                  "the packet does not fit into the rest of a read of " +
                      std::to_string(data.size()) + " bytes");
  }
  if (replied.size > 0) {
    time_.in_ns += bulk_ns(speed(), replied.size);
    time_.in_bytes += static_cast<int64_t>(replied.size);
    ++time_.transfers;
  }
  return replied;
}

// The chip hands an output over in chunks; a chunk ends in a short packet unless it is a multiple
// of the packet's size.
Replied Stick::output_in(std::span<std::byte> data) {
  const size_t packet = packet_bytes(speed());
  size_t moved = 0;
  while (moved < data.size()) {
    if (outputs_.empty()) return {Reply::nak, moved};
    const Bytes& output = outputs_.front();
    const auto chunk = static_cast<size_t>(chip_.get(Reg::outfeed_chunk_length) * kChunkUnitBytes);
    size_t size = std::min(output.size() - output_read_, packet);
    if (chunk > 0) size = std::min(size, chunk - output_read_ % chunk);
    if (size > data.size() - moved) return {Reply::overflow, moved};
    std::memcpy(data.data() + moved, output.data() + output_read_, size);
    moved += size;
    output_read_ += size;
    if (output_read_ == output.size()) {
      outputs_.pop_front();
      output_read_ = 0;
      if (outputs_.empty()) advance();
    }
    if (size < packet) break;
  }
  return {Reply::done, moved};
}

void Stick::gave_up(uint8_t endpoint) {
  if (mode_ == StickMode::boot || stuck_ || (endpoint & kIn) == 0) return;
  if (endpoint == endpoint::kInterrupt) return;
  const std::string what = waiting_for();
  if (what.empty()) return;
  findings_.add(StickRule::waiting,
                endpoint == endpoint::kOutput ? "read of output" : "read of events", what);
}

std::string Stick::waiting_for() const {
  if (frame_.header_bytes > 0) {
    return std::to_string(frame_.left) + " bytes of " +
           (frame_.header_bytes < kFrameHeaderBytes ? "a header" : tag_text(frame_.tag)) +
           " are still to come";
  }
  if (pending_.empty()) return "";
  const Descriptor& d = pending_.front();
  if (d.tag != static_cast<uint32_t>(Tag::input) &&
      d.tag != static_cast<uint32_t>(Tag::parameters)) {
    return "";
  }
  return "the program waits for " + std::to_string(d.length) + " bytes of " + tag_text(d.tag);
}

void Stick::raise_fatal(uint64_t error_bits) {
  if (!chip_.raise_fatal(error_bits)) return;
  interrupts_.push_back({std::byte{1}});
}

void Stick::raise_top_level(unsigned n) {
  if (!chip_.raise_top_level(n)) return;
  interrupts_.push_back({static_cast<std::byte>(2U << n)});
}

Status Stick::verdict() const {
  const Finding* first = findings_.first_error();
  if (first == nullptr) return Ok{};
  const bool compute = first->id == info(StickRule::compute).id;
  Error error(compute ? ErrorCode::stick_layer : ErrorCode::stick_refused,
              to_text(first->place) + ": " + first->message);
  error.rule = first->id;
  for (const Finding& f : findings_.all()) {
    if (&f != first) error.details.push_back(f.id + " " + to_text(f.place) + ": " + f.message);
  }
  if (!compute) error.hint = first->hint;
  return error;
}

}  // namespace edgetwin::edgetpu
