// Small checkpoints of our own, byte by byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "formats/torch/checkpoint.h"

namespace edgetwin::torch {

inline std::string number(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return out;
}
inline std::string text(std::string_view value) {
  return "X" + number(value.size(), 4) + std::string(value);
}
inline std::string small(int value) { return "K" + number(static_cast<uint64_t>(value), 1); }

// ('storage', torch.<type>, key, 'cpu', elements, None)
inline std::string storage(std::string_view type, std::string_view key, int elements) {
  return "(" + text("storage") + "ctorch\n" + std::string(type) + "\n" + text(key) + text("cpu") +
         small(elements) + "NtQ";
}
inline std::string tuple(const std::vector<int>& values) {
  std::string out = "(";
  for (const int v : values) out += small(v);
  return out + "t";
}
inline std::string tensor(const std::string& from, int offset, const std::vector<int>& size,
                          const std::vector<int>& stride) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + from + small(offset) + tuple(size) +
         tuple(stride) +
         "\x89"
         "ccollections\nOrderedDict\n)RtR";
}
// {key: value}
inline std::string dict(std::string_view key, const std::string& value) {
  return "}" + text(key) + value + "s";
}

struct Numbers {
  std::string key;
  std::vector<float> values;
};

// The older layout around the pickle of an object.
inline Bytes legacy_file(const std::string& object, const std::vector<Numbers>& storages = {}) {
  std::string out("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  out += "\x80\x02M" + number(1001, 2) + ".";
  out += "\x80\x02" + dict("little_endian", "\x88") + ".";
  out += "\x80\x02" + object + ".";
  out += "\x80\x02](";
  for (const Numbers& each : storages) out += text(each.key);
  out += "e.";
  for (const Numbers& each : storages) {
    out += number(each.values.size(), 8);
    out += as_text(std::as_bytes(std::span(each.values)));
  }
  return to_bytes(as_byte_span(out));
}

inline Tensor floats(const Shape& shape, std::vector<float> values) {
  Tensor out;
  out.dtype = DType::float32;
  out.shape = shape;
  out.data = to_bytes(std::as_bytes(std::span(values)));
  return out;
}

// A checkpoint of the given tensors in this order.
inline Checkpoint checkpoint_of(const std::vector<std::pair<std::string, Tensor>>& entries,
                                std::string arch = "net") {
  Checkpoint out = Checkpoint::make("made");
  out.set(out.root(), "epoch", out.add_integer(7));
  out.set(out.root(), "arch", out.add_text(std::move(arch)));
  const NodeId state = out.add_dict(true);
  for (const auto& [name, tensor] : entries) out.set(state, name, out.add_tensor(tensor));
  out.set(out.root(), "state_dict", state);
  return out;
}

}  // namespace edgetwin::torch
