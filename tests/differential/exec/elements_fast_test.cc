// RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR and ARG_MAX: fast and plain operators must give the same
// bytes, on every instruction set of this machine and for any number of threads.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "exec/session.h"
#include "kernels/core/isa.h"

namespace edgetwin::exec {
namespace {

class ElementNetwork {
 public:
  explicit ElementNetwork(uint64_t seed) : engine_(seed) {
    type_ = between(0, 1) == 0 ? DType::int8 : DType::uint8;
  }

  void resize() {
    const Shape in = {between(1, 2), between(1, 12), between(1, 12), between(1, 40)};
    resize_to(in, between(1, 30), between(1, 30), between(0, 2));
  }

  // By powers of two, for which the kernels sum in words as far as these hold the sums; 32 channels
  // make rows that share sets of the cache.
  void grow() {
    const int channels = between(0, 3) == 0 ? 32 : between(1, 40);
    const Shape in = {between(1, 2), between(2, 6), between(2, 6), channels};
    const int positions = between(0, 2);
    const auto grown = [&](int64_t size) {
      const auto times = int64_t{1} << between(0, 6);
      return static_cast<int>(positions == 1 ? (size - 1) * times + 1 : size * times);
    };
    const int height = grown(in[1]);
    resize_to(in, height, grown(in[2]), positions);
  }

  // Sizes of real networks, whose rows are longer than the kernels' blocks.
  void enlarge() {
    constexpr int kSizes[][2] = {{32, 64}, {16, 56}, {17, 33}, {13, 52}, {17, 129}, {20, 160}};
    constexpr int kChannels[] = {1,  2,  3,  4,  5,  7,  8,  9,   16, 21,
                                 24, 31, 32, 33, 45, 64, 72, 100, 256};
    const auto& size = kSizes[between(0, 5)];
    const int channels = kChannels[between(0, 18)];
    const int width = between(0, 1) == 0 ? size[1] : between(1, 40);
    resize_to({between(1, 2), between(2, 5), size[0], channels}, between(2, 20), width,
              between(0, 2));
  }

  // Bytes of single precision with many different weights: a few of some ten thousand results are
  // so near to a border between two that the order of the definition's sums decides.
  void enlarge_singles() {
    type_ = DType::uint8;
    const Shape in = {1, between(30, 70), between(30, 70), between(1, 24)};
    resize_to(in, between(100, 200), between(100, 330), between(0, 2));
  }

  // Pictures that grow little, or shrink, with channels in blocks of thirty-two: pixels that are
  // passed over, the largest weights of rows, rows on both sides of what the nearest cache holds;
  // often the least and the largest number alone.
  void many_channels() {
    constexpr int kChannels[] = {32, 55, 56, 57, 63, 64, 84, 85, 96, 97, 128, 150, 256};
    const int channels = kChannels[between(0, 12)], positions = between(0, 2);
    const int in_h = between(1, 6), in_w = between(1, between(0, 3) == 0 ? 70 : 12);
    const int times = 1 << between(0, 6), doubled = positions == 1 ? 2 * in_w - 1 : 2 * in_w;
    const int height = between(0, 1) == 0 ? in_h * times : between(1, 20);
    const int width = between(0, 2) == 0 ? doubled : between(1, 4 * in_w + 2);
    resize_to({between(1, 2), in_h, in_w, channels}, height, width, positions);
    if (between(0, 2) != 0) return;
    const int least = type_ == DType::int8 ? 0x80 : 0;
    for (std::byte& b : input_)
      b = static_cast<std::byte>((b & std::byte{1}) == std::byte{} ? least : least ^ 0xFF);
  }

  void nearest() {
    const Shape in = {between(1, 2), between(1, 8), between(1, 40), between(1, 12)};
    const int height = between(1, 12), width = between(1, 90);
    add_input(in, 255);
    add_numbers({height, width});
    add_output({in[0], height, width, in[3]}, type_);
    const int positions = between(0, 2);
    finish(OpKind::resize_nearest_neighbor,
           ResizeAttrs{.align_corners = positions == 1, .half_pixel_centers = positions == 2});
  }

  void resize_to(const Shape& in, int height, int width, int positions) {
    add_input(in, between(0, 3) == 0 ? 1 : 255);
    add_numbers({height, width});
    add_output({in[0], height, width, in[3]}, type_);
    ResizeAttrs attrs;
    attrs.align_corners = positions == 1;
    attrs.half_pixel_centers = positions == 2;
    finish(OpKind::resize_bilinear, attrs);
  }

  // Few different values: the largest one is often there more than once.
  void arg_max() {
    const Shape in = {between(1, 3), between(1, 40), between(0, 4) == 0 ? 300 : between(1, 256)};
    add_input(in, between(0, 1) == 0 ? 2 : 255);
    add_numbers({between(0, 5) == 0 ? 1 : -1});
    const bool middle = numbers_[0] == 1;
    add_output({in[0], middle ? in[2] : in[1]}, between(0, 1) == 0 ? DType::int32 : DType::int64);
    finish(OpKind::arg_max, ArgAttrs{});
  }

  Bytes run(const std::string& numerics, bool fast, const std::string& isa, int threads) const {
    auto session =
        Session::create(std::make_shared<const Graph>(graph_),
                        {.numerics = numerics, .threads = threads, .fast = fast, .isa = isa});
    EXPECT_TRUE(session.ok()) << to_text(session.error());
    if (!session.ok()) return {};
    EXPECT_TRUE(session->set_input(0, input_).ok());
    EXPECT_TRUE(session->run().ok());
    return session->output(0).data;
  }

 private:
  int between(int low, int high) {
    return low + static_cast<int>(engine_() % (static_cast<uint64_t>(high - low) + 1));
  }
  void add_input(const Shape& shape, int most) {
    Value v;
    v.name = "x";
    v.dtype = type_;
    v.shape = shape;
    v.quant = Quant::affine(0.5F, 3);
    input_.resize(static_cast<size_t>(shape.elements()));
    for (std::byte& b : input_) b = static_cast<std::byte>(most == 1 ? 128 : between(0, most));
    graph_.values.push_back(std::move(v));
  }
  void add_numbers(const std::vector<int32_t>& numbers) {
    numbers_ = numbers;
    Value v;
    v.name = "numbers";
    v.dtype = DType::int32;
    if (numbers.size() > 1) v.shape = {static_cast<int64_t>(numbers.size())};
    Bytes bytes(numbers.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    v.constant = std::make_shared<const Bytes>(std::move(bytes));
    graph_.values.push_back(std::move(v));
  }
  void add_output(const Shape& shape, DType type) {
    Value v;
    v.name = "y";
    v.dtype = type;
    v.shape = shape;
    if (type == type_) v.quant = Quant::affine(0.5F, 3);
    graph_.values.push_back(std::move(v));
  }
  template <class Attrs>
  void finish(OpKind kind, const Attrs& attrs) {
    Op op;
    op.kind = kind;
    op.attrs = attrs;
    op.inputs = {0, 1};
    op.outputs = {2};
    graph_.ops = {op};
    graph_.inputs = {0};
    graph_.outputs = {2};
  }

  std::mt19937_64 engine_;
  DType type_{};
  std::vector<int32_t> numbers_;
  Graph graph_;
  Bytes input_;
};

uint64_t element_seed() {
  const char* text = std::getenv("EDGETWIN_TEST_SEED");
  return text == nullptr ? 20261123 : std::strtoull(text, nullptr, 10);
}

void compare_elements(const std::string& numerics, void (ElementNetwork::*make)(), int networks) {
  for (int i = 0; i < networks; ++i) {
    ElementNetwork network(element_seed() + static_cast<uint64_t>(i));
    (network.*make)();
    const Bytes plain = network.run(numerics, false, "", 1);
    ASSERT_FALSE(plain.empty());
    for (const kernels::Isa isa : kernels::available_isas()) {
      const std::string name(kernels::name(isa));
      EXPECT_EQ(network.run(numerics, true, name, 1 + i % 3), plain)
          << numerics << " network " << i << " on " << name;
    }
  }
}

TEST(FastElements, ResizeBilinearOfSinglesNearABorder) {
  compare_elements("tflite", &ElementNetwork::enlarge_singles, 60);
}

TEST(FastElements, ResizeBilinear) {
  compare_elements("tflite", &ElementNetwork::resize, 300);
  compare_elements("tflite-single", &ElementNetwork::resize, 300);
  compare_elements("edgetpu", &ElementNetwork::resize, 300);
  for (const char* numerics : {"tflite", "tflite-single", "edgetpu"}) {
    compare_elements(numerics, &ElementNetwork::enlarge, 300);
  }
  compare_elements("tflite", &ElementNetwork::grow, 300);
  compare_elements("tflite-single", &ElementNetwork::grow, 300);
  compare_elements("edgetpu", &ElementNetwork::grow, 300);
}
TEST(FastElements, ResizeBilinearOfManyChannels) {
  for (const char* numerics : {"tflite", "tflite-single", "edgetpu"}) {
    compare_elements(numerics, &ElementNetwork::many_channels, 250);
  }
}
TEST(FastElements, ResizeNearest) { compare_elements("tflite", &ElementNetwork::nearest, 400); }
TEST(FastElements, ArgMax) { compare_elements("tflite", &ElementNetwork::arg_max, 300); }

}  // namespace
}  // namespace edgetwin::exec
