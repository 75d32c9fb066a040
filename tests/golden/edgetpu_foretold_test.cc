// What `check` foretells of each public network beside the file that the vendor's compiler made of
// it: programs, operators on the host, bytes of parameters that rest in the chip and that come at
// every inference. Equal, or by as much as is explained here.
#include <gtest/gtest.h>

#include <map>

#include "base/file.h"
#include "golden/edgetpu_pairs.h"
#include "targets/edgetpu/compile/compile.h"

namespace edgetwin::golden {
namespace {

struct Foretold {
  int64_t programs = 0, host = 0, rest = 0, come = 0;
  bool operator==(const Foretold&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Foretold& f) {
  return out << "{" << f.programs << ", " << f.host << ", " << f.rest << ", " << f.come << "}";
}

void count_parameters(const darwinn::Package& package, Foretold& f) {
  for (const darwinn::Executable& e : package.executables) {
    const auto bytes = static_cast<int64_t>(e.parameters.size());
    (e.type == darwinn::ExecutableType::parameter_caching ? f.rest : f.come) += bytes;
  }
}

Foretold ours_of(const Graph& graph) {
  Foretold f;
  const auto p = edgetpu::compiler::partition_of(graph);
  f.programs = static_cast<int64_t>(p.groups.size());
  for (const auto& a : p.ops) f.host += a.group < 0 ? 1 : 0;
  for (const auto& g : p.groups) count_parameters(g.package, f);
  return f;
}

Foretold theirs_of(const darwinn::File& file, const Graph& compiled) {
  Foretold f;
  f.programs = static_cast<int64_t>(file.ops.size());
  f.host = static_cast<int64_t>(compiled.ops.size()) - f.programs;
  for (const darwinn::CompiledOp& op : file.ops) {
    for (const darwinn::Package& package : op.packages) count_parameters(package, f);
  }
  return f;
}

// Ours less theirs, and why: inferred from which networks have the same difference, not from the
// vendor's words.
struct Explained {
  Foretold by;
  const char* why;
};
constexpr auto kMore = "more operators on the chip than the vendor's, with their parameters";
constexpr auto kLstm = "the states of the LSTM: two operators stay on the host";
constexpr auto kSoftmax = "the vendor's SOFTMAX keeps numbers of its own as parameters";
constexpr auto kMoves =
    "positions that are no whole words are moved by a 1x1 convolution of 0 and 1";
constexpr auto kStreams =
    "the vendor streams the dense layer's weights; here they rest, as they fit";
constexpr auto kOpen = "640 bytes fewer; which of the vendor's parameters they are is not known";
const std::map<std::string, Explained>& explained() {
  static const std::map<std::string, Explained> all = {
      {"deeplabv3_mnv2_dm05_pascal_quant_edgetpu", {{0, -6, 140416, 0}, kMore}},
      {"deeplabv3_mnv2_pascal_quant_edgetpu", {{0, -6, 140416, 0}, kMore}},
      {"keras_lstm_mnist_ptq_edgetpu", {{0, 2, -34944, -576}, kLstm}},
      {"mobilenet_v1_0.25_128_quant_edgetpu", {{0, 0, -48256, 0}, kSoftmax}},
      {"mobilenet_v1_0.5_160_quant_edgetpu", {{0, 0, -48256, 0}, kSoftmax}},
      {"mobilenet_v1_0.75_192_quant_edgetpu", {{0, 0, -48256, 0}, kSoftmax}},
      {"movenet_single_pose_lightning_ptq_edgetpu", {{2, -5, 64, -2368}, kMore}},
      {"split_concat_edgetpu", {{0, 0, 512, 0}, kMoves}},
      {"bright_128x128_edgetpu", {{0, 0, 524416, -524288}, kStreams}},
      {"bright_16x16_edgetpu", {{0, 0, 128, 0}, kMoves}},
      {"bright_64x64_edgetpu", {{0, 0, 128, 0}, kMoves}},
      {"color_blue_128x128_edgetpu", {{0, 0, 523456, -524288}, kStreams}},
      {"color_blue_64x64_edgetpu", {{0, 0, -832, 0}, kSoftmax}},
      {"color_cyan_128x128_edgetpu", {{0, 0, 523456, -524288}, kStreams}},
      {"color_cyan_64x64_edgetpu", {{0, 0, -832, 0}, kSoftmax}},
      {"color_green_128x128_edgetpu", {{0, 0, 523456, -524288}, kStreams}},
      {"color_green_64x64_edgetpu", {{0, 0, -832, 0}, kSoftmax}},
      {"color_magenta_128x128_edgetpu", {{0, 0, 523456, -524288}, kStreams}},
      {"color_magenta_64x64_edgetpu", {{0, 0, -832, 0}, kSoftmax}},
      {"color_red_128x128_edgetpu", {{0, 0, 523456, -524288}, kStreams}},
      {"color_red_64x64_edgetpu", {{0, 0, -832, 0}, kSoftmax}},
      {"color_white_128x128_edgetpu", {{0, 0, 523456, -524288}, kStreams}},
      {"color_white_64x64_edgetpu", {{0, 0, -832, 0}, kSoftmax}},
      {"color_yellow_128x128_edgetpu", {{0, 0, 523456, -524288}, kStreams}},
      {"color_yellow_64x64_edgetpu", {{0, 0, -832, 0}, kSoftmax}},
      {"looming_128x128_3x3_edgetpu", {{0, 0, -640, 0}, kOpen}},
      {"looming_64x64_3x3_edgetpu", {{0, 0, -640, 0}, kOpen}},
  };
  return all;
}

TEST(EdgetpuForetold, IsWhatTheVendorsCompilerMade) {
  NEED_MODELS();
  size_t compared = 0;
  for (const EdgetpuPair& pair : edgetpu_pairs()) {
    const std::string name = pair.compiled.stem().string();
    if (name.find("_cocompiled") != std::string::npos) continue;  // one cache for four networks
    const auto data = read_file(pair.compiled);
    ASSERT_TRUE(data.ok());
    const auto file = darwinn::read(*data, name);
    const auto compiled = load_graph(pair.compiled);
    const auto source = load_graph(pair.source);
    ASSERT_TRUE(file.ok() && compiled.ok() && source.ok()) << name;
    const Foretold ours = ours_of(**source), theirs = theirs_of(*file, **compiled);
    const Foretold by{ours.programs - theirs.programs, ours.host - theirs.host,
                      ours.rest - theirs.rest, ours.come - theirs.come};
    const auto found = explained().find(name);
    const Foretold wanted = found == explained().end() ? Foretold{} : found->second.by;
    EXPECT_EQ(by, wanted) << name << ": ours " << ours << ", theirs " << theirs;
    ++compared;
  }
  EXPECT_GT(compared, 30u);
}

}  // namespace
}  // namespace edgetwin::golden
