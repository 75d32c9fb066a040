#include "base/file.h"
#include "train/data/data.h"
#include "train/rules/rules.h"

namespace edgetwin::train {

namespace {

namespace fs = std::filesystem;

Error no_data(const fs::path& folder) {
  return broken(Rule::no_data, "the folder has no data set of a known form")
      .in_file(folder.string())
      .detail("looked for: train-images-idx3-ubyte, or the same with .gz (IDX)")
      .detail("looked for: data_batch_1.bin or train.bin, data_batch_1 or train with meta (CIFAR)")
      .detail("looked for: images/*.png with masks/*.png (masks)")
      .detail("looked for: images/*.png with boxes.csv (boxes)")
      .detail("looked for: train/<class>/*.png or <class>/*.png, *.jpg, *.bmp (pictures)")
      .detail("looked for: one .npz, or x.npy or x_train.npy (NumPy)")
      .detail("looked for: train.csv or one .csv (tables)")
      .detail("looked for: <word>/*.wav (sounds)");
}

Result<Data> read_archive(const fs::path& path, const DataOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(path));
  return parse_npz_set(bytes, path.string(), options);
}

Result<Data> read_known(const fs::path& folder, const DataOptions& options) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    const Result<Bytes> missing = read_file(folder);  // says so, in the words of all files
    if (!missing.ok()) return missing.error();
  }
  const auto is = [&](const char* format) {
    return options.format.empty() || options.format == format;
  };
  if (is("idx") && has_idx(folder)) return read_idx(folder, options);
  if (is("cifar") && has_cifar(folder)) return read_cifar(folder);
  if (is("boxes") && has_boxes(folder)) return read_boxes(folder, options);
  if (is("masks") && has_masks(folder)) return read_masks(folder, options);
  if (is("npz")) {
    if (const fs::path npz = npz_in(folder); !npz.empty()) return read_archive(npz, options);
    if (has_arrays(folder)) return read_arrays(folder, options);
  }
  if (is("csv") && !table_in(folder).empty()) return read_table(folder, options);
  if (is("sounds") && has_sounds(folder)) return read_sounds(folder, options);
  if (is("pictures") && has_pictures(folder)) return read_pictures(folder, options);
  return no_data(folder);
}

// What an option needs of the data to change something.
Status check_options(const DataOptions& options, const Data& data) {
  const auto nothing = [&](const char* key) {
    return broken(Rule::conflict, std::string("`data: {") + key +
                                      "}` changes nothing for data of the form " + data.format);
  };
  const bool pictures =
      data.format == "pictures" || data.format == "masks" || data.format == "boxes";
  const bool table = data.format == "csv";
  if (options.height > 0 && !pictures && !table) return nothing("resize");
  if ((options.window > 0 || options.hop > 0) && !table) return nothing("window");
  if (options.split != kUsualShares && !data.divided) return nothing("split");
  if (options.normalisation == Normalisation::vendor && (!has_bytes(data) || data.levels))
    return nothing("normalise");
  return Ok{};
}

Status check_parts(const fs::path& folder, const Data& data) {
  for (const auto& [set, name] : {std::pair{&data.train, "training"}, {&data.test, "test"}}) {
    if (set->items() > 0 && set->item_size() > 0) continue;
    return broken(Rule::data_part, std::string("the ") + name + " part has no items")
        .in_file(folder.string());
  }
  if (data.train.item_size() != data.test.item_size() || data.train.height != data.test.height ||
      data.train.kind != data.test.kind || data.train.value_count != data.test.value_count) {
    return broken(Rule::data_shape, "training and test items differ in shape")
        .in_file(folder.string());
  }
  // Classes of boxes have been checked with their lines.
  for (const int64_t label : data.test.labels) {
    if (label < static_cast<int64_t>(data.classes.size())) continue;
    return broken(Rule::label, "the test part has label " + std::to_string(label) +
                                   ", which the training part does not have")
        .in_file(folder.string());
  }
  return Ok{};
}

}  // namespace

bool has_bytes(const Data& data) { return data.format != "csv" && data.format != "sounds"; }

Result<Data> read_data(const fs::path& folder, const DataOptions& options) {
  Result<Data> data = read_known(folder, options);
  if (!data) return data;
  EDGETWIN_TRY(check_options(options, *data));
  EDGETWIN_TRY(check_parts(folder, *data));
  if (data->train.height < options.fold || data->train.width < options.fold) {
    return broken(Rule::data_shape, "`fold` is larger than the items").in_file(folder.string());
  }
  for (DataSet* set : {&data->train, &data->test}) {
    set->normalisation = options.normalisation;
    set->fold = options.fold;
  }
  return data;
}

}  // namespace edgetwin::train
