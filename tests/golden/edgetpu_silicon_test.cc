// The Edge TPU's arithmetic against outputs that were recorded on devices: some of them by hand,
// then the whole folder by the library.
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "formats/darwinn/darwinn.h"
#include "formats/darwinn/relayout.h"
#include "golden/golden.h"
#include "numerics/edgetpu/edgetpu.h"
#include "ops/window/conv2d.h"
#include "targets/edgetpu/params/block.h"
#include "targets/edgetpu/recordings/verify.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;

fs::path silicon() { return shared_data() / "edgetpu" / "silicon"; }
fs::path models() { return shared_data() / "edgetpu" / "models"; }

#define NEED_SILICON()                                                    \
  if (!fs::exists(silicon() / "cases.json")) {                            \
    GTEST_SKIP() << "no recorded device outputs in EDGETWIN_SHARED_DATA"; \
  }

json find_case(const std::string& id) {
  std::ifstream file(silicon() / "cases.json");
  const json all = json::parse(file);
  for (const json& c : all["cases"]) {
    if (c["id"] == id) return c;
  }
  return {};
}

uint64_t fnv1a(ByteSpan data) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte b : data) {
    hash ^= static_cast<uint64_t>(b);
    hash *= 0x100000001b3U;
  }
  return hash;
}

std::string hex(uint64_t v) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(v));
  return text;
}

Result<darwinn::File> read_compiled(const fs::path& path, Bytes& data) {
  EDGETWIN_TRY_ASSIGN(data, read_file(path));
  return darwinn::read(data, path.string());
}

// One convolution of a factory test: 3x3, valid, 32x32x3 to 30x30x16, the multiplier as it stands
// in the instruction, weights and biases as they stand in the parameters.
TEST(EdgetpuSilicon, Testconv1IsEqualInAllBytes) {
  NEED_SILICON();
  const json c = find_case("testconv1");
  Bytes data;
  const auto file = read_compiled(silicon() / std::string(c["model"]), data);
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  const darwinn::Executable& e = *file->ops[0].packages[0].inference();
  const edgetpu::BlockShape shape{
      .out = 16, .in = 3, .kernel_h = 3, .kernel_w = 3, .spatial = true, .has_bias = true};
  const auto block = edgetpu::read_block(shape, e.parameters, 128);
  ASSERT_TRUE(block.ok()) << to_text(block.error());
  const Bytes input = *read_file(silicon() / std::string(c["input"]));
  const Bytes wanted = *read_file(silicon() / std::string(c["output"]));
  ASSERT_EQ(wanted.size(), 14400U);
  numerics::edgetpu::Accumulate<uint8_t> rule;
  rule.input_zero_point = 128;
  rule.weight_zero_points = {128};
  rule.bias = block->bias;
  rule.multipliers.assign(16, std::bit_cast<float>(0x3ae472adU));
  rule.tail = numerics::edgetpu::Tail<uint8_t>::make(
      Quant::affine(e.outputs[0].numerics->factor, 113), {}, {});
  Window2D g;
  g.in_h = g.in_w = 32, g.in_c = 3, g.kernel_h = g.kernel_w = 3;
  g.out_h = g.out_w = 30, g.out_c = 16;
  std::vector<uint8_t> output(14400);
  const auto* x = reinterpret_cast<const uint8_t*>(input.data());
  const auto* w = reinterpret_cast<const uint8_t*>(block->weights.data());
  ops::conv_2d(g, View4<const uint8_t>{x, 1, 32, 32, 3}, View4<const uint8_t>{w, 16, 3, 3, 3}, rule,
               View4<uint8_t>{output.data(), 1, 30, 30, 16}, 0, 30);
  EXPECT_EQ(std::memcmp(output.data(), wanted.data(), output.size()), 0);
  EXPECT_EQ(rule.tail.open->ties, c["ties"]);
}

// The same convolution at another size: a copy of the model's graph with the case's shapes and
// quantization.
std::shared_ptr<const Graph> resized(const Graph& model, const json& c, int height, int width) {
  Graph graph = model;
  const Op& conv = graph.ops.at(0);
  const auto set = [&](ValueId id, const char* scale, const char* zero) {
    Value& v = graph.value(id);
    v.shape[1] = height, v.shape[2] = width;
    v.quant = Quant::affine(c[scale].get<float>(), c[zero].get<int>() - 128);
  };
  set(conv.inputs[0], "input_scale", "input_zero_point_unsigned");
  set(conv.outputs[0], "output_scale", "output_zero_point_unsigned");
  return std::make_shared<const Graph>(std::move(graph));
}

// Unsigned bytes in the order in which 4 x 4 tiles of equal size leave the chip.
Bytes tiled(const Tensor& t) {
  const int64_t h = t.shape[1] / 4, w = t.shape[2] / 4, c = t.shape[3];
  Bytes out;
  for (int64_t tile = 0; tile < 16; ++tile) {
    for (int64_t y = 0; y < h; ++y) {
      const int64_t row = (tile / 4 * h + y) * t.shape[2] + tile % 4 * w;
      const auto from = t.data.begin() + row * c;
      out.insert(out.end(), from, from + w * c);
    }
  }
  for (std::byte& b : out) b ^= std::byte{0x80};
  return out;
}

struct HashCase {
  const char* id;
  int height, width, channels;
};

void check_hash(const HashCase& h, const std::string& numerics, bool fast, bool equal) {
  const json c = find_case(h.id);
  ASSERT_FALSE(c.is_null()) << h.id;
  const std::string channels = std::to_string(h.channels);
  const auto model =
      load_graph(models() / "coral_usb_conv" /
                 ("conv2d_k3_same_12x128_" + channels + "to" + channels + ".tflite"));
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  auto session = exec::Session::create(resized(**model, c, h.height, h.width),
                                       {.numerics = numerics, .fast = fast});
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  Bytes input(static_cast<size_t>(h.height * h.width * h.channels));
  for (size_t i = 0; i < input.size(); ++i) {
    input[i] = static_cast<std::byte>(i % 251) ^ std::byte{0x80};
  }
  ASSERT_TRUE(session->set_input(0, input).ok());
  ASSERT_TRUE(session->run().ok());
  const std::string hash = hex(fnv1a(tiled(session->output(0))));
  EXPECT_EQ(hash == c["device_hash"], equal) << h.id << " in " << numerics << ": " << hash;
}

constexpr HashCase kHashes[] = {
    {"conv3x3 p32 12x176", 12, 176, 32}, {"conv3x3 p32 12x184", 12, 184, 32},
    {"conv3x3 p32 12x192", 12, 192, 32}, {"conv3x3 p32 32x32", 32, 32, 32},
    {"conv3x3 p64 64x16", 64, 16, 64},   {"conv3x3 p64 32x32", 32, 32, 64},
    {"conv3x3 p128 128x8", 128, 8, 128},
};

TEST(EdgetpuSilicon, HashesOfSevenConvolutions) {
  NEED_SILICON();
  for (const HashCase& h : kHashes) check_hash(h, "edgetpu", true, true);
}

TEST(EdgetpuSilicon, PlainOperatorsGiveTheSameHashes) {
  NEED_SILICON();
  for (const HashCase& h : {kHashes[0], kHashes[3]}) check_hash(h, "edgetpu", false, true);
}

// What the recordings exclude: this test could not fail otherwise.
TEST(EdgetpuSilicon, OtherArithmeticsMissTheHashes) {
  NEED_SILICON();
  check_hash(kHashes[0], "tflite", true, false);
  check_hash(kHashes[0], "edgetpu:ties=floor", true, false);
  check_hash(kHashes[0], "edgetpu:ties=truncate", true, false);
}

namespace rec = edgetpu::silicon;

// Every recorded result of the folder, in the given arithmetics; empty ones are left out.
rec::Report verified(const std::string& device, const std::string& processor) {
  rec::Options options;
  options.folder = silicon();
  options.models = {models()};
  options.device = device;
  options.processor = processor;
  auto report = rec::verify(options);
  EXPECT_TRUE(report.ok()) << to_text(report.error());
  return report.ok() ? std::move(*report) : rec::Report{};
}

std::string lines_of(const rec::Report& report, rec::Outcome outcome) {
  std::string text;
  for (const auto& c : report.checks) {
    if (c.outcome == outcome) text += c.id + ", " + c.what + ": " + c.detail + "\n";
  }
  return text;
}

// Key points of devices and processors to the last printed digit, hashes, bytes, printed positions
// and statistics; only what has no model here is missing.
TEST(EdgetpuSilicon, EveryRecordedResult) {
  NEED_SILICON();
  const auto report = verified("edgetpu", "tflite");
  using rec::Outcome;
  EXPECT_EQ(report.count(Outcome::different), 0U) << lines_of(report, Outcome::different);
  EXPECT_GE(report.count(Outcome::equal), 66U) << lines_of(report, Outcome::missing);
  size_t rows = 0;
  for (const auto& c : report.checks) {
    if (c.outcome == Outcome::missing) {
      EXPECT_NE(c.detail.find("no file "), std::string::npos) << c.id << ": " << c.detail;
    }
    if (c.outcome != Outcome::equal || c.what != "device rows") continue;
    ++rows;
    EXPECT_GT(c.ties, 0) << c.id;
    EXPECT_EQ(c.ties, c.recorded_ties) << c.id;
  }
  EXPECT_GE(rows, 2U);
}

// Under every other rule for ties the pose rows part, and nothing else that is recorded.
TEST(EdgetpuSilicon, OtherRulesForTiesFailThePoseRows) {
  NEED_SILICON();
  for (const char* numerics : {"edgetpu:ties=away", "edgetpu:ties=up"}) {
    const auto report = verified(numerics, "");
    for (const auto& c : report.checks) {
      if (c.outcome == rec::Outcome::missing) continue;
      const bool pose = c.kind == rec::CaseKind::decoded_rows;
      EXPECT_EQ(c.outcome == rec::Outcome::different, pose)
          << numerics << ": " << c.id << ", " << c.what << ": " << c.detail;
      if (pose) {
        EXPECT_GT(c.ties, 10) << "ties count under every rule";
      }
    }
  }
}

// What the recordings exclude for one kind of case each.
TEST(EdgetpuSilicon, CutOffResultsFailBytesHashesAndStatistics) {
  NEED_SILICON();
  const auto report = verified("edgetpu:ties=truncate", "");
  std::map<rec::CaseKind, size_t> different;
  for (const auto& c : report.checks) {
    different[c.kind] += c.outcome == rec::Outcome::different;
  }
  for (const auto kind :
       {rec::CaseKind::full_output, rec::CaseKind::output_hash, rec::CaseKind::decoded_rows,
        rec::CaseKind::printed_outputs, rec::CaseKind::printed_statistics}) {
    EXPECT_GT(different[kind], 0U) << name(kind);
  }
}

// The processor's rows are not the device's.
TEST(EdgetpuSilicon, ProcessorRowsInTheDevicesArithmeticDiffer) {
  NEED_SILICON();
  const auto report = verified("", "edgetpu");
  EXPECT_GE(report.count(rec::Outcome::different), 2U);
  EXPECT_EQ(report.count(rec::Outcome::equal), 0U) << lines_of(report, rec::Outcome::equal);
}

}  // namespace
}  // namespace edgetwin::golden
