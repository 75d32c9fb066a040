// Every compiled model of the data folder, whole: its compiled operators in the machine, the others
// on the twin, against its source, or against the decompiled network where there is none.
#include <gtest/gtest.h>

#include "formats/darwinn/darwinn.h"
#include "golden/edgetpu_pairs.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "targets/edgetpu/runtime/machine_network.h"

namespace edgetwin::golden {
namespace {

constexpr const char* kInput = "xs32:1";

struct Ran {
  std::vector<Tensor> inputs, outputs;
  std::vector<edgetpu::DeviceOutput> compiled;  // what the compiled operators gave
};

Result<Ran> run_in_machine(const std::shared_ptr<const Model>& model, const darwinn::File& file) {
  const exec::Options options{.numerics = "edgetpu"};
  EDGETWIN_TRY_ASSIGN(auto network, edgetpu::MachineNetwork::make(model, file, options));
  auto shell = std::make_shared<Graph>(network.graph());
  shell->ops.clear();
  shell->outputs = shell->inputs;
  EDGETWIN_TRY_ASSIGN(const auto session, exec::Session::create(shell, options));
  Ran ran;
  EDGETWIN_TRY_ASSIGN(ran.inputs, case_inputs(session, kInput, {}));
  EDGETWIN_TRY_ASSIGN(ran.outputs, network.run(ran.inputs, &ran.compiled));
  return ran;
}

// How many outputs differ, and tensors between compiled operator and host that both name.
size_t differences(const Ran& ran, const std::shared_ptr<const Graph>& graph, size_t& compared) {
  auto session = exec::Session::create(graph, {.numerics = "edgetpu", .keep_all = true});
  EXPECT_TRUE(session.ok());
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
  auto result = edgetpu::decompile(model, file, {.tries = 64});  // few: scales are found soon
  if (!result.ok()) return nullptr;
  auto owner = std::make_shared<const Model>(std::move(result->model));
  return {owner, &owner->main()};
}

TEST(EdgetpuMachineModels, GiveWhatTheirNetworksGive) {
  NEED_MODELS();
  std::map<fs::path, fs::path> source_of;
  for (const EdgetpuPair& pair : edgetpu_pairs()) source_of[pair.compiled] = pair.source;
  size_t equal = 0;
  size_t compared = 0;
  for (const fs::path& path : compiled_models()) {
    const std::string name = path.filename().string();
    const auto data = read_file(path);
    ASSERT_TRUE(data.ok()) << name;
    const auto file = darwinn::read(*data, name);
    auto read = tflite::read(*data, name);
    ASSERT_TRUE(file.ok() && read.ok()) << name;
    const auto model = std::make_shared<const Model>(std::move(*read));
    const auto ran = run_in_machine(model, *file);
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
  EXPECT_GE(equal, 46U);
  EXPECT_GT(compared, equal);
}

}  // namespace
}  // namespace edgetwin::golden
