// The twin as an engine: the uncompiled model, computed as the chip or as TensorFlow Lite does.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "graph/graph.h"
#include "robotics/engine/engine.h"

namespace edgetwin::robotics {

struct TwinOptions {
  std::string numerics = "edgetpu";  // a row of numerics/numerics.def
  int threads = 1;
  bool exchangeable = true;  // false: as a model that was compiled without cached parameters
};

class TwinEngine final : public Engine {
 public:
  // The model has one input and outputs of uint8 or int8. Errors: module_model, those of Session.
  static Result<std::unique_ptr<TwinEngine>> create(const Model& model,
                                                    const TwinOptions& options = {});
  // Of a .tflite file; beside a compiled one (NAME_edgetpu.tflite) the uncompiled NAME.tflite is
  // taken. Errors: module_model, those of read_file and of the reader.
  static Result<std::unique_ptr<TwinEngine>> load(const std::filesystem::path& file,
                                                  const TwinOptions& options = {});
  ~TwinEngine() override;

  Status open() override;
  void close() override;
  bool is_open() const override;
  const Port& input() const override;
  const std::vector<Port>& outputs() const override;
  Result<std::vector<Bytes>> run(ByteSpan input) override;
  bool exchangeable() const override;
  size_t weight_count() const override;
  Status set_weights(std::span<const int8_t> weights) override;
  Status reset_weights() override;

  const Graph& graph() const;

 private:
  struct Impl;
  explicit TwinEngine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace edgetwin::robotics
