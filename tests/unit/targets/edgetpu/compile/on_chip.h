// The machine beside the twin.
#pragma once

#include <gtest/gtest.h>

#include "base/rng.h"
#include "exec/session.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/compile/compile.h"
#include "targets/edgetpu/compile/proof/proof.h"
#include "targets/edgetpu/machine/machine.h"

namespace edgetwin::edgetpu::compiler {

// Both give the same bytes; all of the network is on the chip.
inline void expect_equal(const Graph& graph, const std::vector<Bytes>& inputs) {
  const Partition p = partition_of(graph);
  for (const Assignment& a : p.ops) ASSERT_FALSE(a.refusal) << a.refusal->message;
  ASSERT_EQ(p.groups.size(), 1u);
  auto machine = machine::Machine::make(p.groups[0].package);
  ASSERT_TRUE(machine.ok()) << to_text(machine.error());
  exec::Options options;
  options.numerics = "edgetpu";
  auto session = exec::Session::create(std::make_shared<const Graph>(graph), options);
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  for (size_t k = 0; k < inputs.size(); ++k) {
    ASSERT_TRUE(session->set_input(k, inputs[k]).ok());
  }
  // The program takes them in the order in which its operators do.
  std::vector<ByteSpan> spans;
  for (const ValueId id : p.groups[0].segment.inputs) {
    spans.emplace_back(session->bytes(id));
  }
  ASSERT_TRUE(session->run().ok());
  const auto outputs = machine->run_dense(spans);
  ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
  const ByteSpan wanted = session->bytes(graph.outputs[0]);
  EXPECT_EQ((*outputs)[0], Bytes(wanted.begin(), wanted.end()));
}

inline std::vector<Bytes> noise_for(const Graph& graph) {
  std::vector<Bytes> all;
  XorShift32 random(11);
  for (const ValueId id : graph.inputs) {
    Bytes bytes(static_cast<size_t>(graph.value(id).shape.elements()));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random.byte());
    all.push_back(std::move(bytes));
  }
  return all;
}

inline void expect_twin_bytes(const Graph& graph) { expect_equal(graph, noise_for(graph)); }

inline std::string why_not(const Proof& proof) {
  std::string text;
  for (const GroupProof& g : proof.groups) {
    text += std::to_string(g.equal) + " of " + std::to_string(g.inputs) + " runs equal, " +
            std::to_string(g.races) + " races; " + g.differs + g.standstill + g.error + "\n";
  }
  for (const Finding& f : proof.findings) text += to_text(f);
  return text;
}

// What is on the chip passes its proof with so many inputs. `short_lines`: ProofOptions.
inline void expect_proven(const Model& source, const CompiledModel& made, int inputs = 1,
                          bool short_lines = false) {
  const auto file = tflite::write(made.model);
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  std::vector<ProvenGroup> groups;
  for (const CompiledGroup& g : made.partition.groups) groups.push_back({&g.segment, &g.package});
  ProofOptions options;
  options.inputs = inputs;
  options.short_lines = short_lines;
  const auto proof = prove(source.main(), groups, *file, options);
  ASSERT_TRUE(proof.ok()) << to_text(proof.error());
  EXPECT_TRUE(proof->holds()) << why_not(*proof);
}

// Whatever of the network is on the chip passes its proof, and a rule is broken where nothing is:
// whether an instruction has a known form depends on the network's sizes.
inline void expect_proven(const Graph& graph) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  size_t refused = 0;
  for (const Assignment& a : made->partition.ops) refused += a.refusal ? 1 : 0;
  if (!made->partition.groups.empty()) return expect_proven(model, *made);
  EXPECT_GT(refused, 0U);
}

}  // namespace edgetwin::edgetpu::compiler
