// A detector that was cut in two and compiled for two Edge TPUs, decompiled: both halves become
// networks that run one after the other and find what is on the photograph.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decode/ssd.h"
#include "golden/golden.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "transform/subgraph.h"

namespace edgetwin::golden {
namespace {

fs::path coral_models() { return shared_data() / "edgetpu" / "models" / "coral_test_data"; }
fs::path segment(int index) {
  return coral_models() / "pipeline" /
         ("ssd_mobilenet_v1_coco_quant_postprocess_segment_" + std::to_string(index) +
          "_of_2_edgetpu.tflite");
}

struct Half {
  edgetpu::Decompiled decompiled;
  std::shared_ptr<const Graph> graph;  // written and read again
};

Result<Half> read_half(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, path.string()));
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(data, path.string()));
  Half half;
  EDGETWIN_TRY_ASSIGN(half.decompiled, edgetpu::decompile(model, file));
  EDGETWIN_TRY_ASSIGN(const Bytes written, tflite::write(half.decompiled.model));
  EDGETWIN_TRY_ASSIGN(Model again, tflite::read(written, "written"));
  half.graph = std::make_shared<const Graph>(std::move(again.graphs.front()));
  return half;
}

class EdgeTpuPipeline : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_data().empty() || !fs::exists(segment(1))) {
      GTEST_SKIP() << "no detector in segments in EDGETWIN_SHARED_DATA";
    }
    for (size_t i = 0; i < 2; ++i) {
      auto half = read_half(segment(static_cast<int>(i)));
      ASSERT_TRUE(half.ok()) << to_text(half.error());
      halves_[i] = std::move(*half);
    }
  }

  Result<std::vector<Tensor>> first_half(const fs::path& photograph) const {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(photograph));
    EDGETWIN_TRY_ASSIGN(const Tensor picture, decode_image(data, photograph.string()));
    const Graph& graph = *halves_[0].graph;
    EDGETWIN_TRY_ASSIGN(exec::Session session,
                        exec::Session::create(halves_[0].graph, {.numerics = "edgetpu"}));
    const ValueId id = graph.inputs.at(0);
    EDGETWIN_TRY_ASSIGN(const Tensor input,
                        exec::picture_input(picture, graph.value(id), session.shape(id)));
    EDGETWIN_TRY(run(session, {input}));
    // By name, as the segments are joined.
    std::vector<Tensor> maps;
    for (const ValueId wanted : halves_[1].graph->inputs) {
      for (size_t i = 0; i < graph.outputs.size(); ++i) {
        const std::string& name = graph.value(graph.outputs[i]).name;
        if (name == halves_[1].graph->value(wanted).name) maps.push_back(session.output(i));
      }
    }
    return maps;
  }

  // The second half on a photograph, every tensor kept.
  Result<exec::Session> whole(const fs::path& photograph) const {
    EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> maps, first_half(photograph));
    EDGETWIN_TRY_ASSIGN(
        exec::Session session,
        exec::Session::create(halves_[1].graph, {.numerics = "edgetpu", .keep_all = true}));
    EDGETWIN_TRY(run(session, maps));
    return session;
  }

  std::array<Half, 2> halves_;
};

TEST_F(EdgeTpuPipeline, BothHalvesBecomeNetworks) {
  for (const Half& h : halves_) {
    EXPECT_TRUE(h.decompiled.complete());
    EXPECT_TRUE(h.decompiled.findings.empty());
    for (const Op& op : h.graph->ops) EXPECT_NE(op.kind, OpKind::opaque) << op_type_name(op);
  }
  EXPECT_TRUE(halves_[1].decompiled.ops[0].scales.inexact.empty());
}

// The file with nothing but the detector's end, not compiled, has the twelve maps as its inputs.
TEST_F(EdgeTpuPipeline, HeadsAndTheirJoiningAreThoseOfTheSource) {
  const auto source = load_graph(coral_models() / "tools" /
                                 "ssd_mobilenet_v1_coco_quant_postprocess_head_layers.tflite");
  ASSERT_TRUE(source.ok());
  auto session = whole(coral_models() / "cat.bmp");
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  std::vector<Tensor> maps;
  for (const ValueId id : (*source)->inputs) {
    const Value& wanted = (*source)->value(id);
    for (const Op& op : halves_[1].graph->ops) {
      const Value& head = halves_[1].graph->value(op.outputs[0]);
      if (op.kind != OpKind::conv_2d || head.shape != wanted.shape) continue;
      EXPECT_EQ(head.quant.zero_point_of(0), wanted.quant.zero_point_of(0)) << wanted.name;
      EXPECT_EQ(head.quant.scale_of(0), wanted.quant.scale_of(0)) << wanted.name;
      maps.push_back(session->tensor(op.outputs[0]));
    }
  }
  ASSERT_EQ(maps.size(), (*source)->inputs.size());
  // The compiler joins in the scale of the largest map, not in that of the source's joining.
  auto joined = std::make_shared<Graph>(**source);
  for (const Op& op : joined->ops) {
    if (op.kind != OpKind::concatenation) continue;
    joined->value(op.outputs[0]).quant = joined->value(op.inputs[0]).quant;
  }
  auto end = exec::Session::create(joined, {.numerics = "edgetpu", .keep_all = true});
  ASSERT_TRUE(end.ok());
  ASSERT_TRUE(run(*end, maps).ok());
  // What the last operator reads: boxes and scores. Behind that the two files differ: anchors of 8
  // bits here, floats there.
  const Op* here = transform::find_op(**source, OpKind::detection_postprocess);
  const Op* there = transform::find_op(*halves_[1].graph, OpKind::detection_postprocess);
  ASSERT_TRUE(here != nullptr && there != nullptr);
  for (size_t i = 0; i < 2; ++i) {
    for (const Op& op : halves_[1].graph->ops) {
      if (op.outputs[0] != there->inputs[i]) continue;
      ASSERT_EQ(op.kind, OpKind::dequantize);
      const ByteSpan left = session->bytes(op.inputs[0]);
      const ByteSpan right = end->bytes(here->inputs[i]);
      ASSERT_EQ(left.size(), size_t{1917} * (i == 0 ? 4 : 91));
      EXPECT_TRUE(std::equal(left.begin(), left.end(), right.begin(), right.end())) << i;
    }
  }
}

TEST_F(EdgeTpuPipeline, FindsWhatIsOnThePhotograph) {
  constexpr std::array<std::pair<const char*, int>, 2> kPhotographs{
      {{"cat.bmp", 16}, {"grace_hopper.bmp", 0}}};  // of the COCO classes: cat, person
  for (const auto& [name, wanted] : kPhotographs) {
    const auto session = whole(coral_models() / name);
    ASSERT_TRUE(session.ok()) << to_text(session.error());
    decode::SsdOptions options;
    options.threshold = 0.3;
    options.picture_width = options.picture_height = 1000;
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < 4; ++i) outputs.push_back(session->output(i));
    const auto found = decode::ssd_detections(outputs, options);
    ASSERT_TRUE(found.ok()) << to_text(found.error());
    ASSERT_FALSE(found->empty()) << name;
    const decode::Detection& best = found->front();
    EXPECT_EQ(best.class_index, wanted) << name;
    EXPECT_GT(best.score, 0.6) << name;
    // Both fill more than half of their pictures.
    EXPECT_GT((best.x1 - best.x0) * (best.y1 - best.y0), 0.5 * 1000 * 1000) << name;
    // The operator's own arithmetic from its anchors finds the same.
    const Op* op = transform::find_op(*halves_[1].graph, OpKind::detection_postprocess);
    ASSERT_NE(op, nullptr);
    options.attributes = op->as<DetectionAttrs>();
    const auto again =
        decode::decode_ssd(session->tensor(op->inputs[0]), session->tensor(op->inputs[1]),
                           session->tensor(op->inputs[2]), options);
    ASSERT_TRUE(again.ok()) << to_text(again.error());
    ASSERT_EQ(again->size(), found->size());
    EXPECT_EQ(again->front().class_index, wanted);
    EXPECT_EQ(again->front().score, best.score);
  }
}

}  // namespace
}  // namespace edgetwin::golden
