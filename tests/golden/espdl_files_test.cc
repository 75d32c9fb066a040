// Every recorded .espdl file: read, written and read again; in packages; encrypted; and its weights
// in plain order, which must be the same for all targets of one network.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "formats/espdl/document/layout.h"
#include "formats/espdl/export/export.h"
#include "formats/espdl/read/read.h"
#include "formats/espdl/text/companions.h"
#include "formats/espdl/wire/describe.h"
#include "formats/espdl/write/write.h"
#include "golden/golden.h"

namespace edgetwin::golden {
namespace {

using espdl::Container;
using espdl::ModelFile;

constexpr espdl::Key kKey = {std::byte{0x00}, std::byte{0x11}, std::byte{0x22}, std::byte{0x33},
                             std::byte{0x44}, std::byte{0x55}, std::byte{0x66}, std::byte{0x77},
                             std::byte{0x88}, std::byte{0x99}, std::byte{0xaa}, std::byte{0xbb},
                             std::byte{0xcc}, std::byte{0xdd}, std::byte{0xee}, std::byte{0xff}};

std::vector<fs::path> files() {
  std::vector<fs::path> found;
  for (const char* folder : {"corpus", "upstream"}) {
    for (const auto& entry : fs::recursive_directory_iterator(shared_data() / "espdl" / folder)) {
      if (entry.path().extension() == ".espdl") found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Container load(const fs::path& path) {
  const auto data = read_file(path);
  EXPECT_TRUE(data.ok());
  auto container = espdl::read(*data, path.string());
  EXPECT_TRUE(container.ok()) << to_text(container.error());
  return container.ok() ? std::move(container).value() : Container();
}

class EspdlFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  }
};

TEST_F(EspdlFiles, ComeBackAsTheyWere) {
  const auto paths = files();
  EXPECT_GE(paths.size(), 230U);
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.string());
    const Container container = load(path);
    ASSERT_EQ(container.models.size(), 1U);
    // The exporter that gave conversions no type did not clear what fills up the last sixteen bytes
    // either: a note for each tensor that has some.
    const auto& findings = container.models[0].findings;
    const auto options = espdl::export_options(container.models[0].document);
    EXPECT_EQ(!findings.empty(), options.untyped_conversions);
    for (const Finding& f : findings) EXPECT_EQ(f.severity, Severity::note) << to_text(f);
    EXPECT_FALSE(container.models[0].document.nodes.empty());
    const auto written = espdl::write(container);
    ASSERT_TRUE(written.ok()) << to_text(written.error());
    const auto again = espdl::read(*written, "again");
    ASSERT_TRUE(again.ok()) << to_text(again.error());
    EXPECT_EQ(*again, container);
    EXPECT_TRUE(again->models[0].findings.empty());
    EXPECT_EQ(*espdl::write(*again), *written);
  }
}

TEST_F(EspdlFiles, ComeBackFromEveryKindOfPackage) {
  const auto paths = files();
  for (const int version : {1, 2, 3}) {
    std::vector<ModelFile> models;
    for (size_t i = version; i < paths.size(); i += 40) {
      models.push_back(load(paths[i]).models[0]);
      models.back().name = paths[i].parent_path().filename().string() + ".espdl";
    }
    ASSERT_GE(models.size(), 5U);
    const auto package = espdl::pack(models, version);
    ASSERT_TRUE(package.ok()) << to_text(package.error());
    const auto written = espdl::write(*package);
    ASSERT_TRUE(written.ok()) << to_text(written.error());
    const auto again = espdl::read(*written, "package");
    ASSERT_TRUE(again.ok()) << to_text(again.error());
    EXPECT_EQ(*again, *package);
    EXPECT_TRUE(again->findings.empty());
    const auto dump = espdl::describe(*written, "package");
    ASSERT_TRUE(dump.ok()) << to_text(dump.error());
    EXPECT_GT(dump->size(), 8 * models.size());
  }
}

TEST_F(EspdlFiles, ComeBackEncrypted) {
  const auto paths = files();
  for (size_t i = 0; i < paths.size(); i += 20) {
    SCOPED_TRACE(paths[i].string());
    Container container = load(paths[i]);
    container.models[0].encrypted = true;
    const auto written = espdl::write(container, kKey);
    ASSERT_TRUE(written.ok()) << to_text(written.error());
    EXPECT_FALSE(espdl::read(*written, "no key").ok());
    const auto again = espdl::read(*written, "again", kKey);
    ASSERT_TRUE(again.ok()) << to_text(again.error());
    EXPECT_EQ(*again, container);
  }
}

// A constant weight of a Conv, Gemm or MatMul, with everything its order depends on.
struct Weight {
  std::string name;
  espdl::WeightOrder order;
  espdl::WeightShape shape;
  size_t element_size = 1;
  bool one_dim = false;
  const espdl::TensorData* tensor = nullptr;
};

std::vector<Weight> weights(const espdl::Document& d) {
  std::vector<Weight> found;
  for (const espdl::Node& node : d.nodes) {
    const bool conv = node.op_type == "Conv";
    if (!conv && node.op_type != "Gemm" && node.op_type != "MatMul") continue;
    const espdl::TensorData* tensor = d.initializer(node.inputs.at(1));
    if (tensor == nullptr) continue;
    Weight w;
    w.name = tensor->name;
    w.tensor = tensor;
    w.element_size = tensor->type == espdl::DataType::int16 ? 2 : 1;
    const int64_t group = node.integer("group").value_or(1);
    w.order.use = !conv
                      ? (node.op_type == "Gemm" ? espdl::WeightUse::gemm : espdl::WeightUse::matmul)
                  : group > 1 ? espdl::WeightUse::grouped
                              : espdl::WeightUse::conv;
    const auto tag = espdl::parse_tag(tensor->doc_string);
    EXPECT_TRUE(tag) << tensor->doc_string;
    if (!tag) continue;
    w.order.block = tag->block == 0 ? 0 : espdl::vector_block(w.element_size);
    w.one_dim = conv && tensor->dims.size() == 3;
    auto shape = espdl::weight_shape(w.order.use, tensor->dims);
    EXPECT_TRUE(shape.ok()) << to_text(shape.error());
    if (!shape.ok()) continue;
    w.shape = *shape;
    EXPECT_EQ(espdl::tag_of(w.order, w.shape, w.one_dim), *tag) << tensor->doc_string;
    found.push_back(w);
  }
  return found;
}

TEST_F(EspdlFiles, WeightsComeBackAndTagsAreAsExpected) {
  size_t count = 0;
  for (const fs::path& path : files()) {
    SCOPED_TRACE(path.string());
    const Container container = load(path);
    for (const Weight& w : weights(container.models[0].document)) {
      const auto plain = espdl::to_ohwi(w.tensor->data, w.order, w.shape, w.element_size);
      ASSERT_TRUE(plain.ok()) << to_text(plain.error());
      const auto back = espdl::from_ohwi(*plain, w.order, w.shape, w.element_size);
      ASSERT_TRUE(back.ok());
      EXPECT_EQ(*back, w.tensor->data);
      if (w.order.use != espdl::WeightUse::matmul) {
        EXPECT_EQ(espdl::stored_dims(w.order.use, w.shape, w.one_dim), w.tensor->dims);
      }
      ++count;
    }
  }
  EXPECT_GT(count, 700U);
}

// Target c and the S3 round alike, so that the same network has the same weights: the one in plain
// order, the other in blocks.
TEST_F(EspdlFiles, BlockedWeightsEqualThePlainOnesOfTargetC) {
  size_t compared = 0;
  std::map<espdl::WeightUse, size_t> by_use;
  for (const fs::path& path : files()) {
    const std::string folder = path.parent_path().string();
    const size_t at = folder.rfind("_c_s");
    if (folder.find("/corpus/") == std::string::npos || at == std::string::npos) continue;
    const std::string other = folder.substr(0, at) + "_esp32s3_s" + folder.substr(at + 4);
    if (!fs::exists(fs::path(other) / "model.espdl")) continue;
    SCOPED_TRACE(folder);
    const Container c = load(path);
    const Container s3 = load(fs::path(other) / "model.espdl");
    const auto plain = weights(c.models[0].document);
    const auto blocked = weights(s3.models[0].document);
    ASSERT_EQ(plain.size(), blocked.size());
    for (size_t i = 0; i < plain.size(); ++i) {
      EXPECT_EQ(plain[i].order.block, 0);
      EXPECT_NE(blocked[i].order.block, 0);
      ASSERT_EQ(plain[i].shape, blocked[i].shape);
      if (plain[i].tensor->exponents != blocked[i].tensor->exponents) continue;
      EXPECT_EQ(*espdl::to_ohwi(plain[i].tensor->data, plain[i].order, plain[i].shape,
                                plain[i].element_size),
                *espdl::to_ohwi(blocked[i].tensor->data, blocked[i].order, blocked[i].shape,
                                blocked[i].element_size))
          << plain[i].name;
      ++compared;
      ++by_use[plain[i].order.use];
    }
  }
  EXPECT_GE(compared, 40U);
  EXPECT_EQ(by_use.size(),
            3U);  // no network with a constant operand of MatMul is there for target c
}

TEST_F(EspdlFiles, CompanionsAreMadeOfAllOfThem) {
  for (const fs::path& path : files()) {
    const Container container = load(path);
    const espdl::Document& d = container.models[0].document;
    EXPECT_NE(espdl::info_text(d).find("return %" + d.outputs.at(0).name), std::string::npos);
    EXPECT_NE(espdl::config_json(d, "esp32p4").find("\"dispatchings\": {\n"), std::string::npos);
  }
}

}  // namespace
}  // namespace edgetwin::golden
