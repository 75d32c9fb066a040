// Any bytes as a sequence of calls of the C interface over two small networks.
#include <algorithm>

#include "c/random_calls.h"
#include "source_dir.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  test::RandomCalls({data, std::min<size_t>(size, 600)},
                    {case_file("dense.tflite"), case_file("quantize.tflite")})
      .run();
  return 0;
}
