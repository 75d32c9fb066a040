#include "edgetwin/device.h"

#include <charconv>
#include <mutex>

#include "targets/edgetpu/device/attached.h"
#include "twin/device.h"
#include "twin/network_impl.h"
#include "twin/runners.h"

namespace edgetwin {

struct Device::Impl {
  std::string name;  // as it was asked for
  bool is_virtual = false;
  twin::DeviceBus bus;
  std::shared_ptr<edgetpu::EdgeTpuDevice> device;
  std::mutex turn;  // of runners, and of the models that a virtual device learns
};

namespace {

// A runner that waits for its turn on the device.
class SharedRunner : public Runner {
 public:
  SharedRunner(std::shared_ptr<Device::Impl> device, std::unique_ptr<Runner> runner)
      : device_(std::move(device)), runner_(std::move(runner)) {}
  ~SharedRunner() override {
    const std::lock_guard lock(device_->turn);
    runner_.reset();
  }

  Where where() const override { return runner_->where(); }
  std::string description() const override { return runner_->description(); }
  std::string numerics() const override { return runner_->numerics(); }
  std::span<const Port> inputs() const override { return runner_->inputs(); }
  std::span<const Port> outputs() const override { return runner_->outputs(); }
  std::span<const Finding> findings() const override { return runner_->findings(); }
  Result<Run> run(std::span<const Tensor> inputs) override {
    const std::lock_guard lock(device_->turn);
    return runner_->run(inputs);
  }
  Status reset() override {
    const std::lock_guard lock(device_->turn);
    return runner_->reset();
  }

 private:
  std::shared_ptr<Device::Impl> device_;
  std::unique_ptr<Runner> runner_;
};

Error bad_place(const std::string& where) {
  return Error(ErrorCode::usage, "'" + where + "' names no device")
      .with_hint(
          "Places are: usb, usb:0, usb:BUS-PORT, virtual, virtual:0; pci devices have no "
          "driver here.");
}

bool number_of(const std::string& text, size_t& number) {
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return !text.empty() && read.ec == std::errc() && read.ptr == end;
}

// "usb:1" to the path of the second stick.
Result<std::string> stick_path(const std::string& where, const std::string& rest) {
  size_t number = 0;
  if (rest.empty()) return std::string();
  if (!number_of(rest, number)) return rest;
  twin::DeviceChoice any;
  any.device = "usb";
  EDGETWIN_TRY_ASSIGN(const twin::DeviceBus bus, twin::open_bus(any, 1));
  EDGETWIN_TRY_ASSIGN(const auto sticks, edgetpu::attached(*bus.transport));
  if (number < sticks.size()) return sticks[number].path();
  return Error(
      ErrorCode::device_unavailable,
      "'" + where + "' is not there: " + std::to_string(sticks.size()) + " Edge TPUs are attached");
}

Result<twin::DeviceChoice> choice_of(const std::string& where) {
  twin::DeviceChoice choice;
  const size_t colon = where.find(':');
  const std::string kind = where.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : where.substr(colon + 1);
  if (kind == "virtual") {
    size_t number = 0;
    if (!rest.empty() && !number_of(rest, number)) return bad_place(where);
    choice.device = "virtual";
    return choice;
  }
  if (!kind.empty() && kind != "usb") return bad_place(where);
  EDGETWIN_TRY_ASSIGN(const std::string path, stick_path(where, rest));
  choice.device = path.empty() ? "usb" : "usb:" + path;
  return choice;
}

}  // namespace

Result<Device> Device::open(const std::string& where, const DeviceOptions& options) {
  EDGETWIN_TRY_ASSIGN(twin::DeviceChoice choice, choice_of(where));
  choice.firmware = options.firmware;
  if (!options.performance.empty()) choice.performance = options.performance;
  auto impl = std::make_shared<Impl>();
  impl->name = where;
  impl->is_virtual = twin::is_virtual(choice);
  EDGETWIN_TRY_ASSIGN(impl->bus, twin::open_bus(choice, options.threads));
  EDGETWIN_TRY_ASSIGN(impl->device, twin::open_device(impl->bus, choice));
  return Device(std::move(impl));
}

Result<std::unique_ptr<Runner>> Device::runner(const Network& network,
                                               const RunnerOptions& options) const {
  const Network::Impl& n = network.impl();
  if (network.kind() != FileKind::edgetpu) {
    return Error(ErrorCode::usage, "a device takes compiled models, not a file of kind " +
                                       std::string(name(network.kind())))
        .in_file(network.file());
  }
  twin::DeviceRun run;
  run.loaded = *n.loaded;
  EDGETWIN_TRY_ASSIGN(darwinn::File file, darwinn::read(n.data, n.file));
  run.file = std::make_shared<const darwinn::File>(std::move(file));
  run.host = twin::host_options(twin::compute_options(n.options, options));
  EDGETWIN_TRY_ASSIGN(auto made,
                      edgetpu::CompiledNetwork::make(run.loaded.model, *run.file, run.host));
  run.network = std::make_unique<edgetpu::CompiledNetwork>(std::move(made));
  run.bus = impl_->bus;
  run.device = impl_->device;
  if (impl_->is_virtual) {
    const std::lock_guard lock(impl_->turn);
    EDGETWIN_TRY(run.bus.virtual_bus->learn(*run.file, nullptr, n.file));
  }
  const Where where = impl_->is_virtual ? Where::virtual_device : Where::device;
  auto inner = twin::device_runner(std::move(run), where, n.data);
  return std::unique_ptr<Runner>(std::make_unique<SharedRunner>(impl_, std::move(inner)));
}

}  // namespace edgetwin
