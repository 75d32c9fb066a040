// The machine beside the twin.
#pragma once

#include <gtest/gtest.h>

#include "exec/session.h"
#include "targets/edgetpu/compile/compile.h"
#include "targets/edgetpu/machine/machine.h"

namespace edgetwin::edgetpu::compiler {

// Both give the same bytes; all of the network is on the chip.
inline void expect_equal(const Graph& graph, const std::vector<Bytes>& inputs) {
  const Partition p = partition_of(graph);
  ASSERT_EQ(p.groups.size(), 1u);
  for (const Assignment& a : p.ops) ASSERT_FALSE(a.refusal) << a.refusal->message;
  auto machine = machine::Machine::make(p.groups[0].package);
  ASSERT_TRUE(machine.ok()) << to_text(machine.error());
  exec::Options options;
  options.numerics = "edgetpu";
  auto session = exec::Session::create(std::make_shared<const Graph>(graph), options);
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  std::vector<ByteSpan> spans;
  for (size_t k = 0; k < inputs.size(); ++k) {
    ASSERT_TRUE(session->set_input(k, inputs[k]).ok());
    spans.emplace_back(inputs[k]);
  }
  ASSERT_TRUE(session->run().ok());
  const auto outputs = machine->run_dense(spans);
  ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
  const ByteSpan wanted = session->bytes(graph.outputs[0]);
  EXPECT_EQ((*outputs)[0], Bytes(wanted.begin(), wanted.end()));
}

}  // namespace edgetwin::edgetpu::compiler
