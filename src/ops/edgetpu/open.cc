#include "ops/edgetpu/open.h"

#include <string>
#include <utility>

namespace edgetwin::ops {
namespace {

int64_t take(int64_t& counter) { return std::atomic_ref<int64_t>(counter).exchange(0); }

}  // namespace

void report_open(const std::string& label, int32_t zero_point, int64_t elements,
                 numerics::EdgetpuOpen& open, std::vector<Finding>& findings) {
  const auto add = [&](Severity severity, EdgetpuRule rule, int64_t count, std::string_view what,
                       std::string_view hint) {
    findings.push_back(
        {severity, std::string(edgetpu_evidence(rule).id), label,
         std::to_string(count) + " of " + std::to_string(elements) + " " + std::string(what),
         std::string(hint)});
  };
  if (const int64_t ties = take(open.ties); ties > 0) {
    const bool odd = zero_point % 2 != 0;
    add(Severity::note, odd ? EdgetpuRule::zero_point_after : EdgetpuRule::ties_even, ties,
        odd ? "results are exact ties, and the zero point is odd: whether the tie is broken before "
              "it is added is not proven"
            : "results are exact ties",
        odd ? "--numerics edgetpu:zero-point=before computes the other way." : "");
  }
  if (const int64_t large = take(open.large); large > 0) {
    add(Severity::warning, EdgetpuRule::large_sums, large,
        "sums are 2^24 or more and no single-precision numbers",
        "--numerics edgetpu:large-sums=truncate computes the other way.");
  }
  if (const int64_t overflow = take(open.overflow); overflow > 0) {
    add(Severity::warning, EdgetpuRule::overflow, overflow, "sums leave 32 bits",
        "--numerics edgetpu:overflow=saturate computes the other way.");
  }
  if (const int64_t softmax = take(open.softmax); softmax > 0) {
    add(Severity::note, EdgetpuRule::softmax, softmax,
        "probabilities are not those of an exact division, for the words of 16 bits on the way",
        "--numerics edgetpu:softmax=exact divides exactly.");
  }
}

Result<Prepared> with_evidence(const OpContext& c, EdgetpuRule rule, Result<Prepared> prepared) {
  if (!prepared.ok()) return prepared;
  const EdgetpuEvidence& e = edgetpu_evidence(rule);
  if (e.status == EdgetpuStatus::verified) return prepared;
  Prepared result = std::move(*prepared);
  const auto severity = e.status == EdgetpuStatus::open ? Severity::warning : Severity::note;
  result.findings.push_back({severity, std::string(e.id), c.label(),
                             std::string(name(e.status)) + ": " + std::string(e.statement),
                             std::string(e.basis)});
  return result;
}

}  // namespace edgetwin::ops
