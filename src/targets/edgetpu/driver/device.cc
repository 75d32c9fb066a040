#include "targets/edgetpu/driver/device.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <system_error>
#include <thread>

namespace edgetwin::edgetpu {

namespace {

Error closed() { return {ErrorCode::device_lost, "the device was closed"}; }

}  // namespace

struct EdgeTpuDevice::Pending::State {
  DeviceJob job;
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  Status result = Ok{};

  void finish(Status with) {
    // Under the lock: the waiting thread may destroy the state as soon as it sees the end.
    const std::lock_guard lock(mutex);
    result = std::move(with);
    finished = true;
    changed.notify_all();
  }
  Status wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return finished; });
    return std::move(result);
  }
};

struct EdgeTpuDevice::Impl {
  using Work = std::function<void(DeviceSession&)>;

  std::shared_ptr<Transport> transport;
  std::unique_ptr<DeviceSession> session;  // of the worker alone
  UsbDevice where;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work> queue;
  bool ending = false;
  std::vector<Finding> findings;
  std::thread worker;

  void work() {
    while (true) {
      Work next;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return ending || !queue.empty(); });
        if (queue.empty()) break;
        next = std::move(queue.front());
        queue.pop_front();
      }
      next(*session);
    }
    session->close();
    keep(session->take_findings());
  }

  void keep(std::vector<Finding> more) {
    if (more.empty()) return;
    const std::lock_guard lock(mutex);
    findings.insert(findings.end(), more.begin(), more.end());
  }

  bool push(Work next) {
    const std::lock_guard lock(mutex);
    if (ending) return false;
    queue.push_back(std::move(next));
    changed.notify_one();
    return true;
  }

  bool push_job(std::shared_ptr<Pending::State> state) {
    return push([this, state = std::move(state)](DeviceSession& own) {
      Status done = own.run(state->job);
      keep(own.take_findings());
      state->finish(std::move(done));
    });
  }

  void close() {
    {
      const std::lock_guard lock(mutex);
      ending = true;
      changed.notify_one();
    }
    if (worker.joinable()) worker.join();
  }
};

EdgeTpuDevice::EdgeTpuDevice() : impl_(std::make_unique<Impl>()) {}
EdgeTpuDevice::~EdgeTpuDevice() { close(); }

Result<std::unique_ptr<EdgeTpuDevice>> EdgeTpuDevice::open(std::shared_ptr<Transport> transport,
                                                           std::string_view path,
                                                           const DeviceOptions& options) {
  EDGETWIN_TRY_ASSIGN(auto session, DeviceSession::open(*transport, path, options));
  std::unique_ptr<EdgeTpuDevice> device(new EdgeTpuDevice);
  Impl& impl = *device->impl_;
  impl.transport = std::move(transport);
  impl.where = session->device();
  impl.session = std::move(session);
  try {
    impl.worker = std::thread([&impl] { impl.work(); });
  } catch (const std::system_error& e) {
    return Error(ErrorCode::device_unavailable,
                 std::string("the driver's thread cannot be created: ") + e.what())
        .with_hint("Raise the limit of threads (ulimit -u) of this user or container.");
  }
  return device;
}

void EdgeTpuDevice::close() { impl_->close(); }

UsbDevice EdgeTpuDevice::where() const { return impl_->where; }

std::vector<Finding> EdgeTpuDevice::take_findings() {
  const std::lock_guard lock(impl_->mutex);
  return std::exchange(impl_->findings, {});
}

Result<EdgeTpuDevice::Pending> EdgeTpuDevice::start(std::shared_ptr<const DeviceModel> model,
                                                    std::span<const ByteSpan> inputs) {
  if (inputs.size() != model->inputs().size())
    return Error(ErrorCode::device_request,
                 "the model has " + std::to_string(model->inputs().size()) + " inputs, given are " +
                     std::to_string(inputs.size()));
  Pending pending;
  pending.state_ = std::make_shared<Pending::State>();
  DeviceJob& job = pending.state_->job;
  for (size_t i = 0; i < inputs.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(Bytes data, model->to_device(i, inputs[i]));
    job.inputs.push_back(std::move(data));
  }
  for (const LayerPort& output : model->outputs()) job.outputs.emplace_back(output.buffer_bytes);
  job.model = std::move(model);
  const bool queued = impl_->push_job(pending.state_);
  if (!queued) return closed();
  return pending;
}

Result<std::vector<Bytes>> EdgeTpuDevice::Pending::get() {
  if (state_ == nullptr) return Error(ErrorCode::device_request, "the outputs were already taken");
  const std::shared_ptr<State> state = std::exchange(state_, nullptr);
  EDGETWIN_TRY(state->wait());
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < state->job.outputs.size(); ++i)
    outputs.push_back(state->job.model->to_host(i, state->job.outputs[i]));
  return outputs;
}

Result<std::vector<Bytes>> EdgeTpuDevice::run(const std::shared_ptr<const DeviceModel>& model,
                                              std::span<const ByteSpan> inputs) {
  EDGETWIN_TRY_ASSIGN(Pending pending, start(model, inputs));
  return pending.get();
}

Status EdgeTpuDevice::load(const std::shared_ptr<const DeviceModel>& model) {
  auto state = std::make_shared<Pending::State>();
  state->job.model = model;
  state->job.load_only = true;
  const bool queued =
      impl_->push([state](DeviceSession& session) { state->finish(session.run(state->job)); });
  return queued ? state->wait() : Status(closed());
}

Result<Temperature> EdgeTpuDevice::temperature() {
  Temperature seen;
  auto state = std::make_shared<Pending::State>();
  const bool queued = impl_->push([&seen, state](DeviceSession& session) {
    const Result<Temperature> read = session.temperature();
    if (read.ok()) seen = *read;
    state->finish(read.ok() ? Status(Ok{}) : Status(read.error()));
  });
  if (!queued) return closed();
  EDGETWIN_TRY(state->wait());
  return seen;
}

}  // namespace edgetwin::edgetpu
