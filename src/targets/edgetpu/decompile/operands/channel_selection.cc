#include "targets/edgetpu/decompile/operands/channel_selection.h"

#include <algorithm>
#include <numeric>

#include "targets/edgetpu/decompile/stages/channel_words.h"
namespace edgetwin::edgetpu {
namespace {

constexpr int kWordChannels = 4;

// Words of one producer that follow each other.
struct Run {
  Producer from = 0;
  int first = 0, words = 0;
};

std::optional<int> channels_of(Producer p, const WordMakers& m) {
  if (p < 0) {
    const auto index = static_cast<size_t>(-1 - p);
    if (index >= m.inference.inputs.size()) return std::nullopt;
    const int c = m.inference.inputs[index].z_dim;
    constexpr int kMost = 65536;
    return c > 0 && c <= kMost ? std::optional(c) : std::nullopt;
  }
  const DecompiledLayer& l = m.layers[static_cast<size_t>(p)];
  if (l.out.c <= 0) return std::nullopt;
  // Where several instructions write parts of a pixel each counts its own words only.
  for (const size_t s : l.stages) {
    if (m.stages[s].written_words * kWordChannels != round4(l.out.c)) return std::nullopt;
  }
  return l.out.c;
}

std::optional<Producer> producer_of(const Origin& o, const WordMakers& m) {
  if (o.word < 0) return std::nullopt;
  if (o.owner < 0) return m.inputs_certain ? std::optional(Producer{o.owner}) : std::nullopt;
  if (o.owner < kFirstStage) return std::nullopt;
  const auto s = static_cast<size_t>(o.owner - kFirstStage);
  if (s >= m.layer_of.size() || m.layer_of[s] < 0) return std::nullopt;
  return m.layer_of[s];
}

std::optional<std::vector<Run>> runs_of(const std::vector<Origin>& words, const WordMakers& m) {
  std::vector<Run> runs;
  for (const Origin& o : words) {
    const auto p = producer_of(o, m);
    if (!p) return std::nullopt;
    const bool goes_on =
        !runs.empty() && runs.back().from == *p && runs.back().first + runs.back().words == o.word;
    if (goes_on) {
      ++runs.back().words;
    } else {
      runs.push_back({*p, o.word, 1});
    }
  }
  return runs;
}

// `channels`: of all runs together, of the last of which not all may be meant; 0: all are.
std::optional<Operand> operand_of_runs(const std::vector<Run>& runs, int channels,
                                       const WordMakers& m) {
  Operand o;
  bool whole = true;
  int sum = 0;
  for (const Run& r : runs) {
    const auto all = channels_of(r.from, m);
    if (!all) return std::nullopt;
    const int first = r.first * kWordChannels;
    int count = std::min(r.words * kWordChannels, *all - first);
    const bool last = &r == &runs.back();
    if (channels > 0 && last) count = std::min(count, channels - sum);
    if (count <= 0 || (channels > 0 && !last && count % kWordChannels != 0)) return std::nullopt;
    sum += count;
    whole = whole && first == 0 && count == *all;
    o.from.push_back(r.from);
    o.taken.push_back({first, count});
  }
  if (o.from.empty() || (channels > 0 && sum != channels)) return std::nullopt;
  if (whole) o.taken.clear();
  return o;
}

// An operand as parts in places of a picture.
std::vector<MovedPart> parts_in_place(const Operand& operand, const std::vector<int>& parts,
                                      const Extent2D& picture) {
  if (!operand.moved.empty()) return operand.moved;
  std::vector<MovedPart> all;
  for (size_t i = 0; i < operand.from.size() && i < parts.size(); ++i) {
    MovedPart p;
    p.from = {operand.from[i]};
    p.taken = operand.taken.empty() ? ChannelRange{0, parts[i]} : operand.taken[i];
    p.chunk = p.taken.count;
    p.places.resize(static_cast<size_t>(picture.h) * static_cast<size_t>(picture.w));
    std::iota(p.places.begin(), p.places.end(), 0);
    all.push_back(std::move(p));
  }
  return all;
}

// The part, and which of its channels, where each begins a word; nothing: filler, or a piece.
std::optional<std::pair<size_t, int>> part_of_row(const std::vector<MovedPart>& parts, int row) {
  int begin = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const int end = begin + round4(parts[i].chunk);
    if (row < end) {
      const bool real = row - begin < parts[i].chunk && parts[i].chunk == parts[i].taken.count;
      return real ? std::optional(std::pair(i, row - begin)) : std::nullopt;
    }
    begin = end;
  }
  return std::nullopt;
}

}  // namespace

void add_votes(const ChannelVotes& from, ChannelVotes& to) {
  const bool other = !from.empty() && !to.empty() && from.size() != to.size();
  to.resize(std::max(from.size(), to.size()));
  for (size_t k = 0; k < from.size(); ++k) {
    for (const auto& [origin, n] : from[k]) to[k][origin] += n;
  }
  // Read in different ways: nothing is told.
  constexpr int64_t kMany = int64_t{1} << 40U;
  if (other) to[0][Origin{}] += kMany;
}

std::optional<Operand> operand_of_channels(const ChannelVotes& votes, const WordMakers& makers) {
  std::vector<Origin> words;
  for (const auto& of_word : votes) {
    int64_t total = 0;
    int64_t most = 0;
    Origin best;
    for (const auto& [origin, n] : of_word) {
      if (origin.owner == kConstant) continue;  // padding
      total += n;
      if (n <= most) continue;
      most = n;
      best = origin;
    }
    // Somebody else's words may have been left over; a tenth and more would be a part of its own.
    constexpr int64_t kTenth = 10;
    if (total == 0 || (total - most) * kTenth >= total) return std::nullopt;
    // The same channels again are those of another position: a flattened picture.
    if (std::find(words.begin(), words.end(), best) != words.end()) return std::nullopt;
    words.push_back(best);
  }
  const auto runs = runs_of(words, makers);
  return runs && !runs->empty() ? operand_of_runs(*runs, 0, makers) : std::nullopt;
}

std::optional<Operand> operand_of_words(const std::vector<Origin>& words, int channels,
                                        const WordMakers& makers) {
  if (channels <= 0 || static_cast<int>(words.size()) * kWordChannels != round4(channels)) {
    return std::nullopt;
  }
  const auto runs = runs_of(words, makers);
  return runs ? operand_of_runs(*runs, channels, makers) : std::nullopt;
}

std::optional<Operand> take_channels(const Operand& operand, const std::vector<int>& parts,
                                     const std::vector<size_t>& rows) {
  Operand o;
  for (const size_t row : rows) {
    size_t begin = 0;
    size_t part = 0;
    while (part < parts.size() && row >= begin + static_cast<size_t>(round4(parts[part]))) {
      begin += static_cast<size_t>(round4(parts[part++]));
    }
    if (part == parts.size() || row - begin >= static_cast<size_t>(parts[part])) {
      return std::nullopt;  // filler
    }
    const int base = operand.taken.empty() ? 0 : operand.taken[part].first;
    const int channel = base + static_cast<int>(row - begin);
    const bool goes_on = !o.from.empty() && o.from.back() == operand.from[part] &&
                         o.taken.back().first + o.taken.back().count == channel;
    if (goes_on) {
      ++o.taken.back().count;
    } else {
      o.from.push_back(operand.from[part]);
      o.taken.push_back({channel, 1});
    }
  }
  if (o.from == operand.from && operand.taken.empty()) {
    bool whole = true;
    for (size_t i = 0; i < parts.size(); ++i) whole = whole && o.taken[i].count == parts[i];
    if (whole) o.taken.clear();
  }
  return o.from.empty() ? std::nullopt : std::optional(o);
}

std::optional<Operand> take_or_fill_channels(const Operand& operand, const std::vector<int>& parts,
                                             const std::vector<int>& rows,
                                             const Extent2D& picture) {
  constexpr int64_t kMostPlaces = int64_t{1} << 20U;
  constexpr size_t kMostParts = 64;
  if (picture.h <= 0 || picture.w <= 0 || picture.h > kMostPlaces / picture.w) return std::nullopt;
  const std::vector<MovedPart> whole = parts_in_place(operand, parts, picture);
  if (whole.empty()) return std::nullopt;
  Operand o;
  o.height = picture.h, o.width = picture.w;
  size_t last = whole.size();
  for (const int row : rows) {
    const auto at = row < 0 ? std::pair(whole.size(), 0) : part_of_row(whole, row);
    if (!at) return std::nullopt;
    const auto& [part, channel] = *at;
    const int first = row < 0 ? 0 : whole[part].taken.first + channel;
    const bool filler = row < 0;
    const bool goes_on = !o.moved.empty() && last == part &&
                         (filler || o.moved.back().taken.first + o.moved.back().chunk == first);
    if (goes_on) {
      ++o.moved.back().taken.count, ++o.moved.back().chunk;
      continue;
    }
    if (o.moved.size() == kMostParts) return std::nullopt;
    last = part;
    MovedPart next = whole[filler ? 0 : part];
    if (filler) std::ranges::fill(next.places, -1);
    next.taken = {first, 1}, next.chunk = 1;
    o.moved.push_back(std::move(next));
  }
  for (const MovedPart& p : o.moved) {
    for (const Producer from : p.from) {
      if (std::find(o.from.begin(), o.from.end(), from) == o.from.end()) o.from.push_back(from);
    }
  }
  return o.from.empty() ? std::nullopt : std::optional(o);
}

}  // namespace edgetwin::edgetpu
