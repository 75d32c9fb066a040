#include "targets/edgetpu/driver/held_run.h"

#include <algorithm>

#include "base/text.h"
#include "targets/edgetpu/device/attached.h"

namespace edgetwin::edgetpu {
namespace {

Reg register_at(Reg first, size_t n) { return static_cast<Reg>(static_cast<size_t>(first) + n); }

size_t tag_index(uint32_t tag) { return std::min<size_t>(tag, 15); }

ByteSpan source_of(const TransferStep& s, const DeviceProgram& program,
                   const std::vector<Bytes>& inputs, ByteSpan scratch) {
  ByteSpan from;
  switch (s.buffer) {
    case TransferStep::Buffer::instructions:
      from = program.bitstreams[s.index];
      break;
    case TransferStep::Buffer::parameters:
      from = program.parameters;
      break;
    case TransferStep::Buffer::layer:
      from = inputs[s.index];
      break;
    case TransferStep::Buffer::scratch:
      from = scratch;
      break;
  }
  return from.subspan(s.offset, s.size);
}

}  // namespace

Result<std::unique_ptr<HeldRun>> HeldRun::start(Transport& transport, const Wanted& wanted) {
  std::unique_ptr<HeldRun> run(new HeldRun);
  run->model_ = wanted.model;
  const DeviceModel& model = *wanted.model;
  if (wanted.caching && model.caching() == nullptr) {
    return Error(ErrorCode::device_request, "the model keeps no parameters on the chip");
  }
  if (!wanted.caching) {
    for (size_t i = 0; i < model.inputs().size(); ++i) {
      if (i >= wanted.inputs.size()) {
        return Error(ErrorCode::device_request, "an input is missing");
      }
      EDGETWIN_TRY_ASSIGN(Bytes data, model.to_device(i, wanted.inputs[i]));
      run->inputs_.push_back(std::move(data));
    }
  }
  EDGETWIN_TRY(run->bring_up_device(transport, wanted));
  if (wanted.caching) {
    EDGETWIN_TRY(run->hold(*model.caching()));
    return run;
  }
  if (model.caching() != nullptr) EDGETWIN_TRY(run->run_freely(*model.caching()));
  EDGETWIN_TRY(run->hold(model.inference()));
  return run;
}

HeldRun::~HeldRun() {
  if (connection_ == nullptr) return;
  streams_.reset();
  // A fault on this way is of no interest any more.
  if (port_ != nullptr) static_cast<void>(shut_down(*port_).ok());
  port_.reset();
  connection_->release(kInterface);
}

Status HeldRun::bring_up_device(Transport& transport, const Wanted& wanted) {
  const DeviceOptions& o = wanted.options;
  clock_ = o.clock != nullptr ? o.clock : &system_clock();
  EDGETWIN_TRY_ASSIGN(const UsbDevice device, choose(transport, wanted.path));
  EDGETWIN_TRY_ASSIGN(Connected connected,
                      connect(transport, device.path(), o.firmware, o.times, *clock_));
  connection_ = std::move(connected.connection);
  port_ = std::make_unique<RegisterPort>(*connection_, *clock_);
  StreamOptions stream = stream_options(connected.device.speed);
  stream.timeout_ms = o.transfer_timeout_ms;
  BringUpOptions bring;
  bring.performance = o.performance;
  bring.chunk_bytes = stream.chunk_bytes;
  EDGETWIN_TRY(bring_up(*port_, bring));
  streams_ = std::make_unique<DeviceStreams>(*connection_, stream);
  return streams_->start();
}

Status HeldRun::move(const TransferStep& s, const DeviceProgram& program) {
  switch (s.kind) {
    case TransferStep::Kind::event:
      return streams_->event(s.tag);
    case TransferStep::Kind::fence:
      return streams_->flush();
    case TransferStep::Kind::receive: {
      const size_t begin = received_.size();
      received_.resize(begin + s.size);
      EDGETWIN_TRY(streams_->receive(std::span(received_).subspan(begin)));
      if (s.buffer != TransferStep::Buffer::scratch) return Ok{};
      std::copy_n(received_.begin() + static_cast<std::ptrdiff_t>(begin), s.size,
                  scratch_.begin() + static_cast<std::ptrdiff_t>(s.offset));
      return Ok{};
    }
    case TransferStep::Kind::send:
      break;
  }
  EDGETWIN_TRY(streams_->send(s.tag, source_of(s, program, inputs_, scratch_)));
  return streams_->flush();
}

Status HeldRun::run_freely(const DeviceProgram& program) {
  scratch_.assign(program.scratch_bytes, std::byte{0});
  for (const TransferStep& s : program.steps) EDGETWIN_TRY(move(s, program));
  return streams_->flush();
}

Status HeldRun::hold(const DeviceProgram& program) {
  program_ = &program;
  scratch_.assign(program.scratch_bytes, std::byte{0});
  port_->phase("run control");
  EDGETWIN_TRY(port_->write(Reg::scalarCoreRunControl, kRunHalt));
  EDGETWIN_TRY(move_all());
  // Whatever the registers hold from before, both cores begin with it.
  for (size_t n = 0; n < 32; ++n) {
    EDGETWIN_TRY_ASSIGN(const uint64_t value,
                        port_->read(register_at(Reg::scalarRegisterFile_0, n)));
    core_.set_reg(n, static_cast<uint32_t>(value));
  }
  for (size_t n = 0; n < 8; ++n) {
    EDGETWIN_TRY_ASSIGN(const uint64_t value,
                        port_->read(register_at(Reg::predicateRegisterFile_0, n)));
    core_.set_predicate(n, value != 0);
  }
  return Ok{};
}

// An output may come long after the core has asked for it: it is awaited where the core is at its
// end, or asks for what comes after the output.
bool HeldRun::output_is_due(const TransferStep& s) const {
  if (asked_[tag_index(static_cast<uint32_t>(Tag::output))] < s.size) return false;
  if (place_.halted) return true;
  for (size_t n = next_ + 1; n < program_->steps.size(); ++n) {
    const TransferStep& later = program_->steps[n];
    if (later.kind != TransferStep::Kind::send) continue;
    return later.buffer != TransferStep::Buffer::instructions &&
           asked_[tag_index(static_cast<uint32_t>(later.tag))] >= later.size;
  }
  return false;
}

bool HeldRun::may_move(const TransferStep& s) const {
  if (s.kind == TransferStep::Kind::fence) return true;
  if (s.kind == TransferStep::Kind::send && s.buffer == TransferStep::Buffer::instructions) {
    return next_ == 0 || place_.halted;
  }
  if (s.kind == TransferStep::Kind::receive) return output_is_due(s);
  const uint64_t asked = asked_[tag_index(static_cast<uint32_t>(s.tag))];
  return s.kind == TransferStep::Kind::event ? asked > 0 : asked >= s.size;
}

Status HeldRun::move_all() {
  for (; next_ < program_->steps.size(); ++next_) {
    const TransferStep& s = program_->steps[next_];
    if (!may_move(s)) return Ok{};
    const bool instructions =
        s.kind == TransferStep::Kind::send && s.buffer == TransferStep::Buffer::instructions;
    EDGETWIN_TRY(move(s, *program_));
    if (instructions) {
      chunk_ = s.index;
      place_ = ScalarCore::Place(program_->bitstreams[s.index]);
      continue;
    }
    if (s.kind == TransferStep::Kind::fence) continue;
    const bool receives = s.kind == TransferStep::Kind::receive;
    const auto tag = static_cast<uint32_t>(receives ? static_cast<FrameTag>(Tag::output) : s.tag);
    asked_[tag_index(tag)] -= s.kind == TransferStep::Kind::event ? 1 : s.size;
  }
  return Ok{};
}

Result<std::string> HeldRun::step() {
  if (finished()) return std::string();
  if (place_.halted) {
    return Error(ErrorCode::device_answer,
                 "the program has ended, and the host has transfers left that it does not ask for");
  }
  port_->phase("single step");
  EDGETWIN_TRY(port_->write(Reg::scalarCoreRunControl, kRunStep));
  EDGETWIN_TRY(core_.step(place_));
  ++steps_;
  const std::vector<Descriptor>& all = core_.descriptors();
  for (; descriptors_ < all.size(); ++descriptors_) {
    const Descriptor& d = all[descriptors_];
    const bool interrupts = d.tag >= static_cast<uint32_t>(Tag::interrupt0);
    asked_[tag_index(d.tag)] += interrupts ? 1 : d.length;
  }
  EDGETWIN_TRY_ASSIGN(std::string differs, compare());
  EDGETWIN_TRY(move_all());
  return differs;
}

Result<std::string> HeldRun::compare() {
  const auto said = [](const std::string& what, uint64_t device, uint64_t here) {
    return what + " is " + hex_number(device) + " on the device and " + hex_number(here) + " here";
  };
  EDGETWIN_TRY_ASSIGN(const uint64_t pc, port_->read(Reg::currentPc));
  if (pc != place_.pc) return said("the program counter", pc, place_.pc);
  for (size_t n = 0; n < 32; ++n) {
    EDGETWIN_TRY_ASSIGN(const uint64_t value,
                        port_->read(register_at(Reg::scalarRegisterFile_0, n)));
    if (value != core_.reg(n)) return said("s" + std::to_string(n), value, core_.reg(n));
  }
  for (size_t n = 0; n < 8; ++n) {
    EDGETWIN_TRY_ASSIGN(const uint64_t value,
                        port_->read(register_at(Reg::predicateRegisterFile_0, n)));
    const uint64_t here = core_.predicate(n) ? 1 : 0;
    if (value != here) return said("p" + std::to_string(n), value, here);
  }
  return std::string();
}

bool HeldRun::finished() const { return place_.halted && next_ == program_->steps.size(); }

}  // namespace edgetwin::edgetpu
