#include "targets/edgetpu/compile/compile.h"

#include <algorithm>
#include <map>
#include <utility>

#include "targets/edgetpu/compile/judge/values.h"
#include "targets/edgetpu/compile/layout/reshapes.h"
#include "targets/edgetpu/compile/likeness/member.h"
#include "targets/edgetpu/compile/partition.h"

namespace edgetwin::edgetpu::compiler {
namespace {

void share_tokens(const std::vector<CompiledGroup*>& groups) {
  std::map<size_t, std::vector<darwinn::Package*>> sets;
  for (CompiledGroup* g : groups) sets[g->set].push_back(&g->package);
  for (const auto& [number, packages] : sets) share_token(packages);
}

void add_groups(Partition& partition, std::vector<CompiledGroup*>& all) {
  for (CompiledGroup& g : partition.groups) all.push_back(&g);
}

// In the vendor's style a RESHAPE may come before what the file has before it, if the chip has both
// operators: the file's are others.
Partition partition_alone(const Graph& graph, Style style) {
  Graph other = graph;
  if (style == Style::own) return partition_beside(graph, style, {}, 0);
  if (const auto moved = reshapes_first(other); !moved.empty()) {
    Partition made = partition_beside(other, style, {}, 0);
    const bool here = std::ranges::all_of(moved, [&](const auto& pair) {
      const int group = made.ops[pair.first].group;
      return group >= 0 && group == made.ops[pair.second].group;
    });
    if (here) return made;
  }
  return partition_beside(graph, style, {}, 0);
}

// The groups of which the network is one alone, and the bytes were held against the vendor's.
void name_equal(const Graph& graph, Partition& partition) {
  const auto member = member_of(graph);
  const bool compared = member.ok() && standing_of_execution(*member) == Standing::compared;
  if (!compared || partition.groups.size() != 1) return;
  partition.groups[0].vendor_equal = partition.groups[0].segment.ops.size() == graph.ops.size();
}

}  // namespace

// A network of one convolution whose program is known to be the vendor's to the byte gets that one,
// which is shorter than ours. Not dense layers: their receivers wait too little for short lines.
bool has_vendor_style(const Graph& graph) {
  const auto member = member_of(graph);
  return member.ok() && member->family == Family::conv3x3 &&
         standing_of_execution(*member) == Standing::compared;
}

Partition partition_of(const Graph& graph, Style style) {
  if (has_vendor_style(graph)) style = Style::vendor;
  Partition partition = partition_alone(graph, style);
  std::vector<CompiledGroup*> groups;
  add_groups(partition, groups);
  share_tokens(groups);
  if (style != Style::own) name_equal(graph, partition);
  return partition;
}

namespace {

Result<CompiledModel> with_model(Partition partition, const Model& source, int32_t version,
                                 Style style) {
  CompiledModel result;
  result.partition = std::move(partition);
  std::vector<Replacement> replacements;
  for (CompiledGroup& g : result.partition.groups) {
    g.package.min_runtime_version = version;
    replacements.push_back(
        {g.segment, g.package, style == Style::vendor_17 ? kChipBefore : kNewestChip});
  }
  EDGETWIN_TRY_ASSIGN(result.model, model_of(source, result.partition.order, replacements));
  return result;
}

}  // namespace

Result<CompiledModel> compile_model(const Model& source, int32_t min_runtime_version, Style style) {
  return with_model(partition_of(source.main(), style), source, min_runtime_version, style);
}

Result<std::vector<CompiledModel>> compile_models(const std::vector<const Model*>& sources,
                                                  int32_t min_runtime_version) {
  std::vector<Partition> partitions;
  Occupied occupied;
  occupied.even = true;
  size_t set = 0;
  for (const Model* source : sources) {
    partitions.push_back(partition_beside(source->main(), Style::own, occupied, set));
    // One of several sets would load all of them again: it begins a set of its own.
    const auto away = [&](const CompiledGroup& g) { return g.set != set; };
    const bool first = partitions.size() == 1;
    if (!first &&
        std::any_of(partitions.back().groups.begin(), partitions.back().groups.end(), away)) {
      occupied = {};
      occupied.even = true;
      partitions.back() = partition_beside(source->main(), Style::own, occupied, ++set);
    }
    const std::vector<CompiledGroup>& groups = partitions.back().groups;
    if (groups.empty()) continue;
    occupied = groups.back().compiled.occupied;
    set = groups.back().set;
  }
  std::vector<CompiledGroup*> all;
  for (Partition& p : partitions) add_groups(p, all);
  share_tokens(all);
  std::vector<CompiledModel> models;
  for (size_t k = 0; k < sources.size(); ++k) {
    EDGETWIN_TRY_ASSIGN(CompiledModel model, with_model(std::move(partitions[k]), *sources[k],
                                                        min_runtime_version, Style::own));
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace edgetwin::edgetpu::compiler
