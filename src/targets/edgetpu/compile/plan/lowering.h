// The work of compile_segment().
#pragma once

#include <memory>
#include <set>

#include "targets/edgetpu/compile/judge/values.h"
#include "targets/edgetpu/compile/layout/mesh.h"
#include "targets/edgetpu/compile/layout/repeat_vector.h"
#include "targets/edgetpu/compile/layout/scratch_pool.h"
#include "targets/edgetpu/compile/plan/blocks.h"
#include "targets/edgetpu/compile/plan/segment.h"
#include "targets/edgetpu/compile/plan/tensors.h"
#include "targets/edgetpu/compile/softmax/softmax.h"

namespace edgetwin::edgetpu::compiler {

class Lowering : private PlanState {
 public:
  Lowering(const Source& source, const Segment& segment, const Occupied& before,
           std::vector<Banding> bandings = {})
      : source_(source), segment_(segment), before_(before), bandings_(std::move(bandings)) {
    for (const Banding& b : bandings_) {
      for (const ValueId id : b.parked) parked_[id] = {};
      uneven_ = std::max(uneven_, b.uneven);
    }
  }
  std::variant<CompiledSegment, Refusal> run(bool plan_only);
  bool has_pieces() const { return !pieces_.empty(); }
  bool has_lists() const { return !lists_.all.empty(); }
  // All after run(). Whether a plan in pieces would differ.
  bool would_have_pieces() { return find_pieces(), has_pieces(); }
  // The layers to compute in bands, each in one so far; none: bands do not help.
  // `inside`: a sum in it may take what an operator of it makes before.
  std::vector<Banding> find_bandings(bool inside);
  // The same for strips, with tensors of `most` bytes whole in narrow memory, and some rows twice.
  // `by_host`: rows of large inputs come for each strip, those of large outputs leave.
  // `most` 0: all of it does so, and tiles need not have equally many rows.
  std::vector<Banding> find_strips(int64_t most, bool again, bool by_host);
  HostCost cost_by_host(std::vector<Banding> strips) const;
  bool has_large_input() const;
  int64_t ends_of(const Banding& banding);  // bytes of its first input and last result, whole
  bool comes_by_rows(const Banding& banding) const;
  // In how many rectangles it can be done, in the order of what they cost.
  void find_cuts(Banding& banding);
  bool can_mesh(const Banding& banding) const;  // cut and joined by the mesh
  bool fits(const Banding& banding) const;      // what is needed at one time inside of it

 private:
  const Graph& graph() const { return source_.graph; }
  const Value& value(ValueId id) const { return source_.graph.value(id); }
  // aliases.cc: which values are one tensor, and what borders tensors have
  bool by_positions(ValueId id) const, leaves_as_list(ValueId id) const;
  std::optional<Picture> given_positions(ValueId id) const;
  std::optional<Picture> positions_of(const Value& v) const;
  void make_store(ValueId id, const std::optional<Picture>& picture);
  std::optional<Picture> reshaped_elements(const Op& op) const;
  void name_stores();
  std::optional<size_t> only_maker(ValueId id) const;
  void part_stores();
  const ReferenceLayer& reference(size_t index) const;
  void border_stores();
  void border_store(const Op& op, ValueId from, const Windows& w);
  ValueId root(ValueId id) const;
  Store& store(ValueId id) {
    if (const auto c = constants_.find(id); c != constants_.end()) return *c->second;
    if (const auto r = returned_.find(root(id)); r != returned_.end()) return *r->second;
    const auto band = band_of_.find(root(id));
    return band != band_of_.end() ? *band->second : stores_.at(root(id));
  }
  bool neighbours(const Store& in, const Windows& w) const;
  bool handed(const Store& in, const Windows& w) const;

  int step() const { return static_cast<int>(steps_.size()); }
  int region(int64_t bytes);
  void use(int region) { regions_[static_cast<size_t>(region)].last = step(); }
  int64_t at(int region) const { return regions_[static_cast<size_t>(region)].base; }
  int aside(int64_t bytes);
  static constexpr int64_t kPairWords = 16;  // four lines of weights of two operands
  int scratch(int64_t words = kPairWords);
  void emit(Emit e, int64_t lowest, Follows follows = Follows::barrier);
  void emit_at(size_t lines, Emit e, Follows follows = Follows::barrier);  // with lines of its own
  // Lines of wide memory in the vendor's style.
  size_t wide(int64_t lines) { return wide_.add(lines, step()); }
  void keep_matrix() {
    if (source_.style == Style::vendor) wide_.keep_matrix(step());
  }
  bool place_lines();
  bool input(ValueId id), take_inputs(size_t first, size_t last), by_host(ValueId id) const;
  size_t first_reader(ValueId id) const, fullest_step() const;
  bool picture_fits(ValueId id, const Map& map, int64_t first_row);
  void take_picture(ValueId id, Store& s, int64_t first_row,
                    const std::vector<ComingRows>& parts = {}, std::optional<size_t> block = {});
  bool vector_given(ValueId id), host_is_quicker(int64_t loose_bytes) const;
  bool loose_input(ValueId id, Store& s);
  void output(ValueId id);
  bool leave(size_t index), op(size_t index);
  bool by_kind(size_t index), window_layer(size_t index), rows_layer(size_t index);
  std::shared_ptr<LayerSpec> layer_spec(const Layer& layer, Store& from, const Windows& w,
                                        Store& to, int* whole, bool placed = true);
  bool settle_tiling(Layer& layer, LayerSpec& spec);
  bool finish_layer(Layer& layer, const std::shared_ptr<LayerSpec>& spec, Store& from, Store& to,
                    int whole);
  bool settle_apart(Layer& layer, const LayerSpec& spec);
  void emit_settled(const Layer& layer, const std::shared_ptr<LayerSpec>& spec, Store& to,
                    int whole);
  bool in_two_parts(const Layer& layer, Store& from, Store& to, const LayerSpec& spec, int whole);
  void emit_layer(const Layer& layer, const std::shared_ptr<LayerSpec>& spec, int whole);
  // bands.cc
  Rectangles rectangles(const std::vector<Layer>& layers, const Banding& banding, int64_t row,
                        int64_t column);
  Need need_of(const std::vector<Layer>& layers, const Rectangles& r);
  std::vector<int64_t> traits_of(const Banding& b, const std::vector<Layer>& layers);
  BandCut cost_of(const Banding& banding, const std::vector<Layer>& layers, int64_t room);
  const Banding* banding_at(size_t place) const;
  bool in_rectangles(size_t place) const, can_band(size_t place) const;
  Layer link(size_t index, ValueId before) const;
  bool banded(const Layer& layer, Store& from, const Windows& windows, Store& to, const Span& y,
              const Span& x, Store* other);
  bool inner(size_t place) const, has_steps(size_t place) const;
  size_t readers_of(ValueId result) const;
  bool closed(const Banding& banding) const;
  bool goes_aside(size_t place, size_t before, size_t next) const;
  std::vector<Layer> layers_of(const Banding& banding) const;
  bool bands(const Banding& banding);
  bool in_turn(const Banding& banding, std::vector<Layer>& layers, std::vector<Band>& all);
  std::optional<Band> band_of(const std::vector<Layer>& layers, Rectangles r);
  void enter_band(const std::vector<Layer>& layers, const Band& band);
  bool band(std::vector<Layer>& layers, const Band& band, bool first);
  Store* send_row(ValueId picture, const Span& rows, Store* to);
  bool send_rows(const Banding& banding, const std::vector<Layer>& layers, std::span<Band> row);
  int lines(int64_t n);
  int64_t line_at(int lines) const;
  void cut_to_lines(const Banding& banding, const Store& whole, std::span<Band> all);
  void result_to_lines();
  int wait_in_lines(const Store& from, const Waiting& how, bool first);
  void leave_lines(const Band& band, const Store& to);
  void join_lines(Store& result);
  void last_band(const Store& result);
  // mesh_bands.cc: as the vendor's compiler cuts and joins them
  bool by_mesh(const Banding& banding, std::vector<Layer>& layers, std::vector<Band>& all);
  const Store& again(const Store& picture, std::optional<size_t> kept);
  std::optional<size_t> save_picture(const Store& picture, bool deep);
  int64_t picture_line(std::optional<size_t> kept) const;
  void cut_by_mesh(const Store& whole, const Origin& at, Store& cut, const Span& y, const Span& x,
                   bool twice);
  bool read_later(const Banding& banding, ValueId id) const;
  Store& operand(const std::vector<Layer>& layers, const Band& band, size_t k, Store& to);
  void join_by_mesh(const Banding& banding, const std::vector<Band>& all, size_t row, size_t layer,
                    Store& to);
  bool go_aside(const Banding& banding, const std::vector<Layer>& layers,
                const std::vector<Band>& all, size_t layer);
  using BeforeLayer = std::function<bool(size_t layer)>;
  bool band_layers(std::vector<Layer>& layers, const Band& band, bool first, bool by_mesh,
                   const BeforeLayer& before = {});
  void emit_mesh(std::vector<Moved> all);
  // strips/plans.cc: rows are counted from the first of a tile, in all tiles alike
  using StripRows = std::map<ValueId, Span>;
  int64_t height(ValueId id) const {
    const int64_t rows = stores_.at(id).map.y.size;
    return uneven_ == 0 ? rows / kGrid : rows / uneven_ * ceil_div(uneven_, kGrid);
  }
  int64_t last_height(ValueId id) const {  // of the last row of tiles
    return stores_.at(id).map.y.size - (kGrid - 1) * height(id);
  }
  std::vector<StripReading> strip_readings(size_t index) const;
  bool is_large(ValueId id, int64_t most) const, touches_large(size_t place, int64_t most) const;
  bool can_strip(size_t place) const, is_picture(ValueId id) const;
  std::vector<Banding> uneven_strips();
  bool strip_goes_on(Banding b, size_t place, int64_t most, bool again) const;
  bool makes(const Banding& b, ValueId id) const;
  void find_readers();
  bool needed_outside(const Banding& b, ValueId id) const;
  bool keep_of(Banding& banding, int64_t most) const;
  int64_t strip_bytes(const Banding& banding) const;
  bool reaches_neighbours(const Banding& banding) const;
  void find_strip_cuts(Banding& banding) const;
  StripRows strip_rows(const Banding& banding, int64_t n) const;
  void border_strips();
  // strips/host.cc
  bool can_come(ValueId id) const, comes_in_strips(ValueId id) const;
  bool leaves_in_strips(ValueId id) const;
  double steps_of(size_t index, int64_t rows) const;
  double host_time_of(size_t index) const;
  std::map<ValueId, int64_t> rows_of_strips(const Banding& b) const;
  void find_coming(Banding& b, int64_t most) const;
  std::optional<Held> take_rows(ValueId id, const Span& rows);
  void leave_rows(ValueId id, const Store& made, int64_t first);
  bool strips(const Banding& banding);  // strips/strips.cc
  bool read_after(size_t place, ValueId id) const;
  int lines_over(const Banding& banding, ValueId id) const;
  bool strip(const Banding& banding, int64_t n, std::map<size_t, Layer>& layers);
  bool strip_op(size_t index, const Span& rows, std::map<ValueId, Held>& held,
                std::map<size_t, Layer>& layers);
  bool settle_known(Layer& layer, LayerSpec& spec);
  Store& strip_view(ValueId id, const Held& held, const Span& rows, const Window* w);
  std::optional<Held> bring_parked(ValueId id, const Span& rows);
  void move_parked(ValueId id, const Store& buffer, int64_t first, const Span& rows, bool there);
  void park_borders(ValueId id);
  void fill_edges(ValueId id, const Store& made, const Span& rows);

  int input_for(LayerSpec& spec, Store& from, const Windows& w);
  bool dense_layer(size_t index, const Windows* window);
  bool wide_dense(size_t index, const ReferenceLayer& layer, int whole, int64_t inputs);
  void use_elements(Store& s);
  void place_result(Store& to);
  void place_map(Store& to);
  bool place_over(const Store& from, ValueId operand, Store& to, int64_t least_bytes);
  void place_sum(const Op& op, const Store& a, const Store& b, Store& to);
  Store* at_positions(ValueId id, const Store& like);
  bool copied_for_sum(const Op& op, const Store& a, const Store& b) const;
  void plain_operands(Store*& a, Store*& b, Store& to);
  bool sum(size_t index), extreme(size_t index);
  bool pool_from_neighbours(size_t index, const PoolView& view);
  WholePicture whole_for(Store& from, const PoolView& view, int edge);
  bool pooled(size_t index), pool(size_t index);
  PoolSpec pool_spec(const Op& op, const Store& from) const;
  // vendor/scratch_pool.cc: as the vendor's compiler has it where memory ends
  bool pool_by_scratch(size_t index);
  int64_t to_host(ValueId id, const Store& picture);
  Store& from_host(const Store& picture, int64_t offset);
  void bring_back(const Op& op);
  void sum_piece(const PoolSpec& pool, const ChannelPieces& pieces, int64_t piece, int vector,
                 int whole, int ones);
  bool repeated(size_t index);  // vendor/repeat_vector.cc
  // vendor/first_tile.cc
  bool in_first_tile(const Op& op) const;
  void widen_for_first_tile(size_t index);
  void bring(Store& s);
  bool first_tile_layer(size_t index);
  // vendor/mesh_lists.cc
  bool scaled_in_blocks(const Op& op, const Store& from, Store& to);
  bool listed(size_t index, Store& from, Store& to);
  bool joined_by_mesh(const Op& op, Store& to, bool columns);
  Store& with_numbers_of(const Op& join, ValueId id);
  void repeat_blocks(const RepeatVectorSpec& spec, const Store& from, const Numbers& numbers,
                     Store& column, Store& to);
  int64_t pool_group(const Map& map) const;
  int in_groups(const Store& from, int64_t group);
  int gather_beside(const Store& from, int whole, int64_t first);
  bool window_pool_layer(size_t index, const PoolView& view);
  bool picked_layer(size_t index, const PoolView& view);
  bool max_pool_layer(size_t index, const PoolView& view);
  Store& with_border(Store& from, const Windows& w);
  void greatest_of_windows(Store& from, Store& to, const PoolView& view, bool here);
  bool softmax_layer(size_t index), recurrent_layer(size_t index);
  bool softmax_in_tiles(size_t index, Store& from, Store& to);
  size_t add_table(SoftmaxTable which, int64_t count, float multiplier);
  size_t streamed_block(Bytes bytes, int64_t slots);
  bool list_given(ValueId id, Store& s);
  GatePart gate_part(const Op& op, size_t weights, ValueId in, bool with_bias);
  DenseSpec products_of(const GatePart& part) const;
  bool sequence_result(size_t index, int rows, int64_t steps, int64_t units);
  void state_output(const StateOutput& s);
  bool scaled(size_t index), multiplied(size_t index), with_number(size_t index);
  bool multiplied_channels(size_t index, ValueId in, const Value& factors);
  Store& between(const Map& map, int zero);
  void use_place(const Store& s);
  bool made_layer(size_t index, ReferenceLayer& reference, const Numbers& numbers, Store& from,
                  Store& to, int64_t out_offset);
  bool select(size_t index, Store& from, Store& to, const std::vector<int>& of, const Value& result,
              int64_t out_offset = 0);
  bool times_channels(size_t index, Store& from, Store& to, const Value& in, const Value& factors);
  void relocate_to(Store& from, Store& to, const RelocateSpec& how);
  void copy_channels(Store& from, Store& to, int64_t in_offset, int64_t out_offset,
                     const Numbers& numbers);
  Numbers same_of(const Store& from, const Value& result) const;
  Numbers numbers_of_part(ValueId part, const Value& whole, Activation activation);
  bool take_part(size_t index, Store& whole, ValueId result, const Cut& cut);
  bool join(size_t index);
  bool join_channels(size_t index, Store& to);
  bool joins_lists(const Op& op, bool columns);
  bool join_positions(size_t index, Store& to, bool columns);
  std::optional<JoinPlace> place_in_join(size_t index);
  void to_join(size_t reshape, Store& from, const ReorderSpec& how);
  void find_pieces();
  std::vector<size_t> single_bytes_before(ValueId& id) const;
  std::optional<ListPart> list_part(const Op& join, ValueId in) const;
  std::optional<LeftList> list_of(ValueId output) const;
  std::vector<ListPart> parts_of(const Op& join) const;
  bool find_lists();
  Store& place_for(const Store& from, int zero, bool over);
  Store& function_of(size_t index, Store& from, bool over);
  void leave_part(const ListPart& part, Store& made, int64_t first, int64_t count, bool over);
  void leave_parts(size_t index);
  bool in_pieces(const Layer& layer, const LayerSpec& spec, int whole, const Pieces& pieces);
  int axis_from_end(const Op& op) const;
  bool part(size_t index), padded(size_t index);
  bool from_whole(size_t index, int whole, Store& to, int64_t pixel, int64_t row, const char* name);
  int repacked(size_t index, int whole, int64_t positions, int64_t channels, bool pack,
               const Value& like);
  int elements_in_order(size_t index, Store& s, const Value& like);
  int positions_in_order(size_t index, int64_t positions, int64_t channels);
  bool reordered(size_t index, Store& from, Store& to);
  bool words_of_parts(size_t index, Store& from, Store& to, int64_t channels);
  bool mixes(size_t index, const MixedChannels& mixed);
  bool reshaped(size_t index), transposed(size_t index), resize(size_t index);
  bool interleaved(Store& from, Store& to, const Between& y, const Between& x);
  bool picked(Store& from, Store& to, const NearestPlaces& places);
  bool packed(size_t index), space_to_depth(size_t index), depth_to_space(size_t index);
  bool side_by_side(size_t index, const std::vector<Store*>& parts, Store& to);
  bool phase_layer(size_t index, const ReferenceLayer& part, const Windows& w, Store& from,
                   Store& to, const Between& y, const Between& x);
  bool transposed_convolution(size_t index), spread_layer(size_t index), mixed(size_t index);
  bool few_enough(const Map& in, const Map& out, bool in_turns = false);
  Reading reading_of(const Op& op, int kernel_h, int kernel_w) const;
  std::optional<PoolView> view_of_pool(const Op& op) const;
  void border(Store& s, Behind behind = Behind::barrier);
  bool takes_constants() const;
  int gathered(const Store& s, const GatherSpec& how);
  int whole_vector(Store& s, uint32_t tiles = kAllTiles);
  bool splits(ValueId id) const;
  uint32_t tiles_of_dense(ValueId input) const;
  bool vector_result(Store& s);
  bool refuse(Rule rule, std::string message, bool at_edge = false);
  bool not_a_picture(const std::string& what = "its input");

  void bring_constants(size_t index);  // constants.cc
  Store constant_form(const Op& op, ValueId id);
  size_t constant_block(const Value& value, const Map& map);

  size_t add_block(const ReferenceLayer& layer, BlockShape shape, float out_scale, bool dense);
  bool can_stream(const Block& block) const;
  double stream_cost(const Block& block) const;
  int64_t dense_top() const, lowest_line() const, resident_top() const, parked_line() const;
  int64_t room_line() const;
  std::optional<Refusal> reside();
  static bool table_at_next(Block& b, Residence& residence);
  bool rest_by_law(Residence residence, int64_t top);
  void settle_residence(const Residence& residence, int64_t top);
  bool place_parameters();
  void place_narrow();
  std::vector<int64_t> turns() const;
  CompiledSegment finish();
  static void part_from_before(Program& p, Follows how, bool output);
  std::vector<int64_t> live_bytes() const;
  void note_live_bytes();
  void load_block(Program& p, const Block& b, int64_t begin);
  void make_caching(CompiledSegment& result);
  std::vector<std::vector<size_t>> together() const;

  const Source& source_;
  const Segment& segment_;
  const Occupied& before_;
  bool plan_only_ = false;
  Occupied occupied_;
  std::vector<Banding> bandings_;
};

}  // namespace edgetwin::edgetpu::compiler
