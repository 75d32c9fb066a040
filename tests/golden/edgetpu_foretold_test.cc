// What `check` foretells of each public network beside the file that the vendor's compiler made of
// it: programs, operators on the host, bytes of parameters that rest in the chip and that come at
// every inference. Equal, or by as much as is explained here, with what the bytes are: layers of
// the source network, tables of SOFTMAX and matrices of 0 and 1 are found by their bytes.
#include <gtest/gtest.h>

#include <map>

#include "base/file.h"
#include "golden/edgetpu_pairs.h"
#include "targets/edgetpu/compile/compile.h"
#include "targets/edgetpu/params/locate.h"

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

// Bytes of all parameters by what they are; `other`: not found in the source network.
struct ByKind {
  int64_t layers = 0, softmax = 0, selection = 0, other = 0;
  bool operator==(const ByKind&) const = default;
};
std::ostream& operator<<(std::ostream& out, const ByKind& k) {
  return out << "{" << k.layers << ", " << k.softmax << ", " << k.selection << ", " << k.other
             << "}";
}

ByKind kinds_of(const darwinn::File& file, const Graph& source) {
  const edgetpu::Located located = edgetpu::locate(file, source);
  ByKind k;
  int64_t found = 0;
  for (const edgetpu::Piece& p : located.pieces) {
    const auto bytes = static_cast<int64_t>(p.bytes);
    found += bytes;
    if (p.kind == edgetpu::PieceKind::layer) k.layers += bytes;
    if (p.kind == edgetpu::PieceKind::softmax) k.softmax += bytes;
    if (p.kind == edgetpu::PieceKind::selection) k.selection += bytes;
    if (p.kind == edgetpu::PieceKind::constant) k.other += bytes;
  }
  k.other += located.total() - found;
  return k;
}

struct Both {
  Foretold all;
  ByKind kinds;
};

Both ours_of(const Graph& graph) {
  Both b;
  const auto p = edgetpu::compiler::partition_of(graph);
  b.all.programs = static_cast<int64_t>(p.groups.size());
  for (const auto& a : p.ops) b.all.host += a.group < 0 ? 1 : 0;
  darwinn::File file;
  for (const auto& g : p.groups) {
    count_parameters(g.package, b.all);
    file.ops.emplace_back();
    file.ops.back().packages.push_back(g.package);
  }
  b.kinds = kinds_of(file, graph);
  return b;
}

Both theirs_of(const darwinn::File& file, const Graph& compiled, const Graph& source) {
  Both b;
  b.all.programs = static_cast<int64_t>(file.ops.size());
  b.all.host = static_cast<int64_t>(compiled.ops.size()) - b.all.programs;
  for (const darwinn::CompiledOp& op : file.ops) {
    for (const darwinn::Package& package : op.packages) count_parameters(package, b.all);
  }
  b.kinds = kinds_of(file, source);
  return b;
}

// Ours less theirs: numbers, and bytes by what they are. Where layers and tables are found by their
// bytes the reason is what was found; `other` is what is known of these programs.
struct Explained {
  Foretold by;
  ByKind kinds;
  const char* why;
};
constexpr auto kMore = "six operators more on the chip, two of them convolutions";
constexpr auto kLstm =
    "gates in blocks of 64 units; theirs and what moves the picture; tables of the vendor's "
    "SOFTMAX";
constexpr auto kSoftmax = "tables of the vendor's SOFTMAX";
constexpr auto kParts =
    "seven operators more on the chip; a matrix of 0 and 1 and a constant in whole lines of ours, "
    "bytes of theirs";
constexpr auto kCopies = "single channels are copied by larger matrices of 0 and 1";
constexpr auto kZeros = "biases of zero before each of two dense layers";
constexpr auto kRows =
    "the vendor's matrix for 16 values of the rearranged picture; ours for four values and biases "
    "of zero";
constexpr auto kRest = "the dense layers' weights, which the vendor streams, rest in the tiles";
constexpr auto kPacked =
    "the vendor packs nine results into one vector by a matrix of 0 and 1; here they leave as "
    "nine tensors of one value, which the host puts together by the output's layout";
const std::map<std::string, Explained>& explained() {
  static const std::map<std::string, Explained> all = {
      {"deeplabv3_mnv2_dm05_pascal_quant_edgetpu", {{0, -6, 140416, 0}, {140416, 0, 0, 0}, kMore}},
      {"deeplabv3_mnv2_pascal_quant_edgetpu", {{0, -6, 140416, 0}, {140416, 0, 0, 0}, kMore}},
      {"keras_lstm_mnist_ptq_edgetpu", {{0, 0, -16512, -576}, {0, -576, 0, -16512}, kLstm}},
      {"mobilenet_v1_0.25_128_quant_edgetpu", {{0, 0, -48256, 0}, {0, -48256, 0, 0}, kSoftmax}},
      {"mobilenet_v1_0.5_160_quant_edgetpu", {{0, 0, -48256, 0}, {0, -48256, 0, 0}, kSoftmax}},
      {"mobilenet_v1_0.75_192_quant_edgetpu", {{0, 0, -48256, 0}, {0, -48256, 0, 0}, kSoftmax}},
      {"movenet_single_pose_lightning_ptq_edgetpu",
       {{2, -7, 12352, -2368}, {0, 0, 0, 9984}, kParts}},
      {"split_concat_edgetpu", {{0, 0, 512, 0}, {0, 0, 0, 512}, kCopies}},
      {"bright_128x128_edgetpu", {{0, 0, 524416, -524288}, {0, 0, 0, 128}, kRest}},
      {"bright_16x16_edgetpu", {{0, 0, 128, 0}, {0, 0, 0, 128}, kZeros}},
      {"bright_64x64_edgetpu", {{0, 0, 128, 0}, {0, 0, 0, 128}, kZeros}},
      {"color_blue_128x128_edgetpu", {{0, 0, 523456, -524288}, {0, 0, -1088, 256}, kRest}},
      {"color_blue_64x64_edgetpu", {{0, 0, -832, 0}, {0, 0, -1088, 256}, kRows}},
      {"color_cyan_128x128_edgetpu", {{0, 0, 523456, -524288}, {0, 0, -1088, 256}, kRest}},
      {"color_cyan_64x64_edgetpu", {{0, 0, -832, 0}, {0, 0, -1088, 256}, kRows}},
      {"color_green_128x128_edgetpu", {{0, 0, 523456, -524288}, {0, 0, -1088, 256}, kRest}},
      {"color_green_64x64_edgetpu", {{0, 0, -832, 0}, {0, 0, -1088, 256}, kRows}},
      {"color_magenta_128x128_edgetpu", {{0, 0, 523456, -524288}, {0, 0, -1088, 256}, kRest}},
      {"color_magenta_64x64_edgetpu", {{0, 0, -832, 0}, {0, 0, -1088, 256}, kRows}},
      {"color_red_128x128_edgetpu", {{0, 0, 523456, -524288}, {0, 0, -1088, 256}, kRest}},
      {"color_red_64x64_edgetpu", {{0, 0, -832, 0}, {0, 0, -1088, 256}, kRows}},
      {"color_white_128x128_edgetpu", {{0, 0, 523456, -524288}, {0, 0, -1088, 256}, kRest}},
      {"color_white_64x64_edgetpu", {{0, 0, -832, 0}, {0, 0, -1088, 256}, kRows}},
      {"color_yellow_128x128_edgetpu", {{0, 0, 523456, -524288}, {0, 0, -1088, 256}, kRest}},
      {"color_yellow_64x64_edgetpu", {{0, 0, -832, 0}, {0, 0, -1088, 256}, kRows}},
      {"looming_128x128_3x3_edgetpu", {{0, 0, -640, 0}, {0, 0, -640, 0}, kPacked}},
      {"looming_64x64_3x3_edgetpu", {{0, 0, -640, 0}, {0, 0, -640, 0}, kPacked}},
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
    const Both ours = ours_of(**source), theirs = theirs_of(*file, **compiled, **source);
    const Foretold by{ours.all.programs - theirs.all.programs, ours.all.host - theirs.all.host,
                      ours.all.rest - theirs.all.rest, ours.all.come - theirs.all.come};
    const ByKind kinds{
        ours.kinds.layers - theirs.kinds.layers, ours.kinds.softmax - theirs.kinds.softmax,
        ours.kinds.selection - theirs.kinds.selection, ours.kinds.other - theirs.kinds.other};
    const auto found = explained().find(name);
    const Explained wanted = found == explained().end() ? Explained{{}, {}, ""} : found->second;
    EXPECT_EQ(by, wanted.by) << name << ": ours " << ours.all << ", theirs " << theirs.all;
    EXPECT_EQ(kinds, wanted.kinds)
        << name << ": ours " << ours.kinds << ", theirs " << theirs.kinds;
    ++compared;
  }
  EXPECT_GT(compared, 30u);
}

}  // namespace
}  // namespace edgetwin::golden
