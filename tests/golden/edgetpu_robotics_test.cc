// Recorded cases of the robotics modules: quantized weights and parameter blobs, the host's part of
// optical flow, the integer replica, resizing, tau, time to contact, directions.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/rng.h"
#include "base/sha256.h"
#include "golden/golden.h"
#include "robotics/blob.h"
#include "robotics/flow/optical_flow.h"
#include "robotics/flow/replica.h"
#include "robotics/matmul/matmul_engine.h"
#include "robotics/picture.h"
#include "robotics/quantize.h"
#include "robotics/trackers/looming.h"
#include "robotics/trackers/spot_tracker.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;
using namespace robotics;

json cases() {
  std::ifstream file(shared_data() / "tflite" / "modules.json");
  return json::parse(file)["cases"];
}

bool is(const json& c, const char* kind) { return c["id"].get<std::string>().starts_with(kind); }

Bytes generated(const std::string& spec, size_t count) {
  XorShift32 source(static_cast<uint32_t>(std::stoul(spec.substr(spec.find("xs32:") + 5))));
  Bytes bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(source.byte());
  return bytes;
}

// Rows and columns moved around: element (y, x) comes from (y - dy, x - dx).
Bytes rolled(const Bytes& from, int height, int width, int channels, int dy, int dx) {
  Bytes to(from.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int sy = ((y - dy) % height + height) % height;
      const int sx = ((x - dx) % width + width) % width;
      std::copy_n(&from[static_cast<size_t>((sy * width + sx) * channels)], channels,
                  &to[static_cast<size_t>((y * width + x) * channels)]);
    }
  }
  return to;
}

template <class T>
std::string hash(const std::vector<T>& values) {
  return sha256_hex(std::as_bytes(std::span(values)));
}

class EdgetpuModules : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  }
};

TEST_F(EdgetpuModules, WeightsAndBlobs) {
  int blobs = 0;
  for (const json& c : cases()) {
    if (!is(c, "blob_")) continue;
    SCOPED_TRACE(c["id"].get<std::string>());
    std::string name = c["template"];
    fs::path path = shared_data() / "edgetpu" / "models" / "libredgetpu" / name;
    // Where the compiled model is kept aside, the uncompiled one says the same.
    if (!fs::exists(path)) path.replace_filename(name.replace(name.find("_edgetpu"), 8, ""));
    auto engine = MatMulEngine::load(path);
    ASSERT_TRUE(engine.ok()) << to_text(engine.error());
    const size_t n = engine->matrix_size();
    const double scale = c["weight_scale"];
    EXPECT_DOUBLE_EQ(engine->weight_scale().value_or(scale), scale);
    const Bytes bytes = generated(c["input"], n * n);
    std::vector<float> w(n * n);
    for (size_t i = 0; i < w.size(); ++i) {
      w[i] = static_cast<float>((static_cast<int>(bytes[i]) - 128) / 128.0 * 1.1 * (127 * scale));
    }
    std::vector<int8_t> q(n * n);
    ASSERT_TRUE(quantize_int8(w, static_cast<float>(scale), 0, std::span(q)).ok());
    EXPECT_EQ(std::vector<int>(q.begin(), q.begin() + 16),
              c["int8_first16"].get<std::vector<int>>());
    EXPECT_EQ(hash(q), c["int8_sha256"].get<std::string>());
    const auto blob = engine->blob_of(q);
    ASSERT_TRUE(blob.ok()) << to_text(blob.error());
    EXPECT_EQ(blob->size(), c["blob_bytes"].get<size_t>());
    EXPECT_EQ(sha256_hex(*blob), c["blob_sha256"].get<std::string>());
    EXPECT_EQ(*dense_weights(n, *blob), q);
    ++blobs;
  }
  EXPECT_GE(blobs, 2);
}

// "xs32:311 >>3, shape [64, 64, 8]"
Bytes features(const std::string& spec, size_t count) {
  Bytes bytes = generated(spec, count);
  const int shift = std::stoi(spec.substr(spec.find(">>") + 2));
  for (std::byte& b : bytes) b >>= shift;
  return bytes;
}

TEST_F(EdgetpuModules, HostPartOfOpticalFlow) {
  int flows = 0;
  for (const json& c : cases()) {
    if (!is(c, "flow_")) continue;
    SCOPED_TRACE(c["id"].get<std::string>());
    const bool pooled = c["pooled"];
    const int side = c["size"].get<int>() / (pooled ? c["pool_factor"].get<int>() : 1);
    FlowSettings s{side,
                   side,
                   8,
                   c["zero_point"],
                   pooled ? 1 : c["pool_factor"].get<int>(),
                   c["search_range"],
                   c["temperature"],
                   true};
    const auto count = static_cast<size_t>(side * side * 8);
    const Bytes a = features(c["features_t"], count);
    const std::string how = c["features_t1"];
    int dy = 0, dx = 0;
    ASSERT_EQ(std::sscanf(how.c_str() + how.find("(dy,dx)=(") + 9, "%d,%d", &dy, &dx), 2);
    Bytes b = rolled(a, side, side, 8, dy, dx);
    if (how.find("(7*v + byte//32)//8") != std::string::npos) {
      const Bytes noise = generated(how.substr(how.find("byte from ")), count);
      for (size_t i = 0; i < count; ++i) {
        b[i] = static_cast<std::byte>(
            (7 * static_cast<int>(b[i]) + static_cast<int>(noise[i]) / 32) / 8);
      }
    }
    for (const bool fast : {true, false}) {
      s.fast = fast;
      auto stage = FlowStage::make(s);
      ASSERT_TRUE(stage.ok()) << to_text(stage.error());
      const auto flow = stage->compute(a, b);
      ASSERT_TRUE(flow.ok());
      EXPECT_NEAR(flow->vx, c["vx"].get<double>(), c["tolerance"].get<double>());
      EXPECT_NEAR(flow->vy, c["vy"].get<double>(), c["tolerance"].get<double>());
    }
    ++flows;
  }
  EXPECT_GE(flows, 6);
}

TEST_F(EdgetpuModules, Replica) {
  int replicas = 0;
  for (const json& c : cases()) {
    if (!is(c, "replica_")) continue;
    SCOPED_TRACE(c["id"].get<std::string>());
    int size = 0;
    ReplicaOptions options;
    ASSERT_EQ(std::sscanf(c["id"].get<std::string>().c_str(), "replica_%d_%d", &size,
                          &options.pool_factor),
              2);
    auto replica = FlowReplica::make(size, size, options);
    ASSERT_TRUE(replica.ok()) << to_text(replica.error());
    const Bytes pixels = generated(c["image"], static_cast<size_t>(size * size));
    const auto maps = replica->maps(grey_picture(size, size, pixels));
    ASSERT_TRUE(maps.ok());
    EXPECT_EQ(sha256_hex(maps->final_uint8), c["features_sha256"].get<std::string>());
    int64_t sum = 0;
    for (const std::byte b : maps->final_uint8) sum += static_cast<int>(b);
    EXPECT_EQ(sum, c["features_sum"].get<int64_t>());
    // What is recorded of the maps between belongs to the second frame.
    const Tensor second = grey_picture(size, size, rolled(pixels, size, size, 1, 0, 4));
    const auto later = replica->maps(second);
    ASSERT_TRUE(later.ok());
    const auto& acc = later->conv_acc_int32;
    EXPECT_EQ(std::accumulate(acc.begin(), acc.end(), int64_t{0}), c["acc_sum"].get<int64_t>());
    EXPECT_EQ(hash(later->conv_output_int8), c["conv_sha256"].get<std::string>());
    const auto flow = replica->compute(grey_picture(size, size, pixels), second);
    ASSERT_TRUE(flow.ok());
    EXPECT_NEAR(flow->vx, c["vx"].get<double>(), c["tolerance"].get<double>());
    EXPECT_NEAR(flow->vy, c["vy"].get<double>(), c["tolerance"].get<double>());
    ++replicas;
  }
  EXPECT_GE(replicas, 2);
}

TEST_F(EdgetpuModules, Resizing) {
  int pictures = 0;
  for (const json& c : cases()) {
    if (!is(c, "resize_")) continue;
    SCOPED_TRACE(c["id"].get<std::string>());
    const auto from = c["from"].get<std::vector<int64_t>>(),
               to = c["to"].get<std::vector<int64_t>>();
    Tensor p;
    p.shape = Shape(from);
    p.data = generated(c["image"], static_cast<size_t>(p.shape.elements()));
    const auto small = resize_by_area(p, static_cast<int>(to[0]), static_cast<int>(to[1]));
    ASSERT_TRUE(small.ok());
    EXPECT_EQ(sha256_hex(small->data), c["sha256"].get<std::string>());
    ++pictures;
  }
  EXPECT_GE(pictures, 3);
}

TEST_F(EdgetpuModules, TauAndTimeToContact) {
  for (const json& c : cases()) {
    SCOPED_TRACE(c["id"].get<std::string>());
    if (is(c, "tau")) {
      const auto tau = LoomingDetector::compute_tau(c["zones"].get<std::vector<float>>());
      ASSERT_TRUE(tau.ok());
      EXPECT_NEAR(*tau, c["tau"].get<double>(), 1e-12);
    }
    if (is(c, "ttc_")) {
      const double ttc =
          LoomingDetector::compute_ttc(c["history"].get<std::vector<double>>(), c["dt"]);
      if (c["ttc"].is_null()) {
        EXPECT_TRUE(std::isinf(ttc));
      } else {
        EXPECT_NEAR(ttc, c["ttc"].get<double>(), 1e-12);
      }
    }
  }
}

TEST_F(EdgetpuModules, Directions) {
  int directions = 0;
  for (const json& c : cases()) {
    if (!is(c, "direction_")) continue;
    SCOPED_TRACE(c["id"].get<std::string>());
    const double x = c["x"], y = c["y"], threshold = c["threshold"];
    EXPECT_EQ(offset_to_direction(x, y, threshold), c["spot"].get<std::string>());
    EXPECT_EQ(flow_to_direction(x, y, threshold), c["flow"].get<std::string>());
    const Position servo = offset_to_servo_error(x, y, 2.0);
    EXPECT_DOUBLE_EQ(servo.x, c["servo_gain2"][0].get<double>());
    EXPECT_DOUBLE_EQ(servo.y, c["servo_gain2"][1].get<double>());
    ++directions;
  }
  EXPECT_GE(directions, 5);
}

}  // namespace
}  // namespace edgetwin::golden
