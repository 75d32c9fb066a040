// One layer at work, pixel by pixel: it reads a pooled pixel, keeps the rows that its window needs,
// and writes each output as soon as its last pixel is there.
#pragma once

#include <memory>
#include <vector>

#include "targets/max78/machine/layers/core.h"
#include "targets/max78/machine/layers/layer_weights.h"

namespace edgetwin::max78 {

class LayerRun {
 public:
  // Null where the registers describe nothing that can be executed; a finding says why.
  static std::unique_ptr<LayerRun> make(Core& core, const LayerConfig& config);

  const LayerConfig& config() const { return c_; }
  bool done() const { return next_out_ == out_pixels_ && next_in_ == in_pixels_; }

  // Words of its input, counted from the read pointer, that the next step needs.
  int64_t needed_words() const;
  // Whether a step to come reads that word.
  bool still_needed(int64_t word) const;
  // Words of the consumer's input that are complete.
  int64_t written_words() const;

  // The layer that takes its output while it is made: where to wrap, and whom to ask.
  void feed(const LayerRun* consumer) { consumer_ = consumer; }
  // Who writes the input of a streaming layer.
  void expect_writer(int writer) { expected_ = writer; }

  // Reads a pixel and writes what becomes due; at the end some outputs without reading.
  void step();

 private:
  LayerRun(Core& core, const LayerConfig& config) : core_(core), c_(config) {}
  bool prepare();
  bool bad(const std::string& why);
  void plan_outputs();
  void plan_dense();
  void plan_depthwise();
  void plan_through();
  void add_word(uint32_t pointer, int pass, const std::array<int32_t, 4>& source);

  void read_pixel();
  void read_pass(int y, int x, int pass);
  void read_words(int y, int x, int pass, int operand);
  uint32_t fetch(int instance, int y, int x, int pass, int operand);
  void note_read(DataPlace p, int64_t word);
  void combine(int taps);
  bool output_due() const;
  void write_pixel();
  void sum_dense(int oy, int ox);
  void sum_depthwise(int oy, int ox);
  const int16_t* ring_row(int virtual_row) const;
  void finish_sums();
  void write_words(int64_t pixel);
  DataPlace target(uint32_t pointer, int64_t offset) const;
  void store(int64_t offset, int64_t pixel, const OutWord& word);
  void check_overwrite(DataPlace p, int64_t offset);
  void input_ends();

  struct Lane {
    int byte = 0;
    int channel = 0;  // rank among the processors
  };
  struct Source {  // a data memory that the layer reads
    int instance = 0;
    std::vector<Lane> lanes;
  };

  Core& core_;
  LayerConfig c_;
  LayerWeights weights_;
  std::vector<Source> sources_;
  int processors_ = 0;   // in use
  size_t channels_ = 0;  // of a pixel: passes times processors
  int64_t in_pixels_ = 0, out_pixels_ = 0;
  int64_t next_in_ = 0, next_out_ = 0;
  int out_rows_ = 0, out_columns_ = 0;
  uint32_t source_mask_ = 0;  // data memories that it reads

  std::vector<int16_t> ring_;  // rows of pooled pixels, padding included
  size_t ring_stride_ = 0;
  std::vector<int8_t> taps_;  // [operand][tap][processor] of a pass
  std::vector<int16_t> pixel_;
  std::vector<int64_t> sums_;
  std::vector<int8_t> results_;

  std::vector<OutWord> words_;
  uint32_t pixel_step_ = 0;

  LayerRecord* record_ = nullptr;
  int share_writer_ = kNobody;  // whose words were read last, and their share
  InputShare* share_ = nullptr;
  std::map<std::pair<int, int>, InputShare> lost_;  // words of the first that the second replaced

  const LayerRun* consumer_ = nullptr;
  int expected_ = kNobody;
};

}  // namespace edgetwin::max78
