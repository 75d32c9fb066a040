// Trained constants go back into the file that they were read from, through all that reading folds.
#include "formats/onnx/write/trained.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/rng.h"
#include "formats/onnx/import/onnx.h"
#include "formats/onnx/write/write.h"
#include "unit/formats/onnx/onnx_writer.h"

namespace edgetwin::onnx {
namespace {

std::vector<float> random_floats(XorShift32& random, size_t count) {
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(random.next() % 2001) / 1000.0F - 1.0F;
  return values;
}

std::vector<float> positive_floats(XorShift32& random, size_t count) {
  std::vector<float> values = random_floats(random, count);
  for (float& v : values) v = v * v + 0.5F;
  return values;
}

// A convolution without bias and its batch norm; a transposed one in groups, with bias, batch norm
// and an addend; a convolution with an addend alone; a batch norm alone; a Gemm in the other order,
// with alpha and beta; a multiplication by a constant.
Network trained_example() {
  XorShift32 random(5);
  Network n;
  n.input("x", {1, 2, 4, 4});
  const auto norm = [&](const std::string& in, const std::string& name, int64_t channels) {
    const auto c = static_cast<size_t>(channels);
    n.floats(name + ".s", {channels}, random_floats(random, c));
    n.floats(name + ".b", {channels}, random_floats(random, c));
    n.floats(name + ".m", {channels}, random_floats(random, c));
    n.floats(name + ".v", {channels}, positive_floats(random, c));
    n.node("BatchNormalization", {in, name + ".s", name + ".b", name + ".m", name + ".v"}, {name},
           {}, name);
  };
  n.floats("w1", {4, 2, 3, 3}, random_floats(random, 72));
  n.node("Conv", {"x", "w1"}, {"c1"}, {integers_attribute("pads", {1, 1, 1, 1})}, "conv1");
  norm("c1", "n1", 4);
  n.node("Relu", {"n1"}, {"r1"}, {}, "relu1");
  n.floats("w2", {4, 3, 2, 2}, random_floats(random, 48))
      .floats("b2", {6}, random_floats(random, 6));
  n.node("ConvTranspose", {"r1", "w2", "b2"}, {"c2"},
         {integers_attribute("strides", {2, 2}), integer_attribute("group", 2)}, "up2");
  norm("c2", "n2", 6);
  n.floats("a2", {6, 1, 1}, random_floats(random, 6)).node("Add", {"n2", "a2"}, {"s2"}, {}, "add2");
  n.node("Relu", {"s2"}, {"r2"}, {}, "relu2");
  n.floats("w3", {3, 6, 1, 1}, random_floats(random, 18));
  n.node("Conv", {"r2", "w3"}, {"c3"}, {}, "conv3");
  n.floats("a3", {1, 3, 1, 1}, random_floats(random, 3))
      .node("Add", {"a3", "c3"}, {"s3"}, {}, "add3");
  n.node("MaxPool", {"s3"}, {"p4"},
         {integers_attribute("kernel_shape", {2, 2}), integers_attribute("strides", {2, 2})},
         "pool4");
  norm("p4", "n4", 3);
  n.floats("k5", {1, 3, 1, 1}, random_floats(random, 3))
      .node("Mul", {"n4", "k5"}, {"m5"}, {}, "mul5");
  n.node("GlobalAveragePool", {"m5"}, {"g"}, {}, "mean").node("Flatten", {"g"}, {"f"}, {}, "flat");
  n.floats("w6", {3, 5}, random_floats(random, 15)).floats("b6", {5}, random_floats(random, 5));
  n.node("Gemm", {"f", "w6", "b6"}, {"y"},
         {real_attribute("alpha", 0.5F), real_attribute("beta", 2)}, "gemm6");
  n.output("y");
  return n;
}

std::map<std::string, std::vector<float>> constants_of(const Graph& graph) {
  std::map<std::string, std::vector<float>> all;
  for (const Op& op : graph.ops) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      const Value& v = graph.value(op.inputs[i]);
      if (!v.is_constant() || v.dtype != DType::float32) continue;
      std::vector<float> numbers(static_cast<size_t>(v.shape.elements()));
      std::memcpy(numbers.data(), v.constant->data(), numbers.size() * sizeof(float));
      all[v.name] = numbers;
    }
  }
  return all;
}

void change_all(Graph& graph) {
  XorShift32 random(9);
  for (Value& v : graph.values) {
    if (!v.is_constant() || v.dtype != DType::float32) continue;
    const auto numbers = random_floats(random, static_cast<size_t>(v.shape.elements()));
    v.constant = std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(numbers))));
  }
}

TEST(TrainedOnnx, IsReadAgainWithTheTrainedNumbers) {
  const Bytes file = trained_example().bytes();
  const auto before = read(file, "net.onnx");
  ASSERT_TRUE(before.ok()) << to_text(before.error());
  Graph after = before->main();
  change_all(after);
  auto document = read_document(file, "net.onnx", nullptr);
  ASSERT_TRUE(document.ok());
  const auto written = with_constants(std::move(*document), before->main(), after);
  ASSERT_TRUE(written.ok()) << to_text(written.error());
  const auto bytes = write_document(*written);
  ASSERT_TRUE(bytes.ok());
  const auto again = read(*bytes, "net.onnx");
  ASSERT_TRUE(again.ok()) << to_text(again.error());
  ASSERT_EQ(again->main().ops.size(), before->main().ops.size());
  const auto wanted = constants_of(after), got = constants_of(again->main());
  ASSERT_EQ(got.size(), wanted.size());
  EXPECT_GE(wanted.size(), 10U);
  for (const auto& [name, numbers] : wanted) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(got.contains(name));
    EXPECT_EQ(got.at(name), numbers);
  }
}

// Nothing that was not trained changes, and neither does what the file computes.
TEST(TrainedOnnx, StaysWhereNothingWasTrained) {
  const Bytes file = trained_example().bytes();
  const auto before = read(file, "net.onnx");
  ASSERT_TRUE(before.ok());
  auto document = read_document(file, "net.onnx", nullptr);
  ASSERT_TRUE(document.ok());
  const auto written = with_constants(std::move(*document), before->main(), before->main());
  ASSERT_TRUE(written.ok()) << to_text(written.error());
  const auto again = read(write_document(*written).value(), "net.onnx");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(constants_of(again->main()), constants_of(before->main()));
}

TEST(TrainedOnnx, NamesAConstantThatIsComputed) {
  Network n;
  n.input("x", {1, 4}).floats("half", {2, 4}, std::vector<float>(8, 0.5F));
  n.integers("sizes", {4, 2}).node("Reshape", {"half", "sizes"}, {"w"}, {}, "turn");
  n.node("MatMul", {"x", "w"}, {"y"}, {}, "product").output("y");
  const Bytes file = n.bytes();
  const auto before = read(file, "net.onnx");
  ASSERT_TRUE(before.ok()) << to_text(before.error());
  Graph after = before->main();
  change_all(after);
  const auto written =
      with_constants(read_document(file, "net.onnx", nullptr).value(), before->main(), after);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::onnx_reference);
  EXPECT_NE(written.error().message.find("'w'"), std::string::npos);
}

}  // namespace
}  // namespace edgetwin::onnx
