#include "train/data/data.h"
#include "train/rules/rules.h"

namespace edgetwin::train {

namespace {

Result<Data> read_known(const std::filesystem::path& folder) {
  if (has_idx(folder)) return read_idx(folder);
  if (has_cifar(folder)) return read_cifar(folder);
  if (has_pictures(folder)) return read_pictures(folder);
  if (const std::filesystem::path npz = npz_in(folder); !npz.empty()) return read_npz_set(npz);
  if (has_sounds(folder)) return read_sounds(folder);
  return broken(Rule::no_data, "the folder has no data set of a known form")
      .in_file(folder.string())
      .detail("looked for: train-images-idx3-ubyte, or the same with .gz (IDX)")
      .detail("looked for: data_batch_1.bin or train.bin (CIFAR)")
      .detail("looked for: train/<class>/*.png, *.jpg, *.bmp (pictures)")
      .detail("looked for: one .npz (NumPy)")
      .detail("looked for: <word>/*.wav (sounds)");
}

}  // namespace

Result<Data> read_data(const std::filesystem::path& folder) {
  Result<Data> data = read_known(folder);
  if (!data) return data;
  for (const auto& [set, name] : {std::pair{&data->train, "training"}, {&data->test, "test"}}) {
    if (set->items() > 0 && set->item_size() > 0) continue;
    return broken(Rule::data_part, std::string("the ") + name + " part has no items")
        .in_file(folder.string());
  }
  if (data->train.item_size() != data->test.item_size() ||
      data->train.height != data->test.height) {
    return broken(Rule::data_shape, "training and test items differ in shape")
        .in_file(folder.string());
  }
  for (const int64_t label : data->test.labels) {
    if (label < static_cast<int64_t>(data->classes.size())) continue;
    return broken(Rule::label, "the test part has label " + std::to_string(label) +
                                   ", which the training part does not have")
        .in_file(folder.string());
  }
  return data;
}

}  // namespace edgetwin::train
