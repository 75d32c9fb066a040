#include "robotics/matmul/similarity.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "tensor/npy.h"

namespace edgetwin::robotics {
namespace {

Error refused(std::string message) { return Error(ErrorCode::module_database, std::move(message)); }

Tensor label_bytes(const std::vector<std::string>& labels) {
  Tensor t;
  t.name = "labels";
  t.dtype = DType::uint8;
  for (const std::string& label : labels) {
    const auto bytes = as_byte_span(label);
    t.data.insert(t.data.end(), bytes.begin(), bytes.end());
    t.data.push_back(std::byte{0});
  }
  t.shape = {static_cast<int64_t>(t.data.size())};
  return t;
}

std::vector<std::string> labels_from(const Tensor& t) {
  std::vector<std::string> labels;
  std::string label;
  for (const std::byte b : t.data) {
    if (b != std::byte{0}) {
      label.push_back(static_cast<char>(b));
      continue;
    }
    labels.push_back(std::move(label));
    label.clear();
  }
  return labels;
}

}  // namespace

Result<EmbeddingSimilarity> EmbeddingSimilarity::create(MatMulEngine engine) {
  if (!engine.is_square()) {
    return Error(ErrorCode::module_model, "a square matrix is needed, the engine's is " +
                                              std::to_string(engine.rows()) + " x " +
                                              std::to_string(engine.columns()));
  }
  const auto range = engine.weight_range();
  if (!range) {
    return Error(ErrorCode::module_model,
                 "the engine does not know its range of weights; weight_scale is missing in the "
                 "side-car file");
  }
  const double factor = std::min(std::fabs(range->first), std::fabs(range->second));
  return EmbeddingSimilarity(std::move(engine), factor);
}

Result<EmbeddingSimilarity> EmbeddingSimilarity::from_template(int dim,
                                                               const TwinOptions& options) {
  EDGETWIN_TRY_ASSIGN(MatMulEngine engine, MatMulEngine::from_template(dim, options));
  return create(std::move(engine));
}

Status EmbeddingSimilarity::open() {
  EDGETWIN_TRY(engine_.open());
  uploaded_ = false;
  return labels_.empty() ? Status(Ok{}) : upload();
}

void EmbeddingSimilarity::close() {
  uploaded_ = false;
  engine_.close();
}

void EmbeddingSimilarity::clear() {
  labels_.clear();
  rows_.clear();
  uploaded_ = false;
}

Result<std::vector<float>> EmbeddingSimilarity::normalized(const std::string& label,
                                                           std::span<const float> v) const {
  const std::string of = label.empty() ? "" : " of '" + label + "'";
  if (v.size() != embedding_dim()) {
    return refused("the vector" + of + " has " + std::to_string(v.size()) +
                   " values, the database " + std::to_string(embedding_dim()));
  }
  double square = 0.0;
  for (const float e : v) square += static_cast<double>(e) * e;
  if (!std::isfinite(square)) return refused("the vector" + of + " has a value that is no number");
  if (square == 0.0) return refused("the vector" + of + " is zero and has no direction");
  const double length = std::sqrt(square);
  std::vector<float> row(v.size());
  std::transform(v.begin(), v.end(), row.begin(),
                 [length](float e) { return static_cast<float>(e / length); });
  return row;
}

Status EmbeddingSimilarity::add(const std::string& label, std::span<const float> embedding) {
  if (std::find(labels_.begin(), labels_.end(), label) != labels_.end()) {
    return refused("the label '" + label + "' is in the database already");
  }
  if (label.empty() || label.find('\0') != std::string::npos) {
    return refused("a label must have characters, and no NUL");
  }
  if (size() >= capacity()) {
    return refused("the database is full: " + std::to_string(capacity()) + " entries");
  }
  EDGETWIN_TRY_ASSIGN(std::vector<float> row, normalized(label, embedding));
  labels_.push_back(label);
  rows_.push_back(std::move(row));
  uploaded_ = false;
  return Ok{};
}

Status EmbeddingSimilarity::add_batch(const std::vector<std::string>& labels,
                                      const std::vector<std::vector<float>>& embeddings) {
  if (labels.size() != embeddings.size()) {
    return refused(std::to_string(labels.size()) + " labels and " +
                   std::to_string(embeddings.size()) + " vectors");
  }
  const auto old_labels = labels_;
  const auto old_rows = rows_;
  const bool old_uploaded = uploaded_;
  for (size_t i = 0; i < labels.size(); ++i) {
    Status added = add(labels[i], embeddings[i]);
    if (added.ok()) continue;
    labels_ = old_labels;
    rows_ = old_rows;
    uploaded_ = old_uploaded;
    return added;
  }
  return Ok{};
}

Status EmbeddingSimilarity::remove(const std::string& label) {
  const auto found = std::find(labels_.begin(), labels_.end(), label);
  if (found == labels_.end()) return refused("the label '" + label + "' is not in the database");
  rows_.erase(rows_.begin() + (found - labels_.begin()));
  labels_.erase(found);
  uploaded_ = false;
  return Ok{};
}

Status EmbeddingSimilarity::set_database(const std::vector<std::string>& labels,
                                         const std::vector<std::vector<float>>& embeddings) {
  const auto old_labels = labels_;
  const auto old_rows = rows_;
  const bool old_uploaded = uploaded_;
  clear();
  Status added = add_batch(labels, embeddings);
  if (added.ok()) return added;
  labels_ = old_labels;
  rows_ = old_rows;
  uploaded_ = old_uploaded;
  return added;
}

Status EmbeddingSimilarity::upload() {
  const size_t n = embedding_dim();
  Matrix w{n, n, std::vector<float>(n * n, 0.0F)};
  for (size_t r = 0; r < rows_.size(); ++r) {
    for (size_t c = 0; c < n; ++c) w.at(r, c) = static_cast<float>(rows_[r][c] * scale_factor_);
  }
  EDGETWIN_TRY(engine_.set_weights(w));
  uploaded_ = true;
  return Ok{};
}

Result<std::vector<Match>> EmbeddingSimilarity::query(std::span<const float> embedding,
                                                      size_t top_k) {
  if (labels_.empty()) return refused("the database is empty");
  EDGETWIN_TRY_ASSIGN(const std::vector<float> v, normalized("", embedding));
  if (!uploaded_) EDGETWIN_TRY(upload());
  EDGETWIN_TRY_ASSIGN(const std::vector<float> products, engine_.matmul(v));
  std::vector<size_t> order(labels_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return products[a] > products[b]; });
  std::vector<Match> best;
  for (size_t i = 0; i < std::min(top_k, order.size()); ++i) {
    best.push_back({labels_[order[i]], products[order[i]] / scale_factor_});
  }
  return best;
}

Result<std::vector<std::vector<Match>>> EmbeddingSimilarity::query_batch(
    const std::vector<std::vector<float>>& embeddings, size_t top_k) {
  std::vector<std::vector<Match>> all;
  for (const auto& v : embeddings) {
    EDGETWIN_TRY_ASSIGN(std::vector<Match> one, query(v, top_k));
    all.push_back(std::move(one));
  }
  return all;
}

Result<Bytes> EmbeddingSimilarity::save() const {
  EDGETWIN_TRY_ASSIGN(Tensor rows,
                      Tensor::zeros(DType::float32, {static_cast<int64_t>(rows_.size()),
                                                     static_cast<int64_t>(embedding_dim())}));
  rows.name = "normalized";
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::copy(rows_[r].begin(), rows_[r].end(),
              rows.as<float>().subspan(r * embedding_dim()).begin());
  }
  return write_npz({rows, label_bytes(labels_)});
}

Status EmbeddingSimilarity::load(ByteSpan data, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> arrays, read_npz(data, file));
  const Tensor* rows = nullptr;
  const Tensor* words = nullptr;
  for (const Tensor& t : arrays) {
    if (t.name == "normalized" && t.dtype == DType::float32 && t.shape.rank() == 2) rows = &t;
    if (t.name == "labels" && t.dtype == DType::uint8) words = &t;
  }
  const auto bad = [&](std::string message) { return refused(std::move(message)).in_file(file); };
  if (rows == nullptr || words == nullptr) {
    return bad("the archive needs `normalized`, float32 of rank 2, and `labels`, uint8");
  }
  if (rows->shape[1] != static_cast<int64_t>(embedding_dim())) {
    return bad("the file's vectors have " + std::to_string(rows->shape[1]) +
               " values, the engine " + std::to_string(embedding_dim()));
  }
  const std::vector<std::string> labels = labels_from(*words);
  std::vector<std::vector<float>> vectors;
  for (int64_t r = 0; r < rows->shape[0]; ++r) {
    const auto row =
        rows->as<float>().subspan(static_cast<size_t>(r) * embedding_dim(), embedding_dim());
    vectors.emplace_back(row.begin(), row.end());
  }
  const Status set = set_database(labels, vectors);
  return set.ok() ? set : Status(Error(set.error()).in_file(file));
}

}  // namespace edgetwin::robotics
