// What computes behind a table of tensors: a graph on the twin, which can be planned for other
// sizes, or any runner.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "edgetwin/tensors.h"
#include "graph/graph.h"
#include "twin/load.h"
#include "twin/tensors/buffers.h"

namespace edgetwin::twin {

// The table, with its memory by row.
struct TensorTable {
  std::vector<TensorRow> rows;
  std::vector<Buffer> buffers;
  std::vector<int32_t> inputs, outputs;

  TensorRow& at(int32_t i) { return rows[static_cast<size_t>(i)]; }
  Buffer& buffer(int32_t i) { return buffers[static_cast<size_t>(i)]; }
  int32_t add(TensorRow row);
  // Copies a result into its row, unpacked.
  void store(int32_t i, ByteSpan data);
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual Status allocate(TensorTable& table) = 0;
  virtual Status run(TensorTable& table, const std::atomic<bool>& stop, Run& run) = 0;
  virtual Status reset_variables() = 0;
  // Inputs can have other shapes.
  virtual bool resizable() const = 0;
  virtual std::string description() const = 0;
  virtual std::vector<Finding> findings() const = 0;
};

// The rows of a graph's values.
TensorTable table_of(const Graph& graph);
// "Encountered unresolved custom op: NAME." where an operator has no meaning here.
Status check_custom_ops(const Graph& graph, bool compiled_allowed);

// `loaded` has the wanted graph as its first.
std::unique_ptr<Engine> graph_engine(LoadedModel loaded, const OpenOptions& open,
                                     const RunnerOptions& run);
// `graph` (may be null) gives the rows that the runner's ports are; without it ports become rows.
std::unique_ptr<Engine> runner_engine(std::shared_ptr<Runner> runner, const Graph* graph,
                                      TensorTable& table);

std::string structure_json(const Model* model, size_t graph, const TensorTable& table);

}  // namespace edgetwin::twin
