#include "formats/tflite/flexbuffer.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace edgetwin::tflite {
namespace {

// Types that the upper six bits of a type byte name; the lower two are log2 of a width.
enum FlexType : uint8_t {
  kInt = 1,
  kUInt = 2,
  kFloat = 3,
  kString = 5,
  kIndirectInt = 6,
  kIndirectUInt = 7,
  kIndirectFloat = 8,
  kMap = 9,
  kVector = 10,
  kVectorInt = 11,
  kVectorUInt = 12,
  kVectorString = 15,
  kBlob = 25,
  kBool = 26,
};

constexpr size_t kMaxEntries = 4096;  // a real operator has about a dozen

Error broken(const std::string& what) {
  return Error(ErrorCode::tflite_custom_options, "the FlexBuffer is damaged: " + what);
}

bool is_width(uint64_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }
size_t width_of(uint8_t packed) { return size_t{1} << (packed & 3U); }

std::optional<uint64_t> load(ByteSpan data, size_t at, size_t width) {
  if (at > data.size() || width > data.size() - at) return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, data.data() + at, width);  // little-endian: the low bytes come first
  return value;
}

// An offset counts backwards from where it stands.
std::optional<size_t> follow(ByteSpan data, size_t at, size_t width) {
  const auto distance = load(data, at, width);
  if (!distance || *distance > at) return std::nullopt;
  return at - static_cast<size_t>(*distance);
}

double signed_of(uint64_t value, size_t width) {
  const auto unused = static_cast<unsigned>(64 - 8 * width);
  return static_cast<double>(static_cast<int64_t>(value << unused) >> unused);
}

std::optional<double> float_of(uint64_t value, size_t width) {
  if (width == 4) return std::bit_cast<float>(static_cast<uint32_t>(value));
  if (width == 8) return std::bit_cast<double>(value);
  return std::nullopt;
}

}  // namespace

Result<FlexMap> FlexMap::open(ByteSpan data) {
  // The end says how to read the root: its value, the type of that, and the width of the value.
  if (data.size() < 3) return broken("it has " + std::to_string(data.size()) + " bytes");
  const auto width = static_cast<uint8_t>(data[data.size() - 1]);
  const auto type = static_cast<uint8_t>(data[data.size() - 2]);
  if (!is_width(width) || size_t{width} + 2 > data.size()) return broken("width of the root");
  if (type >> 2 != kMap) return broken("the root is no map");

  FlexMap map;
  map.data_ = data;
  map.value_width_ = width_of(type);
  const size_t w = map.value_width_;
  const auto values = follow(data, data.size() - 2 - width, width);
  // Before the values stand: offset of the keys, width of the keys, number of values.
  if (!values || *values < 3 * w) return broken("place of the map");
  map.values_ = *values;
  const auto keys = follow(data, map.values_ - 3 * w, w);
  const auto key_width = load(data, map.values_ - 2 * w, w);
  const auto size = load(data, map.values_ - w, w);
  if (!keys || !key_width || !is_width(*key_width) || !size || *size > kMaxEntries) {
    return broken("head of the map");
  }
  map.keys_ = *keys;
  map.key_width_ = static_cast<size_t>(*key_width);
  map.size_ = static_cast<size_t>(*size);
  return map;
}

std::optional<std::string_view> FlexMap::key_at(size_t index) const {
  const auto begin = follow(data_, keys_ + index * key_width_, key_width_);
  if (!begin) return std::nullopt;
  const std::string_view rest = as_text(data_.subspan(*begin));
  const size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

std::optional<double> FlexMap::number_at(size_t index) const {
  const auto packed = load(data_, values_ + size_ * value_width_ + index, 1);
  if (!packed) return std::nullopt;
  auto type = static_cast<uint8_t>(*packed >> 2);
  size_t at = values_ + index * value_width_;
  size_t width = value_width_;
  if (type == kIndirectInt || type == kIndirectUInt || type == kIndirectFloat) {
    const auto target = follow(data_, at, width);
    if (!target) return std::nullopt;
    at = *target;
    width = width_of(static_cast<uint8_t>(*packed));
    type = static_cast<uint8_t>(type - (kIndirectInt - kInt));
  }
  const auto value = load(data_, at, width);
  if (!value) return std::nullopt;
  if (type == kInt) return signed_of(*value, width);
  if (type == kUInt || type == kBool) return static_cast<double>(*value);
  if (type == kFloat) return float_of(*value, width);
  return std::nullopt;
}

Result<std::optional<size_t>> FlexMap::index_of(std::string_view key) const {
  for (size_t i = 0; i < size_; ++i) {
    const auto found = key_at(i);
    if (!found) return broken("key " + std::to_string(i));
    if (*found == key) return std::optional<size_t>(i);
  }
  return std::optional<size_t>();
}

Result<std::optional<double>> FlexMap::number(std::string_view key) const {
  EDGETWIN_TRY_ASSIGN(const std::optional<size_t> index, index_of(key));
  if (!index) return std::optional<double>();
  const auto value = number_at(*index);
  if (!value) return broken("the value of '" + std::string(key) + "' is no number");
  return std::optional<double>(value);
}

std::optional<FlexMap::Target> FlexMap::target_at(size_t slot, size_t slot_width,
                                                  uint8_t packed) const {
  Target t;
  t.type = static_cast<uint8_t>(packed >> 2);
  t.width = width_of(packed);
  const auto at = follow(data_, slot, slot_width);
  if (!at || *at < t.width) return std::nullopt;
  t.at = *at;
  const auto size = load(data_, t.at - t.width, t.width);
  if (!size || *size > data_.size() - t.at) return std::nullopt;
  t.size = static_cast<size_t>(*size);
  return t;
}

std::optional<FlexMap::Target> FlexMap::value_target(size_t index) const {
  const auto packed = load(data_, values_ + size_ * value_width_ + index, 1);
  if (!packed) return std::nullopt;
  return target_at(values_ + index * value_width_, value_width_, static_cast<uint8_t>(*packed));
}

Result<std::optional<ByteSpan>> FlexMap::text(std::string_view key) const {
  EDGETWIN_TRY_ASSIGN(const std::optional<size_t> index, index_of(key));
  if (!index) return std::optional<ByteSpan>();
  const auto t = value_target(*index);
  if (!t || (t->type != kString && t->type != kBlob)) {
    return broken("the value of '" + std::string(key) + "' is no text");
  }
  return std::optional<ByteSpan>(data_.subspan(t->at, t->size));
}

Result<std::optional<std::vector<int64_t>>> FlexMap::integers(std::string_view key) const {
  using Numbers = std::vector<int64_t>;
  EDGETWIN_TRY_ASSIGN(const std::optional<size_t> index, index_of(key));
  if (!index) return std::optional<Numbers>();
  const auto t = value_target(*index);
  const Error bad = broken("the value of '" + std::string(key) + "' is no vector of whole numbers");
  const bool typed = t && (t->type == kVectorInt || t->type == kVectorUInt);
  if (!t || (!typed && t->type != kVector)) return bad;
  Numbers numbers;
  for (size_t i = 0; i < t->size; ++i) {
    const auto value = load(data_, t->at + i * t->width, t->width);
    std::optional<uint64_t> type = t->type == kVectorInt ? kInt : kUInt;
    if (!typed) type = load(data_, t->at + t->size * t->width + i, 1);
    if (!typed && type) *type >>= 2U;
    if (!value || !type || (*type != kInt && *type != kUInt)) return bad;
    const auto unused = static_cast<unsigned>(64 - 8 * t->width);
    numbers.push_back(*type == kInt ? static_cast<int64_t>(*value << unused) >> unused
                                    : static_cast<int64_t>(*value));
  }
  return std::optional<Numbers>(std::move(numbers));
}

Result<std::optional<std::vector<ByteSpan>>> FlexMap::texts(std::string_view key) const {
  using Texts = std::vector<ByteSpan>;
  EDGETWIN_TRY_ASSIGN(const std::optional<size_t> index, index_of(key));
  if (!index) return std::optional<Texts>();
  const auto t = value_target(*index);
  const Error bad = broken("the value of '" + std::string(key) + "' is no vector of texts");
  if (!t || (t->type != kVector && t->type != kVectorString)) return bad;
  Texts texts;
  for (size_t i = 0; i < t->size; ++i) {
    std::optional<uint64_t> packed = uint64_t{kString} << 2U;
    if (t->type == kVector) packed = load(data_, t->at + t->size * t->width + i, 1);
    if (!packed) return bad;
    const auto element = target_at(t->at + i * t->width, t->width, static_cast<uint8_t>(*packed));
    if (!element || (element->type != kString && element->type != kBlob)) return bad;
    texts.push_back(data_.subspan(element->at, element->size));
  }
  return std::optional<Texts>(std::move(texts));
}

}  // namespace edgetwin::tflite
