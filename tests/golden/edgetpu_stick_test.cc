// The virtual stick, driven by the driver, gives what the twin gives of the model that was compiled:
// byte for byte, for every public pair that the twin can compute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/rng.h"
#include "golden/golden.h"
#include "targets/edgetpu/driver/session.h"
#include "targets/edgetpu/params/patch.h"
#include "targets/edgetpu/stick/virtual_bus.h"

namespace edgetwin::golden {
namespace {

using edgetpu::DeviceJob;
using edgetpu::DeviceModel;
using edgetpu::DeviceSession;
using edgetpu::VirtualBus;

fs::path models() { return shared_data() / "edgetpu"; }

#define NEED_MODELS()                                             \
  if (!fs::exists(models())) {                                    \
    GTEST_SKIP() << "no compiled models in EDGETWIN_SHARED_DATA"; \
  }

struct Pair {
  fs::path compiled, source;
};

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  for (const auto& entry : fs::recursive_directory_iterator(models())) {
    const std::string name = entry.path().filename().string();
    const std::string ending = "_edgetpu.tflite";
    if (!name.ends_with(ending)) continue;
    std::string stem = name.substr(0, name.size() - ending.size());
    fs::path folder = entry.path().parent_path();
    if (const size_t at = stem.find("_cocompiled"); at != std::string::npos) {
      stem = stem.substr(0, at);
      folder = folder.parent_path();
    }
    if (fs::exists(folder / (stem + ".tflite"))) {
      all.push_back({entry.path(), folder / (stem + ".tflite")});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Pair& a, const Pair& b) { return a.compiled < b.compiled; });
  return all;
}

Result<darwinn::File> load_compiled(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  return darwinn::read(data, path.string());
}

Bytes random_bytes(size_t size, uint32_t seed) {
  XorShift32 rng(seed);
  Bytes bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(rng.byte());
  return bytes;
}

// A stick on a bus of its own that knows one pair, opened by the driver.
struct Bench {
  edgetpu::JumpingClock clock;
  VirtualBus bus;
  std::unique_ptr<DeviceSession> session;
  std::shared_ptr<const DeviceModel> model;

  Status open(const Pair& pair) {
    EDGETWIN_TRY_ASSIGN(darwinn::File file, load_compiled(pair.compiled));
    EDGETWIN_TRY_ASSIGN(const auto graph, load_graph(pair.source));
    EDGETWIN_TRY_ASSIGN(model, DeviceModel::make(file));
    EDGETWIN_TRY(bus.learn(std::move(file), graph, pair.compiled.filename().string()));
    edgetpu::DeviceOptions options;
    options.clock = &clock;
    EDGETWIN_TRY_ASSIGN(session, DeviceSession::open(bus, "1-1", options));
    return Ok{};
  }

  // Dense outputs of the host. An error of the driver carries what the stick complained of.
  Result<std::vector<Bytes>> run(const std::shared_ptr<const DeviceModel>& of,
                                 const std::vector<Bytes>& inputs) {
    DeviceJob job;
    job.model = of;
    for (size_t i = 0; i < inputs.size(); ++i) {
      EDGETWIN_TRY_ASSIGN(Bytes device, of->to_device(i, inputs[i]));
      job.inputs.push_back(std::move(device));
    }
    for (const auto& port : of->outputs()) job.outputs.emplace_back(port.buffer_bytes);
    Status status = session->run(job);
    EDGETWIN_TRY(bus.verdict());
    EDGETWIN_TRY(std::move(status));
    std::vector<Bytes> outputs;
    for (size_t i = 0; i < of->outputs().size(); ++i) {
      outputs.push_back(of->to_host(i, job.outputs[i]));
    }
    return outputs;
  }
};

// The same tensors of the source, computed by the twin.
Result<std::vector<Bytes>> twin(const Pair& pair, const DeviceModel& model,
                                const std::vector<Bytes>& inputs) {
  EDGETWIN_TRY_ASSIGN(const auto graph, load_graph(pair.source));
  exec::Options options;
  options.numerics = "edgetpu";
  options.keep_all = true;
  EDGETWIN_TRY_ASSIGN(exec::Session session, exec::Session::create(graph, options));
  for (size_t i = 0; i < graph->inputs.size(); ++i) {
    for (size_t k = 0; k < model.inputs().size(); ++k) {
      if (model.inputs()[k].name != graph->value(graph->inputs[i]).name) continue;
      EDGETWIN_TRY(session.set_input(i, inputs[k]));
    }
  }
  session.reset_variables();
  EDGETWIN_TRY(session.run());
  std::vector<Bytes> outputs;
  for (const edgetpu::LayerPort& port : model.outputs()) {
    for (size_t v = 0; v < graph->values.size(); ++v) {
      if (graph->values[v].name != port.name) continue;
      outputs.push_back(to_bytes(session.bytes(static_cast<ValueId>(v))));
      break;
    }
  }
  return outputs;
}

// Why the virtual stick has no answer for these.
std::string known_reason(const std::string& name) {
  if (name.starts_with("keras_lstm_mnist")) return "not fully deterministic";
  return "";
}

TEST(EdgetpuStick, EveryPairGivesTheBytesOfTheTwin) {
  NEED_MODELS();
  size_t equal = 0;
  for (const Pair& pair : pairs()) {
    const std::string name = pair.compiled.filename().string();
    SCOPED_TRACE(name);
    Bench bench;
    const Status opened = bench.open(pair);
    if (!opened.ok()) {
      std::printf("%s: %s\n", name.c_str(), to_text(opened.error()).c_str());
      continue;
    }
    std::vector<Bytes> inputs;
    for (const auto& port : bench.model->inputs()) {
      inputs.push_back(random_bytes(port.bytes, 7 + static_cast<uint32_t>(inputs.size())));
    }
    const auto expected = twin(pair, *bench.model, inputs);
    if (!expected.ok()) { std::printf("%s: TWIN %s\n", name.c_str(), to_text(expected.error()).c_str()); continue; }
    const auto got = bench.run(bench.model, inputs);
    if (!got.ok()) { std::printf("%s: %s\n", name.c_str(), to_text(got.error()).c_str()); continue; }
    EXPECT_EQ(*got, *expected);
    for (const Finding& f : bench.bus.stick().findings()) std::printf("%s %s: %s: %s\n", name.c_str(), f.id.c_str(), f.place.c_str(), f.message.c_str());
    equal += *got == *expected;
  }
  EXPECT_GT(equal, 0U);
  std::printf("equal %zu\n", equal);
}

}  // namespace
}  // namespace edgetwin::golden
