// Pictures through the runtime's pipeline, against what its own portable code made of them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/json/json.h"
#include "golden/golden.h"
#include "image/espdl/preprocess.h"

namespace edgetwin::golden {
namespace {

fs::path image_data() { return shared_data() / "espdl" / "image"; }

Result<Tensor> load_picture(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  return looks_like_npy(data) ? read_npy(data, path.string()) : decode_image(data, path.string());
}

size_t bytes_that_differ(const Tensor& a, const Tensor& b) {
  size_t count = 0;
  for (size_t i = 0; i < a.data.size(); ++i) count += a.data[i] != b.data[i] ? 1 : 0;
  return count;
}

TEST(EspdlImage, EveryPictureAsTheRuntimeMakesIt) {
  if (!fs::exists(image_data() / "cases.json")) {
    GTEST_SKIP() << "no espdl/image in EDGETWIN_SHARED_DATA";
  }
  std::ifstream stream(image_data() / "cases.json");
  const nlohmann::json cases = nlohmann::json::parse(stream);
  size_t seen = 0;
  for (const auto& c : cases) {
    const std::string id = c["id"];
    SCOPED_TRACE(id);
    const auto params = espdl_image::read_params(c["params"].dump(), "params");
    ASSERT_TRUE(params.ok()) << to_text(params.error());
    const auto picture = load_picture(image_data() / std::string(c["picture"]));
    ASSERT_TRUE(picture.ok());
    const auto made = espdl_image::preprocess(*picture, *params);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    const auto expected = load_npy(image_data() / std::string(c["expected"]));
    ASSERT_TRUE(expected.ok());
    EXPECT_EQ(to_string(made->tensor.shape), to_string(expected->shape));
    EXPECT_EQ(made->tensor.dtype, expected->dtype);
    ASSERT_EQ(made->tensor.data.size(), expected->data.size());
    EXPECT_EQ(bytes_that_differ(made->tensor, *expected), 0U);
    if (c.contains("geometry") && !id.starts_with("ocr")) {
      ASSERT_EQ(made->geometry.size(), c["geometry"].size());
      for (const auto& [key, value] : made->geometry) {
        ASSERT_TRUE(c["geometry"].contains(key)) << key;
        EXPECT_NEAR(value, c["geometry"][key].get<double>(), 1e-6) << key;
      }
    }
    ++seen;
  }
  EXPECT_EQ(seen, cases.size());
  EXPECT_GE(seen, 83U);
}

}  // namespace
}  // namespace edgetwin::golden
