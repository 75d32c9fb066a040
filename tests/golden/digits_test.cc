// The network that the repository carries, against the bytes that an independent implementation of
// the specification made (tools/digits/reference.cc): every layer of four pictures, and the answers
// to all two hundred, in every instruction set, in plain, and in two threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "golden/golden.h"
#include "kernels/core/isa.h"
#include "source_dir.h"
#include "verify/compare.h"

namespace edgetwin::golden {
namespace {

const fs::path kFolder = fs::path(source_dir()) / "models" / "digits";

class Digits : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto graph = load_graph(kFolder / "digits_int8.tflite");
    ASSERT_TRUE(graph.ok()) << to_text(graph.error());
    exec::Options options{.keep_all = true};
    if (kernels::isa_by_name(GetParam())) options.isa = GetParam();
    if (GetParam() == "plain") options.fast = false;
    if (GetParam() == "threads") options.threads = 2;
    auto session = exec::Session::create(*graph, options);
    ASSERT_TRUE(session.ok()) << to_text(session.error());
    session_.emplace(std::move(*session));
  }

  void run_picture(const std::string& name) {
    const fs::path file = kFolder / "pictures" / name;
    auto bytes = read_file(file);
    ASSERT_TRUE(bytes.ok()) << to_text(bytes.error());
    auto picture = decode_image(*bytes, file.string());
    ASSERT_TRUE(picture.ok()) << to_text(picture.error());
    const ValueId input = session_->graph().inputs[0];
    auto tensor =
        exec::picture_input(*picture, session_->graph().value(input), session_->shape(input));
    ASSERT_TRUE(tensor.ok()) << to_text(tensor.error());
    const Status done = run(*session_, {*tensor});
    ASSERT_TRUE(done.ok()) << to_text(done.error());
  }

  std::optional<exec::Session> session_;
};

// expected/066_4/0003_pointwise1.npy is the tensor 'pointwise1' of picture 066_4.png.
TEST_P(Digits, EveryLayerOfFourPictures) {
  int tensors = 0;
  for (const auto& folder : fs::directory_iterator(kFolder / "expected")) {
    if (!folder.is_directory()) continue;
    run_picture(folder.path().filename().string() + ".png");
    for (const auto& file : fs::directory_iterator(folder.path())) {
      auto wanted = load_npy(file.path());
      ASSERT_TRUE(wanted.ok()) << to_text(wanted.error());
      const int index = std::stoi(file.path().filename().string().substr(0, 4));
      const verify::TensorDiff d = verify::compare(session_->tensor(index), *wanted);
      EXPECT_TRUE(d.equal()) << file.path() << ": " << d.different << " differ, first at "
                             << d.first_position;
      ++tensors;
    }
  }
  EXPECT_EQ(tensors, 4 * 14);
}

TEST_P(Digits, AnswersToAllPictures) {
  auto wanted = load_npy(kFolder / "expected" / "probabilities.npy");
  ASSERT_TRUE(wanted.ok()) << to_text(wanted.error());
  std::ifstream table(kFolder / "expected_top1.txt");
  std::string line;
  std::getline(table, line);
  size_t pictures = 0;
  int right = 0;
  for (; std::getline(table, line); ++pictures) {
    std::stringstream row(line);
    std::string picture;
    int label = -1;
    row >> picture >> label;
    run_picture(picture);
    const Tensor output = session_->output(0);
    const auto got = output.as<int8_t>();
    const auto expected = wanted->as<int8_t>().subspan(pictures * 10, 10);
    ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.begin(), expected.end())) << picture;
    right += std::max_element(got.begin(), got.end()) - got.begin() == label ? 1 : 0;
  }
  EXPECT_EQ(pictures, 200U);
  EXPECT_EQ(right, 199);
}

std::vector<std::string> implementations() {
  std::vector<std::string> names{"threads"};
  for (const kernels::Isa isa : kernels::available_isas()) names.emplace_back(kernels::name(isa));
  return names;
}

INSTANTIATE_TEST_SUITE_P(, Digits, testing::ValuesIn(implementations()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace edgetwin::golden
