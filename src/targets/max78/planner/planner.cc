// What layers read, their order, then their places.
#include "targets/max78/planner/planner.h"

#include <algorithm>

#include "targets/max78/planner/connections.h"
#include "targets/max78/planner/order.h"

namespace edgetwin::max78 {
namespace {

std::string others_text(const ai8x::Network& network, const LayerReads& r) {
  std::string text;
  for (const auto& o : r.others) text += (text.empty() ? "" : ", ") + sources_text(network, o);
  return text;
}

// One note of all layers whose sources follow from the rest.
void note_found(const ai8x::Network& network, const std::vector<LayerReads>& reads,
                Findings& findings) {
  std::string text;
  for (const LayerReads& r : reads) {
    if (!r.others.empty()) continue;
    text += (text.empty() ? "" : "; ") + ai8x::layer_name(network, static_cast<size_t>(r.layer)) +
            " reads " + sources_text(network, r.sources);
  }
  if (text.empty()) return;
  Finding f = finding_of(info(Rule::open_source), {}, "in_sequences follow from the rest: " + text);
  f.place.file = network.file;
  f.severity = Severity::note;
  f.hint.clear();
  findings.push_back(std::move(f));
}

// Fills in in_sequences; what channels and sizes leave open is a finding.
std::vector<LayerReads> connect(ai8x::Network& network, const ai8x::Parameters& parameters,
                                const SampleShape& sample, const Options& options,
                                Findings& findings) {
  std::vector<LayerReads> reads = find_connections(network, parameters, sample, options);
  for (const LayerReads& r : reads) {
    const auto at = static_cast<size_t>(r.layer);
    network.layers[at].in_sequences = r.sources;
    if (r.others.empty()) continue;
    findings.push_back(finding_of(
        info(Rule::open_source), ai8x::place(network, at),
        ai8x::layer_name(network, at) + " reads " + sources_text(network, r.sources) +
            " in this plan; its channels and sizes allow " + others_text(network, r) + " as well"));
  }
  note_found(network, reads, findings);
  return reads;
}

// Of the planned network: what was given to layers that did not say what they read.
void note_reads(const std::vector<LayerReads>& reads, const std::vector<int>& order,
                const ai8x::Network& network, Planned& planned) {
  for (size_t i = 0; i < planned.layers.size() && i < order.size(); ++i) {
    const auto given = [&](const LayerReads& r) { return r.layer == order[i]; };
    if (std::ranges::any_of(reads, given)) {
      planned.layers[i].in_sequences = network.layers[i].in_sequences;
    }
  }
}

}  // namespace

Planned plan_network(ai8x::Network& network, ai8x::Parameters& parameters,
                     const SampleShape& sample, const Options& options, Findings& findings,
                     const PlanSettings& settings) {
  const std::vector<LayerReads> reads = connect(network, parameters, sample, options, findings);
  const ai8x::Network connected = network;
  const ai8x::Parameters had = parameters;
  const auto orders = running_orders(connected, options, settings.orders);
  std::optional<Planned> first;
  Findings of_first;
  int attempts = 0;
  for (const std::vector<int>& order : orders) {
    network = connected;
    parameters = had;
    if (!is_written_order(order)) put_in_order(network, parameters, order);
    Findings found;
    Planned planned = place_network(network, parameters, sample, options, found, settings);
    planned.attempts += attempts;
    attempts = planned.attempts;
    note_reads(reads, order, network, planned);
    if (!is_written_order(order)) planned.order = order;
    if (!first || planned.fits) {
      first = std::move(planned);
      of_first = std::move(found);
    }
    if (first->fits || has_errors(of_first)) break;
  }
  findings.insert(findings.end(), of_first.begin(), of_first.end());
  if (first->fits) return std::move(*first);
  first->attempts = attempts;
  network = connected;
  parameters = had;
  if (!first->order.empty()) put_in_order(network, parameters, first->order);
  return std::move(*first);
}

}  // namespace edgetwin::max78
