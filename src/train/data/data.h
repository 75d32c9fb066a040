// Data sets as bytes in memory. Specification: training, 10.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/data/augment.h"
#include "train/engine/maps.h"

namespace edgetwin::train {

// Items of one shape with a class each. Bytes lie item by item in the order (channels, rows,
// columns).
struct DataSet {
  int channels = 0, height = 0, width = 0;
  std::vector<uint8_t> bytes;
  std::vector<int64_t> labels;

  size_t items() const { return labels.size(); }
  size_t item_size() const {
    return static_cast<size_t>(channels) * static_cast<size_t>(height) * static_cast<size_t>(width);
  }
  // Values -1 .. 127/128 of the items with these indices: (byte - 128) / 128.
  Maps batch(std::span<const uint32_t> indices) const;
  // The same of changed copies.
  Maps augmented(std::span<const uint32_t> indices, std::span<const Augmentation> steps,
                 uint64_t seed, int epoch) const;
  std::vector<int64_t> batch_labels(std::span<const uint32_t> indices) const;
};

struct Data {
  DataSet train, test;
  std::vector<std::string> classes;  // names, in the order of the labels
  std::string format;                // "idx", "pictures", "cifar", "npz", "sounds"
  // Indices into train of the items that validate; empty: a random part does.
  std::vector<uint32_t> validation;
};

// Reads the folder by its content: IDX files, CIFAR's binary files, an
// .npz, or pictures in train/<class> and test/<class>. An .npz may also be given itself. Sounds lie
// in <word>/*.wav. Errors: train_no_data with what was looked for, train_data_file,
// train_data_part, train_data_shape, those of reading files.
Result<Data> read_data(const std::filesystem::path& folder);

// idx.cc
bool has_idx(const std::filesystem::path& folder);
Result<Data> read_idx(const std::filesystem::path& folder);
// One file of a data set: magic number, dimensions, bytes. `dimensions`: 3 of pictures, 1 of
// labels.
struct IdxArray {
  std::vector<uint32_t> sizes;
  ByteSpan values;
};
Result<IdxArray> parse_idx(ByteSpan data, int dimensions, const std::string& file);
// numpy.cc: the one .npz of a folder, or the file itself
std::filesystem::path npz_in(const std::filesystem::path& folder);
Result<Data> read_npz_set(const std::filesystem::path& file);
// sounds.cc
bool has_sounds(const std::filesystem::path& folder);
Result<Data> read_sounds(const std::filesystem::path& folder);
// cifar.cc
bool has_cifar(const std::filesystem::path& folder);
Result<Data> read_cifar(const std::filesystem::path& folder);
// pictures.cc
bool has_pictures(const std::filesystem::path& folder);
Result<Data> read_pictures(const std::filesystem::path& folder);

}  // namespace edgetwin::train
