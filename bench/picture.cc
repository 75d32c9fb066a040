// Milliseconds from the bytes of a JPEG to the input tensor of a detector, as ESP-DL's runtime
// makes it. bench_picture PICTURE.jpg [SIDE]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "edgetwin/preprocess.h"
#include "image/image.h"

int main(int argc, char** argv) {
  using namespace edgetwin;
  using Clock = std::chrono::steady_clock;
  if (argc < 2) return 2;
  const auto data = read_file(argv[1]);
  if (!data.ok()) return 3;
  const std::string side = argc > 2 ? argv[2] : "640";
  const std::string params = R"({"target":"rgb888_qint8","mean":[0,0,0],"std":[255,255,255],)"
                             R"("exponent":-7,"letterbox":true,"background":[114,114,114],)"
                             R"("width":)" +
                             side + R"(,"height":)" + side + "}";
  double decoded = 1e9, all = 1e9;
  for (int i = 0; i < 200; ++i) {
    const auto start = Clock::now();
    const auto picture = decode_image(*data, argv[1]);
    if (!picture.ok()) return 3;
    const auto middle = Clock::now();
    if (!preprocess_pixels(*picture, params).ok()) return 3;
    const auto end = Clock::now();
    const auto ms = [](auto d) { return std::chrono::duration<double, std::milli>(d).count(); };
    decoded = std::min(decoded, ms(middle - start));
    all = std::min(all, ms(end - start));
    if (i == 0)
      std::printf("%s to %s x %s\n", to_string(picture->shape).c_str(), side.c_str(), side.c_str());
  }
  std::printf("JPEG decoded      %6.2f ms\nwith the pipeline %6.2f ms\n", decoded, all);
  return 0;
}
