#include "targets/edgetpu/driver/session.h"

#include <utility>

#include "targets/edgetpu/device/attached.h"
#include "targets/edgetpu/device/usb_error.h"

namespace edgetwin::edgetpu {

namespace {}  // namespace

DeviceSession::DeviceSession(Transport& transport, UsbDevice device, const DeviceOptions& options)
    : transport_(transport),
      options_(options),
      clock_(options.clock != nullptr ? *options.clock : system_clock()),
      device_(std::move(device)) {}

Result<std::unique_ptr<DeviceSession>> DeviceSession::open(Transport& transport,
                                                           std::string_view path,
                                                           const DeviceOptions& options) {
  EDGETWIN_TRY_ASSIGN(UsbDevice device, choose(transport, path));
  std::unique_ptr<DeviceSession> session(new DeviceSession(transport, std::move(device), options));
  EDGETWIN_TRY(session->start(options.times.tries));
  return session;
}

// A chip that hangs in bring-up is reset and brought up anew.
Status DeviceSession::start(int tries) {
  for (int attempt = 1;; ++attempt) {
    Status started = start_once(tries);
    if (started.ok()) return started;
    const bool last = attempt >= options_.open_tries || !worth_restart(started.error()) ||
                      started.error().code == ErrorCode::device_enumeration;
    abandon();
    if (last)
      return std::move(started.error())
          .detail("attempt " + std::to_string(attempt) + " of " +
                  std::to_string(options_.open_tries));
  }
}

Status DeviceSession::start_once(int tries) {
  ConnectTimes times = options_.times;
  times.tries = tries;
  EDGETWIN_TRY_ASSIGN(Connected connected,
                      connect(transport_, device_.path(), options_.firmware, times, clock_));
  device_ = connected.device;
  connection_ = std::move(connected.connection);
  port_ = std::make_unique<RegisterPort>(*connection_, clock_);
  StreamOptions stream = stream_options(device_.speed);
  stream.timeout_ms = options_.transfer_timeout_ms;
  BringUpOptions bring;
  bring.performance = options_.performance;
  bring.chunk_bytes = stream.chunk_bytes;
  EDGETWIN_TRY(bring_up(*port_, bring));
  streams_ = std::make_unique<DeviceStreams>(*connection_, stream);
  return streams_->start();
}

// The device is in an unknown state: nothing of it is believed any more, and a reset ends what
// runs.
void DeviceSession::abandon() {
  cache_.forget();
  streams_.reset();
  port_.reset();
  if (connection_ == nullptr) return;
  connection_->release(kInterface);
  connection_->reset();
  connection_.reset();
}

void DeviceSession::close() {
  if (connection_ == nullptr) return;
  cache_.forget();
  streams_.reset();
  const Status asleep = shut_down(*port_);
  if (!asleep.ok()) note("", "shutdown: " + asleep.error().message);
  port_.reset();
  connection_->release(kInterface);
  connection_.reset();
}

void DeviceSession::note(std::string id, std::string message) {
  constexpr size_t kMostFindings = 1000;
  if (findings_.size() >= kMostFindings) return;
  findings_.push_back({Severity::warning, std::move(id), device_.path(), std::move(message), ""});
}

Status DeviceSession::run(DeviceJob& job) {
  EDGETWIN_TRY(check(job));
  if (connection_ == nullptr) EDGETWIN_TRY(start(options_.restart_tries));
  for (int restart = 0;; ++restart) {
    Status done = attempt(job);
    if (done.ok()) return done;
    Error error = explain(std::move(done.error()));
    abandon();
    if (restart >= options_.restarts || !worth_restart(error)) return error;
    const Status again = start(options_.restart_tries);
    if (!again.ok())
      return std::move(error).detail("starting the device anew failed, too: " +
                                     again.error().message);
    note(std::string(info(error.code).id), error.message + "; repeated on the restarted device");
  }
}

// Reads the chip's own account of a fatal interrupt, as far as it still answers.
Error DeviceSession::explain(Error error) {
  if (error.code != ErrorCode::device_fatal || port_ == nullptr) return error;
  const auto lines = fatal_state(*port_);
  if (!lines.ok()) return std::move(error).detail("its registers: " + lines.error().message);
  for (const std::string& line : *lines) error.details.push_back(line);
  return error;
}

// A job of the library's own making always fits; others may not.
Status DeviceSession::check(const DeviceJob& job) {
  const DeviceModel& model = *job.model;
  const auto fits = [](const std::vector<Bytes>& given, const std::vector<LayerPort>& ports) {
    if (given.size() != ports.size()) return false;
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i].size() < ports[i].buffer_bytes) return false;
    return true;
  };
  if (job.load_only || (fits(job.inputs, model.inputs()) && fits(job.outputs, model.outputs())))
    return Ok{};
  return Error(ErrorCode::device_request,
               "execution: the buffers of the request do not have the sizes of the model");
}

Status DeviceSession::attempt(DeviceJob& job) {
  const DeviceModel& model = *job.model;
  if (cache_.must_send(model)) {
    cache_.sending(model);
    EDGETWIN_TRY(execute(*model.caching(), job));
    cache_.sent(model);
  }
  if (!job.load_only) EDGETWIN_TRY(execute(model.inference(), job));
  return look_at_interrupts();
}

Status DeviceSession::execute(const DeviceProgram& program, DeviceJob& job) {
  scratch_.assign(program.scratch_bytes, std::byte{0});
  for (const TransferStep& s : program.steps) EDGETWIN_TRY(step(program, s, job));
  EDGETWIN_TRY(streams_->flush());
  if (streams_->left_over())
    return Error(ErrorCode::device_answer,
                 "execution: the device sent more than the outputs of the model have");
  return Ok{};
}

Status DeviceSession::step(const DeviceProgram& program, const TransferStep& s, DeviceJob& job) {
  using Buffer = TransferStep::Buffer;
  switch (s.kind) {
    case TransferStep::Kind::event:
      return streams_->event(s.tag);
    case TransferStep::Kind::fence:
      return streams_->flush();
    case TransferStep::Kind::receive: {
      Bytes& to = s.buffer == Buffer::scratch ? scratch_ : job.outputs[s.index];
      return streams_->receive(std::span(to).subspan(s.offset, s.size));
    }
    case TransferStep::Kind::send:
      break;
  }
  ByteSpan from;
  switch (s.buffer) {
    case Buffer::instructions:
      from = program.bitstreams[s.index];
      break;
    case Buffer::parameters:
      from = program.parameters;
      break;
    case Buffer::layer:
      from = job.inputs[s.index];
      break;
    case Buffer::scratch:
      from = scratch_;
      break;
  }
  return streams_->send(s.tag, from.subspan(s.offset, s.size));
}

Status DeviceSession::look_at_interrupts() {
  EDGETWIN_TRY_ASSIGN(const uint32_t seen, streams_->interrupts());
  if (seen == 0) return Ok{};
  if ((seen & interrupt::kThermalWarning) != 0) {
    EDGETWIN_TRY_ASSIGN(const Temperature t, read_temperature(*port_));
    note("", "the device says that it is too hot; raw sensor value " + std::to_string(t.raw));
    EDGETWIN_TRY(clear_thermal(*port_, t));
  }
  if ((seen & interrupt::kBus) != 0) note("", "the device reports a bus error");
  if ((seen & interrupt::kMemoryTest) != 0) note("", "the device reports a memory test");
  if ((seen & (interrupt::kFatal | interrupt::kThermalShutdown)) == 0) return Ok{};
  return Error(ErrorCode::device_fatal, (seen & interrupt::kFatal) != 0
                                            ? "execution: the device raised its fatal interrupt"
                                            : "execution: the device shut down for heat");
}

Result<Temperature> DeviceSession::temperature() {
  if (connection_ == nullptr) EDGETWIN_TRY(start(options_.restart_tries));
  return read_temperature(*port_);
}

}  // namespace edgetwin::edgetpu
