// Cases for the application: small ones whose tensors are made up.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "targets/espdl/firmware/firmware.h"

namespace edgetwin::firmware_cases {

using targets::espdl::FirmwareCase;

template <class T>
Tensor tensor(std::string name, Shape shape, int exponent, std::vector<T> values) {
  Tensor t;
  t.name = std::move(name);
  t.dtype = dtype_of<T>;
  t.shape = shape;
  t.quant = Quant::power_of_two(exponent);
  t.data = to_bytes(std::as_bytes(std::span(values)));
  return t;
}

inline Bytes model_file(size_t size) {
  Bytes bytes(size);
  std::memcpy(bytes.data(), "EDL2", 4);
  for (size_t i = 16; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7);
  return bytes;
}

// Two outputs; the second node has a name that must be written as %XX.
inline FirmwareCase small_case() {
  FirmwareCase one;
  one.name = "small";
  one.model_file = model_file(1001);
  one.inputs = {tensor<int8_t>("x", {1, 2, 2, 1}, -7, {1, -2, 3, -4})};
  one.nodes = {tensor<int8_t>("first", {1, 3}, -6, {5, 6, 7}),
               tensor<int16_t>("conv 2%", {1, 4}, -12, {300, -301, 302, -303}),
               tensor<int8_t>("y", {1, 2}, -5, {9, 10})};
  one.outputs = {one.nodes[2], tensor<int16_t>("z", {1, 3}, -9, {-1000, 0, 1000})};
  return one;
}

// A whole table of 16 bits.
inline FirmwareCase sweep_case() {
  FirmwareCase one;
  one.name = "table";
  one.model_file = model_file(160);
  one.lut_sweep = true;
  std::vector<int16_t> results(65536);
  for (int i = 0; i < 65536; ++i) results[static_cast<size_t>(i)] = static_cast<int16_t>(i * 31);
  one.inputs = {tensor<int16_t>("input", {1, 1024}, -13, {})};
  one.outputs = {tensor<int16_t>("output", {65536}, -13, results)};
  return one;
}

inline FirmwareCase byte_sweep_case() {
  FirmwareCase one;
  one.name = "bytes";
  one.model_file = model_file(48);
  one.lut_sweep = true;
  std::vector<int8_t> results(256);
  for (int i = 0; i < 256; ++i) results[static_cast<size_t>(i)] = static_cast<int8_t>(i / 3);
  one.inputs = {tensor<int8_t>("input", {1, 1024}, -4, {})};
  one.outputs = {tensor<int8_t>("output", {256}, -7, results)};
  return one;
}

}  // namespace edgetwin::firmware_cases
