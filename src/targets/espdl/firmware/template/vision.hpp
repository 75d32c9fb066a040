// A picture on its way through the networks. vision.cpp is written for one picture and one set of
// models, with the chip's own preparation of pictures and post-processing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dl_feat_image_preprocessor.hpp"
#include "dl_image_preprocessor.hpp"
#include "dl_model_base.hpp"

namespace check {

struct Picture {
  const char* name;
  // The file, where the chip decodes it; null where only pixels were given.
  const uint8_t* jpeg;
  const uint8_t* jpeg_end;
  const uint8_t* pixels;  // r, g, b
  const uint8_t* pixels_end;
  uint32_t crc32;  // of the pixels
  int width, height;
};
extern const Picture kPicture;

// What one case looks at.
struct Look {
  int stage;  // which network
  // x1, y1, x2, y2, the four corners of a text, or the five points of a face; empty: the picture.
  std::vector<int> part;
  // Expected results; null where a later look of the same network has them all.
  const uint8_t* result;
  const uint8_t* result_end;
  int scores;   // millionths by which a score may differ
  int corners;  // pixels by which a corner of a text may
};
extern const Look kLooks[];  // one for each case

// Integers by what they are: "boxes", "scores", ... Scores and features are in millionths, texts
// bytes.
using Found = std::map<std::string, std::vector<int32_t>>;

class Post {
 public:
  virtual ~Post() = default;
  virtual void begin() = 0;  // forgets what was found
  virtual void look() = 0;   // at the outputs of the last run
  virtual Found end(int width, int height) = 0;
};

// Another way into a network than those of the library.
class Sight {
 public:
  virtual ~Sight() = default;
  virtual void prepare(const dl::image::img_t& image, const std::vector<int>& part) = 0;
};

// How a network sees the picture, and what reads its outputs.
struct Eyes {
  std::unique_ptr<dl::image::ImagePreprocessor> picture;
  std::unique_ptr<dl::image::FeatImagePreprocessor> face;  // turns it upright
  std::unique_ptr<Sight> sight;
  std::unique_ptr<Post> post;

  void prepare(const dl::image::img_t& image, const std::vector<int>& part);
};
Eyes make_eyes(int stage, dl::Model& model);

}  // namespace check
