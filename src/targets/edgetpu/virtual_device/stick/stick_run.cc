// The part of the stick that runs programs: frames, transfers, outputs, events.
#include <algorithm>

#include "targets/edgetpu/virtual_device/stick/stick.h"

namespace edgetwin::edgetpu {
namespace {

constexpr size_t kMaxInstructions = size_t{64} << 20U;  // of one chunk
constexpr size_t kMaxData = size_t{256} << 20U;         // of one request
constexpr size_t kMaxWaiting = 64;                      // events that nobody reads
constexpr int kFullMegahertz = 500;

uint32_t number(Tag tag) { return static_cast<uint32_t>(tag); }

bool is_interrupt(const Descriptor& d) {
  return d.tag >= number(Tag::interrupt0) && d.tag < number(Tag::interrupt0) + 4;
}

bool goes_in(uint32_t tag) { return tag == number(Tag::input) || tag == number(Tag::parameters); }

std::string bytes_of(size_t size, uint32_t tag) {
  return std::to_string(size) + " bytes of " + (tag == 0 ? "instructions" : tag_text(tag));
}

}  // namespace

void Stick::begin_frame() {
  uint32_t length = 0;
  std::memcpy(&length, frame_.header.data(), sizeof length);
  const auto tag = std::to_integer<uint32_t>(frame_.header[4]);
  const bool zeros = std::all_of(frame_.header.begin() + 5, frame_.header.end(),
                                 [](std::byte b) { return b == std::byte{0}; });
  frame_.tag = tag;
  frame_.length = frame_.left = length;
  const std::string what = bytes_of(length, tag);
  if (tag > number(Tag::parameters) || !zeros || length == 0) {
    return get_stuck(StickRule::transfer, "frame",
                     "its header announces " + what +
                         (zeros ? "" : ", and the bytes after the tag are not zero"));
  }
  if (options_.checks_dead_locks && !outputs_.empty()) {
    return get_stuck(StickRule::deadlock, "frame of " + what,
                     std::to_string(outputs_.front().size() - output_read_) +
                         " bytes of output are not read yet");
  }
  if (tag != 0) return check_data(tag, length);
  if (!chip_.ready_for_instructions()) {
    stuck_ = true;
    return;
  }
  if (length > kMaxInstructions) {
    return get_stuck(StickRule::transfer, "frame", what + ": more than a chunk can be");
  }
}

void Stick::check_data(uint32_t tag, size_t length) {
  const std::string what = "frame of " + bytes_of(length, tag);
  if (pending_.empty()) {
    return get_stuck(StickRule::order, what, "no program asks for it");
  }
  const Descriptor& front = pending_.front();
  if (front.tag != tag) {
    return get_stuck(front_begun_ ? StickRule::length : StickRule::order, what,
                     "the program waits for " + std::string(front_begun_ ? "another " : "") +
                         bytes_of(front.length, front.tag));
  }
  size_t wanted = 0;
  for (const Descriptor& d : pending_) {
    if (d.tag != tag) break;
    wanted += d.length;
  }
  if (length > wanted) {
    return get_stuck(StickRule::length, what,
                     "the program asks for " + std::to_string(wanted) + " bytes here");
  }
  Bytes& stream = tag == number(Tag::input) ? request_.input : request_.parameters;
  if (length <= kMaxData) stream.reserve(stream.size() + length);
  const size_t have = request_.input.size() + request_.parameters.size();
  if (have + length > kMaxData) {
    get_stuck(StickRule::transfer, what, "more than " + std::to_string(kMaxData) + " in one run");
  }
}

void Stick::take_payload(ByteSpan data) {
  if (frame_.tag == 0) {
    frame_.instructions.insert(frame_.instructions.end(), data.begin(), data.end());
  } else {
    take_data(data);
  }
  frame_.left -= data.size();
  if (frame_.left == 0) take_frame();
}

void Stick::take_frame() {
  const bool instructions = frame_.tag == 0;
  if (instructions) take_instructions();
  frame_.header_bytes = 0;
  frame_.instructions.clear();
  if (!stuck_) advance();
}

void Stick::take_instructions() {
  if (!in_request_) {
    runner_.begin();
    held_core_ = ScalarCore(options_.limits);
    request_ = {};
    in_request_ = true;
  }
  const std::string place = "chunk " + std::to_string(request_.chunks.size());
  const auto ran = runner_.run(frame_.instructions);
  if (!ran.ok()) return get_stuck(StickRule::program, place, ran.error().message);
  request_.program = ran->program;
  request_.chunks.push_back(std::move(frame_.instructions));
  if (chip_.get(Reg::scalarCoreRunControl) == kRunHalt) {
    hold(request_.chunks.back());
  } else {
    for (const Descriptor& d : ran->asked) ask(d);
  }
  if (compute_ == nullptr) return;
  if (const auto wrong = compute_->check_chunk(request_)) {
    get_stuck(StickRule::chunk, place, *wrong);
  }
}

void Stick::ask(const Descriptor& d) {
  request_.asked.push_back(d);
  pending_.push_back(d);
  put_event(d);
}

void Stick::take_data(ByteSpan data) {
  Bytes& stream = frame_.tag == number(Tag::input) ? request_.input : request_.parameters;
  stream.insert(stream.end(), data.begin(), data.end());
  size_t left = data.size();
  while (left > 0 && !pending_.empty()) {
    Descriptor& front = pending_.front();
    const auto take = static_cast<uint32_t>(std::min<size_t>(left, front.length));
    front.length -= take;
    left -= take;
    front_begun_ = front.length > 0;
    if (front.length == 0) pending_.pop_front();
  }
}

// Everything that the program can do without more data from the host.
void Stick::advance() {
  while (!pending_.empty() && !stuck_) {
    const Descriptor front = pending_.front();
    if (is_interrupt(front)) {
      if (!outputs_.empty()) return;  // comes when they are read
      pending_.pop_front();
      interrupt(front);
    } else if (front.length == 0) {
      // The chip calls a transfer without bytes a fault.
      raise_fatal(field::hib_error_status_zero_length_dma.mask());
      get_stuck(StickRule::program, "word " + std::to_string(front.word),
                "the program asks for 0 bytes of " + tag_text(front.tag));
    } else if (goes_in(front.tag)) {
      return;
    } else if (front.tag == number(Tag::output)) {
      if (!deliver(front)) return;
      pending_.pop_front();
    } else {
      get_stuck(StickRule::program, "word " + std::to_string(front.word),
                "the program asks for a transfer of " + tag_text(front.tag));
    }
  }
}

bool Stick::deliver(const Descriptor& wanted) {
  const std::string place = "output of " + std::to_string(wanted.length) + " bytes";
  if (compute_ == nullptr) {
    get_stuck(StickRule::compute, place, "nothing that could compute was given");
    return false;
  }
  if (request_.delivered == 0) {
    const auto divider = field::scu_ctrl_3_gcb_clkdiv.get(chip_.get(Reg::scu_ctrl_3));
    time_.compute_ns += compute_ns(compute_->macs(request_).value_or(0), kFullMegahertz >> divider);
  }
  auto output = compute_->output(request_, wanted);
  for (std::string& remark : compute_->take_remarks()) {
    findings_.add(StickRule::weights, "parameters", std::move(remark));
  }
  if (!output.ok()) {
    const Error& e = output.error();
    const bool refused = e.code == ErrorCode::stick_refused;
    std::string message = e.message;
    for (const std::string& line : e.details) message += "; " + line;
    get_stuck(refused ? StickRule::parameters : StickRule::compute, place, std::move(message));
    return false;
  }
  if (output->size() != wanted.length) {
    get_stuck(StickRule::compute, place,
              "the computation gave " + std::to_string(output->size()) + " bytes");
    return false;
  }
  request_.delivered += output->size();
  outputs_.push_back(std::move(*output));
  return true;
}

void Stick::interrupt(const Descriptor& d) {
  chip_.count_interrupt(d.tag - number(Tag::interrupt0));
  if (((chip_.get(Reg::descr_ep) >> d.tag) & 1U) != 0) {
    std::array<std::byte, kEventBytes> event{};
    event[12] = static_cast<std::byte>(d.tag);
    if (events_.size() < kMaxWaiting) events_.push_back(event);
  }
  if (d.tag == number(Tag::interrupt0) && pending_.empty()) end_request();
}

// A descriptor as the host sees it where it asked for them.
void Stick::put_event(const Descriptor& d) {
  if (is_interrupt(d) || d.tag > number(Tag::output)) return;
  if (((chip_.get(Reg::descr_ep) >> d.tag) & 1U) == 0 || events_.size() >= kMaxWaiting) return;
  std::array<std::byte, kEventBytes> event{};
  std::memcpy(event.data(), &d.address, sizeof d.address);
  std::memcpy(event.data() + sizeof d.address, &d.length, sizeof d.length);
  event[12] = static_cast<std::byte>(d.tag);
  events_.push_back(event);
}

void Stick::end_request() {
  if (compute_) compute_->finished(request_);
  if (request_.delivered > 0) ++inferences_;
  in_request_ = false;
}

}  // namespace edgetwin::edgetpu
