// Compiled networks read back.
#pragma once

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {

// The part of the proof that reads the file again.
inline Proof read_again(const Graph& graph) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  const auto made = compile_model(model);
  EXPECT_TRUE(made.ok());
  if (!made.ok() || made->partition.groups.empty()) return {};
  const auto bytes = tflite::write(made->model);
  EXPECT_TRUE(bytes.ok());
  ProofOptions options;
  options.inputs = 0;
  options.order = false;
  std::vector<ProvenGroup> groups;
  for (const CompiledGroup& g : made->partition.groups) groups.push_back({&g.segment, &g.package});
  auto proof = prove(model.main(), groups, *bytes, options);
  EXPECT_TRUE(proof.ok());
  EXPECT_TRUE(proof->holds()) << why_not(*proof);
  return std::move(*proof);
}

inline void expect_all(const Graph& graph, size_t layers) {
  const Proof proof = read_again(graph);
  EXPECT_EQ(proof.layers, layers);
  EXPECT_EQ(proof.decompiled, layers);
  for (const std::string& o : proof.open) ADD_FAILURE() << o;
}

inline Result<Decompiled> decompiled_of(const Graph& graph) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  EDGETWIN_TRY_ASSIGN(const auto made, compile_model(model));
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, tflite::write(made.model));
  EDGETWIN_TRY_ASSIGN(const Model compiled, tflite::read(bytes, "compiled"));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(bytes, "compiled"));
  return decompile(compiled, file, {});
}

// The network that comes back gives the bytes of the one that was compiled.
inline void expect_same_bytes(const Graph& graph) {
  const auto back = decompiled_of(graph);
  ASSERT_TRUE(back.ok()) << to_text(back.error());
  ASSERT_TRUE(back->complete());
  const std::vector<Bytes> inputs = noise_for(graph);
  std::vector<Bytes> results;
  for (const Graph* g : {&graph, &back->model.main()}) {
    auto session =
        exec::Session::create(std::make_shared<const Graph>(*g), {.numerics = "edgetpu"});
    ASSERT_TRUE(session.ok()) << to_text(session.error());
    for (size_t k = 0; k < inputs.size(); ++k) {
      ASSERT_TRUE(session->set_input(k, inputs[k]).ok());
    }
    ASSERT_TRUE(session->run().ok());
    const ByteSpan out = session->bytes(g->outputs[0]);
    results.emplace_back(out.begin(), out.end());
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace edgetwin::edgetpu::compiler
