// What an inference costs the host beside the transfers: time in the transport is counted apart.
//   bench_edgetpu_driver MODEL_edgetpu.tflite MODEL.tflite [RUNS]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/file.h"
#include "formats/tflite/tflite.h"
#include "robotics/device/device_engine.h"
#include "robotics/matmul/matmul_engine.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace {

using namespace edgetwin;

// Of the processor, so that other programs on the machine do not count.
double cpu_us(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

// Counts the time that is spent below the driver.
class TimedConnection : public edgetpu::UsbConnection {
 public:
  TimedConnection(std::unique_ptr<edgetpu::UsbConnection> inner, double& us)
      : inner_(std::move(inner)), us_(us) {}
  edgetpu::UsbStatus claim(int i) override { return inner_->claim(i); }
  edgetpu::UsbStatus release(int i) override { return inner_->release(i); }
  edgetpu::UsbStatus reset() override { return inner_->reset(); }
  Result<Bytes> device_descriptor() override { return inner_->device_descriptor(); }
  Result<Bytes> configuration_descriptor() override { return inner_->configuration_descriptor(); }
  edgetpu::Transferred control(uint8_t type, uint8_t request, uint16_t value, uint16_t index,
                               std::span<std::byte> data, int timeout_ms) override {
    return inner_->control(type, request, value, index, data, timeout_ms);
  }
  Submitted submit(uint8_t endpoint, std::span<std::byte> data, int timeout_ms) override {
    const double start = cpu_us(CLOCK_THREAD_CPUTIME_ID);
    const Submitted s = inner_->submit(endpoint, data, timeout_ms);
    us_ += cpu_us(CLOCK_THREAD_CPUTIME_ID) - start;
    return s;
  }
  Waited wait(edgetpu::TransferId id, int timeout_ms) override {
    const double start = cpu_us(CLOCK_THREAD_CPUTIME_ID);
    const Waited w = inner_->wait(id, timeout_ms);
    us_ += cpu_us(CLOCK_THREAD_CPUTIME_ID) - start;
    return w;
  }
  void cancel(edgetpu::TransferId id) override { inner_->cancel(id); }
  void cancel_all() override { inner_->cancel_all(); }

 private:
  std::unique_ptr<edgetpu::UsbConnection> inner_;
  double& us_;
};

class TimedBus : public edgetpu::Transport {
 public:
  explicit TimedBus(std::shared_ptr<edgetpu::Transport> inner) : inner_(std::move(inner)) {}
  std::string_view name() const override { return inner_->name(); }
  Result<std::vector<edgetpu::UsbDevice>> list() override { return inner_->list(); }
  Opened open(const edgetpu::UsbDevice& device) override {
    Opened opened = inner_->open(device);
    if (opened.connection)
      opened.connection = std::make_unique<TimedConnection>(std::move(opened.connection), us);
    return opened;
  }
  double us = 0;

 private:
  std::shared_ptr<edgetpu::Transport> inner_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Status measure_swaps(const Bytes& data, const char* name,
                     std::shared_ptr<edgetpu::EdgeTpuDevice> device, int runs) {
  auto chip = robotics::device_engine(data, name, std::move(device));
  if (!chip.ok()) return Ok{};  // several inputs, or not of bytes
  auto made = robotics::MatMulEngine::create(std::shared_ptr<robotics::Engine>(std::move(*chip)));
  if (!made.ok()) return Ok{};  // not a dense layer
  robotics::MatMulEngine& engine = *made;
  EDGETWIN_TRY(engine.open());
  robotics::Matrix weights{engine.rows(), engine.columns(),
                           std::vector<float>(engine.rows() * engine.columns())};
  const std::vector<float> x(engine.columns(), 0.1F);
  std::vector<double> pack, all;
  for (int i = 0; i < std::min(runs, 50); ++i) {
    weights.values[static_cast<size_t>(i)] = 0.01F;
    const double start = cpu_us(CLOCK_PROCESS_CPUTIME_ID);
    EDGETWIN_TRY(engine.set_weights(weights));
    pack.push_back(cpu_us(CLOCK_PROCESS_CPUTIME_ID) - start);
    EDGETWIN_TRY(engine.matmul(x));
    all.push_back(cpu_us(CLOCK_PROCESS_CPUTIME_ID) - start);
  }
  constexpr double kBytesPerUs = 300.0;
  std::printf(
      "swap of %zu x %zu: weights packed in %.0f us, with upload and product %.0f us;\n"
      "  SuperSpeed would need %.0f us for the upload alone\n",
      engine.rows(), engine.columns(), median(pack), median(all),
      static_cast<double>(engine.param_size()) / kBytesPerUs);
  return Ok{};
}

Status run(const char* compiled, const char* source, int runs) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(compiled));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, compiled));
  EDGETWIN_TRY_ASSIGN(const Bytes plain, read_file(source));
  EDGETWIN_TRY_ASSIGN(Model read, tflite::read(plain, source));
  const auto network = std::make_shared<const Model>(std::move(read));
  const auto bus = std::make_shared<edgetpu::VirtualBus>();
  EDGETWIN_TRY(bus->learn(file, {network, &network->main()}, compiled));
  const auto timed = std::make_shared<TimedBus>(bus);
  edgetpu::JumpingClock clock;
  edgetpu::DeviceOptions options;
  options.clock = &clock;
  EDGETWIN_TRY_ASSIGN(std::shared_ptr<edgetpu::EdgeTpuDevice> device,
                      edgetpu::EdgeTpuDevice::open(timed, "", options));
  EDGETWIN_TRY_ASSIGN(const auto model, edgetpu::DeviceModel::make(file));
  std::vector<Bytes> bytes;
  std::vector<ByteSpan> inputs;
  for (const edgetpu::LayerPort& port : model->inputs()) bytes.emplace_back(port.bytes);
  for (const Bytes& b : bytes) inputs.emplace_back(b);
  EDGETWIN_TRY(device->run(model, inputs));
  std::vector<double> host, total;
  for (int i = 0; i < runs; ++i) {
    timed->us = 0;
    const double start = cpu_us(CLOCK_PROCESS_CPUTIME_ID);
    EDGETWIN_TRY(device->run(model, inputs));
    total.push_back(cpu_us(CLOCK_PROCESS_CPUTIME_ID) - start);
    host.push_back(total.back() - timed->us);
  }
  std::printf(
      "host cost per inference beside the transfers: median %.1f us of the processor's time\n"
      "  (of %.1f us in all, with what the virtual stick computes), "
      "%d runs\n",
      median(host), median(total), runs);
  return measure_swaps(data, compiled, device, runs);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("bench_edgetpu_driver MODEL_edgetpu.tflite MODEL.tflite [RUNS]\n", stderr);
    return 2;
  }
  constexpr int kRuns = 1000;
  const Status status = run(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : kRuns);
  if (!status.ok()) std::fputs(to_text(status.error()).c_str(), stderr);
  return status.ok() ? 0 : 1;
}
