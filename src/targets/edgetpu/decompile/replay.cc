#include "targets/edgetpu/decompile/replay.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "targets/edgetpu/decompile/classify.h"
#include "targets/edgetpu/decompile/geometry.h"
#include "targets/edgetpu/decompile/mesh.h"

namespace edgetwin::edgetpu {
namespace {

// Words of a narrow traversal of the output in order, with their places in the pixel.
template <class Visit>
void walk_output(const Nest& nest, const ChannelWalk& channels, Visit&& visit) {
  const Traversal& t = nest.out;
  std::array<int64_t, kLoopLevels> index{};
  int64_t at = t.start;
  do {
    int64_t word = 0;
    for (size_t k = 0; k < t.size; ++k) word += index[k] * channels.words[k];
    visit(at, word);
  } while (advance(t, index, at));
}

// The same as numbers of the position and of the word in it.
template <class Visit>
void walk_positions(const Nest& nest, const ChannelWalk& channels, Visit&& visit) {
  // Addresses that are the numbers of positions.
  Nest numbered = nest;
  numbered.out.start = 0;
  int64_t count = 1;
  for (size_t k = 0; k < nest.out.size; ++k) {
    Level& l = numbered.out.level[k];
    l.net = k == 0 || channels.words[k] != 0 ? 0 : count;
    if (l.net != 0) count *= l.count;
  }
  walk_output(numbered, channels,
              [&](int64_t position, int64_t word) { visit(static_cast<size_t>(position), word); });
}

// By parameters, or by a matrix of zeros and ones.
bool multiplies(StageKind kind) {
  return kind == StageKind::conv || kind == StageKind::depthwise || kind == StageKind::selection;
}

class Replayer {
 public:
  Replayer(const darwinn::Executable& executable, const Resident& resident, ReplayLimits limits)
      : executable_(executable), resident_(resident), limits_(limits) {
    loaded_.assign(resident.blocks.size(), false);
  }

  Result<Replay> run() {
    result_.steps = decode_steps(executable_);
    find_feeders();
    find_transfers();
    input_map_.emplace(executable_, result_.steps);
    const auto& all = result_.steps.all;
    for (at_ = 0; at_ < all.size(); ++at_) {
      EDGETWIN_TRY(step());
    }
    EDGETWIN_TRY(flush_moves());
    for (size_t b = 0; b < loaded_.size(); ++b) {
      if (!loaded_[b]) result_.unused_resident.push_back(b);
    }
    result_.inputs_certain = input_map_->certain();
    for (size_t n = 0; const auto input = input_map_->input_of(n); ++n) {
      result_.requests.push_back(*input);
    }
    return std::move(result_);
  }

 private:
  Error error(const std::string& message) const {
    const Step& s = result_.steps.all[at_];
    return Error(ErrorCode::decompile_program,
                 "chunk " + std::to_string(s.chunk) + ", word " + std::to_string(s.word) + " '" +
                     std::string(info(s.opcode).name) + "': " + message);
  }

  Status step() {
    const Step& s = result_.steps.all[at_];
    if (result_.steps.is_nest(at_)) return tensor(result_.steps.nest(at_));
    switch (s.opcode) {
      case Opcode::ring_send:
        load_resident(result_.steps.copy(at_));
        return Ok{};
      case Opcode::ring_receive:
      case Opcode::ring_receive1:
        forget_lines(result_.steps.copy(at_).a);
        remember_lines(result_.steps.copy(at_));
        return Ok{};
      case Opcode::param:
        load_streamed(s);
        return Ok{};
      case Opcode::narrow_to_wide:
        return fetch(result_.steps.copy(at_));
      case Opcode::wide_to_narrow:
        return store(result_.steps.copy(at_));
      case Opcode::outfeed:
        send();
        return Ok{};
      case Opcode::move_down:
      case Opcode::move_left:
      case Opcode::move_up:
      case Opcode::move_right:
        moves_.push_back(at_);
        return Ok{};
      default:
        return Ok{};
    }
  }

  // Takes `places` visits from what is left, and checks that all addresses are in memory.
  Status claim(uint64_t places, int64_t lowest, int64_t highest, int64_t size) {
    if (places > limits_.places) {
      return error("its loops touch " + std::to_string(places) + " places, more than the limit");
    }
    limits_.places -= places;
    if (lowest >= 0 && highest < size) return Ok{};
    return error("addresses " + std::to_string(lowest) + " to " + std::to_string(highest) +
                 " are not in a memory of " + std::to_string(size));
  }

  struct Fetch {
    size_t step = 0;
    std::array<Votes, 16> votes;
    std::vector<Origin> words;
    int64_t count = 0;
    std::vector<uint32_t> patterns;
    bool sent = false;
    bool before_last_tensor = false;
  };

  // ---- mesh ----------------------------------------------------------------------------------
  OwnedWord& cell(size_t tile, int64_t word) { return narrow_.at(tile, word); }

  void set(size_t tile, int64_t address, Owner owner, uint32_t value) {
    cell(tile, address) = OwnedWord(owner, value);
  }

  // All of a direction between two tensor instructions at once, directions as they begin.
  Status flush_moves() {
    std::vector<size_t> moves;
    moves.swap(moves_);
    std::vector<std::pair<Opcode, std::vector<const CopyPattern*>>> groups;
    const size_t now = at_;
    uint64_t words = 0;
    for (const size_t m : moves) {
      at_ = m;
      const CopyPattern& c = result_.steps.copy(m);
      EDGETWIN_TRY(check_move(c, words));
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const auto& g) { return g.first == c.opcode; });
      if (group == groups.end()) group = groups.insert(groups.end(), {c.opcode, {}});
      group->second.push_back(&c);
    }
    at_ = now;
    for (const auto& [opcode, patterns] : groups) run_mesh(narrow_, patterns);
    return Ok{};
  }

  Status check_move(const CopyPattern& c, uint64_t& words) {
    const auto tiles = static_cast<uint64_t>(std::popcount(c.tiles));
    const auto check = [&](const Traversal& t) -> Status {
      const uint64_t count = t.count();
      words += std::min(count, kMostWords) * tiles;
      if (count > kMostWords || words > kMostPending) return error("it moves too many words");
      return claim(count * tiles, t.lowest(), t.highest(), kNarrowWords);
    };
    if (c.uses_a()) EDGETWIN_TRY(check(c.a));
    if (c.uses_b() || c.fill) EDGETWIN_TRY(check(c.b));
    return Ok{};
  }

  // ---- between narrow and wide memory ----------------------------------------------------------
  Status fetch(const CopyPattern& c) {
    EDGETWIN_TRY(flush_moves());
    const uint64_t count = c.a.count();
    if (count > kMostWords) return error("it moves too many words");
    EDGETWIN_TRY(claim(count * 16, c.a.lowest(), c.a.highest(), kNarrowWords));
    if (c.tiles == 0) remember_loop_fetch(c);
    Fetch fetched;
    fetched.step = at_;
    if (c.b_buffers == 0) keep_lines(c);
    each_tile(c.tiles, [&](size_t tile) {
      walk(c.a, count, [&](int64_t a) {
        const OwnedWord& from = cell(tile, a);
        const Owner o = from.owner;
        ++fetched.votes[tile][o];
        ++fetched.count;
        remember_word(from.origin, fetched.words);
        if (o == kConstant && fetched.patterns.size() < kMostPatterns &&
            tile == static_cast<size_t>(std::countr_zero(c.tiles))) {
          fetched.patterns.push_back(from.value);
        }
      });
    });
    ring_lines_.erase(c.b.start);
    add_factor(fetched);
    fetches_.push_back(std::move(fetched));
    after_fetch_ = true;
    return Ok{};
  }

  // The second operand of a product is fetched behind it.
  void add_factor(const Fetch& fetched) {
    if (!product_) return;
    Stage& stage = result_.stages[*product_];
    const auto own = static_cast<Owner>(*product_) + kFirstStage;
    Votes votes;
    for (const Votes& v : fetched.votes) {
      for (const auto& [o, n] : v) {
        if (o != own && o != kConstant && o != kUnknown) votes[o] += n;
      }
    }
    product_.reset();
    if (!votes.empty()) stage.inputs.push_back(std::move(votes));
  }

  // ---- lines of wide memory that hold words of narrow memory
  // A band that waits there until it is wanted again, and pixels before a pool.
  struct Lines {
    int64_t count = 0;
    std::vector<OwnedWord> words;
  };

  void keep_lines(const CopyPattern& c) {
    Lines lines;
    lines.count = static_cast<int64_t>(std::min<uint64_t>(c.b.count(), kMostWords));
    if (c.b.lowest() != c.b.start) return;
    forget_lines(c.b, c.tiles);
    // More than wide memory has room for: no real program.
    const uint64_t words = c.a.count() * static_cast<uint64_t>(std::popcount(c.tiles));
    if (kept_words_ + words > kMostKept) return;
    kept_words_ += words;
    each_tile(c.tiles, [&](size_t tile) {
      lines.words.clear();
      walk(c.a, c.a.count(), [&](int64_t a) { lines.words.push_back(narrow_.at(tile, a)); });
      lines_[tile][c.b.start] = lines;
    });
  }

  void forget_lines(const Traversal& t, uint32_t tiles = 0xFFFF) {
    each_tile(tiles, [&](size_t tile) {
      std::erase_if(lines_[tile], [&](const auto& l) {
        const bool gone = l.first <= t.highest() && t.lowest() < l.first + l.second.count;
        if (gone) kept_words_ -= l.second.words.size();
        return gone;
      });
    });
  }

  // The constants in the lines that a tensor instruction multiplies with: they may have been put
  // there for another one before. Without such lines, what was fetched since the last one.
  std::vector<uint32_t> patterns_of(const Nest& nest) const {
    constexpr int64_t kQuarters = 4;  // of a line
    std::vector<uint32_t> patterns;
    const auto& lines = lines_[static_cast<size_t>(std::countr_zero(nest.tiles))];
    auto l = lines.upper_bound(nest.weight.start / kQuarters);
    const bool there = l != lines.begin() && nest.weight.start / kQuarters <
                                                 std::prev(l)->first + std::prev(l)->second.count;
    if (there) {
      for (const OwnedWord& c : std::prev(l)->second.words) {
        if (c.owner == kConstant && patterns.size() < kMostPatterns) patterns.push_back(c.value);
      }
    }
    if (!patterns.empty()) return patterns;
    for (const Fetch& f : fetches_) {
      if (f.before_last_tensor) continue;
      patterns.insert(patterns.end(), f.patterns.begin(), f.patterns.end());
    }
    return patterns;
  }

  // What stands in the lines that a store reads; nothing: not all tiles know it.
  std::optional<std::array<std::vector<OwnedWord>, kTiles>> kept_lines(const CopyPattern& c,
                                                                       size_t count) const {
    constexpr int64_t kLineWords = 64;
    std::array<std::vector<OwnedWord>, kTiles> all;
    bool known = c.a_buffers == 0 && c.tiles != 0;
    each_tile(c.tiles, [&](size_t tile) {
      auto l = lines_[tile].upper_bound(c.a.start);
      if (l == lines_[tile].begin()) return void(known = false);
      --l;
      const auto skipped = static_cast<size_t>((c.a.start - l->first) * kLineWords);
      const auto& words = l->second.words;
      known = known && skipped < words.size();
      for (size_t n = skipped; known && n < words.size() && n < skipped + count; ++n) {
        all[tile].push_back(words[n]);
      }
    });
    if (!known) return std::nullopt;
    return all;
  }

  // ---- buffers that take turns
  // A store that fills two buffers in turn feeds a tensor instruction that empties them in turn;
  // which of the two comes first in the program says nothing.
  struct Feeder {
    size_t step = 0;
    uint32_t tiles = 0;
    int64_t begin = 0, end = 0;  // bytes of narrow memory
  };

  void find_feeders() {
    for (size_t i = 0; i < result_.steps.all.size(); ++i) {
      if (result_.steps.all[i].opcode != Opcode::wide_to_narrow) continue;
      const CopyPattern& c = result_.steps.copy(i);
      if (c.numbers || c.b_buffers == 0) continue;
      constexpr int64_t kBytes = 4;
      const int64_t span = std::abs(c.b_buffers);
      const int64_t begin = std::min(c.b.start, c.b.start + c.b_buffers);
      feeders_.push_back({i, c.tiles, begin * kBytes, (begin + 2 * span) * kBytes});
    }
  }

  const Feeder* feeder_of(const Nest& nest, size_t tile) const {
    const Feeder* best = nullptr;
    const auto distance = [&](const Feeder& f) {
      return f.step > at_ ? f.step - at_ : at_ - f.step;
    };
    for (const Feeder& f : feeders_) {
      if ((f.tiles >> tile & 1U) == 0 || nest.in.start < f.begin || nest.in.start >= f.end)
        continue;
      if (best == nullptr || distance(f) < distance(*best)) best = &f;
    }
    return best;
  }

  bool brought_by(const OwnedWord& word, size_t request) const {
    return word.owner == kInput && word.trace >= 0 &&
           result_.traces.nodes[static_cast<size_t>(word.trace)].from ==
               -1 - static_cast<int32_t>(request);
  }

  // What the buffers hold for a tensor instruction: the words that it finds there may be older.
  void fill_buffers(const Nest& nest) {
    if (nest.in_buffers == 0) return;
    const std::vector<int64_t> words = words_of(nest.in);
    each_tile(nest.tiles, [&](size_t tile) {
      const Feeder* f = feeder_of(nest, tile);
      if (f == nullptr) return;
      size_t step = 0;
      const CopyPattern* source = source_of_store(f->step, step);
      if (source != nullptr) return;
      const auto streamed = streamed_to_store(f->step);
      const Owner owner = streamed ? kStreamed : returned_by_host(f->step);
      const auto feed = input_map_->feed(f->step);
      for (const int64_t w : words) {
        // What this store brought stays as it is.
        if (feed && owner == kInput && brought_by(cell(tile, w), feed->number)) continue;
        set(tile, w, owner, static_cast<uint32_t>(streamed.value_or(0)));
      }
    });
  }

  // The copy engine of a broadcast behind a store: ring.receive, ring.send, n2w in this order.
  const CopyPattern* source_of_store(size_t at, size_t& step) const {
    const auto& all = result_.steps.all;
    bool sent = false;
    for (size_t i = at + 1; i < all.size(); ++i) {
      const Opcode o = all[i].opcode;
      if (o == Opcode::scalar || o == Opcode::tile_sync || o == Opcode::sync) continue;
      if (o == Opcode::wide_to_narrow && !sent) continue;
      if (o == Opcode::ring_receive || o == Opcode::ring_receive1) continue;
      if (o == Opcode::ring_send) {
        sent = true;
        continue;
      }
      if (o == Opcode::narrow_to_wide && sent) {
        step = i;
        return &result_.steps.copy(i);
      }
      return nullptr;
    }
    return nullptr;
  }

  // ---- memory of the host that results wait in
  // The transfers towards the device that bring data, and the PARAM that take from each.
  void find_transfers() {
    if (!executable_.dma_hints) return;
    const auto& hints = executable_.dma_hints->hints;
    for (size_t h = 0; h < hints.size(); ++h) {
      const bool data = hints[h].meta.base == darwinn::BaseAddress::input ||
                        hints[h].meta.base == darwinn::BaseAddress::scratch;
      if (hints[h].kind != darwinn::HintKind::descriptor || !data ||
          hints[h].direction != darwinn::Direction::to_device) {
        continue;
      }
      feeding_hints_.push_back(h);
    }
    size_t infeeds = 0;
    size_t last = 0;
    std::map<size_t, size_t> feeds;  // steps to the number of their transfer
    size_t count = 0;
    for (size_t i = 0; i < result_.steps.all.size(); ++i) {
      const Step& s = result_.steps.all[i];
      if (s.opcode == Opcode::infeed) ++infeeds;
      if (!takes_host_data(s)) continue;
      if (count == 0 || last != infeeds) ++count;
      last = infeeds;
      feeds[i] = count - 1;
    }
    // In pieces, or in loops of the scalar core: not to be told.
    if (count == feeding_hints_.size()) transfer_of_param_ = std::move(feeds);
  }

  static bool takes_host_data(const Step& s) {
    constexpr uint64_t kHost = 256;
    if (s.opcode != Opcode::param) return false;
    const FieldInfo* f = find_field(Opcode::param, "source");
    return get_bits(s.bytes, f->bit, f->width) == kHost;
  }

  // Whose results come back from the host with a store; kInput: none, it is an input.
  Owner returned_by_host(size_t store) const {
    for (size_t i = store + 1; i < result_.steps.all.size(); ++i) {
      const Opcode o = result_.steps.all[i].opcode;
      if (o == Opcode::infeed || result_.steps.is_nest(i)) return kInput;
      if (o != Opcode::param) continue;
      const auto transfer = transfer_of_param_.find(i);
      if (transfer == transfer_of_param_.end()) return kInput;
      return owner_of_transfer(feeding_hints_[transfer->second]);
    }
    return kInput;
  }

  // The transfer from the device that left at the same place before; what leaves one after the
  // other from the same owner is one transfer.
  Owner owner_of_transfer(size_t hint) const {
    const auto& hints = executable_.dma_hints->hints;
    if (hints[hint].meta.base != darwinn::BaseAddress::scratch) return kInput;
    std::optional<size_t> number;
    size_t leaving = 0;
    for (size_t h = 0; h < hint; ++h) {
      if (hints[h].kind != darwinn::HintKind::descriptor ||
          hints[h].direction != darwinn::Direction::from_device) {
        continue;
      }
      const bool same = hints[h].meta.base == darwinn::BaseAddress::scratch &&
                        hints[h].offset <= hints[hint].offset &&
                        hints[hint].offset < hints[h].offset + hints[h].size;
      if (same) number = leaving;
      ++leaving;
    }
    std::vector<Owner> owners;
    for (const Sent& s : result_.sent) {
      const auto top =
          std::max_element(s.votes.begin(), s.votes.end(),
                           [](const auto& x, const auto& y) { return x.second < y.second; });
      if (top == s.votes.end() || (!owners.empty() && owners.back() == top->first)) continue;
      owners.push_back(top->first);
    }
    return number && *number < owners.size() ? owners[*number] : kUnknown;
  }

  // The PARAM behind a store and its ring transfer, if it reads the program's own parameters.
  std::optional<size_t> streamed_to_store(size_t at) {
    const auto& all = result_.steps.all;
    for (size_t i = at + 1; i < all.size(); ++i) {
      const Opcode o = all[i].opcode;
      const bool between = o == Opcode::scalar || o == Opcode::tile_sync || o == Opcode::sync ||
                           o == Opcode::wide_to_narrow || o == Opcode::ring_receive ||
                           o == Opcode::ring_receive1;
      if (between) continue;
      if (o != Opcode::param) return std::nullopt;
      const auto offset = param_offset(all[i], executable_.parameters.size());
      if (offset) data_params_.insert(i);
      return offset;
    }
    return std::nullopt;
  }

  Status store(const CopyPattern& c) {
    if (c.numbers) return Ok{};
    EDGETWIN_TRY(flush_moves());
    const uint64_t count = c.b.count();
    if (count > kMostWords) return error("it moves too many words");
    EDGETWIN_TRY(claim(count * 16, c.b.lowest(), c.b.highest(), kNarrowWords));
    std::vector<int64_t> to;
    walk(c.b, count, [&](int64_t a) { to.push_back(a); });
    size_t step = 0;
    const CopyPattern* source = nullptr;
    bool local = false;
    // A fetch that feeds the send of an earlier store is none of this one.
    if (after_fetch_ && !fetches_.empty() && !broadcast_.contains(fetches_.back().step)) {
      const CopyPattern& before = result_.steps.copy(fetches_.back().step);
      if (before.tiles == c.tiles && before.a.count() == count) {
        source = &before;
        local = true;
      }
    }
    after_fetch_ = false;
    if (source == nullptr) {
      if (const auto kept = kept_lines(c, to.size())) {
        each_tile(c.tiles, [&](size_t tile) {
          for (size_t n = 0; n < to.size(); ++n) {
            narrow_.at(tile, to[n]) =
                n < (*kept)[tile].size() ? (*kept)[tile][n] : OwnedWord(kUnknown, 0);
          }
        });
        return Ok{};
      }
      source = source_of_store(at_, step);
    }
    if (source == nullptr || source->a.count() != count || source->a.lowest() < 0 ||
        source->a.highest() >= kNarrowWords) {
      const auto streamed = source == nullptr ? streamed_to_store(at_) : std::nullopt;
      const Owner owner = streamed            ? kStreamed
                          : source == nullptr ? returned_by_host(at_)
                                              : kUnknown;
      each_tile(c.tiles, [&](size_t tile) {
        for (const int64_t a : to) set(tile, a, owner, static_cast<uint32_t>(streamed.value_or(0)));
      });
      if (owner == kInput && std::popcount(c.tiles) == 1) begin_traces(c, to);
      return Ok{};
    }
    if (!local) broadcast_.insert(step);
    std::vector<int64_t> from;
    walk(source->a, count, [&](int64_t a) { from.push_back(a); });
    std::vector<OwnedWord> words(from.size());
    each_tile(c.tiles, [&](size_t tile) {
      // No tile: the scalar core names it at each step of a loop, the first one at the first.
      size_t sender = 0;
      if (source->tiles != 0) sender = static_cast<size_t>(std::countr_zero(source->tiles));
      if (local) sender = tile;
      for (size_t n = 0; n < from.size(); ++n) words[n] = narrow_.at(sender, from[n]);
      for (size_t n = 0; n < to.size(); ++n) narrow_.at(tile, to[n]) = words[n];
    });
    return Ok{};
  }

  void begin_traces(const CopyPattern& c, const std::vector<int64_t>& to) {
    auto& nodes = result_.traces.nodes;
    const auto feed = input_map_->feed(at_);
    if (!feed || to.size() > kMostTraced || nodes.size() > kMostTraces) return;
    const auto tile = static_cast<size_t>(std::countr_zero(c.tiles));
    for (size_t n = 0; n < to.size(); ++n) {
      if (cell(tile, to[n]).trace >= 0) continue;  // the pass behind goes to the other buffer
      cell(tile, to[n]).trace = static_cast<int32_t>(nodes.size());
      nodes.push_back({-1 - static_cast<int32_t>(feed->number),
                       static_cast<int32_t>(feed->first_word + static_cast<int64_t>(n))});
    }
  }

  void remember_loop_fetch(const CopyPattern& c) {
    constexpr size_t kMost = 64;
    if (result_.traces.loop_fetches.size() >= kMost) return;
    LoopFetch f;
    f.step = at_;
    f.words = c.a.count();
    for (size_t tile = 0; tile < f.nodes.size(); ++tile) {
      for (int64_t w = c.a.start; w < kNarrowWords && cell(tile, w).trace >= 0; ++w) {
        f.nodes[tile].push_back(cell(tile, w).trace);
      }
    }
    result_.traces.loop_fetches.push_back(std::move(f));
  }

  void send() {
    if (!after_fetch_ || fetches_.empty()) return;
    for (auto f = fetches_.rbegin(); f != fetches_.rend() && !f->sent; ++f) {
      if (f->before_last_tensor) break;
      f->sent = true;
      Sent s{f->step, {}, f->words, f->count};
      for (const Votes& v : f->votes) {
        for (const auto& [o, n] : v) s.votes[o] += n;
      }
      pending_sent_.push_back(s);
    }
    std::reverse(pending_sent_.begin(), pending_sent_.end());
    for (const Sent& s : pending_sent_) result_.sent.push_back(s);
    pending_sent_.clear();
  }

  // ---- parameters ------------------------------------------------------------------------------
  void give(const BlockPlace& block) {
    for (auto s = result_.stages.rbegin(); s != result_.stages.rend(); ++s) {
      const bool constant_bias = s->kind == StageKind::rescale && s->nest.kind == 0x30 &&
                                 s->nest.has_bias && s->blocks.empty() &&
                                 s == result_.stages.rbegin();
      if (!multiplies(s->kind) && !constant_bias) continue;
      s->blocks.push_back(block);
      s->closed = true;
      return;
    }
  }

  void load_resident(const CopyPattern& c) {
    if (std::popcount(c.tiles) != 1) return;
    const auto found = resident_.at.find({std::countr_zero(c.tiles), c.a.start});
    if (found == resident_.at.end()) return;
    loaded_[found->second] = true;
    give(resident_.blocks[found->second]);
  }

  void load_streamed(const Step& s) {
    const auto offset = param_offset(s, executable_.parameters.size());
    if (offset && !data_params_.contains(at_)) give({false, *offset, 0, 0});
  }

  // ---- tensor ----------------------------------------------------------------------------------
  static bool same_numbers(const Nest& x, const Nest& y) {
    return x.opcode == y.opcode && (x.kind & ~kKindFinished) == (y.kind & ~kKindFinished) &&
           x.channel_zero_points == y.channel_zero_points &&
           x.weight_zero_point == y.weight_zero_point && x.input_zero_point == y.input_zero_point &&
           x.multiplier == y.multiplier && x.upper == y.upper && x.lower == y.lower &&
           x.constant == y.constant && x.output_zero_point == y.output_zero_point &&
           x.has_bias == y.has_bias && x.has_scales == y.has_scales && x.function == y.function;
  }

  // Words that a traversal of bytes touches, each once.
  std::vector<int64_t> words_of(const Traversal& t) {
    std::vector<bool> seen(kNarrowWords, false);
    std::vector<int64_t> words;
    Traversal short_form = t;
    for (size_t k = 0; k < t.size; ++k) {
      if (t.level[k].net == 0 && k != t.short_level) short_form.level[k].count = 1;
    }
    walk(short_form, short_form.count(), [&](int64_t a) {
      const auto w = static_cast<size_t>(a / 4);
      if (seen[w]) return;
      seen[w] = true;
      words.push_back(a / 4);
    });
    return words;
  }

  void vote(uint32_t tiles, const std::vector<int64_t>& words, Votes& votes) {
    each_tile(tiles, [&](size_t tile) {
      for (const int64_t w : words) ++votes[narrow_.at(tile, w).owner];
    });
  }

  // What the two operands of an addition are: level 1 of those that repeat is the way from one to
  // the other.
  std::vector<Traversal> operands(const Nest& nest, StageKind kind) {
    if (kind != StageKind::add) return {nest.in};
    Traversal first = nest.in;
    int64_t distance = 0;
    int found = 0;
    for (size_t k = 0; k < first.size && found < 2; ++k) {
      if (first.level[k].count == 1) continue;
      if (found++ == 1) distance = first.level[k].net;
      first.level[k].count = 1;
    }
    Traversal second = first;
    second.start += distance;
    return {first, second};
  }

  std::vector<Votes> votes_of(const Nest& nest, StageKind kind, std::vector<size_t>& used) {
    std::vector<Votes> all;
    if (kind == StageKind::pool || kind == StageKind::sum) {
      Votes votes;
      each_tile(nest.tiles, [&](size_t tile) {
        for (auto f = fetches_.rbegin(); f != fetches_.rend(); ++f) {
          const bool data = std::any_of(f->votes[tile].begin(), f->votes[tile].end(),
                                        [](const auto& v) { return v.first != kConstant; });
          if (!data) continue;
          for (const auto& [o, n] : f->votes[tile]) votes[o] += n;
          if (std::find(used.begin(), used.end(), f->step) == used.end()) used.push_back(f->step);
          break;
        }
      });
      return {votes};
    }
    for (const Traversal& t : operands(nest, kind)) {
      all.emplace_back();
      vote(nest.tiles, words_of(t), all.back());
    }
    return all;
  }

  // ---- channels --------------------------------------------------------------------------------
  static bool is_depthwise(StageKind kind) { return kind == StageKind::depthwise; }

  static void remember_word(const Origin& word, std::vector<Origin>& words) {
    if (words.size() < kMostChannelWords &&
        std::find(words.begin(), words.end(), word) == words.end()) {
      words.push_back(word);
    }
  }

  void remember_lines(const CopyPattern& c) {
    walk(c.a, kMostLines, [&](int64_t line) { ring_lines_.insert(line); });
  }

  // Up to four channels to at most four are selected by an instruction that looks like a copy, but
  // for its weights: a copy's come from constants, these from the ring.
  StageKind kind_of(const Nest& nest) const {
    const StageKind kind = classify(nest);
    if (kind == StageKind::conv && is_selection(nest)) return StageKind::selection;
    constexpr uint32_t kSmall = 0x30;
    constexpr int64_t kQuarters = 4;
    const bool small = kind == StageKind::copy && nest.kind == kSmall && !nest.has_scales &&
                       !nest.function && nest.weight_zero_point == 0;
    return small && ring_lines_.contains(nest.weight.start / kQuarters) ? StageKind::selection
                                                                        : kind;
  }

  // What stands at a word that is read as word `k` of a pixel of `period` words.
  Origin origin_at(size_t tile, int64_t word, int64_t k, int64_t period) {
    const Origin& o = cell(tile, word).origin;
    if (o.owner != kInput) return o;
    const auto input = input_map_->read(at_, tile, word);
    if (!input || *input >= executable_.inputs.size()) return o;
    const int64_t channels = executable_.inputs[*input].z_dim;
    if (channels % 4 != 0 || channels / 4 != period) return o;
    return {-1 - static_cast<Owner>(*input), static_cast<int32_t>(k)};
  }

  void vote_channels(const Nest& nest, StageKind kind, Stage& stage) {
    int64_t period = positions_of(nest).channels / 4;
    if (multiplies(kind)) {
      const auto window = window_of(nest, is_depthwise(kind));
      period = window ? window->in_channels / 4 : 0;
    }
    const bool direct = kind != StageKind::pool && kind != StageKind::sum;
    if (!direct || period < 1 || period > static_cast<int64_t>(kMostChannelWords)) return;
    const std::vector<Traversal> all = operands(nest, kind);
    stage.channels.resize(std::max(stage.channels.size(), all.size()));
    for (size_t i = 0; i < all.size(); ++i) {
      ChannelVotes& votes = stage.channels[i];
      const bool first = votes.empty();
      votes.resize(std::max(votes.size(), static_cast<size_t>(period)));
      // Read in another way before: nothing is said about it.
      if (!first && votes.size() != static_cast<size_t>(period)) votes[0][{}] += kMostWords;
      Nest one = nest;
      one.in = all[i];
      std::vector<bool> seen(kNarrowWords, false);
      read_channels(one, period).each([&](int64_t a, int64_t k) {
        const int64_t w = a / 4;
        if (seen[static_cast<size_t>(w)]) return;
        seen[static_cast<size_t>(w)] = true;
        each_tile(nest.tiles, [&](size_t tile) {
          ++votes[static_cast<size_t>(k)][origin_at(tile, w, k, period)];
        });
      });
    }
  }

  // What a layer of one position reads, where all of it is followed.
  void remember_row(const Nest& nest, StageKind kind, Stage& stage) {
    if (kind != StageKind::conv || std::popcount(nest.tiles) != 1 || stage.steps.size() != 1)
      return;
    std::vector<int64_t> words;
    std::vector<int64_t> positions;
    if (!part_levels(nest, words, positions) || positions.size() != 1) return;
    const auto tile = static_cast<size_t>(std::countr_zero(nest.tiles));
    for (const int64_t w : words) {
      const int64_t at = positions[0] + w;
      const int32_t node = at % 4 == 0 ? cell(tile, at / 4).trace : -1;
      if (node < 0) return stage.row.clear();
      stage.row.push_back(node);
    }
  }

  // Where a written word comes from.
  struct Made {
    Origin origin;
    int32_t trace = -1;
  };

  void write_output(const Nest& nest, StageKind kind, Owner owner) {
    const ChannelWalk channels = written_channels(nest, multiplies(kind), is_depthwise(kind));
    Stage& stage = result_.stages.back();
    each_tile(nest.tiles, [&](size_t tile) {
      std::vector<Made> from;
      if (kind == StageKind::copy) from = copied_words(nest, channels, tile);
      if (kind == StageKind::selection) from = selected_words(nest, channels, tile, owner);
      size_t n = 0;
      walk_output(nest, channels, [&](int64_t a, int64_t word) {
        Made made{{owner, static_cast<int32_t>(word)}, -1};
        if (n < from.size()) {
          made = from[n];
        } else if (kind == StageKind::copy) {
          made = {};
        }
        ++n;
        cell(tile, a / 4) = OwnedWord(owner, 0, made.origin, made.trace);
        stage.written_words = std::max(stage.written_words, word + 1);
      });
    });
  }

  // Word by word; empty: it copies in another way.
  std::vector<Made> copied_words(const Nest& nest, const ChannelWalk& channels, size_t tile) {
    std::vector<int64_t> to;
    walk_output(nest, channels, [&](int64_t, int64_t word) { to.push_back(word); });
    if (nest.in.count() > kMostWords) return {};
    std::vector<Made> from;
    const int64_t period = positions_of(nest).channels / 4;
    bool words = nest.in.count() == to.size();
    walk(nest.in, nest.in.count(), [&](int64_t a) { words = words && a % 4 == 0; });
    if (words) {
      walk(nest.in, nest.in.count(), [&](int64_t a) {
        from.push_back({origin_at(tile, a / 4, to[from.size()], period), cell(tile, a / 4).trace});
      });
      return from;
    }
    const auto input = spread_input(nest, tile);
    if (!input) return {};
    for (const int64_t word : to) {
      from.push_back({{-1 - static_cast<Owner>(*input), static_cast<int32_t>(word)}, -1});
    }
    return from;
  }

  // The places of one position's words, and where the positions begin; false: the levels of the
  // input do not part so.
  static bool part_levels(const Nest& nest, std::vector<int64_t>& words,
                          std::vector<int64_t>& positions) {
    if (nest.in.short_count != 0) return false;
    Traversal inner = nest.in;
    Traversal outer = nest.in;
    uint64_t product = 1;
    for (size_t k = 0; k < nest.in.size; ++k) {
      const bool inside = product < nest.reduction();
      if (inside) product *= static_cast<uint64_t>(nest.in.level[k].count);
      if (!inside) inner.level[k].count = 1;
      if (inside || nest.in.level[k].net == 0) outer.level[k].count = 1;
    }
    if (product != nest.reduction() || product > kMostTraced || outer.count() > kMostTraced ||
        product * outer.count() > kMostTraced) {
      return false;
    }
    walk(inner, inner.count(), [&](int64_t a) { words.push_back(a - nest.in.start); });
    walk(outer, outer.count(), [&](int64_t a) { positions.push_back(a); });
    return true;
  }

  // By a matrix: every position's words of those that it reads. Empty: none of them is followed.
  std::vector<Made> selected_words(const Nest& nest, const ChannelWalk& channels, size_t tile,
                                   Owner owner) {
    std::vector<int64_t> words;
    std::vector<int64_t> positions;
    Traces& traces = result_.traces;
    if (!part_levels(nest, words, positions) || traces.nodes.size() > kMostTraces) return {};
    traced_words_ += words.size() * positions.size();
    if (traced_words_ > kMostTracedWords) return {};
    const size_t first = traces.pixels.size();
    bool any = false;
    for (const int64_t at : positions) {
      TracedPixel pixel{static_cast<size_t>(owner - kFirstStage), {}};
      for (const int64_t w : words) {
        const int32_t node = (at + w) % 4 == 0 ? cell(tile, (at + w) / 4).trace : -1;
        pixel.in.push_back(node);
        any = any || node >= 0;
      }
      traces.pixels.push_back(std::move(pixel));
    }
    if (!any) {
      traces.pixels.resize(first);
      return {};
    }
    std::vector<Made> made;
    walk_positions(nest, channels, [&](size_t position, int64_t word) {
      int32_t node = -1;
      if (position < positions.size()) {
        node = static_cast<int32_t>(traces.nodes.size());
        traces.nodes.push_back(
            {static_cast<int32_t>(first + position), static_cast<int32_t>(word)});
      }
      made.push_back({{owner, static_cast<int32_t>(word)}, node});
    });
    return made;
  }

  // Bytes of an input, pixel after pixel, that are put into words: which input.
  std::optional<size_t> spread_input(const Nest& nest, size_t tile) {
    const std::vector<Level> levels = repeating(nest.in);
    const auto channels = static_cast<int64_t>(nest.reduction());
    size_t k = 0;
    if (channels > 1 && (levels.empty() || levels[k].count != channels || levels[k++].net != 1)) {
      return std::nullopt;
    }
    if (k < levels.size() && levels[k].net != channels) return std::nullopt;
    std::optional<size_t> input;
    bool all = true;
    for (const int64_t w : words_of(nest.in)) {
      if (cell(tile, w).origin != Origin{kInput, -1}) return std::nullopt;
      const auto here = input_map_->read(at_, tile, w);
      all = all && here && (!input || *input == *here);
      input = here;
    }
    if (!all || !input || *input >= executable_.inputs.size()) return std::nullopt;
    return executable_.inputs[*input].z_dim == channels ? input : std::nullopt;
  }

  Status tensor(const Nest& nest) {
    EDGETWIN_TRY(flush_moves());
    if (nest.tiles == 0) return error("it names no tiles");
    const uint64_t loops = nest.loops();
    if (loops > limits_.places || nest.in.count() > limits_.places ||
        nest.out.count() > limits_.places) {
      return error("its loops run more often than the limit");
    }
    // Once for the owners of all words, once for their channels.
    EDGETWIN_TRY(claim(2 * nest.in.count(), nest.in.lowest(), nest.in.highest(), kNarrowBytes));
    EDGETWIN_TRY(claim(nest.out.count() * 16, nest.out.lowest(), nest.out.highest(), kNarrowBytes));
    const StageKind kind = kind_of(nest);
    fill_buffers(nest);
    std::vector<size_t> used;
    const std::vector<Votes> votes = votes_of(nest, kind, used);
    Stage& stage = stage_of(nest, kind, votes);
    const auto owner = static_cast<Owner>(result_.stages.size() - 1) + kFirstStage;
    stage.steps.push_back(at_);
    for (const int64_t w : words_of(nest.in)) {
      each_tile(nest.tiles, [&](size_t tile) {
        if (cell(tile, w).owner != kStreamed) return;
        const size_t offset = cell(tile, w).value;
        stage.streamed = std::min(stage.streamed.value_or(offset), offset);
      });
    }
    if (multiplies(kind)) remember_corners(nest, stage);
    stage.inputs.resize(votes.size());
    for (size_t i = 0; i < votes.size(); ++i) {
      for (const auto& [o, n] : votes[i]) stage.inputs[i][o] += n;
    }
    stage.fetches.insert(stage.fetches.end(), used.begin(), used.end());
    if (kind == StageKind::add && stage.patterns.empty()) stage.patterns = patterns_of(nest);
    vote_channels(nest, kind, stage);
    remember_row(nest, kind, stage);
    if (kind == StageKind::pool || kind == StageKind::sum) {
      vote(nest.tiles, words_of(nest.in), stage.direct);
    }
    write_output(nest, kind, owner);
    for (Fetch& f : fetches_) f.before_last_tensor = true;
    product_.reset();
    if (kind == StageKind::mul) product_ = result_.stages.size() - 1;
    if (fetches_.size() > 64) fetches_.erase(fetches_.begin(), fetches_.end() - 64);
    after_fetch_ = false;
    return Ok{};
  }

  void remember_corners(const Nest& nest, Stage& stage) {
    const auto highest = static_cast<size_t>(std::bit_width(nest.tiles)) - 1;
    if (!stage.first && (nest.tiles & 1U) != 0) stage.first = corner(nest, 0);
    if (!stage.last || stage.last->tile <= highest) stage.last = corner(nest, highest);
  }

  Corner corner(const Nest& nest, size_t tile) {
    Corner c{at_, tile, {}};
    for (const int64_t w : words_of(nest.in)) {
      if (narrow_.at(tile, w).owner == kConstant) c.constants.push_back(w);
    }
    std::sort(c.constants.begin(), c.constants.end());
    return c;
  }

  Stage& stage_of(const Nest& nest, StageKind kind, const std::vector<Votes>& votes) {
    const uint64_t reduction = nest.reduction();
    if (!result_.stages.empty()) {
      Stage& last = result_.stages.back();
      const auto owner = static_cast<Owner>(result_.stages.size() - 1) + kFirstStage;
      bool own = false;
      for (const Votes& v : votes) own = own || v.contains(owner);
      if (!last.closed && last.kind == kind && last.reduction == reduction &&
          same_numbers(last.nest, nest) && (multiplies(kind) || !own)) {
        return last;
      }
    }
    Stage stage;
    stage.kind = kind;
    stage.nest = nest;
    stage.reduction = reduction;
    result_.stages.push_back(std::move(stage));
    return result_.stages.back();
  }

  // Far more than a tile's memory: what an instruction may move, and what may wait on the mesh.
  static constexpr uint64_t kMostWords = uint64_t{1} << 20U;
  static constexpr uint64_t kMostPending = uint64_t{1} << 23U;
  static constexpr uint64_t kMostKept = uint64_t{1} << 22U;
  static constexpr size_t kMostPatterns = 4096;
  static constexpr size_t kMostChannelWords = 4096;
  static constexpr uint64_t kMostLines = 4096;
  static constexpr uint64_t kMostTraced = 1U << 16U;  // words of an instruction
  static constexpr size_t kMostTraces = 1U << 20U;    // of all
  static constexpr uint64_t kMostTracedWords = uint64_t{1} << 26U;
  uint64_t traced_words_ = 0;  // looked at

  const darwinn::Executable& executable_;
  const Resident& resident_;
  ReplayLimits limits_;
  Narrow narrow_;
  std::array<std::map<int64_t, Lines>, kTiles> lines_;  // by the first one
  uint64_t kept_words_ = 0;                             // of all tiles
  std::vector<Feeder> feeders_;
  std::vector<size_t> feeding_hints_;
  std::map<size_t, size_t> transfer_of_param_;  // steps to indices of the hints
  std::optional<InputMap> input_map_;
  std::set<int64_t> ring_lines_;  // of wide memory: what the ring brought there last
  std::vector<bool> loaded_;
  std::set<size_t> broadcast_;     // fetches that another store's words come from
  std::set<size_t> data_params_;   // steps whose parameters are data
  std::optional<size_t> product_;  // a product whose second operand is still to be fetched
  std::vector<size_t> moves_;
  std::vector<Fetch> fetches_;
  std::vector<Sent> pending_sent_;
  bool after_fetch_ = false;
  size_t at_ = 0;
  Replay result_;
};

}  // namespace

Result<Replay> replay(const darwinn::Executable& executable, const Resident& resident,
                      ReplayLimits limits) {
  return Replayer(executable, resident, limits).run();
}

}  // namespace edgetwin::edgetpu
