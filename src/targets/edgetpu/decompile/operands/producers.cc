#include "targets/edgetpu/decompile/operands/producers.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

Shares shares_of_copy(LayerSearch& search, size_t s, int depth) {
  const auto known = search.copied.find(s);
  if (known != search.copied.end()) return known->second;
  Votes all;
  for (const Votes& v : search.stages()[s].inputs) {
    for (const auto& [o, n] : v) {
      if (o != static_cast<Owner>(s) + kFirstStage) all[o] += n;
    }
  }
  search.copied[s] = {};  // a circle of copies adds nothing
  Shares result = producer_shares(search, all, depth + 1);
  search.copied[s] = result;
  return result;
}

int64_t output_start(const LayerSearch& search, Producer p) {
  if (p < 0) return p;
  return search.result.layers[static_cast<size_t>(p)].numbers.out.start;
}

}  // namespace

Shares producer_shares(LayerSearch& search, const Votes& votes, int depth) {
  Shares result;
  double total = 0;
  for (const auto& [owner, n] : votes) {
    if (owner == kUnknown || owner == kConstant) continue;
    total += static_cast<double>(n);
  }
  if (total == 0 || depth > 64) return result;
  for (const auto& [owner, n] : votes) {
    const double part = static_cast<double>(n) / total;
    if (owner == kInput) result[-1] += part;
    if (owner == kStreamed || owner == kResident) result[kConstantProducer] += part;
    if (owner < kFirstStage) continue;
    const auto s = static_cast<size_t>(owner - kFirstStage);
    if (search.layer_of[s] >= 0) {
      result[search.layer_of[s]] += part;
    } else {
      for (const auto& [p, share] : shares_of_copy(search, s, depth)) result[p] += part * share;
    }
  }
  return result;
}

Producer top_producer(const Shares& all) {
  Producer best = kNobody;
  double most = 0;
  for (const auto& [p, share] : all) {
    if (share > most) {
      most = share;
      best = p;
    }
  }
  return best;
}

Operand operand_of_votes(LayerSearch& search, const Votes& votes, bool several) {
  const Shares all = producer_shares(search, votes, 0);
  Operand o;
  if (all.empty()) return o;
  constexpr double kPart = 0.1;
  if (several) {
    for (const auto& [p, share] : all) {
      if (share >= kPart) o.from.push_back(p);
    }
  }
  if (o.from.size() <= 1) o.from = {top_producer(all)};
  std::sort(o.from.begin(), o.from.end(), [&](Producer x, Producer y) {
    return output_start(search, x) < output_start(search, y);
  });
  return o;
}

std::optional<Producer> only_maker(const LayerSearch& search, const DecompiledLayer& layer,
                                   size_t operand) {
  std::optional<Producer> found;
  for (const size_t s : layer.stages) {
    const auto& reads = search.stages()[s].reads;
    if (operand >= reads.size() || reads[operand].empty()) return std::nullopt;
    for (const StepReads& r : reads[operand]) {
      for (const auto& [tile, made] : r.made) {
        for (const MadeAt& m : made) {
          if (m.maker == kConstant) continue;
          if (m.born < 0 || (m.maker >= 0 && m.maker < kFirstStage)) return std::nullopt;
          const Producer p =
              m.maker < 0 ? m.maker : search.layer_of[static_cast<size_t>(m.maker - kFirstStage)];
          if (m.maker >= 0 && p < 0) return std::nullopt;
          if (found.value_or(p) != p) return std::nullopt;
          found = p;
        }
      }
    }
  }
  return found;
}

WordMakers word_makers(const LayerSearch& search) {
  return {search.result.layers, search.stages(), search.layer_of, search.inference,
          search.result.replay.inputs_certain};
}

}  // namespace edgetwin::edgetpu
