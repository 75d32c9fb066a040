#include "targets/edgetpu/driver/streams.h"

#include <algorithm>
#include <cstring>

#include "targets/edgetpu/device/usb_error.h"

namespace edgetwin::edgetpu {

namespace {

constexpr std::string_view kStreamPhase = "execution";
constexpr int kSliceMs = 100;  // between looks at the interrupts
constexpr int kCancelMs = 1000;
constexpr int kGraceMs = 1000;  // beyond a transfer's own time
constexpr int kMostEmptyReads = 64;
constexpr uint32_t kFatalMask = interrupt::kFatal | interrupt::kThermalShutdown;

}  // namespace

StreamOptions stream_options(UsbSpeed speed) {
  StreamOptions options;
  if (speed == UsbSpeed::high || speed == UsbSpeed::full) {
    options.packet_bytes = 512;
    options.chunk_bytes = 256;
    options.read_bytes = 512;
    options.reads_in_flight = 32;
  }
  return options;
}

DeviceStreams::DeviceStreams(UsbConnection& connection, const StreamOptions& options)
    : connection_(connection),
      options_(options),
      outs_(options.outs_in_flight),
      reads_(options.reads_in_flight) {
  event_.buffer.resize(kEventBytes);
  interrupt_.buffer.resize(kInterruptBytes);
}

Status DeviceStreams::start() {
  EDGETWIN_TRY(post(event_, endpoint::kEvent, "asking for events"));
  return post(interrupt_, endpoint::kInterrupt, "asking for interrupts");
}

void DeviceStreams::stop() {
  connection_.cancel_all();
  const auto end = [&](TransferId& id) {
    if (id != kNoTransfer) connection_.wait(id, kCancelMs);
    id = kNoTransfer;
  };
  for (; out_count_ > 0; --out_count_, ++first_out_) end(outs_[first_out_ % outs_.size()].id);
  for (; read_count_ > 0; --read_count_, ++first_read_) end(reads_[first_read_ % reads_.size()].id);
  end(event_.id);
  end(interrupt_.id);
}

Status DeviceStreams::post(In& in, uint8_t endpoint, std::string_view what) {
  constexpr int kNoTimeout = 0;
  const auto submitted = connection_.submit(endpoint, in.buffer, kNoTimeout);
  if (submitted.status != UsbStatus::ok) return usb_error(kStreamPhase, what, submitted.status);
  in.id = submitted.id;
  return Ok{};
}

Status DeviceStreams::read_interrupt(const Transferred& end) {
  interrupt_.id = kNoTransfer;
  if (end.status == UsbStatus::no_device)
    return usb_error(kStreamPhase, "reading interrupts", end.status);
  if (end.ok() && end.size == kInterruptBytes) {
    uint32_t mask = 0;
    std::memcpy(&mask, interrupt_.buffer.data(), sizeof mask);
    interrupt_mask_ |= mask;
  }
  // A failed read of this endpoint says nothing about the inference.
  return post(interrupt_, endpoint::kInterrupt, "asking for interrupts");
}

Result<uint32_t> DeviceStreams::interrupts() {
  if (interrupt_.id != kNoTransfer) {
    const auto waited = connection_.wait(interrupt_.id, 0);
    if (waited.ended) EDGETWIN_TRY(read_interrupt(waited.result));
  }
  return std::exchange(interrupt_mask_, 0);
}

// Waits with an eye on the fatal interrupt.
Result<Transferred> DeviceStreams::finish(TransferId id, std::string_view what) {
  for (int waited_ms = 0; waited_ms < options_.timeout_ms + kGraceMs; waited_ms += kSliceMs) {
    const auto waited = connection_.wait(id, kSliceMs);
    if (waited.ended) return waited.result;
    EDGETWIN_TRY_ASSIGN(const uint32_t seen, interrupts());
    interrupt_mask_ |= seen;
    if ((seen & kFatalMask) != 0)
      return Error(ErrorCode::device_fatal,
                   std::string(kStreamPhase) + ": the device raised its " +
                       ((seen & interrupt::kFatal) != 0 ? "fatal interrupt" : "thermal shutdown") +
                       " during " + std::string(what));
  }
  return Error(ErrorCode::device_timeout, std::string(kStreamPhase) + ": no end of " +
                                              std::string(what) + " within " +
                                              std::to_string(options_.timeout_ms) + " ms");
}

Status DeviceStreams::finish_oldest_out() {
  Out& out = outs_[first_out_ % outs_.size()];
  const std::string_view what = name(out.tag);
  EDGETWIN_TRY_ASSIGN(const Transferred end, finish(out.id, what));
  out.id = kNoTransfer;
  ++first_out_;
  --out_count_;
  if (!end.ok()) return usb_error(kStreamPhase, "sending " + std::string(what), end.status);
  if (end.size != out.size)
    return short_error(kStreamPhase, "sending " + std::string(what), end.size, out.size);
  return Ok{};
}

Status DeviceStreams::submit_out(FrameTag tag, std::span<std::byte> data, const std::byte* header) {
  while (out_count_ == outs_.size()) EDGETWIN_TRY(finish_oldest_out());
  Out& out = outs_[(first_out_ + out_count_) % outs_.size()];
  if (header != nullptr) {
    std::memcpy(out.header.data(), header, out.header.size());
    data = out.header;
  }
  const auto submitted = connection_.submit(endpoint::kOut, data, options_.timeout_ms);
  if (submitted.status != UsbStatus::ok)
    return usb_error(kStreamPhase, "sending " + std::string(name(tag)), submitted.status);
  out.id = submitted.id;
  out.size = data.size();
  out.tag = tag;
  ++out_count_;
  return Ok{};
}

Status DeviceStreams::send(FrameTag tag, ByteSpan payload) {
  std::array<std::byte, kFrameHeaderBytes> header{};
  const auto length = static_cast<uint32_t>(payload.size());
  std::memcpy(header.data(), &length, sizeof length);
  header[4] = static_cast<std::byte>(tag);
  EDGETWIN_TRY(submit_out(tag, {}, header.data()));
  while (!payload.empty()) {
    const ByteSpan part = payload.first(std::min(payload.size(), options_.max_out_bytes));
    // A transfer to the device only reads; the interface has one type of buffer for both ways.
    EDGETWIN_TRY(submit_out(tag, {const_cast<std::byte*>(part.data()), part.size()}, nullptr));
    payload = payload.subspan(part.size());
  }
  return Ok{};
}

Status DeviceStreams::flush() {
  while (out_count_ > 0) EDGETWIN_TRY(finish_oldest_out());
  return Ok{};
}

size_t DeviceStreams::take_carry(std::span<std::byte> out) {
  const size_t size = std::min(out.size(), carry_.size() - carry_at_);
  if (size == 0) return 0;
  std::memcpy(out.data(), carry_.data() + carry_at_, size);
  carry_at_ += size;
  return size;
}

// As many reads as the missing bytes need, if the device sends full chunks.
Status DeviceStreams::post_reads(size_t missing) {
  const bool small_chunks = options_.chunk_bytes % options_.packet_bytes != 0;
  size_t expected = 0;
  for (size_t i = 0; i < read_count_; ++i) {
    const size_t asked = reads_[(first_read_ + i) % reads_.size()].buffer.size();
    expected += small_chunks ? options_.chunk_bytes : asked;
  }
  while (expected < missing && read_count_ < reads_.size()) {
    In& in = reads_[(first_read_ + read_count_) % reads_.size()];
    const size_t wanted = small_chunks ? options_.packet_bytes : missing - expected;
    const size_t packets = (wanted + options_.packet_bytes - 1) / options_.packet_bytes;
    in.buffer.resize(std::min(packets * options_.packet_bytes, options_.read_bytes));
    const auto submitted = connection_.submit(endpoint::kOutput, in.buffer, options_.timeout_ms);
    if (submitted.status != UsbStatus::ok)
      return usb_error(kStreamPhase, "asking for an output", submitted.status);
    in.id = submitted.id;
    ++read_count_;
    expected += small_chunks ? options_.chunk_bytes : in.buffer.size();
  }
  return Ok{};
}

Status DeviceStreams::take_read(std::span<std::byte> out, size_t& filled) {
  In& in = reads_[first_read_ % reads_.size()];
  EDGETWIN_TRY_ASSIGN(const Transferred end, finish(in.id, "reading an output"));
  in.id = kNoTransfer;
  ++first_read_;
  --read_count_;
  if (!end.ok())
    return usb_error(kStreamPhase, "reading an output", end.status)
        .detail(std::to_string(filled) + " bytes of " + std::to_string(out.size()) + " had come");
  if (end.size > in.buffer.size())
    return short_error(kStreamPhase, "reading an output", end.size, in.buffer.size());
  const ByteSpan data = ByteSpan(in.buffer).first(end.size);
  const size_t size = std::min(data.size(), out.size() - filled);
  std::memcpy(out.data() + filled, data.data(), size);
  filled += size;
  // What follows belongs to the next output.
  carry_.assign(data.begin() + static_cast<std::ptrdiff_t>(size), data.end());
  carry_at_ = 0;
  return Ok{};
}

Status DeviceStreams::receive(std::span<std::byte> out) {
  size_t filled = take_carry(out);
  int empty = 0;
  bool flushed = false;
  while (filled < out.size()) {
    EDGETWIN_TRY(post_reads(out.size() - filled));
    if (!flushed) EDGETWIN_TRY(flush());
    flushed = true;
    const size_t before = filled;
    EDGETWIN_TRY(take_read(out, filled));
    empty = filled == before ? empty + 1 : 0;
    if (empty > kMostEmptyReads)
      return short_error(kStreamPhase, "reading an output", filled, out.size());
  }
  return Ok{};
}

Status DeviceStreams::event(FrameTag tag) {
  EDGETWIN_TRY(flush());
  const std::string what = "the event '" + std::string(name(tag)) + "'";
  while (true) {
    if (event_.id == kNoTransfer) EDGETWIN_TRY(post(event_, endpoint::kEvent, "asking for events"));
    EDGETWIN_TRY_ASSIGN(const Transferred end, finish(event_.id, what));
    event_.id = kNoTransfer;
    if (end.status == UsbStatus::timeout) continue;
    if (!end.ok()) return usb_error(kStreamPhase, what, end.status);
    if (end.size != kEventBytes) return short_error(kStreamPhase, what, end.size, kEventBytes);
    break;
  }
  constexpr size_t kTagAt = 12;
  const auto got = static_cast<FrameTag>(std::to_integer<uint8_t>(event_.buffer[kTagAt]) & 0xf);
  if (got != tag)
    return Error(ErrorCode::device_answer, std::string(kStreamPhase) + ": awaited " + what +
                                               ", and the device announced '" +
                                               std::string(name(got)) + "'");
  return post(event_, endpoint::kEvent, "asking for events");
}

}  // namespace edgetwin::edgetpu
