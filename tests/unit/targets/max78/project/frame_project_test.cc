// A program that makes its input of a camera's frame loads the words of the register program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "targets/max78/csource/read_c.h"
#include "targets/max78/machine/player/play.h"
#include "targets/max78/options/options.h"
#include "targets/max78/pipeline/run.h"
#include "targets/max78/project/project.h"
#include "tensor/npy.h"

namespace edgetwin::max78 {
namespace {

struct FrameCase {
  std::string kind;
  Shape frame;
  SampleShape input;
  bool planes = false;
  std::vector<std::string> options = {};
};

std::unique_ptr<LoadedNetwork> network_of_frame(const FrameCase& c) {
  // Channels apart lie in memories of their own, and with FIFOs in groups of their own.
  const std::string map = c.planes && !c.options.empty() ? "0x0000000100010001"
                          : c.planes                     ? "0x111"
                          : c.input.c == 12              ? "0xfff"
                          : c.input.c == 1               ? "0x1"
                                                         : "0x7";
  const std::string text =
      "arch: test\ndataset: x\nlayers:\n  - op: conv2d\n    kernel_size: 3x3\n"
      "    pad: 1\n    processors: " +
      map + (c.planes ? "\n    data_format: chw" : "") +
      "\n    out_offset: 0x4000\n    activate: None\n";
  NetworkSources s;
  s.options = *options_from(c.options);
  const auto bytes = std::as_bytes(std::span(text));
  s.description = Source::bytes("net.yaml", {bytes.begin(), bytes.end()});
  XorShift32 random(7);
  // A lone array is a stack of layers.
  Tensor weights = Tensor::zeros(DType::int8, Shape{1, 4, c.input.c, 3, 3}).value();
  for (std::byte& b : weights.data) b = static_cast<std::byte>(random.byte());
  s.weights = Source::bytes("weights.npy", *write_npy(weights));
  Tensor frame = Tensor::zeros(DType::uint8, c.frame).value();
  for (std::byte& b : frame.data) b = static_cast<std::byte>(random.byte());
  const auto fitted = fit_frame(*find_frame_pixel(c.kind), frame, c.input);
  EXPECT_TRUE(fitted.ok()) << to_text(fitted.error());
  s.frame = *fitted;
  s.sample = Source::bytes("frame.npy", *write_npy(sample_of(*fitted, c.input)));
  Loading loading = load_network(s);
  for (const Finding& f : loading.findings) {
    EXPECT_NE(f.severity, Severity::error) << f.message;
  }
  EXPECT_FALSE(loading.failure.has_value());
  return std::move(loading.network);
}

TEST(FrameProject, TheSourcesLoadTheWordsOfTheProgram) {
  const FrameCase kCases[] = {
      {"rgb565", {8, 10, 2}, {3, 8, 6}},
      {"rgb565le", {9, 11, 2}, {3, 8, 6}, true},
      {"rgb888x", {16, 12, 4}, {12, 8, 6}},
      {"rgb888", {8, 6, 3}, {3, 8, 6}, false, {"--fifo"}},
      {"rgb565", {12, 16, 2}, {3, 9, 7}, true, {"--fifo"}},
      {"grey", {10, 10, 1}, {1, 8, 6}, false, {"--fast-fifo", "--riscv"}},
  };
  for (const FrameCase& c : kCases) {
    SCOPED_TRACE(c.kind + (c.planes ? ", planes" : "") + (c.options.empty() ? "" : c.options[0]));
    const auto network = network_of_frame(c);
    ASSERT_NE(network, nullptr);
    ASSERT_TRUE(network->planning.placed != nullptr);
    const auto compiled = compile(*network);
    ASSERT_TRUE(compiled.ok()) << to_text(compiled.error());
    ProjectOptions how;
    how.frame = &*network->frame;
    const auto files = make_project(network->plan(), *compiled, how);
    ASSERT_TRUE(files.ok()) << to_text(files.error());
    std::vector<CFile> sources;
    for (const ProjectFile& f : *files) sources.push_back({f.name, f.text});
    const auto program = read_c_program(sources);
    ASSERT_TRUE(program.ok()) << to_text(program.error());
    Machine machine(Device::max78000, {});
    const auto done = play(as_text(program->program, Device::max78000), machine);
    ASSERT_TRUE(done.ok()) << to_text(done.error());
    const Comparison equal = compare(machine, compiled->expected);
    EXPECT_TRUE(equal.equal()) << equal.different << " of " << equal.words;
    EXPECT_GT(equal.words, 0U);
  }
}

}  // namespace
}  // namespace edgetwin::max78
