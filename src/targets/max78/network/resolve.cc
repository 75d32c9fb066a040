// Order, channels and sizes: specification "network" 2.
#include "targets/max78/network/resolve.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "targets/max78/network/resolve_parts.h"

namespace edgetwin::max78 {
namespace {

using ai8x::kDataBuffer;
using ai8x::Key;
using ai8x::kInput;
using ai8x::kStop;

class Resolver {
 public:
  Resolver(ResolvedNetwork& plan, Findings& findings)
      : plan_(plan), findings_(findings), net_(*plan.network) {}

  void run() {
    if (!copy_layers() || !find_order() || !channels()) return;
    outputs();
    resolve_sizes(plan_, findings_);
  }

 private:
  ResolvedLayer& layer(int i) { return plan_.resolved_layers[static_cast<size_t>(i)]; }
  bool failed() const { return has_errors(findings_); }

  bool copy_layers() {
    const size_t n = net_.layers.size();
    if (n == 0 || plan_.parameters->layers.size() != n || plan_.options.start_layer < 0 ||
        static_cast<size_t>(plan_.options.start_layer) >= n) {
      add_finding(findings_, plan_, Rule::start_layer, -1,
                  "the network has " + std::to_string(n) + " layers, and starts at layer " +
                      std::to_string(plan_.options.start_layer));
      return false;
    }
    plan_.resolved_layers.resize(n);
    for (size_t i = 0; i < n; ++i) copy_layer(static_cast<int>(i));
    return true;
  }

  void copy_layer(int i) {
    ResolvedLayer& l = layer(i);
    const ai8x::Layer& y = net_.layers[static_cast<size_t>(i)];
    l.yaml = &y;
    l.parameters = &plan_.parameters->layers[static_cast<size_t>(i)];
    l.index = i;
    l.op = y.op;
    l.pool = y.pool;
    l.pool_stride = y.pool_stride;
    l.pool_dilation = y.pool_dilation;
    l.kernel = y.kernel;
    l.pad = y.pad;
    l.dilation = y.dilation;
    l.operands = y.operands;
    l.groups = y.groups;
    l.processors = y.processors;
    l.out_offset = y.out_offset;
    l.output_width = y.output_width;
    l.flatten = y.flatten;
    l.streaming = y.streaming;
    l.bypass = y.bypass;
    l.output = y.output;
    l.activation = plan_.options.ignore_activation ? ai8x::Activation::none : y.activation;
    l.quantization = l.passthrough() || y.bypass ? 0 : l.parameters->quantization;
    l.shift = l.parameters->output_shift.value_or(y.bypass ? 7 : 0);
  }

  // The layers that run, from the first to the one that stops.
  bool find_order() {
    const int n = static_cast<int>(plan_.resolved_layers.size());
    std::set<int> seen;
    int prev = -1;
    for (int i = plan_.options.start_layer; i != kStop;) {
      ResolvedLayer& l = layer(i);
      seen.insert(i);
      plan_.order.push_back(i);
      l.prev = prev;
      int next = l.yaml->next_sequence;
      if (plan_.options.stop_after && *plan_.options.stop_after == i) next = kStop;
      if (next >= n || next < 0) next = kStop;
      if (plan_.small() && next != kStop && next != i + 1) {
        add_finding(findings_, plan_, Rule::sequence, i,
                    "the next layer is " + std::to_string(next), {}, Key::next_sequence);
        return false;
      }
      if (next != kStop && seen.contains(next)) {
        add_finding(findings_, plan_, Rule::sequence, i,
                    "layer " + std::to_string(next) + " would run a second time", {},
                    Key::next_sequence);
        return false;
      }
      l.next = next;
      prev = i;
      i = next;
    }
    plan_.start = plan_.order.front();
    plan_.last = plan_.order.back();
    plan_.resolved_layers.resize(
        static_cast<size_t>(*std::max_element(plan_.order.begin(), plan_.order.end())) + 1);
    return true;
  }

  // Channels of a source, 0 if it is none.
  int source_channels(int source) const {
    if (source == kInput) return plan_.sample.c;
    if (source == kDataBuffer) return net_.data_buffer ? net_.data_buffer->channels : 0;
    if (source < 0 || source >= static_cast<int>(plan_.resolved_layers.size())) return 0;
    return plan_.layer(source).out_channels;
  }

  bool channels() {
    for (const int i : plan_.order) {
      ResolvedLayer& l = layer(i);
      const int automatic = automatic_channels(l);
      l.in_channels = l.parameters->in_channels > 0 ? l.parameters->in_channels : automatic;
      check_sample(l, automatic);
      l.in_channels = l.yaml->in_channels.value_or(l.in_channels);
      l.out_channels = l.parameters->out_channels > 0 ? l.parameters->out_channels : l.in_channels;
      l.out_channels = l.yaml->out_channels.value_or(l.out_channels);
      if (l.in_channels < 1 || l.out_channels < 1) {
        add_finding(findings_, plan_, Rule::no_sources, i, "its channels are not known", {},
                    Key::in_channels);
      }
    }
    return !failed();
  }

  // Weights say how many channels the sample must have.
  void check_sample(const ResolvedLayer& l, int channels_of_sample) {
    const bool reads_sample = l.prev < 0 && !l.yaml->in_sequences && !l.yaml->in_channels;
    if (!reads_sample || l.yaml->flatten || l.in_channels == channels_of_sample) return;
    add_finding(findings_, plan_, Rule::weight_count, l.index,
                "the sample has " + std::to_string(channels_of_sample) +
                    " channels, its weights take " + std::to_string(l.in_channels),
                {}, Key::in_channels);
  }

  int automatic_channels(const ResolvedLayer& l) {
    const auto& sources = l.yaml->in_sequences;
    if (sources && !sources->empty()) {
      check_sources(l);
      if (l.yaml->eltwise != ai8x::Eltwise::none) return source_channels(sources->front());
      return std::accumulate(sources->begin(), sources->end(), 0,
                             [&](int sum, int s) { return sum + source_channels(s); });
    }
    if (l.prev < 0) return plan_.sample.c / std::max(l.operands, 1);
    return plan_.layer(l.prev).out_channels;
  }

  void check_sources(const ResolvedLayer& l) {
    const auto& sources = *l.yaml->in_sequences;
    for (const int s : sources) {
      const bool known = s == kInput || (s == kDataBuffer && net_.data_buffer) ||
                         (s >= 0 && s < static_cast<int>(plan_.resolved_layers.size()) &&
                          plan_.layer(s).out_channels > 0);
      if (!known) {
        add_finding(findings_, plan_, Rule::source, l.index,
                    "source " + std::to_string(s) + " does not run before it", {},
                    Key::in_sequences);
        continue;
      }
      if (source_channels(s) != source_channels(sources.front())) {
        add_finding(findings_, plan_, Rule::source_channels, l.index,
                    "its sources have " + std::to_string(source_channels(sources.front())) +
                        " and " + std::to_string(source_channels(s)) + " channels",
                    {}, Key::in_sequences);
      }
    }
  }

  void outputs() {
    bool any = false;
    for (const int i : plan_.order) any = any || plan_.layer(i).output;
    ResolvedLayer& last = layer(plan_.last);
    if (!any) last.output = true;
    if (!last.output) {
      add_finding(findings_, plan_, Rule::output_missing, plan_.last,
                  "other layers have output: true");
    }
    if (plan_.options.output_width) last.output_width = *plan_.options.output_width;
    for (const int i : plan_.order) {
      ResolvedLayer& l = layer(i);
      const auto& y = *l.yaml;
      if (y.output_processors) {
        l.out_processors = *y.output_processors;
      } else if (l.next != kStop) {
        l.out_processors = plan_.layer(l.next).processors;
      }
    }
    if (net_.output_map) {
      last.out_processors = *net_.output_map;
    } else if (last.out_processors == 0) {
      last.out_processors = packed_map(last.out_channels);
    }
  }

  static uint64_t packed_map(int channels) {
    const int expand = (channels + kProcessors - 1) / kProcessors;
    int chunk = (channels + expand - 1) / expand;
    if (channels > kProcessors) chunk = std::min((chunk + 3) & ~3, kProcessors);
    return chunk >= 64 ? ~uint64_t{0} : (uint64_t{1} << chunk) - 1;
  }

  ResolvedNetwork& plan_;
  Findings& findings_;
  const ai8x::Network& net_;
};

}  // namespace

Finding& add_finding(Findings& findings, const ResolvedNetwork& plan, Rule rule, int layer,
                     std::string message, std::vector<std::string> details,
                     std::optional<ai8x::Key> key) {
  Place place;
  place.file = plan.network->file;
  if (layer >= 0) {
    place = ai8x::place(*plan.network, static_cast<size_t>(layer), key);
    message.insert(0, ai8x::layer_name(*plan.network, static_cast<size_t>(layer)) + ": ");
  }
  Finding f = finding_of(info(rule), std::move(place), std::move(message));
  f.details = std::move(details);
  findings.push_back(std::move(f));
  return findings.back();
}

bool ResolvedNetwork::streams() const {
  return std::any_of(order.begin(), order.end(), [&](int i) { return layer(i).streaming; });
}

std::optional<SampleShape> stated_shape(const ai8x::Network& network,
                                        const ai8x::Parameters& parameters, int start_layer) {
  const auto first = static_cast<size_t>(start_layer);
  if (first >= network.layers.size() || first >= parameters.layers.size()) return std::nullopt;
  const ai8x::Layer& layer = network.layers[first];
  if (!layer.in_dim) return std::nullopt;
  int channels = layer.in_channels.value_or(parameters.layers[first].in_channels);
  if (layer.flatten && !layer.in_channels)
    channels /= std::max(layer.in_dim->h * layer.in_dim->w, 1);
  if (channels < 1) return std::nullopt;
  return SampleShape{channels * layer.operands, layer.in_dim->h, layer.in_dim->w};
}

std::optional<ResolvedNetwork> resolve(const ai8x::Network& network,
                                       const ai8x::Parameters& parameters,
                                       const SampleShape& sample, const Options& options,
                                       Findings& findings) {
  ResolvedNetwork plan;
  plan.network = &network;
  plan.parameters = &parameters;
  plan.chip = &chip_limits(network.device);
  plan.options = options;
  plan.sample = sample;
  Resolver(plan, findings).run();
  if (has_errors(findings)) return std::nullopt;
  return plan;
}

}  // namespace edgetwin::max78
