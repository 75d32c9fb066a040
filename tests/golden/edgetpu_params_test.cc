// The parameters of public compiled models, made again from the models that they were compiled
// from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "golden/edgetpu_pairs.h"
#include "golden/golden.h"
#include "targets/edgetpu/params/build.h"
#include "targets/edgetpu/params/patch.h"
#include "targets/edgetpu/params/single_layer.h"

namespace edgetwin::golden {
namespace {

using edgetpu::Located;

struct Loaded {
  Bytes data;
  darwinn::File file;
  std::shared_ptr<const Graph> graph;
};

Result<Loaded> load(const EdgetpuPair& pair) {
  Loaded l;
  EDGETWIN_TRY_ASSIGN(l.data, read_file(pair.compiled));
  EDGETWIN_TRY_ASSIGN(l.file, darwinn::read(l.data, pair.compiled.string()));
  EDGETWIN_TRY_ASSIGN(l.graph, load_graph(pair.source));
  return l;
}

// Bytes that no rule gives: the gates of an LSTM (but for its dense layer and softmax), a header of
// constants, a matrix that moves values between tensors.
int64_t known_rest(const std::string& name) {
  if (name.starts_with("keras_lstm_mnist")) return 44544 - 9024 - 576;
  if (name.starts_with("movenet_single_pose_lightning")) return 64;
  if (name.starts_with("split_concat")) return 192;
  return 0;
}

TEST(EdgetpuParams, EveryByteOfEveryModelIsExplained) {
  NEED_MODELS();
  const std::vector<EdgetpuPair> all = edgetpu_pairs();
  ASSERT_FALSE(all.empty());
  for (const EdgetpuPair& pair : all) {
    const std::string name = pair.compiled.filename().string();
    const auto l = load(pair);
    ASSERT_TRUE(l.ok()) << to_text(l.error());
    const Located located = edgetpu::locate(l->file, *l->graph);
    EXPECT_EQ(located.total() - located.total_explained(), known_rest(name)) << name;
    for (const edgetpu::BuiltBlob& b : edgetpu::build(located)) EXPECT_TRUE(b.equal) << name;
  }
}

// What is read from a block and written again is the block.
TEST(EdgetpuParams, BlocksReadAndWrittenAgain) {
  NEED_MODELS();
  for (const EdgetpuPair& pair : edgetpu_pairs()) {
    const auto l = load(pair);
    ASSERT_TRUE(l.ok()) << to_text(l.error());
    const Located located = edgetpu::locate(l->file, *l->graph);
    for (size_t i = 0; i < located.layers.size(); ++i) {
      const edgetpu::Piece* piece = located.piece_of(i);
      if (piece == nullptr) continue;
      const auto content = edgetpu::content_of(located, i);
      ASSERT_TRUE(content.ok()) << to_text(content.error());
      EXPECT_EQ(edgetpu::write_block(piece->shape, *content), piece->expected) << piece->label;
      EXPECT_EQ(content->weights, located.layers[i].content.weights) << piece->label;
    }
  }
}

// One layer and its own model: what is known without the uncompiled model agrees with it.
TEST(EdgetpuParams, SingleDenseLayersNeedNoReference) {
  NEED_MODELS();
  for (const char* name : {"dense_256", "dense_1024"}) {
    const auto l = load({edgetpu_models() / "libredgetpu" / (std::string(name) + "_edgetpu.tflite"),
                         edgetpu_models() / "libredgetpu" / (std::string(name) + ".tflite")});
    ASSERT_TRUE(l.ok()) << to_text(l.error());
    const Located with = edgetpu::locate(l->file, *l->graph);
    const Located alone = edgetpu::locate_alone(l->file);
    ASSERT_EQ(alone.pieces.size(), 1U) << name;
    EXPECT_EQ(alone.pieces[0].shape, with.pieces[0].shape);
    EXPECT_EQ(alone.total_explained(), alone.total());
    EXPECT_EQ(edgetpu::content_of(alone, 0)->weights, with.layers[0].content.weights);
  }
}

Tensor array(DType type, const Shape& shape) { return *Tensor::zeros(type, shape); }

TEST(EdgetpuParams, PatchedWeightsAreFoundAgain) {
  NEED_MODELS();
  const auto l = load({edgetpu_models() / "libredgetpu" / "dense_256_edgetpu.tflite",
                       edgetpu_models() / "libredgetpu" / "dense_256.tflite"});
  ASSERT_TRUE(l.ok()) << to_text(l.error());
  const Located located = edgetpu::locate_alone(l->file);
  Tensor weights = array(DType::int8, {256, 256});
  for (size_t i = 0; i < weights.data.size(); ++i) {
    weights.data[i] = static_cast<std::byte>(i * 7 % 251);
  }
  const auto patched = edgetpu::patch(l->data, l->file, located, {{"0", weights, {}, {}}});
  ASSERT_TRUE(patched.ok()) << to_text(patched.error());
  ASSERT_EQ(patched->file.size(), l->data.size());
  const auto again = darwinn::read(patched->file, "again");
  ASSERT_TRUE(again.ok());
  const Located found = edgetpu::locate_alone(*again);
  const auto content = edgetpu::content_of(found, 0);
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(edgetpu::to_model_order(found.layers[0], content->weights), weights.data);
  EXPECT_EQ(content->scales, edgetpu::content_of(located, 0)->scales);
  // A second patch with the old weights gives the old file.
  Tensor old = array(DType::int8, {256, 256});
  old.data = edgetpu::to_model_order(located.layers[0], edgetpu::content_of(located, 0)->weights);
  const auto back = edgetpu::patch(patched->file, *again, found, {{"0", old, {}, {}}});
  ASSERT_TRUE(back.ok()) << to_text(back.error());
  EXPECT_EQ(back->file, l->data);
}

TEST(EdgetpuParams, FloatWeightsMakeNewScalesPerChannel) {
  NEED_MODELS();
  const auto l = load({edgetpu_models() / "libredgetpu" / "dense_256_edgetpu.tflite",
                       edgetpu_models() / "libredgetpu" / "dense_256.tflite"});
  ASSERT_TRUE(l.ok()) << to_text(l.error());
  const Located located = edgetpu::locate(l->file, *l->graph);
  const std::string layer = located.layers[0].label;
  Tensor weights = array(DType::float32, {256, 256});
  for (size_t i = 0; i < 65536; ++i) {
    weights.as<float>()[i] = static_cast<float>(i % 256) / 256.0F * static_cast<float>(i / 256 + 1);
  }
  const auto patched = edgetpu::patch(l->data, l->file, located, {{layer, weights, {}, {}}});
  ASSERT_TRUE(patched.ok()) << to_text(patched.error());
  EXPECT_EQ(patched->layers[0].limited, 0);
  const auto again = darwinn::read(patched->file, "again");
  const Located found = edgetpu::locate_alone(*again);
  const auto content = edgetpu::content_of(found, 0);
  ASSERT_TRUE(content.ok());
  const edgetpu::ReferenceLayer& r = located.layers[0];
  const float out = located.pieces[0].output_scale;
  for (size_t c = 0; c < 256; ++c) {
    const float most = 255.0F / 256.0F * static_cast<float>(c + 1);
    EXPECT_EQ(content->scales[c], (r.input_scale * (most / 127.0F)) * (1.0F / out));
    EXPECT_EQ(content->weights[c * 256 + 255], std::byte{255});
  }
}

// A per-tensor model: the multiplier stands in the instructions.
TEST(EdgetpuParams, PerTensorScalesAreRewrittenInTheInstructions) {
  NEED_MODELS();
  const fs::path folder = edgetpu_models() / "coral_test_data";
  const auto l = load({folder / "mobilenet_v1_0.25_128_quant_edgetpu.tflite",
                       folder / "mobilenet_v1_0.25_128_quant.tflite"});
  ASSERT_TRUE(l.ok()) << to_text(l.error());
  const Located located = edgetpu::locate(l->file, *l->graph);
  Tensor scale = array(DType::float32, {1});
  scale.as<float>()[0] = 0.0123F;
  const auto patched = edgetpu::patch(l->data, l->file, located, {{"2", {}, {}, scale}});
  ASSERT_TRUE(patched.ok()) << to_text(patched.error());
  EXPECT_GT(patched->layers[0].instructions, 0U);
  EXPECT_TRUE(patched->layers[0].rescaled_bias);
  // The opposite scale gives the old multiplier: everything but the rounded bias is as before.
  size_t different = 0;
  for (size_t i = 0; i < l->data.size(); ++i) different += patched->file[i] != l->data[i];
  EXPECT_GT(different, 0U);
  EXPECT_LE(different, patched->layers[0].changed + 5 * patched->layers[0].instructions);
}

TEST(EdgetpuParams, ATemplateWithoutBiasRefusesOne) {
  NEED_MODELS();
  const auto l = load({edgetpu_models() / "libredgetpu" / "dense_256_edgetpu.tflite",
                       edgetpu_models() / "libredgetpu" / "dense_256.tflite"});
  ASSERT_TRUE(l.ok()) << to_text(l.error());
  const Located located = edgetpu::locate_alone(l->file);
  Tensor bias = array(DType::int32, {256});
  EXPECT_TRUE(edgetpu::patch(l->data, l->file, located, {{"0", {}, bias, {}}}).ok());
  bias.as<int32_t>()[7] = 1;
  const auto refused = edgetpu::patch(l->data, l->file, located, {{"0", {}, bias, {}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::params_template);
  const auto unknown = edgetpu::patch(l->data, l->file, located, {{"nothing", {}, bias, {}}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::params_layer);
}

}  // namespace
}  // namespace edgetwin::golden
