// Every compiled model of the data folder, whole: its compiled operators in the machine, the others
// on the twin, against its source, or against the decompiled network where there is none.
#include <gtest/gtest.h>

#include "formats/darwinn/darwinn.h"
#include "golden/edgetpu_pairs.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "targets/edgetpu/runtime/machine_network.h"
#include "transform/subgraph.h"

namespace edgetwin::golden {
namespace {

struct Ran {
  std::vector<Tensor> inputs, outputs;
  std::vector<edgetpu::DeviceOutput> compiled;  // what the compiled operators gave
};

Result<Ran> run_in_machine(const std::shared_ptr<const Model>& model, const darwinn::File& file,
                           const std::string& input = "xs32:1") {
  const exec::Options options{.numerics = "edgetpu"};
  EDGETWIN_TRY_ASSIGN(auto network, edgetpu::MachineNetwork::make(model, file, options));
  auto shell = std::make_shared<Graph>(network.graph());
  shell->ops.clear();
  shell->outputs = shell->inputs;
  EDGETWIN_TRY_ASSIGN(const auto session, exec::Session::create(shell, options));
  Ran ran;
  EDGETWIN_TRY_ASSIGN(ran.inputs, case_inputs(session, input, {}));
  EDGETWIN_TRY_ASSIGN(ran.outputs, network.run(ran.inputs, &ran.compiled));
  return ran;
}

// How many outputs differ, and tensors between compiled operator and host that both name.
size_t differences(const Ran& ran, const std::shared_ptr<const Graph>& graph, size_t& compared) {
  auto session = exec::Session::create(graph, {.numerics = "edgetpu", .keep_all = true});
  EXPECT_TRUE(session.ok());
  if (!session.ok()) return 1;
  EXPECT_TRUE(run(*session, ran.inputs).ok());
  size_t different = 0;
  for (size_t n = 0; n < ran.outputs.size(); ++n) {
    ++compared;
    different += session->output(n).data == ran.outputs[n].data ? 0 : 1;
  }
  for (const edgetpu::DeviceOutput& o : ran.compiled) {
    for (size_t v = 0; v < graph->values.size(); ++v) {
      const Value& value = graph->values[v];
      if (value.name != o.tensor.name || value.dtype != o.tensor.dtype) continue;
      ++compared;
      different += to_bytes(session->bytes(static_cast<ValueId>(v))) == o.tensor.data ? 0 : 1;
      break;
    }
  }
  return different;
}

std::shared_ptr<const Graph> decompiled(const Model& model, const darwinn::File& file) {
  auto result = edgetpu::decompile(model, file);
  if (!result.ok()) return nullptr;
  auto owner = std::make_shared<const Model>(std::move(result->model));
  return {owner, &owner->main()};
}

constexpr size_t kLargeCompiled = size_t{1} << 20U;

// B1: a program in two chunks gave other bytes than its network. B2: files at which the machine
// stopped.
TEST(EdgetpuMachineModels, GiveWhatTheirNetworksGive) {
  NEED_MODELS();
  std::map<fs::path, fs::path> source_of;
  for (const EdgetpuPair& pair : edgetpu_pairs()) source_of[pair.compiled] = pair.source;
  size_t equal = 0;
  size_t compared = 0;
  size_t refused = 0;
  for (const fs::path& path : compiled_models()) {
    const std::string name = path.filename().string();
    const auto data = read_file(path);
    ASSERT_TRUE(data.ok()) << name;
    // Minutes under sanitizers; small models take the same ways.
    if (kInstrumented && data->size() > kLargeCompiled) continue;
    const auto file = darwinn::read(*data, name);
    auto read = tflite::read(*data, name);
    ASSERT_TRUE(file.ok() && read.ok()) << name;
    const auto model = std::make_shared<const Model>(std::move(*read));
    const auto ran = run_in_machine(model, *file);
    // BodyPix: its decoder has operands that the host's operator does not take.
    if (!ran.ok() && ran.error().code == ErrorCode::op_unsupported) {
      ++refused;
      continue;
    }
    EXPECT_TRUE(ran.ok()) << name << to_text(ran.error());
    if (!ran.ok()) continue;
    std::shared_ptr<const Graph> graph;
    if (source_of.contains(path)) {
      const auto loaded = load_graph(source_of[path]);
      ASSERT_TRUE(loaded.ok()) << name;
      graph = *loaded;
    } else {
      graph = decompiled(*model, *file);
    }
    if (graph == nullptr) continue;
    EXPECT_EQ(differences(*ran, graph, compared), 0U) << name;
    ++equal;
  }
  EXPECT_GE(equal, kInstrumented ? 20U : 50U);
  EXPECT_LE(refused, 1U);
  EXPECT_GT(compared, equal);
}

// Bytes of two quantizations of the same numbers: how many differ by more than what both round.
size_t apart_as_reals(const Tensor& x, const Tensor& y) {
  const float step = (x.quant.scale_of(0) + y.quant.scale_of(0)) / 2;
  const auto byte = [](const Tensor& t, size_t i) {
    const auto raw = static_cast<uint8_t>(t.data[i]);
    return t.dtype == DType::int8 ? int{static_cast<int8_t>(raw)} : int{raw};
  };
  const auto ends = [](const Tensor& t, int b) {
    return t.dtype == DType::int8 ? b == -128 || b == 127 : b == 0 || b == 255;
  };
  size_t apart = x.data.size() == y.data.size() ? 0 : 1;
  for (size_t i = 0; apart == 0 && i < x.data.size(); ++i) {
    const int a = byte(x, i);
    const int b = byte(y, i);
    if (ends(x, a) || ends(y, b)) continue;
    const float real_a = static_cast<float>(a - x.quant.zero_point_of(0)) * x.quant.scale_of(0);
    const float real_b = static_cast<float>(b - y.quant.zero_point_of(0)) * y.quant.scale_of(0);
    constexpr float kSlack = 1e-4F;
    apart += std::abs(real_a - real_b) > step + kSlack ? 1 : 0;
  }
  return apart;
}

// B2: what the compiled operator of BodyPix sends to the host, whose decoder has operands that the
// twin's operator does not take: six maps, in the bytes of the decompiled network. Two of them were
// quantized anew before the file was compiled; they are the source's as reals, the others byte by
// byte.
TEST(EdgetpuMachineModels, BodyPixSendsWhatItsNetworksGive) {
  NEED_MODELS();
  const std::string stem = "bodypix_mobilenet_v1_075_512_512_16_quant_decoder";
  const fs::path folder = edgetpu_models() / "coral_test_data" / "posenet";
  const fs::path compiled = folder / (stem + "_edgetpu.tflite");
  if (!fs::exists(compiled)) GTEST_SKIP() << "no " << compiled;
  const auto data = read_file(compiled);
  ASSERT_TRUE(data.ok());
  const auto file = darwinn::read(*data, stem);
  auto read = tflite::read(*data, stem);
  ASSERT_TRUE(file.ok() && read.ok());
  const Graph whole = read->main();
  ASSERT_EQ(file->ops.size(), 1U);
  const std::vector<ValueId> sent = whole.ops[static_cast<size_t>(file->ops[0].op)].outputs;
  ASSERT_EQ(sent.size(), 6U);
  std::vector<std::string> names;
  for (const ValueId v : sent) names.push_back(whole.value(v).name);
  // The same file without its decoder.
  read->graphs.front() = transform::part_for(whole, sent);
  const auto model = std::make_shared<const Model>(std::move(*read));
  const auto ran = run_in_machine(model, *file);
  ASSERT_TRUE(ran.ok()) << to_text(ran.error());
  ASSERT_EQ(ran->outputs.size(), sent.size());
  size_t compared = 0;
  EXPECT_EQ(differences(*ran, decompiled(*model, *file), compared), 0U);
  EXPECT_GE(compared, sent.size());

  const auto source = load_graph(folder / (stem + ".tflite"));
  ASSERT_TRUE(source.ok());
  std::vector<ValueId> same;
  for (const std::string& name : names) {
    for (size_t v = 0; v < (*source)->values.size(); ++v) {
      if ((*source)->values[v].name == name) same.push_back(static_cast<ValueId>(v));
    }
  }
  ASSERT_EQ(same.size(), sent.size());
  auto session = exec::Session::create(
      std::make_shared<const Graph>(transform::part_for(**source, same)), {.numerics = "edgetpu"});
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  ASSERT_TRUE(run(*session, ran->inputs).ok());
  size_t anew = 0;
  for (size_t n = 0; n < sent.size(); ++n) {
    const Tensor given = session->output(n);
    const Tensor& device = ran->outputs[n];
    if (given.quant == device.quant) {
      EXPECT_EQ(given.data, device.data) << names[n];
      continue;
    }
    ++anew;
    EXPECT_TRUE(names[n] == "float_heatmaps" || names[n] == "float_part_heatmaps") << names[n];
    EXPECT_NE(given.data, device.data) << names[n];
    EXPECT_EQ(apart_as_reals(given, device), 0U) << names[n];
  }
  EXPECT_EQ(anew, 2U);
}

// One input hides what a last bit of a pool's factor changes: six of these eight showed it.
TEST(EdgetpuMachineModels, PoolsRoundAsTheCompilerDoes) {
  NEED_MODELS();
  const std::string stem = "mobilenet_v1_0.75_192_quant";
  const fs::path folder = edgetpu_models() / "coral_test_data";
  const fs::path compiled = folder / (stem + "_edgetpu.tflite");
  if (!fs::exists(compiled)) GTEST_SKIP() << "no " << compiled;
  const auto data = read_file(compiled);
  ASSERT_TRUE(data.ok());
  const auto file = darwinn::read(*data, stem);
  auto read = tflite::read(*data, stem);
  ASSERT_TRUE(file.ok() && read.ok());
  const auto model = std::make_shared<const Model>(std::move(*read));
  const auto source = load_graph(folder / (stem + ".tflite"));
  ASSERT_TRUE(source.ok());
  for (int seed = 1; seed <= 8; ++seed) {
    const auto ran = run_in_machine(model, *file, "xs32:" + std::to_string(seed));
    ASSERT_TRUE(ran.ok()) << to_text(ran.error());
    size_t compared = 0;
    EXPECT_EQ(differences(*ran, *source, compared), 0U) << seed;
    EXPECT_GE(compared, 1U);
  }
}

}  // namespace
}  // namespace edgetwin::golden
