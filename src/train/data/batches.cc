#include <cmath>

#include "train/data/data.h"
#include "train/rules/rules.h"

namespace edgetwin::train {

namespace {

// Calls put(channel, row, column, level) for each place of a folded item.
template <class Put>
void for_each_level(const DataSet& set, const uint8_t* in, const Put& put) {
  const int f = set.fold;
  const PictureSize size = set.cropped();
  for (int c = 0; c < size.channels; ++c) {
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const int8_t level = level_of(*in++, set.normalisation);
        if (f == 1) {
          put(c, y, x, level);
        } else if (y / f < size.height / f && x / f < size.width / f) {
          put((y % f * f + x % f) * set.channels + c, y / f, x / f, level);
        }
      }
    }
  }
}

// Levels as values with the channels last.
void to_grid(const DataSet& set, const uint8_t* in, float* out) {
  const PictureSize to = set.input();
  for_each_level(set, in, [&](int c, int y, int x, int8_t level) {
    out[(y * to.width + x) * to.channels + c] = static_cast<float>(level) / 128.0F;
  });
}

std::vector<uint8_t> labels_as_bytes(const DataSet& set, uint32_t item) {
  const size_t count = set.labels_per_item();
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<uint8_t>(set.labels[item * count + i]);
  }
  return bytes;
}

}  // namespace

std::string_view normalisation_name(Normalisation normalisation) {
  return normalisation == Normalisation::vendor ? "vendor" : "centered";
}

int8_t level_of(uint8_t byte, Normalisation normalisation) {
  const int centered = byte - 128;
  if (normalisation == Normalisation::centered) return static_cast<int8_t>(centered);
  // rne((byte / 255 - 1 / 2) * 256), at most 127.
  return static_cast<int8_t>(byte >= 128 && byte < 255 ? centered + 1 : centered);
}

std::vector<uint8_t> DataSet::plain(size_t item) const {
  const std::span own(bytes.data() + item * item_size(), item_size());
  if (crop_height == 0) return {own.begin(), own.end()};
  return middle_of(own, {channels, height, width}, cropped(), crop_resized);
}

std::vector<int8_t> DataSet::levels(size_t item) const {
  const PictureSize to = input();
  std::vector<int8_t> result(static_cast<size_t>(to.channels) * static_cast<size_t>(to.height) *
                             static_cast<size_t>(to.width));
  const std::vector<uint8_t> own = plain(item);
  for_each_level(*this, own.data(), [&](int c, int y, int x, int8_t level) {
    result[static_cast<size_t>((c * to.height + y) * to.width + x)] = level;
  });
  return result;
}

Maps DataSet::batch(std::span<const uint32_t> indices, ThreadPool* pool) const {
  return augmented(indices, {}, 0, 0, pool);
}

void DataSet::put_augmented(size_t item, std::span<const Augmentation> steps, uint64_t seed,
                            int epoch, float* out) const {
  const uint8_t* in = bytes.data() + item * item_size();
  if (steps.empty()) return to_grid(*this, crop_height == 0 ? in : plain(item).data(), out);
  std::vector<uint8_t> copy(in, in + item_size());
  augment(copy, {channels, height, width}, steps, seed, epoch, static_cast<uint32_t>(item));
  to_grid(*this, copy.data(), out);
}

Maps DataSet::augmented(std::span<const uint32_t> indices, std::span<const Augmentation> steps,
                        uint64_t seed, int epoch, ThreadPool* pool) const {
  const PictureSize to = input();
  const int count = static_cast<int>(indices.size());
  Maps maps = Maps::unset(count, to.height, to.width, to.channels);
  const auto some = [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      put_augmented(indices[static_cast<size_t>(i)], steps, seed, epoch, maps.at(i, 0, 0));
    }
  };
  if (pool == nullptr) {
    some(0, count);
  } else {
    for_items(*pool, count, some);
  }
  return maps;
}

std::vector<int64_t> DataSet::batch_labels(std::span<const uint32_t> indices) const {
  const size_t count = labels_per_item();
  std::vector<int64_t> result;
  for (const uint32_t i : indices) {
    const auto first = labels.begin() + static_cast<std::ptrdiff_t>(i * count);
    result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(count));
  }
  return result;
}

std::vector<int64_t> DataSet::augmented_labels(std::span<const uint32_t> indices,
                                               std::span<const Augmentation> steps, uint64_t seed,
                                               int epoch) const {
  if (kind != TargetKind::masks || steps.empty()) return batch_labels(indices);
  // The steps draw the same for the mask, of which only moves matter.
  std::vector<int64_t> result;
  for (const uint32_t i : indices) {
    std::vector<uint8_t> mask = labels_as_bytes(*this, i);
    augment_mask(mask, {1, height, width}, steps, seed, epoch, i);
    result.insert(result.end(), mask.begin(), mask.end());
  }
  return result;
}

std::vector<ItemBoxes> DataSet::batch_boxes(std::span<const uint32_t> indices,
                                            std::span<const Augmentation> steps, uint64_t seed,
                                            int epoch) const {
  std::vector<ItemBoxes> result;
  if (kind != TargetKind::boxes) return result;
  for (const uint32_t i : indices) {
    result.push_back(boxes[i]);
    // Two places in a row tell whether the steps have turned the picture.
    std::array<uint8_t, 2> row = {0, 1};
    augment_mask(row, {1, 1, 2}, steps, seed, epoch, i);
    if (row[0] == 0) continue;
    for (auto& corners : result.back().corners) {
      corners = {1 - corners[2], corners[1], 1 - corners[0], corners[3]};
    }
  }
  return result;
}

std::vector<float> DataSet::batch_values(std::span<const uint32_t> indices) const {
  const auto count = static_cast<size_t>(value_count);
  std::vector<float> result;
  for (const uint32_t i : indices) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * count);
    result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(count));
  }
  return result;
}

void DataSet::append(const DataSet& from, size_t item) {
  const auto copy = [item](const auto& source, size_t count, auto& target) {
    const auto first = source.begin() + static_cast<std::ptrdiff_t>(item * count);
    target.insert(target.end(), first, first + static_cast<std::ptrdiff_t>(count));
  };
  copy(from.bytes, from.item_size(), bytes);
  if (from.kind == TargetKind::boxes) {
    boxes.push_back(from.boxes[item]);
  } else if (from.kind == TargetKind::values) {
    copy(from.values, static_cast<size_t>(from.value_count), values);
  } else {
    copy(from.labels, from.labels_per_item(), labels);
  }
  if (!from.names.empty()) names.push_back(from.names[item]);
}

std::string shares_text(const Shares& shares) {
  return std::to_string(shares[0]) + "/" + std::to_string(shares[1]) + "/" +
         std::to_string(shares[2]);
}

Part part_by_name(const std::string& name, const Shares& shares) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  // Names that differ in their last digit alone differ in few bits so far.
  hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCD;
  hash ^= hash >> 33;
  // Tenths where they suffice: more items of a set stay where they are when shares change.
  const bool tenths = shares[0] % 10 == 0 && shares[1] % 10 == 0;
  const int unit = tenths ? 10 : 1;
  const auto at = static_cast<int>((hash >> 32) % static_cast<uint64_t>(100 / unit)) * unit;
  if (at < shares[0]) return Part::training;
  return at < shares[0] + shares[1] ? Part::validation : Part::test;
}

Status divide(const DataSet& all, const std::function<Result<Part>(size_t)>& part_of, Data& data) {
  DataSet empty = all;
  empty.bytes.clear();
  empty.labels.clear();
  empty.values.clear();
  empty.boxes.clear();
  empty.names.clear();
  data.train = empty;
  data.test = empty;
  for (size_t i = 0; i < all.items(); ++i) {
    EDGETWIN_TRY_ASSIGN(const Part part, part_of(i));
    if (part == Part::validation) {
      data.validation.push_back(static_cast<uint32_t>(data.train.items()));
    }
    (part == Part::test ? data.test : data.train).append(all, i);
  }
  return Ok{};
}

void RealRange::see(double value) {
  // A value that is not a number is beyond every range.
  if (!(value >= least_)) least_ = std::isnan(value) ? -HUGE_VAL : value;
  if (value > most_) most_ = value;
}

Result<std::string> RealRange::decide(const std::string& file, const std::string& what) const {
  if (least_ >= 0 && most_ <= 1) return what + ": numbers from 0 to 1";
  if (least_ >= -1 && most_ <= 1) return what + ": numbers from -1 to 1";
  char text[96];
  std::snprintf(text, sizeof text, "numbers from %g to %g, not from 0 to 1 or -1 to 1", least_,
                most_);
  return broken(Rule::data_file, text).in_file(file).in_field(what);
}

uint8_t RealRange::byte(double value) const {
  const double level = least_ < 0 ? std::floor(128 * value + 0.5)
                                  : std::nearbyint((value - 0.5) * 256);  // half to even
  return static_cast<uint8_t>(std::clamp(level, -128.0, 127.0) + 128);
}

}  // namespace edgetwin::train
