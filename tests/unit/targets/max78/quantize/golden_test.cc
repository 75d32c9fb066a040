// Every quantized checkpoint of the reference data, bit for bit.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "targets/max78/quantize/quantize.h"
#include "tensor/npy.h"

namespace edgetwin::max78 {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

QuantizeOptions options_of(const Json& words) {
  QuantizeOptions out;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string value = words[i + 1];
    if (words[i] == "--clip-method") out.method = *clip_method(value);
    if (words[i] == "--qat-weight-bits") out.weight_bits = std::stoi(value);
    if (words[i] == "--scale") out.scale = std::stod(value);
    if (words[i] == "--stddev") out.deviations = std::stod(value);
  }
  return out;
}

void compare(const torch::Checkpoint& got, const std::vector<Tensor>& expected) {
  std::map<std::string, Tensor> tensors;
  const auto state = got.state_dict();
  ASSERT_TRUE(state.ok());
  for (const auto& entry : *state) tensors[entry.name] = got.tensor(entry.tensor);
  EXPECT_EQ(tensors.size(), expected.size());
  for (const Tensor& want : expected) {
    SCOPED_TRACE(want.name);
    ASSERT_TRUE(tensors.contains(want.name));
    const Tensor& have = tensors[want.name];
    ASSERT_EQ(have.shape, want.shape);
    int64_t different = 0;
    for (int64_t i = 0; i < want.shape.elements(); ++i) {
      different +=
          element_as_double(want.dtype, want.data, i) != element_as_double(have.dtype, have.data, i)
              ? 1
              : 0;
    }
    EXPECT_EQ(different, 0) << "of " << want.shape.elements();
  }
}

TEST(QuantizeGolden, EveryCase) {
  const char* folder = std::getenv("EDGETWIN_SHARED_DATA");
  if (folder == nullptr) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path root = fs::path(folder) / "max7800x";
  std::ifstream index(root / "quantize/quantize.json");
  size_t equal = 0;
  for (const Json& test : Json::parse(index)) {
    SCOPED_TRACE(test["name"].get<std::string>());
    const fs::path path = root / test["checkpoint"].get<std::string>();
    auto data = read_file(path);
    ASSERT_TRUE(data.ok());
    auto checkpoint = torch::Checkpoint::read(std::move(*data), path.string());
    ASSERT_TRUE(checkpoint.ok()) << to_text(checkpoint.error());
    const Quantization result = quantize(std::move(*checkpoint), options_of(test["options"]));
    // Where the vendor's program stops with an internal error, this one has a result of its own.
    ASSERT_TRUE(result.checkpoint) << to_text(result.report.errors().front());
    const auto bytes = torch::write(*result.checkpoint);
    ASSERT_TRUE(bytes.ok());
    const auto again = torch::Checkpoint::read(*bytes, "written");
    ASSERT_TRUE(again.ok()) << to_text(again.error());
    const auto extras = again->find(again->root(), "extras");
    ASSERT_TRUE(extras);
    if (!test["ok"].get<bool>()) continue;
    EXPECT_EQ(again->text(*extras, "clipping_method"), test["method"].get<std::string>());
    auto archive = read_file(root / test["expected"].get<std::string>());
    ASSERT_TRUE(archive.ok());
    const auto expected = read_npz(*archive, "expected");
    ASSERT_TRUE(expected.ok());
    compare(*again, *expected);
    ++equal;
  }
  EXPECT_EQ(equal, 32U);
}

}  // namespace
}  // namespace edgetwin::max78
