// The vendor's command lines as ours.
#include "cli/vendor/command_line.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace edgetwin::cli {
namespace {

using Words = std::vector<std::string>;

// A folder with a description of the given content, removed at the end.
class Description {
 public:
  explicit Description(const std::string& text) {
    path_ = testing::TempDir() + "vendor_net.yaml";
    EXPECT_TRUE(write_file(path_, std::string_view(text), Overwrite::yes).ok());
  }
  ~Description() { (void)std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr const char* kNet =
    "arch: net\ndataset: CIFAR10\nlayers:\n  - op: conv2d\n    processors: 0x7\n    kernel_size: "
    "3x3\n    pad: 1\n";

Words line_of(const Words& words) {
  const auto line = own_command_line(words);
  EXPECT_TRUE(line.ok()) << (line.ok() ? "" : to_text(line.error()));
  return line.ok() ? *line : Words{};
}

TEST(VendorCommandLine, LoaderByItsName) {
  const Description net(kNet);
  const Words rest = {"--test-dir",        "sdk",         "--prefix",      "cifar",
                      "--checkpoint-file", "c.pth.tar",   "--config-file", net.path(),
                      "--device",          "MAX78000",    "--timer",       "0",
                      "--softmax",         "--overwrite", "--verbose"};
  const Words wanted = {"edgetwin",  "compile",   net.path(),
                        "--target",  "max78000",  "--checkpoint",
                        "c.pth.tar", "--sample",  "tests/sample_cifar10.npy",
                        "-o",        "sdk/cifar", "--prefix",
                        "cifar",     "--force",   "--timer",
                        "0",         "--softmax", "--verbose"};
  for (const Words& start :
       {Words{"ai8xize.py"}, Words{"/opt/izer/ai8xize"}, Words{"python", "ai8xize.py"},
        Words{"/usr/bin/python3", "./ai8xize.py"}}) {
    Words words = start;
    words.insert(words.end(), rest.begin(), rest.end());
    EXPECT_EQ(line_of(words), wanted) << start[0];
  }
}

TEST(VendorCommandLine, AbbreviationsAndJoinedValues) {
  const Description net(kNet);
  const Words line =
      line_of({"ai8xize", "--test-d=sdk", "--prefix=n", "--checkpoint=c", "--config=" + net.path(),
               "--dev", "85", "--sample-input", "s.npy", "--no-bias", "0,3", "--softm"});
  EXPECT_EQ(line, (Words{"edgetwin", "compile", net.path(), "--target", "max78000", "--checkpoint",
                         "c", "--sample", "s.npy", "-o", "sdk/n", "--prefix", "n", "--no-bias",
                         "0,3", "--softmax"}));
  EXPECT_FALSE(own_command_line({"ai8xize", "--no"}).ok());           // means several
  EXPECT_FALSE(own_command_line({"ai8xize", "--nothing"}).ok());      // means none
  EXPECT_FALSE(own_command_line({"ai8xize", "--prefix"}).ok());       // lacks its value
  EXPECT_FALSE(own_command_line({"ai8xize", "--prefix", "x"}).ok());  // lacks the others
}

TEST(VendorCommandLine, FilesOfTestNetworks) {
  const Description net(
      "arch: test\ndataset: Noise\nweights: w7\nbias: b7\nlayers:\n  - op: conv2d\n"
      "    processors: 0x7\n    kernel_size: 3x3\n    pad: 1\n");
  const Words line = line_of(
      {"ai8xize", "--test-dir", "d", "--prefix", "p", "--config-file", net.path(), "--ai85"});
  EXPECT_EQ(line, (Words{"edgetwin", "compile", net.path(), "--target", "max78000", "--weights",
                         "tests/w7.npy", "--bias", "tests/bias_b7.npy", "--sample",
                         "tests/sample_noise.npy", "-o", "d/p", "--prefix", "p"}));
}

TEST(VendorCommandLine, Quantizer) {
  EXPECT_EQ(line_of({"quantize.py", "a.pth.tar", "b.pth.tar", "--device", "MAX78002", "-v", "-c",
                     "n.yaml", "--scale", "0.85"}),
            (Words{"edgetwin", "quantize", "a.pth.tar", "--target", "max78002", "-o", "b.pth.tar",
                   "--force", "-v", "--config-file", "n.yaml", "--scale", "0.85"}));
  EXPECT_FALSE(own_command_line({"quantize.py", "a.pth.tar", "b.pth.tar"}).ok());
  EXPECT_FALSE(own_command_line({"quantize.py", "a.pth.tar", "--device", "85"}).ok());
  EXPECT_FALSE(own_command_line({"python", "train.py"}).ok());
}

TEST(VendorCommandLine, OwnVerbsKnowTheVendorsNames) {
  EXPECT_EQ(line_of({"edgetwin", "compile", "--config-file", "n.yaml", "--device=AI87",
                     "--checkpoint-file", "c", "--test-dir", "d", "--prefix", "p"}),
            (Words{"edgetwin", "compile", "n.yaml", "--target", "max78002", "--checkpoint", "c",
                   "-o", "d/p", "--prefix", "p"}));
  // --device of these verbs is another one.
  const Words run = {"edgetwin", "run", "m.tflite", "--device", "virtual"};
  EXPECT_EQ(line_of(run), run);
  EXPECT_EQ(line_of({"edgetwin", "run", "n.yaml", "--sample-input", "s"}),
            (Words{"edgetwin", "run", "n.yaml", "--sample", "s"}));
}

}  // namespace
}  // namespace edgetwin::cli
