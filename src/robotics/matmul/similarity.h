// Which of many stored vectors are most like one: cosines by one matrix product.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "robotics/matmul/matmul_engine.h"

namespace edgetwin::robotics {

struct Match {
  std::string label;
  double score = 0.0;
};

class EmbeddingSimilarity {
 public:
  // Error: module_model where the engine does not know its range of weights.
  static Result<EmbeddingSimilarity> create(MatMulEngine engine);
  static Result<EmbeddingSimilarity> from_template(int dim, const TwinOptions& options = {});

  Status open();  // uploads the database unless it is empty
  void close();
  bool is_open() const { return engine_.is_open(); }

  size_t embedding_dim() const { return engine_.matrix_size(); }
  size_t capacity() const { return engine_.matrix_size(); }
  size_t size() const { return labels_.size(); }
  double scale_factor() const { return scale_factor_; }
  const std::vector<std::string>& labels() const { return labels_; }
  MatMulEngine& engine() { return engine_; }

  // Errors of all four: module_database for a label that is there already (or not, of remove), a
  // full database, another dimension, a vector of zeros or of no numbers. Nothing changes then.
  Status add(const std::string& label, std::span<const float> embedding);
  Status add_batch(const std::vector<std::string>& labels,
                   const std::vector<std::vector<float>>& embeddings);
  Status remove(const std::string& label);
  Status set_database(const std::vector<std::string>& labels,
                      const std::vector<std::vector<float>>& embeddings);
  void clear();

  // The best first. Errors: module_database while empty or for another dimension, module_closed.
  Result<std::vector<Match>> query(std::span<const float> embedding, size_t top_k = 1);
  Result<std::vector<std::vector<Match>>> query_batch(
      const std::vector<std::vector<float>>& embeddings, size_t top_k = 1);

  // A .npz archive: `normalized` float32 [n][dim], `labels` uint8, NUL terminated one after the
  // other. Errors: module_database for another dimension, those of the reader.
  Result<Bytes> save() const;
  Status load(ByteSpan data, const std::string& file);

 private:
  EmbeddingSimilarity(MatMulEngine engine, double scale_factor)
      : engine_(std::move(engine)), scale_factor_(scale_factor) {}
  Result<std::vector<float>> normalized(const std::string& label,
                                        std::span<const float> embedding) const;
  Status upload();

  MatMulEngine engine_;
  double scale_factor_;
  std::vector<std::string> labels_;
  std::vector<std::vector<float>> rows_;  // of length 1
  bool uploaded_ = false;
};

}  // namespace edgetwin::robotics
