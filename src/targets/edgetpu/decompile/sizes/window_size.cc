#include "targets/edgetpu/decompile/sizes/window_size.h"

#include <algorithm>

#include "targets/edgetpu/decompile/sizes/band_extents.h"
#include "targets/edgetpu/decompile/sizes/picture_border.h"
#include "targets/edgetpu/decompile/sizes/size_candidates.h"

namespace edgetwin::edgetpu {
namespace {

bool is_announced(const SizeContext& context, int h, int w, int c) {
  return std::any_of(context.announced.begin(), context.announced.end(), [&](const Extent2D& e) {
    return e.h == h && e.w == w && padded_channels(e.c) == padded_channels(c);
  });
}

// BandExtents that overlap compute some positions twice: one side is that of every band, the other
// at most their sum.
const SizeCandidate* measured(const BandExtents& b, const PositionTotal& total,
                              SizeCandidates candidates) {
  if (b.first.first <= 0 || b.first.second <= 0) return nullptr;
  for (const SizeCandidate& c : candidates) {
    if (c.h <= 0 || c.w <= 0 || int64_t{c.h} * c.w > total.pixels) continue;
    const bool by_width = b.same_width && c.w == b.first.first && c.h <= b.height;
    const bool by_height = b.same_height && c.h == b.first.second && c.w <= b.width;
    if (by_width || by_height) return &c;
  }
  return nullptr;
}

// BandExtents that overlap in both directions, or whose parameters stayed where they were: not more
// than what all compute, and not less than half of it.
const SizeCandidate* within(const PositionTotal& total, SizeCandidates candidates, bool given) {
  for (const SizeCandidate& c : candidates) {
    const int64_t pixels = int64_t{c.h} * c.w;
    if (c.h <= 0 || c.w <= 0 || pixels > total.pixels || pixels * 2 < total.pixels) continue;
    if (given || c.pad != DecompiledLayer::Pad::given) return &c;
  }
  return nullptr;
}

// Bands that compute rows and columns after the output, too, whose windows lie outside of the
// picture even more: the usual padding that fits in front of it.
const SizeCandidate* beyond(const DecompiledLayer& l, const PositionTotal& total,
                            const PictureBorder& border, SizeCandidates candidates) {
  for (const SizeCandidate& c : candidates) {
    const int64_t pixels = int64_t{c.h} * c.w;
    if (c.h <= 0 || c.w <= 0 || pixels > total.pixels || pixels * 2 < total.pixels) continue;
    const bool strides = l.stride_h == c.stride_h && l.stride_w == c.stride_w;
    // Without rows in front of it what lies after the picture is padding of its own.
    if (c.pad != DecompiledLayer::Pad::same || c.top == 0 || c.left == 0 || !strides) continue;
    if (reaches_beyond(c, border, l)) return &c;
  }
  return nullptr;
}

const SizeCandidate* exact(const DecompiledLayer& l, const SizeContext& context,
                           const PositionTotal& total, SizeCandidates all) {
  const auto fits = [&](const SizeCandidate& c) {
    return int64_t{c.h} * c.w == total.pixels && (total.width == 0 || c.w == total.width);
  };
  for (const SizeCandidate& c : all) {
    if (c.h > 0 && is_announced(context, c.h, c.w, l.out.c) && fits(c)) return &c;
  }
  for (const SizeCandidate& c : all) {
    if (c.h > 0 && c.w > 0 && fits(c)) return &c;
  }
  return nullptr;
}

// `agreeing`: those of `all` that the border of the picture allows.
const SizeCandidate* choose(const DecompiledLayer& l, const SizeContext& context,
                            const PositionTotal& total, SizeCandidates all, SizeCandidates agreeing,
                            const PictureBorder& border) {
  const BandExtents bands = band_extents(l, context);
  const bool seen = l.kernel_h * l.kernel_w == 1 || border.seen();
  const bool banded = l.stages.size() > 1;
  const SizeCandidate* c = nullptr;
  // BandExtents may overlap: what all compute together is the size of the output only by chance.
  if (!banded) c = exact(l, context, total, agreeing);
  if (c == nullptr && !banded) c = exact(l, context, total, all);
  if (c == nullptr) c = measured(bands, total, agreeing);
  const bool usual = c != nullptr && c->pad != DecompiledLayer::Pad::given;
  if (!usual && banded && border.seen()) {
    const SizeCandidate* more = beyond(l, total, border, all);
    if (more != nullptr) c = more;
  }
  if (c == nullptr && seen) c = within(total, agreeing, true);
  if (c == nullptr && banded) c = exact(l, context, total, all);
  if (c == nullptr && banded) c = measured(bands, total, all);
  if (c == nullptr && banded) c = within(total, all, false);
  return c;
}

}  // namespace

bool size_window(DecompiledLayer& l, const SizeContext& context, const PositionTotal& total) {
  if (l.in.h <= 0 || l.in.w <= 0) return false;
  std::vector<SizeCandidate> all = size_candidates(l);
  const PictureBorder border = border_of(l, context);
  add_seen_padding(all, border, l);
  // What lies around the picture tells the padding where sizes do not.
  const auto end = std::stable_partition(all.begin(), all.end(), [&](const SizeCandidate& c) {
    const bool other =
        l.stride_h > 0 && l.stride_w > 0 && (c.stride_h != l.stride_h || c.stride_w != l.stride_w);
    return !other && agrees_with(c, border, l);
  });
  const auto agreeing = SizeCandidates(all).first(static_cast<size_t>(end - all.begin()));
  const SizeCandidate* c = choose(l, context, total, all, agreeing, border);
  if (c != nullptr) take_candidate(l, *c);
  return c != nullptr;
}

}  // namespace edgetwin::edgetpu
