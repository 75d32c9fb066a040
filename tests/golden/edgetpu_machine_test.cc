// Programs of compiled models, executed by the machine, against the networks that they were made
// of and against what real devices sent.
#include "targets/edgetpu/machine/machine.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "formats/darwinn/darwinn.h"
#include "golden/golden.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "targets/edgetpu/synthesize/synthesize.h"

namespace edgetwin::edgetpu::machine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path models() { return golden::shared_data() / "edgetpu" / "models"; }
fs::path silicon() { return golden::shared_data() / "edgetpu" / "silicon"; }

const darwinn::Package& package_in(const darwinn::File& file) { return file.ops[0].packages[0]; }

// The source's outputs in the chip's arithmetic, and the inputs that gave them.
struct Known {
  std::vector<Tensor> inputs, outputs;
};

Result<Known> run_source(const fs::path& path, uint32_t seed) {
  EDGETWIN_TRY_ASSIGN(auto graph, golden::load_graph(path));
  exec::Options options;
  options.numerics = "edgetpu";
  EDGETWIN_TRY_ASSIGN(exec::Session session, exec::Session::create(graph, options));
  Known known;
  EDGETWIN_TRY_ASSIGN(known.inputs,
                      golden::case_inputs(session, "xs32:" + std::to_string(seed), {}));
  EDGETWIN_TRY(golden::run(session, known.inputs));
  for (size_t n = 0; n < graph->outputs.size(); ++n) known.outputs.push_back(session.output(n));
  return known;
}

void expect_equal(const darwinn::Package& package, const fs::path& source,
                  std::initializer_list<uint32_t> seeds) {
  auto machine = Machine::make(package);
  ASSERT_TRUE(machine.ok()) << source << to_text(machine.error());
  for (const uint32_t seed : seeds) {
    const auto known = run_source(source, seed);
    ASSERT_TRUE(known.ok()) << source << to_text(known.error());
    std::vector<ByteSpan> inputs;
    for (const Tensor& t : known->inputs) inputs.emplace_back(t.data);
    const auto outputs = machine->run_dense(inputs);
    ASSERT_TRUE(outputs.ok()) << source << to_text(outputs.error());
    ASSERT_EQ(outputs->size(), known->outputs.size()) << source;
    for (size_t n = 0; n < outputs->size(); ++n) {
      EXPECT_TRUE((*outputs)[n] == known->outputs[n].data) << source << " output " << n;
    }
  }
}

void expect_equal(const fs::path& compiled, std::initializer_list<uint32_t> seeds) {
  const auto data = read_file(compiled);
  ASSERT_TRUE(data.ok()) << compiled;
  const auto file = darwinn::read(*data, compiled.string());
  ASSERT_TRUE(file.ok()) << compiled << to_text(file.error());
  std::string stem = compiled.stem().string();
  stem.resize(stem.size() - std::string("_edgetpu").size());
  expect_equal(package_in(*file), compiled.parent_path() / (stem + ".tflite"), seeds);
}

bool is_compiled(const fs::path& path) {
  return path.filename().string().ends_with("_edgetpu.tflite");
}

TEST(EdgetpuMachine, SingleLayersEqualTheirNetworks) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  int compared = 0;
  for (const char* folder : {"coral_usb_conv", "libredgetpu"}) {
    for (const auto& entry : fs::directory_iterator(models() / folder)) {
      const std::string name = entry.path().filename().string();
      const bool known =
          name.starts_with("conv2d") || name.starts_with("dense") || name.starts_with("gabor");
      if (!known || !is_compiled(entry.path())) continue;
      expect_equal(entry.path(), {1, 2});
      ++compared;
    }
  }
  EXPECT_GE(compared, 15);
}

// A compiled model beside the network that was made of it, both open.
struct Pair {
  Model model;
  darwinn::File file;
  std::shared_ptr<const Graph> network;
};

Result<Pair> with_network(const fs::path& compiled) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(compiled));
  Pair pair;
  EDGETWIN_TRY_ASSIGN(pair.model, tflite::read(data, compiled.string()));
  EDGETWIN_TRY_ASSIGN(pair.file, darwinn::read(data, compiled.string()));
  EDGETWIN_TRY_ASSIGN(Decompiled network, decompile(pair.model, pair.file));
  pair.network = std::make_shared<const Graph>(std::move(network.model.graphs.front()));
  return pair;
}

// The tensors of the compiled operator, which keep their names in the network.
Result<std::vector<Tensor>> named(const exec::Session& session, const Graph& compiled,
                                  const std::vector<ValueId>& ids) {
  std::vector<Tensor> found;
  for (const ValueId id : ids) {
    const auto& values = session.graph().values;
    size_t n = 0;
    while (n < values.size() && values[n].name != compiled.value(id).name) ++n;
    if (n == values.size()) return Error(ErrorCode::internal, compiled.value(id).name);
    found.push_back(session.tensor(static_cast<ValueId>(n)));
  }
  return found;
}

// What the compiled operator sends, against the network's tensors: the host's operators around it
// take no part.
void expect_equal_inside(const fs::path& compiled, uint32_t seed) {
  const auto pair = with_network(compiled);
  ASSERT_TRUE(pair.ok()) << compiled << to_text(pair.error());
  exec::Options options;
  options.numerics = "edgetpu";
  options.keep_all = true;
  options.threads = 2;
  auto session = exec::Session::create(pair->network, options);
  ASSERT_TRUE(session.ok()) << compiled << to_text(session.error());
  const auto given = golden::case_inputs(*session, "xs32:" + std::to_string(seed), {});
  ASSERT_TRUE(given.ok() && golden::run(*session, *given).ok()) << compiled;
  const Graph& outside = pair->model.graphs.front();
  const Op& op = outside.ops[static_cast<size_t>(pair->file.ops[0].op)];
  const auto in = named(*session, outside, op.inputs);
  const auto out = named(*session, outside, op.outputs);
  ASSERT_TRUE(in.ok() && out.ok()) << compiled;
  auto machine = Machine::make(package_in(pair->file));
  ASSERT_TRUE(machine.ok()) << compiled << to_text(machine.error());
  std::vector<ByteSpan> inputs;
  for (const Tensor& t : *in) inputs.emplace_back(t.data);
  const auto outputs = machine->run_dense(inputs);
  ASSERT_TRUE(outputs.ok()) << compiled << to_text(outputs.error());
  ASSERT_EQ(outputs->size(), out->size()) << compiled;
  for (size_t n = 0; n < outputs->size(); ++n) {
    EXPECT_TRUE((*outputs)[n] == (*out)[n].data) << compiled << " output " << (*out)[n].name;
  }
}

// Additions, products, pools of whole pictures, resizing, tables of functions, parts of detectors.
TEST(EdgetpuMachine, WholeNetworksEqualWhatIsMadeOfThem) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path folder = models() / "coral_test_data";
  for (const char* name :
       {"deeplabv3_mnv2_dm05_pascal_quant", "movenet_single_pose_lightning_ptq",
        "posenet/posenet_mobilenet_v1_075_353_481_16_quant_decoder",
        "pipeline/ssd_mobilenet_v1_coco_quant_postprocess_segment_0_of_2",
        "pipeline/ssd_mobilenet_v1_coco_quant_postprocess_segment_1_of_2", "tools/split_concat"}) {
    expect_equal_inside(folder / (std::string(name) + "_edgetpu.tflite"), 5);
  }
  for (const char* name : {"looming_64x64_3x3", "looming_128x128_3x3"}) {
    expect_equal(models() / "libredgetpu" / (std::string(name) + "_edgetpu.tflite"), {1, 2, 3});
  }
}

TEST(EdgetpuMachine, MobileNetsEqualTheirNetworks) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path folder = models() / "coral_test_data";
  expect_equal(folder / "mobilenet_v1_0.25_128_quant_edgetpu.tflite", {1, 2, 3});
  expect_equal(folder / "mobilenet_v1_0.5_160_quant_edgetpu.tflite", {1});
}

// What `synthesize` makes of a source is executed, not only compared with the compiler's bytes.
TEST(EdgetpuMachine, SynthesizedModelsEqualTheirNetworks) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  int compared = 0;
  for (const char* folder : {"coral_usb_conv", "libredgetpu"}) {
    for (const auto& entry : fs::directory_iterator(models() / folder)) {
      const std::string name = entry.path().filename().string();
      if (entry.path().extension() != ".tflite" || is_compiled(entry.path())) continue;
      if (!name.starts_with("conv2d") && !name.starts_with("dense")) continue;
      const auto graph = golden::load_graph(entry.path());
      ASSERT_TRUE(graph.ok()) << name;
      Model source;
      source.format = "tflite";
      source.graphs.push_back(**graph);
      const auto layer = synthesize(source);
      ASSERT_TRUE(layer.ok()) << name << to_text(layer.error());
      const auto made = compiled_model(source, *layer);
      ASSERT_TRUE(made.ok()) << name << to_text(made.error());
      const auto file = darwinn::read(*made, name);
      ASSERT_TRUE(file.ok()) << name;
      expect_equal(package_in(*file), entry.path(), {3});
      ++compared;
    }
  }
  EXPECT_GE(compared, 8);
}

// ---- what devices sent
// ---------------------------------------------------------------------------

uint64_t fnv1a64(const Bytes& data) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte b : data) hash = (hash ^ static_cast<uint64_t>(b)) * 0x100000001b3U;
  return hash;
}

TEST(EdgetpuMachine, RecordedHashesOfDevices) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  std::ifstream stream(silicon() / "cases.json");
  const json document = json::parse(stream);
  const json& cases = document.is_object() ? document.at("cases") : document;
  int compared = 0;
  for (const json& c : cases) {
    if (c.at("kind") != "output_hash") continue;
    const std::string id = c.at("id");
    unsigned channels = 0;
    unsigned height = 0;
    unsigned width = 0;
    if (std::sscanf(id.c_str(), "conv3x3 p%u %ux%u", &channels, &height, &width) != 3) continue;
    const std::string name = "conv2d_k3_same_" + std::to_string(height) + "x" +
                             std::to_string(width) + "_" + std::to_string(channels) + "to" +
                             std::to_string(channels) + "_edgetpu.tflite";
    const auto data = read_file(models() / "coral_usb_conv" / name);
    if (!data.ok()) continue;  // not public
    const auto file = darwinn::read(*data, name);
    ASSERT_TRUE(file.ok()) << name;
    auto machine = Machine::make(package_in(*file));
    ASSERT_TRUE(machine.ok()) << name << to_text(machine.error());
    Bytes wire(size_t{channels} * height * width);
    for (size_t n = 0; n < wire.size(); ++n) wire[n] = static_cast<std::byte>(n % 251);
    const auto outputs = machine->run({ByteSpan(wire)});
    ASSERT_TRUE(outputs.ok()) << name << to_text(outputs.error());
    EXPECT_EQ(fnv1a64(outputs->at(0)),
              std::stoull(c.at("device_hash").get<std::string>(), nullptr, 16))
        << id;
    ++compared;
  }
  EXPECT_GE(compared, 2);
}

// A stand-alone program of a factory test: every byte that the device sends is known.
TEST(EdgetpuMachine, BytesOfADevice) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path folder = silicon() / "testconv1";
  const auto data = read_file(folder / "testconv1-edgetpu.tflite");
  const auto input = read_file(folder / "testconv1-test-input.bin");
  const auto expected = read_file(folder / "testconv1-expected-output.bin");
  ASSERT_TRUE(data.ok() && input.ok() && expected.ok());
  const auto file = darwinn::read(*data, "testconv1");
  ASSERT_TRUE(file.ok());
  auto machine = Machine::make(package_in(*file));
  ASSERT_TRUE(machine.ok()) << to_text(machine.error());
  const auto outputs = machine->run_dense({ByteSpan(*input)});
  ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
  EXPECT_TRUE(outputs->at(0) == *expected);
}

// Whatever else there is runs to its end, or stops with an instruction and a reason.
TEST(EdgetpuMachine, OtherModelsRunOrSayWhyNot) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(models() / "libredgetpu")) {
    const std::string name = entry.path().filename().string();
    if (!is_compiled(entry.path())) continue;
    const auto data = read_file(entry.path());
    ASSERT_TRUE(data.ok());
    const auto file = darwinn::read(*data, name);
    ASSERT_TRUE(file.ok()) << name;
    auto machine = Machine::make(package_in(*file));
    ASSERT_TRUE(machine.ok()) << name << to_text(machine.error());
    std::vector<Bytes> zeros;
    for (const darwinn::Layer& l : machine->executable().inputs) {
      zeros.emplace_back(static_cast<size_t>(l.size_bytes));
    }
    const auto outputs = machine->run(std::vector<ByteSpan>(zeros.begin(), zeros.end()));
    ++seen;
    if (outputs.ok()) continue;
    const ErrorCode code = outputs.error().code;
    EXPECT_TRUE(code == ErrorCode::chip_unknown || code == ErrorCode::chip_stream)
        << name << to_text(outputs.error());
    EXPECT_FALSE(outputs.error().details.empty()) << name;
  }
  EXPECT_GE(seen, 20);
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
