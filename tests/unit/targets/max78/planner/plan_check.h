// Networks of a few lines, planned and proven.
#pragma once

#include <gtest/gtest.h>

#include "base/rng.h"
#include "targets/max78/pipeline/run.h"
#include "tensor/npy.h"

namespace edgetwin::max78 {

inline Bytes bytes_of_text(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline Tensor noise_of(XorShift32& random, const Shape& shape) {
  Tensor t = Tensor::zeros(DType::int8, shape).value();
  for (int8_t& v : t.as<int8_t>()) v = static_cast<int8_t>(random.byte());
  return t;
}

inline NetworkSources network_to_plan(std::string_view description,
                                      const std::vector<Shape>& weights, SampleShape sample,
                                      Device device = Device::max78000) {
  XorShift32 random(11);
  Bytes all;
  for (const Shape& shape : weights) {
    const Bytes npy = write_npy(noise_of(random, shape)).value();
    all.insert(all.end(), npy.begin(), npy.end());
  }
  NetworkSources s;
  s.device = device;
  s.description = Source::bytes("net.yaml", bytes_of_text(description));
  s.weights = Source::bytes("weights.npy", all);
  s.shape = sample;
  s.sample_seed = 5;
  s.plan = true;
  return s;
}

inline void expect_plan_is_proven(const Loading& loading) {
  ASSERT_NE(loading.network, nullptr);
  ASSERT_TRUE(loading.ok()) << (loading.findings.empty() ? "" : loading.findings.front().message);
  const auto proof = prove(*loading.network, loading.network->sample);
  ASSERT_TRUE(proof.ok()) << to_text(proof.error());
  EXPECT_TRUE(proof->proven()) << proof->first;
  EXPECT_GT(proof->values, 0U);
}

}  // namespace edgetwin::max78
