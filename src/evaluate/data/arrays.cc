// NumPy arrays: samples along the first axis, with their labels.
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/file.h"
#include "base/sha256.h"
#include "evaluate/data/readers.h"
#include "evaluate/rules/rules.h"
#include "tensor/npy.h"

namespace edgetwin::evaluation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kData[] = {"x", "x_test", "images", "data", "inputs"};
constexpr std::string_view kLabels[] = {"y", "y_test", "labels", "targets"};

const Tensor* named(const std::vector<Tensor>& arrays, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    for (const Tensor& t : arrays) {
      if (t.name == name) return &t;
    }
  }
  return nullptr;
}

struct Pair {
  Tensor data, labels;
};

Result<Pair> of_npz(ByteSpan bytes, const fs::path& file) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> arrays, read_npz(bytes, file.string()));
  const Tensor* data = named(arrays, kData);
  const Tensor* labels = named(arrays, kLabels);
  if (data != nullptr && labels != nullptr) return Pair{*data, *labels};
  std::string has;
  for (const Tensor& t : arrays) has += (has.empty() ? "" : ", ") + t.name;
  return broken(Rule::set_truth, "the archive has no array for " +
                                     std::string(data == nullptr ? "samples" : "labels"))
      .in_file(file.string())
      .detail("it has: " + has)
      .with_hint(
          "Call the samples x, x_test, images, data or inputs, and the labels y, y_test, "
          "labels or targets.");
}

Result<Pair> of_npy(ByteSpan bytes, const fs::path& file, const std::string& targets) {
  if (targets.empty()) {
    return broken(Rule::set_truth, "an .npy has no labels")
        .in_file(file.string())
        .with_hint("Give them with --targets LABELS.npy.");
  }
  Pair pair;
  EDGETWIN_TRY_ASSIGN(pair.data, read_npy(bytes, file.string()));
  EDGETWIN_TRY_ASSIGN(const Bytes other, read_file(targets));
  EDGETWIN_TRY_ASSIGN(pair.labels, read_npy(other, targets));
  return pair;
}

// The numbers that belong to sample `i`, as labels.
Status truth_of(const Tensor& labels, int64_t i, Task task, const std::string& file, Truth& truth) {
  const int64_t each = labels.shape.elements() / labels.shape[0];
  for (int64_t k = 0; k < each; ++k) {
    const double v = element_as_double(labels.dtype, labels.data, i * each + k);
    if (!std::isfinite(v)) return damaged(file, 0, "a label is not finite");
    truth.numbers.push_back(v);
  }
  if (task == Task::regress) return Ok{};
  if (each != 1 || truth.numbers[0] != std::floor(truth.numbers[0])) {
    return damaged(file, 0, "label " + std::to_string(i) + " is not one whole number");
  }
  truth.word = std::to_string(static_cast<int64_t>(truth.numbers[0]));
  truth.numbers.clear();
  return Ok{};
}

Result<Loaded> slice(const Tensor& all, size_t index) {
  Loaded loaded;
  Shape shape;
  for (int d = 1; d < all.shape.rank(); ++d) shape.push_back(all.shape[d]);
  if (shape.rank() == 0) shape.push_back(1);
  const bool grey = all.dtype == DType::uint8 && shape.rank() == 2;
  loaded.picture =
      grey || (all.dtype == DType::uint8 && shape.rank() == 3 && (shape[2] == 1 || shape[2] == 3));
  if (grey) shape.push_back(1);
  EDGETWIN_TRY_ASSIGN(loaded.tensor, Tensor::zeros(all.dtype, shape));
  const size_t size = loaded.tensor.data.size();
  std::copy_n(all.data.begin() + static_cast<int64_t>(index * size), size,
              loaded.tensor.data.begin());
  return loaded;
}

}  // namespace

Result<SampleSet> read_arrays(ByteSpan bytes, const fs::path& file, const std::string& targets,
                              Task task) {
  if (task != Task::classify && task != Task::regress && task != Task::anomaly) {
    return broken(Rule::set_truth, "arrays say nothing about " + std::string(name(task)))
        .in_file(file.string());
  }
  const bool archive = looks_like_zip(bytes);
  EDGETWIN_TRY_ASSIGN(Pair pair, archive ? of_npz(bytes, file) : of_npy(bytes, file, targets));
  const auto count = [](const Tensor& t) { return t.shape.rank() == 0 ? 0 : t.shape[0]; };
  const std::string label_file = archive ? file.string() : targets;
  if (count(pair.data) != count(pair.labels)) {
    return damaged(label_file, 0,
                   std::to_string(count(pair.labels)) + " labels for " +
                       std::to_string(count(pair.data)) + " samples");
  }
  if (bits(pair.data.dtype) % 8 != 0) return damaged(file.string(), 0, "elements are not bytes");
  SampleSet set;
  set.kind = archive ? "npz" : "npy";
  set.pictures = pair.data.dtype == DType::uint8;
  for (int64_t i = 0; i < count(pair.data); ++i) {
    Sample s;
    s.name = file.filename().string() + "[" + std::to_string(i) + "]";
    s.place = static_cast<size_t>(i);
    s.set_file = label_file;
    EDGETWIN_TRY(truth_of(pair.labels, i, task, label_file, s.truth));
    set.samples.push_back(std::move(s));
  }
  seal(set, sha256_hex(bytes));
  const auto all = std::make_shared<const Tensor>(std::move(pair.data));
  set.load = [all](const Sample& s) { return slice(*all, s.place); };
  const size_t each = all->data.size() / std::max<size_t>(1, set.samples.size());
  set.bytes = [all, each](const Sample& s) {
    return ByteSpan(all->data).subspan(s.place * each, each);
  };
  return set;
}

}  // namespace edgetwin::evaluation
