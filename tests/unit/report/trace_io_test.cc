#include "report/trace_io.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "report/page/page.h"
#include "tensor/npy.h"

namespace edgetwin::report {
namespace {

namespace fs = std::filesystem;

class TraceTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() /
            ("edgetwin-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  static Tensor tensor(const std::string& name, std::vector<int8_t> values) {
    Tensor t = Tensor::zeros(DType::int8, {1, static_cast<int64_t>(values.size())}).value();
    t.name = name;
    t.quant = Quant::affine(0.5F, 3);
    std::copy(values.begin(), values.end(), t.as<int8_t>().begin());
    return t;
  }

  void write(const std::string& folder, const std::vector<Tensor>& tensors) {
    AtomicFolder target = AtomicFolder::create(root_ / folder, Overwrite::no).value();
    TraceWriter writer(target);
    int op = -1;
    for (const Tensor& t : tensors) {
      ASSERT_TRUE(writer.add(op, op < 0 ? "input" : "ADD", op + 1, t).ok());
      ++op;
    }
    ASSERT_TRUE(writer.finish().ok());
    ASSERT_TRUE(target.commit().ok());
  }

  fs::path root_;
};

TEST_F(TraceTest, ComesBackAsItWasWritten) {
  write("t", {tensor("a/b:0", {1, 2}), tensor("", {3})});
  EXPECT_TRUE(fs::exists(root_ / "t" / "0000_a_b_0.npy"));
  EXPECT_TRUE(fs::exists(root_ / "t" / "0001_.npy"));
  const auto read = read_tensor_folder(root_ / "t").value();
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].tensor.name, "a/b:0");
  EXPECT_EQ(read[0].op_type, "input");
  EXPECT_EQ(read[1].op_index, 0);
  EXPECT_EQ(read[1].value, 1);
  EXPECT_EQ(read[0].tensor.as<int8_t>()[1], 2);
}

TEST_F(TraceTest, TypesThatNumpyHasNotAreListedWithoutFile) {
  Tensor packed;
  packed.name = "packed";
  packed.dtype = DType::int4;
  packed.shape = {2};
  packed.data.resize(1);
  write("t", {packed, tensor("x", {1})});
  const auto read = read_tensor_folder(root_ / "t").value();
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].tensor.name, "x");
}

TEST_F(TraceTest, PlainFoldersArePairedWithTracesByName) {
  write("t", {tensor("a/b", {1, 2}), tensor("c", {3})});
  fs::create_directory(root_ / "plain");
  const auto put = [this](const std::string& name, const Tensor& t) {
    const Bytes bytes = write_npy(t).value();
    ASSERT_TRUE(write_file(root_ / "plain" / name, bytes, Overwrite::no).ok());
  };
  put("0007_c.npy", tensor("", {3}));
  put("a_b.npy", tensor("", {1, 9}));
  const auto plain = read_tensor_folder(root_ / "plain").value();
  const auto trace = read_tensor_folder(root_ / "t").value();
  const verify::SetDiff diff = compare_folders(trace, plain, 0.0);
  ASSERT_TRUE(diff.first);
  EXPECT_EQ(diff.tensors[*diff.first].name, "a/b");
  EXPECT_TRUE(diff.tensors[1].equal());
  EXPECT_TRUE(diff.only_in_a.empty());
  EXPECT_TRUE(diff.only_in_b.empty());
  EXPECT_FALSE(compare_folders(plain, trace, 0.0).equal());
}

TEST_F(TraceTest, NamesThatLeadElsewhereAreRefused) {
  for (const char* name : {"../x.npy", "/etc/passwd", "..", "a/b.npy", ""}) {
    const std::string text =
        "{\"schema\": 1, \"tensors\": [{\"file\": \"" + std::string(name) + "\"}]}";
    ASSERT_TRUE(write_file(root_ / kTraceFile, std::string_view(text), Overwrite::yes).ok());
    const auto read = read_tensor_folder(root_);
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_EQ(read.error().code, ErrorCode::bad_value) << name;
  }
}

TEST_F(TraceTest, OtherDocumentsAreRefused) {
  for (const char* text :
       {"", "[]", "{}", "{\"schema\": 2, \"tensors\": []}", "{\"schema\": 1, \"tensors\": [{}]}",
        "{\"schema\": 1, \"tensors\": [3]}"}) {
    ASSERT_TRUE(write_file(root_ / kTraceFile, std::string_view(text), Overwrite::yes).ok());
    EXPECT_FALSE(read_tensor_folder(root_).ok()) << text;
  }
}

}  // namespace
}  // namespace edgetwin::report
