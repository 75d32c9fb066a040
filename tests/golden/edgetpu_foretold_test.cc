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

// Ours less theirs, and why.
struct Explained {
  Foretold by;
  const char* why;
};
const std::map<std::string, Explained>& explained() {
  static const std::map<std::string, Explained> all = {};
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
    const auto found = explained().find(pair.source.stem().string());
    const Foretold wanted = found == explained().end() ? Foretold{} : found->second.by;
    EXPECT_EQ(by, wanted) << name << ": ours " << ours << ", theirs " << theirs;
    ++compared;
  }
  EXPECT_GT(compared, 30u);
}

}  // namespace
}  // namespace edgetwin::golden
