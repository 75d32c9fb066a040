// Items of a data set as the real numbers that a float network reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/data/data.h"
#include "train/tape/step.h"

namespace edgetwin::train {

// Bytes become (byte - mean) / deviation, by channel or all alike; integers of int8 arrays become
// n / 128; real numbers of .npz files stay as they are.
struct InputScale {
  std::vector<float> mean = {0}, deviation = {255};
};

class Items {
 public:
  size_t count() const { return set_.items(); }
  size_t size() const { return real_ ? real_size_ : set_.item_size(); }
  const DataSet& set() const { return set_; }
  void input(size_t item, Numbers& to) const;

 private:
  friend class ItemReader;
  DataSet set_;
  bool real_ = false, levels_ = false;
  size_t real_size_ = 0;
  std::shared_ptr<const std::vector<float>>
      reals_;  // of all parts; bytes of an item are its number
  InputScale scale_;
};

struct ItemSets {
  Items train, test;
  std::vector<uint32_t> training,
      validation;  // items of `train`; none validates: the test items do
  std::vector<std::string> classes, remarks;
  std::string format;
  std::vector<int64_t> item_shape;  // channels, rows, columns
};

// `share` of the training items validates, drawn by the seed, where the data have no such part.
// Errors: those of read_data; train_setting for means that are not one or one per channel.
Result<ItemSets> read_items(const std::filesystem::path& data, const DataOptions& options,
                            const InputScale& scale, double share, uint64_t seed);

}  // namespace edgetwin::train
