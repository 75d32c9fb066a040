// The published person-feature network with additions mended: the listed tensors, and the bytes.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "formats/espdl/read/exponents.h"
#include "formats/espdl/read/read.h"
#include "golden/golden.h"
#include "targets/espdl/repair/align_adds.h"

namespace edgetwin::golden {
namespace {

TEST(EspdlAlignAdds, PublishedPersonFeatures) {
  const fs::path facts = shared_data() / "espdl" / "silicon" / "add_exponents.json";
  const fs::path file = shared_data() / "espdl" / "upstream" / "person_reid_p4" / "model.espdl";
  if (!fs::exists(facts) || !fs::exists(file)) {
    GTEST_SKIP() << "no espdl/silicon or person_reid_p4 in EDGETWIN_SHARED_DATA";
  }
  std::ifstream stream(facts);
  const nlohmann::json network = nlohmann::json::parse(stream)["network"]["esp32p4"];
  const auto data = read_file(file);
  ASSERT_TRUE(data.ok());
  ASSERT_EQ(sha256_hex(*data), std::string(network["sha256"]));
  auto container = espdl::read(*data, file.string());
  ASSERT_TRUE(container.ok());
  espdl::Document& document = container->models[0].document;
  EXPECT_EQ(targets::espdl::count_inputs_aligned_only(document), 13U);
  const targets::espdl::AddRepair repair = targets::espdl::align_adds(document);
  EXPECT_TRUE(repair.left.empty());
  ASSERT_EQ(repair.lowered.size(), network["inputs_lowered"].size());
  std::vector<espdl::NewExponent> changes;
  for (size_t i = 0; i < repair.lowered.size(); ++i) {
    const auto& expected = network["inputs_lowered"][i];
    EXPECT_EQ(repair.lowered[i].name, std::string(expected["tensor"]));
    EXPECT_EQ(repair.lowered[i].from, expected["from"].get<int64_t>());
    EXPECT_EQ(repair.lowered[i].to, expected["to"].get<int64_t>());
    changes.push_back({repair.lowered[i].name, repair.lowered[i].to});
  }
  const auto changed = espdl::with_exponents(*data, file.string(), changes);
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(sha256_hex(*changed), std::string(network["inputs_lowered_sha256"]));
  EXPECT_EQ(targets::espdl::count_inputs_aligned_only(document), 0U);
}

}  // namespace
}  // namespace edgetwin::golden
