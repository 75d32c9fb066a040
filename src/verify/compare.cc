#include "verify/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

namespace edgetwin::verify {
namespace {

bool is_float(DType type) {
  return type == DType::float32 || type == DType::float64 || type == DType::float16;
}

bool is_whole_bytes(DType type) { return bits(type) >= 8; }

// The raw bits of an element narrower than a byte; the first one is in the low bits.
uint8_t packed_bits(ByteSpan data, int width, int64_t index) {
  const int64_t bit = index * width;
  const auto byte = static_cast<unsigned>(data[static_cast<size_t>(bit / 8)]);
  return static_cast<uint8_t>(byte >> (bit % 8) & ((1U << width) - 1U));
}

double value_at(const Tensor& t, int64_t index) {
  if (is_whole_bytes(t.dtype)) return element_as_double(t.dtype, t.data, index);
  const int width = bits(t.dtype);
  const int raw = packed_bits(t.data, width, index);
  const bool negative = t.dtype != DType::uint4 && (raw >> (width - 1)) != 0;
  return negative ? raw - (1 << width) : raw;
}

bool same_bits(const Tensor& a, const Tensor& b, int64_t index) {
  if (!is_whole_bytes(a.dtype)) {
    return packed_bits(a.data, bits(a.dtype), index) == packed_bits(b.data, bits(b.dtype), index);
  }
  const size_t size = byte_size(a.dtype);
  const size_t at = static_cast<size_t>(index) * size;
  return std::memcmp(a.data.data() + at, b.data.data() + at, size) == 0;
}

// Exact for integers of 64 bits too, which a double rounds.
double distance_of(const Tensor& a, const Tensor& b, int64_t index) {
  if (a.dtype != DType::int64 && a.dtype != DType::uint64) {
    return std::abs(value_at(a, index) - value_at(b, index));
  }
  const auto load = [index](const Tensor& t) {
    uint64_t raw = 0;
    std::memcpy(&raw, t.data.data() + static_cast<size_t>(index) * sizeof(raw), sizeof(raw));
    return t.dtype == DType::int64 ? raw ^ (uint64_t{1} << 63U) : raw;  // keeps the order
  };
  const uint64_t x = load(a);
  const uint64_t y = load(b);
  return static_cast<double>(x > y ? x - y : y - x);
}

std::string bits_text(const Tensor& t, int64_t index) {
  constexpr const char* kDigits = "0123456789abcdef";
  if (!is_whole_bytes(t.dtype)) return {};
  const size_t size = byte_size(t.dtype);
  std::string text = "0x";
  for (size_t i = size; i-- > 0;) {  // little endian
    const auto byte = static_cast<size_t>(t.data[static_cast<size_t>(index) * size + i]);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string why_not_comparable(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype) {
    return "types differ: " + std::string(name(a.dtype)) + " and " + std::string(name(b.dtype));
  }
  if (!(a.shape == b.shape)) {
    return "shapes differ: " + to_string(a.shape) + " and " + to_string(b.shape);
  }
  if (bits(a.dtype) == 0) return "elements of type " + std::string(name(a.dtype)) + " have no size";
  if (a.data.size() != b.data.size()) {
    return "sizes differ: " + std::to_string(a.data.size()) + " and " +
           std::to_string(b.data.size()) + " bytes";
  }
  return {};
}

// The size of a histogram's step.
double bucket_unit(const Tensor& a) {
  if (!is_float(a.dtype)) return 1.0;
  double largest = 0.0;
  for (int64_t i = 0; i < a.shape.elements(); ++i) {
    const double magnitude = std::abs(value_at(a, i));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest > 0.0 ? largest / 256.0 : 1.0;
}

size_t bucket_of(double difference, double unit) {
  if (difference == 0.0) return 0;
  const double steps = std::ceil(difference / unit);
  if (!(steps <= 128.0)) return kBuckets - 1;
  if (steps <= 1.0) return 1;
  return 1 + static_cast<size_t>(std::ceil(std::log2(steps)));
}

// The values that stand for real zero, so that a ratio is of signals and not of offsets.
double zero_of(const Tensor& a, const Tensor& b) {
  const Quant& q = a.quant.present() ? a.quant : b.quant;
  return q.per_channel() ? 0.0 : static_cast<double>(q.zero_point_of(0));
}

struct Sums {
  double signal = 0.0;
  double noise = 0.0;
};

void note_difference(TensorDiff& d, const Tensor& a, const Tensor& b, int64_t index) {
  if (d.different++ > 0) return;
  d.first_index = index;
  d.first_position = index_text(a.shape, index);
  d.first_a = value_at(a, index);
  d.first_b = value_at(b, index);
  d.first_bits_a = bits_text(a, index);
  d.first_bits_b = bits_text(b, index);
}

void compare_elements(TensorDiff& d, const Tensor& a, const Tensor& b, double tolerance) {
  const double zero = zero_of(a, b);
  Sums sums;
  for (int64_t i = 0; i < d.elements; ++i) {
    const double va = value_at(a, i);
    sums.signal += (va - zero) * (va - zero);
    if (same_bits(a, b, i)) {
      ++d.histogram[0];
      continue;
    }
    d.same_bits = false;
    const double difference = distance_of(a, b, i);
    sums.noise += difference * difference;
    ++d.histogram[bucket_of(difference, d.unit)];
    if (!(difference <= d.largest)) d.largest = difference;
    if (tolerance > 0.0 && difference <= tolerance) continue;
    note_difference(d, a, b, i);
  }
  d.signal_to_noise_db = sums.noise == 0.0 ? std::numeric_limits<double>::infinity()
                                           : 10.0 * std::log10(sums.signal / sums.noise);
}

}  // namespace

const std::array<const char*, kBuckets> kBucketNames = {"0",    "1",     "2",     "3-4",    "5-8",
                                                        "9-16", "17-32", "33-64", "65-128", ">128"};

TensorDiff compare(const Tensor& a, const Tensor& b, double tolerance) {
  TensorDiff d;
  d.name = a.name;
  d.problem = why_not_comparable(a, b);
  if (!d.problem.empty()) return d;
  d.elements = a.shape.elements();
  if (a.data == b.data) {
    d.histogram[0] = d.elements;
    d.signal_to_noise_db = std::numeric_limits<double>::infinity();
    return d;
  }
  d.unit = bucket_unit(a);
  compare_elements(d, a, b, tolerance);
  return d;
}

SetDiff compare_sets(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double tolerance) {
  std::map<std::string_view, std::vector<size_t>> by_name;
  for (size_t i = b.size(); i-- > 0;) by_name[b[i].name].push_back(i);  // the first one is last
  std::vector<bool> used(b.size(), false);
  SetDiff result;
  for (const Tensor& t : a) {
    const auto found = by_name.find(t.name);
    if (found == by_name.end() || found->second.empty()) {
      result.only_in_a.push_back(t.name);
      continue;
    }
    const size_t partner = found->second.back();
    found->second.pop_back();
    used[partner] = true;
    result.tensors.push_back(compare(t, b[partner], tolerance));
    if (!result.first && !result.tensors.back().equal()) result.first = result.tensors.size() - 1;
  }
  for (size_t i = 0; i < b.size(); ++i) {
    if (!used[i]) result.only_in_b.push_back(b[i].name);
  }
  return result;
}

}  // namespace edgetwin::verify
