// Data sets as bytes in memory. Specification: training, 10.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "tensor/tensor.h"
#include "train/data/augment.h"
#include "train/engine/maps.h"

namespace edgetwin::train {

// What is true of each item.
enum class TargetKind : uint8_t {
  classes,  // one class
  masks,    // a class for each place
  values,   // real numbers
  boxes,    // objects with their boxes
};

// How a byte becomes a level of the input, -128 .. 127.
enum class Normalisation : uint8_t {
  centered,  // byte - 128
  vendor,    // as the vendor's training program; level 0 never occurs
};
std::string_view normalisation_name(Normalisation normalisation);  // as settings have it
int8_t level_of(uint8_t byte, Normalisation normalisation);

// Objects of one picture.
struct ItemBoxes {
  std::vector<std::array<float, 4>> corners;  // left, top, right, bottom, in parts of the picture
  std::vector<int64_t> labels;
};

// Items of one shape with what is true of each. Bytes lie item by item in the order (channels,
// rows, columns).
struct DataSet {
  int channels = 0, height = 0, width = 0;
  std::vector<uint8_t> bytes;
  std::vector<int64_t> labels;  // of masks: of each place, item by item
  std::vector<float> values;    // of TargetKind::values: `value_count` of each item
  int value_count = 0;
  std::vector<ItemBoxes> boxes;    // of TargetKind::boxes
  std::vector<std::string> names;  // files of the items; empty: they have none
  TargetKind kind = TargetKind::classes;
  Normalisation normalisation = Normalisation::centered;
  int fold = 1;  // rows and columns that become channels: by row phase, column phase, channel
  // Rows and columns that the network reads of each item, before folding: the middle, or of items
  // that are augmented what a step draws. 0: all of it.
  int crop_height = 0, crop_width = 0;
  bool crop_resized = false;  // the middle is as large as it can be, and brought to this size

  size_t labels_per_item() const {
    return kind == TargetKind::masks ? static_cast<size_t>(height) * static_cast<size_t>(width) : 1;
  }
  size_t items() const {
    if (kind == TargetKind::values) {
      return value_count == 0 ? 0 : values.size() / static_cast<size_t>(value_count);
    }
    if (kind == TargetKind::boxes) return boxes.size();
    return labels_per_item() == 0 ? 0 : labels.size() / labels_per_item();
  }
  size_t item_size() const {
    return static_cast<size_t>(channels) * static_cast<size_t>(height) * static_cast<size_t>(width);
  }
  // What the network reads: after folding.
  PictureSize input() const {
    const PictureSize cut = cropped();
    return {channels * fold * fold, cut.height / fold, cut.width / fold};
  }
  // The same before folding.
  PictureSize cropped() const {
    return {channels, crop_height > 0 ? crop_height : height, crop_width > 0 ? crop_width : width};
  }
  // The bytes of an item that the network reads where nothing is augmented.
  std::vector<uint8_t> plain(size_t item) const;
  // The levels of one item, in the order (channels, rows, columns) of input().
  std::vector<int8_t> levels(size_t item) const;
  // Levels over 128 of the items with these indices, on all threads of the pool.
  Maps batch(std::span<const uint32_t> indices, ThreadPool* pool = nullptr) const;
  // The same of changed copies.
  Maps augmented(std::span<const uint32_t> indices, std::span<const Augmentation> steps,
                 uint64_t seed, int epoch, ThreadPool* pool = nullptr) const;
  std::vector<int64_t> batch_labels(std::span<const uint32_t> indices) const;
  // Of masks that are changed with their pictures.
  std::vector<int64_t> augmented_labels(std::span<const uint32_t> indices,
                                        std::span<const Augmentation> steps, uint64_t seed,
                                        int epoch) const;
  std::vector<float> batch_values(std::span<const uint32_t> indices) const;
  // Of boxes, turned with their pictures; without steps as they are.
  std::vector<ItemBoxes> batch_boxes(std::span<const uint32_t> indices,
                                     std::span<const Augmentation> steps = {}, uint64_t seed = 0,
                                     int epoch = 0) const;
  // An item of another set of the same shape.
  void append(const DataSet& from, size_t item);

 private:
  void put_augmented(size_t item, std::span<const Augmentation> steps, uint64_t seed, int epoch,
                     float* out) const;
};

struct Data {
  DataSet train, test;
  std::vector<std::string> classes;  // names, in the order of the labels
  bool divided = false;              // the parts are those of `split`
  std::string format;                // "idx", "pictures", "cifar", "npz", "sounds", "csv", "masks",
                                     // "boxes"
  // Indices into train of the items that validate; empty: a random part does.
  std::vector<uint32_t> validation;
  std::vector<std::string> remarks;  // what a reader decided, for the log
  bool levels = false;  // the bytes are the chip's integers plus 128: nothing to normalise
};

// The forms that read_data knows.
inline const std::vector<std::string> kDataFormats = {"idx",   "cifar", "pictures", "masks",
                                                      "boxes", "npz",   "csv",      "sounds"};

// Percent of the items that train, validate and test, where the files have no parts.
using Shares = std::array<int, 3>;
inline constexpr Shares kUsualShares = {80, 10, 10};
std::string shares_text(const Shares& shares);  // "80/10/10"

// What the files do not tell.
struct DataOptions {
  Shares split = kUsualShares;
  std::string format;                // empty: by content
  std::vector<std::string> classes;  // their order; of words: all others are the class "unknown"
  bool values = false;               // numbers instead of classes, where the data could be both
  int height = 0, width = 0;         // that pictures are brought to; 0: their own size
  int window = 0, hop = 0;           // of tables: rows of an item; 0: one row, or `window`
  Normalisation normalisation = Normalisation::centered;
  int fold = 1;
};

// Of a form whose items are bytes, as pictures are.
bool has_bytes(const Data& data);

// Reads the folder by its content: IDX files, CIFAR's binary files, an .npz, tables, pictures in
// <class>, pictures with masks, or <word>/*.wav. A file of arrays or a table may also be given
// itself. Errors: train_no_data with what was looked for, train_data_file, train_data_part,
// train_data_shape, train_setting, those of reading files.
Result<Data> read_data(const std::filesystem::path& folder, const DataOptions& options = {});

// One part of a data set by the lists of a folder, or by a hash of the item's name.
enum class Part : uint8_t { training, validation, test };
Part part_by_name(const std::string& name, const Shares& shares);
// Puts the items of `all` where `part_of` says.
Status divide(const DataSet& all, const std::function<Result<Part>(size_t)>& part_of, Data& data);

// idx.cc
bool has_idx(const std::filesystem::path& folder);
Result<Data> read_idx(const std::filesystem::path& folder, const DataOptions& options);
// One file of a data set: magic number, dimensions, values as bytes (the chip's integer plus 128).
// `dimensions`: 3 of pictures (or 2, of rows of features), 1 of labels.
struct IdxArray {
  std::vector<uint32_t> sizes;
  std::vector<uint8_t> values;
  bool levels = false;  // as Data has it
};
Result<IdxArray> parse_idx(ByteSpan data, int dimensions, const std::string& file);
// numpy.cc: the one .npz of a folder, or the file itself; or the arrays of a folder of .npy
bool has_arrays(const std::filesystem::path& folder);
Result<std::vector<Tensor>> arrays_in(const std::filesystem::path& folder);
Result<Data> read_arrays(const std::filesystem::path& folder, const DataOptions& options);
std::filesystem::path npz_in(const std::filesystem::path& folder);
Result<Data> parse_npz_set(ByteSpan data, const std::string& file, const DataOptions& options);
// table.cc: the one .csv of a folder, train.csv with test.csv, or the file itself
std::filesystem::path table_in(const std::filesystem::path& folder);
Result<Data> read_table(const std::filesystem::path& folder, const DataOptions& options);
// The columns of a table of numbers. `folder`: of the pictures that a column `file` names.
Result<Data> parse_table(std::string_view text, const std::string& file,
                         const DataOptions& options);
// sounds.cc
bool has_sounds(const std::filesystem::path& folder);
Result<Data> read_sounds(const std::filesystem::path& folder, const DataOptions& options);
// 16,384 bytes of one sound: 128 channels of 128 samples.
Result<std::vector<uint8_t>> parse_sound(ByteSpan data, const std::string& file);
// All recordings of a folder, of 16000 samples/s: noise to add to sounds.
Result<Recordings> read_recordings(const std::filesystem::path& folder);
// cifar.cc
bool has_cifar(const std::filesystem::path& folder);
Result<Data> read_cifar(const std::filesystem::path& folder);
// Appends the records of a file; `labels` bytes come before each picture, the last of them is the
// class.
Status parse_cifar(ByteSpan data, size_t labels, const std::string& file, DataSet& set);
// The same of a file for Python: a dictionary with `data` and `labels` (or `fine_labels`).
Status parse_cifar_pickle(ByteSpan data, const std::string& file, DataSet& set);
// pictures.cc
bool has_pictures(const std::filesystem::path& folder);
Result<Data> read_pictures(const std::filesystem::path& folder, const DataOptions& options);
// Sorted by the bytes of the names: folders, or files with these endings.
std::vector<std::string> folders_in(const std::filesystem::path& folder);
std::vector<std::string> pictures_in(const std::filesystem::path& folder);
// Appends the bytes of a picture, whose size must be that of the first one, and its name.
// `before`, if given, gets its size in the file.
Status append_picture(const std::filesystem::path& file, const DataOptions& options, DataSet& set,
                      PictureSize* before = nullptr);
// masks.cc: images/ and masks/ with the same names
bool has_masks(const std::filesystem::path& folder);
Result<Data> read_masks(const std::filesystem::path& folder, const DataOptions& options);

// boxes.cc: images/ and boxes.csv
bool has_boxes(const std::filesystem::path& folder);
Result<Data> read_boxes(const std::filesystem::path& folder, const DataOptions& options);
// A table of objects by the name of their picture: columns file, label, left, top, right, bottom in
// pixels, in any order. `classes` get the labels that they do not have.
struct TableObject {
  int64_t label = 0;
  std::array<double, 4> corners{};
  int line = 0;
};
Result<std::map<std::string, std::vector<TableObject>>> parse_boxes(
    std::string_view text, const std::string& file, std::vector<std::string>& classes,
    bool classes_are_known);

// Real numbers as bytes: from 0 to 1, or where one of them is below 0 from -1 to 1. `what` names
// them in errors.
class RealRange {
 public:
  void see(double value);
  // Says which range it is; error where neither.
  Result<std::string> decide(const std::string& file, const std::string& what) const;
  uint8_t byte(double value) const;

 private:
  double least_ = 0, most_ = 0;
};

}  // namespace edgetwin::train
