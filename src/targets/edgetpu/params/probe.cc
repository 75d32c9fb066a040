#include "targets/edgetpu/params/probe.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

size_t index_of(const BlockShape& s, const WeightPlace& p) {
  const auto at = [](int value) { return static_cast<size_t>(value); };
  return ((at(p.out) * at(s.kernel_h) + at(p.row)) * at(s.kernel_w) + at(p.column)) * at(s.in) +
         at(p.in);
}

WeightPlace place_of(const BlockShape& s, size_t index) {
  const auto next = [&index](int size) {
    const auto value = static_cast<int>(index % static_cast<size_t>(size));
    index /= static_cast<size_t>(size);
    return value;
  };
  WeightPlace p;
  p.in = next(s.in);
  p.column = next(s.kernel_w);
  p.row = next(s.kernel_h);
  p.out = static_cast<int>(index);
  return p;
}

BlockContent empty_content(const BlockShape& s) {
  BlockContent content;
  content.weights.resize(static_cast<size_t>(s.weights()));
  if (s.has_scale) content.scales.resize(static_cast<size_t>(s.out));
  if (s.has_bias) content.bias.resize(static_cast<size_t>(s.out));
  content.zero_points.assign(s.has_zero ? static_cast<size_t>(s.out) : 1, 0);
  return content;
}

// The index of the only number that has a bit set.
template <class Numbers>
std::optional<size_t> only_bit(const Numbers& numbers) {
  const typename Numbers::value_type nothing{};
  const auto found = std::ranges::find_if(numbers, [&](const auto& v) { return v != nothing; });
  if (found == numbers.end()) return std::nullopt;
  return static_cast<size_t>(found - numbers.begin());
}

// 1 where a weight stands.
Bytes write_mask(const BlockShape& s) {
  BlockContent content = empty_content(s);
  std::ranges::fill(content.weights, std::byte{1});
  return write_block(s, content);
}

std::string numbered(const char* what, const ByteMeaning& m) {
  return std::string(what) + " of channel " + std::to_string(m.channel) + ", byte " +
         std::to_string(m.byte);
}

}  // namespace

// The writer of blocks is the definition: the byte that changes is the one.
Result<size_t> offset_of(const BlockShape& shape, const WeightPlace& p) {
  const bool inside = p.out >= 0 && p.out < shape.out && p.row >= 0 && p.row < shape.kernel_h &&
                      p.column >= 0 && p.column < shape.kernel_w && p.in >= 0 && p.in < shape.in;
  if (!inside) {
    return Error(ErrorCode::bad_value, "the layer has " + std::to_string(shape.out) + " outputs, " +
                                           std::to_string(shape.kernel_h) + "x" +
                                           std::to_string(shape.kernel_w) + " rows and columns, " +
                                           std::to_string(shape.in) + " inputs")
        .with_hint("Count from 0: the last output is " + std::to_string(shape.out - 1) +
                   ", the last input " + std::to_string(shape.in - 1) + ".");
  }
  BlockContent content = empty_content(shape);
  content.weights[index_of(shape, p)] = std::byte{1};
  const Bytes written = write_block(shape, content);
  const auto found = std::ranges::find(written, std::byte{1});
  return static_cast<size_t>(found - written.begin());
}

// So is the reader: the number that one bit becomes.
ByteMeaning meaning_of(const BlockShape& shape, size_t offset) {
  ByteMeaning m;
  Bytes bytes(static_cast<size_t>(shape.bytes()));
  if (offset >= bytes.size()) return m;
  bytes[offset] = std::byte{1};
  const auto content = read_block(shape, bytes, 0);
  if (!content.ok()) return m;
  m.byte = static_cast<int>(offset % 4);
  if (const auto index = only_bit(content->weights)) {
    m.kind = ByteMeaning::Kind::weight;
    m.place = place_of(shape, *index);
    return m;
  }
  std::optional<size_t> channel = only_bit(content->scales);
  m.kind = ByteMeaning::Kind::scale;
  if (!channel) {
    channel = only_bit(content->bias);
    m.kind = ByteMeaning::Kind::bias;
  }
  if (!channel && shape.has_zero) {
    channel = only_bit(content->zero_points);
    m.kind = ByteMeaning::Kind::zero_point;
  }
  if (channel) {
    m.channel = static_cast<int>(*channel);
  } else {
    m.kind = ByteMeaning::Kind::padding;
  }
  return m;
}

// The numbers of all weights, written a byte at a time, say which one each byte holds.
BlockMap::BlockMap(const BlockShape& shape) : shape_(shape), weight_(write_mask(shape)) {
  index_.resize(weight_.size());
  BlockContent content = empty_content(shape);
  for (unsigned part = 0; part < 4; ++part) {
    for (size_t k = 0; k < content.weights.size(); ++k) {
      content.weights[k] = static_cast<std::byte>((k >> (8 * part)) & 0xffU);
    }
    const Bytes written = write_block(shape, content);
    for (size_t k = 0; k < index_.size(); ++k) {
      index_[k] |= std::to_integer<uint32_t>(written[k]) << (8 * part);
    }
  }
  // What fills a block up looks like a weight in the mask, and has no weight's number.
  for (size_t k = 0; k < index_.size(); ++k) {
    if (index_[k] >= content.weights.size()) weight_[k] = std::byte{0};
  }
}

ByteMeaning BlockMap::at(size_t offset) const {
  if (offset >= weight_.size() || weight_[offset] == std::byte{0})
    return meaning_of(shape_, offset);
  ByteMeaning m;
  m.kind = ByteMeaning::Kind::weight;
  m.place = place_of(shape_, index_[offset]);
  m.byte = static_cast<int>(offset % 4);
  return m;
}

std::string to_text(const ByteMeaning& m) {
  switch (m.kind) {
    case ByteMeaning::Kind::weight:
      return "weight out " + std::to_string(m.place.out) + ", row " + std::to_string(m.place.row) +
             ", column " + std::to_string(m.place.column) + ", in " + std::to_string(m.place.in);
    case ByteMeaning::Kind::scale:
      return numbered("scale", m);
    case ByteMeaning::Kind::bias:
      return numbered("bias", m);
    case ByteMeaning::Kind::zero_point:
      return numbered("zero point", m);
    case ByteMeaning::Kind::padding:
      break;
  }
  return "no number: padding";
}

Result<Tensor> probe_matrix(std::string_view name, int n, int value, const WeightPlace& hot) {
  Tensor t;
  t.name = std::string(name);
  t.dtype = DType::int8;
  t.shape = Shape({n, n});
  t.data.resize(static_cast<size_t>(n) * static_cast<size_t>(n));
  const auto byte = static_cast<std::byte>(static_cast<uint8_t>(static_cast<int8_t>(value)));
  const auto set = [&](int out, int in) {
    t.data[static_cast<size_t>(out) * static_cast<size_t>(n) + static_cast<size_t>(in)] = byte;
  };
  if (name == "ones") {
    std::ranges::fill(t.data, byte);
    return t;
  }
  if (name == "single_hot") {
    if (hot.out < 0 || hot.out >= n || hot.in < 0 || hot.in >= n) {
      return Error(ErrorCode::bad_value,
                   "the matrix has " + std::to_string(n) + " rows and columns")
          .with_hint("Count from 0: the last one is " + std::to_string(n - 1) + ".");
    }
    set(hot.out, hot.in);
    return t;
  }
  const int shift = name == "identity" ? 0 : name == "shift_plus1" ? n - 1 : 1;
  if (shift == 1 && name != "shift_minus1") {
    return Error(ErrorCode::bad_value, "there is no matrix '" + std::string(name) + "'");
  }
  for (int k = 0; k < n; ++k) set(k, (k + shift) % n);
  return t;
}

}  // namespace edgetwin::edgetpu
