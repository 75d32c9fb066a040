// Sizes of a resolved network's pictures: specification "network" 2.6.
#include <algorithm>

#include "targets/max78/network/resolve_parts.h"

namespace edgetwin::max78 {
namespace {

using ai8x::kDataBuffer;
using ai8x::Key;
using ai8x::kInput;

std::string text(Size2 s) { return std::to_string(s.h) + "x" + std::to_string(s.w); }

class SizeResolver {
 public:
  SizeResolver(ResolvedNetwork& plan, Findings& findings)
      : plan_(plan), findings_(findings), net_(*plan.network) {}

  void run() {
    for (const int i : plan_.order) {
      ResolvedLayer& l = plan_.resolved_layers[static_cast<size_t>(i)];
      offsets(l);
      if (!input_size(l) || !pooled_size(l) || !output_size(l)) return;
      check_size_limits(l);
      check_contents(findings_, plan_, l);
    }
  }

 private:
  void offsets(ResolvedLayer& l) {
    const int64_t before = l.prev < 0 ? 0 : plan_.layer(l.prev).out_offset;
    l.in_offset = l.yaml->in_offset.value_or(before);
  }

  Size2 source_size(int source) const {
    if (source == kInput) return {plan_.sample.h, plan_.sample.w};
    if (source == kDataBuffer) return net_.data_buffer->dim;
    return plan_.layer(source).out_dim;
  }

  bool input_size(ResolvedLayer& l) {
    const auto& y = *l.yaml;
    std::vector<int> sources = y.in_sequences.value_or(std::vector<int>{});
    if (sources.empty()) sources = {l.prev < 0 ? kInput : l.prev};
    if (sources.front() == kDataBuffer && (!y.in_dim || !y.in_channels)) {
      add_finding(findings_, plan_, Rule::no_sources, l.index,
                  "a layer that reads the buffer needs in_dim and in_channels");
      return false;
    }
    l.in_dim = source_size(sources.front());
    int64_t pixels = 0;
    for (const int s : sources) {
      const Size2 size = source_size(s);
      pixels += int64_t{size.h} * size.w;
      if (!(size == l.in_dim) && !y.in_dim) {
        add_finding(findings_, plan_, Rule::source_sizes, l.index,
                    "its sources have " + text(l.in_dim) + " and " + text(size) + " pixels", {},
                    Key::in_sequences);
        return false;
      }
    }
    if (!y.in_dim) {
      l.in_dim.h -= y.in_crop[0] + y.in_crop[1];
      return check_positive(l, l.in_dim, "input");
    }
    l.in_dim = *y.in_dim;
    const int64_t wanted = (int64_t{l.in_dim.h} + y.in_crop[0] + y.in_crop[1]) * l.in_dim.w;
    if (sources.size() > 1 && wanted != pixels) {
      add_finding(findings_, plan_, Rule::source_sizes, l.index,
                  "in_dim is not the size of its sources together",
                  {"(" + std::to_string(l.in_dim.h) + " + " + std::to_string(y.in_crop[0]) + " + " +
                   std::to_string(y.in_crop[1]) + ") * " + std::to_string(l.in_dim.w) + " = " +
                   std::to_string(wanted) + "; the sources have " + std::to_string(pixels)},
                  Key::in_dim);
      return false;
    }
    return true;
  }

  bool check_positive(const ResolvedLayer& l, Size2 size, const char* what) {
    if (size.h > 0 && size.w > 0) return true;
    add_finding(findings_, plan_, Rule::size_zero, l.index,
                std::string("its ") + what + " would be " + text(size));
    return false;
  }

  static int pooled(int size, int stride, int window, int dilation) {
    const int taps = size + stride - window - dilation + 1;
    return taps < 0 ? 0 : taps / stride;
  }

  bool pooled_size(ResolvedLayer& l) {
    const bool flat = l.op == Operator::conv1d || (l.passthrough() && l.in_dim.w == 1);
    if (l.op == Operator::conv1d && l.in_dim.w != 1) {
      add_finding(findings_, plan_, Rule::source_sizes, l.index,
                  "a one-dimensional convolution has an input of " + text(l.in_dim), {},
                  Key::in_dim);
      return false;
    }
    if (flat) {
      l.pool.w = l.pool_stride.w = l.pool_dilation.w = 1;
    } else if (l.pool_stride.h != l.pool_stride.w) {
      add_finding(findings_, plan_, Rule::pool_limit, l.index,
                  "pool_stride is " + text(l.pool_stride), {}, Key::pool_stride);
      return false;
    }
    for (const int v : {l.pool.h, l.pool.w, l.pool_stride.h, l.pool_stride.w}) {
      if (v >= 1 && v <= 16) continue;
      add_finding(findings_, plan_, Rule::pool_limit, l.index,
                  "a pooling window or stride of " + std::to_string(v) + " is outside 1 to 16");
      return false;
    }
    l.pooled_dim.h = pooled(l.in_dim.h, l.pool_stride.h, l.pool.h, l.pool_dilation.h);
    l.pooled_dim.w = flat ? 1 : pooled(l.in_dim.w, l.pool_stride.w, l.pool.w, l.pool_dilation.w);
    return check_positive(l, l.pooled_dim, "pooled picture");
  }

  bool output_size(ResolvedLayer& l) {
    const auto& y = *l.yaml;
    if (l.op == Operator::conv_transpose2d) {
      const auto up = [&](int p, int pad, int k, int d) {
        return (p - 1) * 2 - 2 * pad + d * (k - 1) + y.output_pad + 1;
      };
      l.out_dim = {up(l.pooled_dim.h, l.pad.h, l.kernel.h, l.dilation.h),
                   up(l.pooled_dim.w, l.pad.w, l.kernel.w, l.dilation.w)};
    } else {
      if (y.stride.h != 1 || y.stride.w != 1) {
        add_finding(findings_, plan_, Rule::stride_limit, l.index,
                    "the stride is " + text(y.stride), {}, Key::stride);
        return false;
      }
      const auto out = [](int p, int pad, int k, int d) { return p - d * (k - 1) + 2 * pad; };
      l.out_dim.h = out(l.pooled_dim.h, l.pad.h, l.kernel.h, l.dilation.h);
      l.out_dim.w =
          l.op == Operator::conv1d ? 1 : out(l.pooled_dim.w, l.pad.w, l.kernel.w, l.dilation.w);
    }
    if (l.flatten && !flatten(l)) return false;
    return check_positive(l, l.out_dim, "output");
  }

  bool flatten(ResolvedLayer& l) {
    const int pixels = l.pooled_dim.h * l.pooled_dim.w;
    if (pixels > 256) {
      add_finding(findings_, plan_, Rule::flatten_size, l.index,
                  text(l.pooled_dim) + " = " + std::to_string(pixels) + " pixels are more than 256",
                  {}, Key::flatten);
      return false;
    }
    if (pixels == 1)
      add_finding(findings_, plan_, Rule::flatten_needless, l.index, "its input is 1x1", {},
                  Key::flatten);
    l.out_dim = {1, 1};
    l.in_channels /= pixels;
    if (l.in_channels > 0) return true;
    add_finding(findings_, plan_, Rule::no_sources, l.index,
                "its weights have fewer inputs than its picture pixels");
    return false;
  }

  void check_size_limits(const ResolvedLayer& l) {
    const int most = plan_.chip->max_dimension;
    for (const auto& [size, what] :
         {std::pair{l.in_dim, "input"}, std::pair{l.out_dim, "output"}}) {
      if (size.h <= most && size.w <= most) continue;
      add_finding(findings_, plan_, Rule::size_limit, l.index,
                  std::string("its ") + what + " is " + text(size) + ", the limit is " +
                      std::to_string(most));
    }
  }

  ResolvedNetwork& plan_;
  Findings& findings_;
  const ai8x::Network& net_;
};

}  // namespace

void resolve_sizes(ResolvedNetwork& plan, Findings& findings) {
  SizeResolver(plan, findings).run();
}

}  // namespace edgetwin::max78
