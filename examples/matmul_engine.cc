// Two matrices one after the other on the same program, and an exact product of larger integers.
#include "modules/matmul_engine.h"
#include "example.h"
#include "modules/byte_matmul.h"

using namespace edgetwin;

int main() {
  auto engine = must(modules::MatMulEngine::from_template(64));
  must(engine.open());
  const std::vector<float> x(64, 0.5F);
  for (const float value : {0.006F, -0.004F}) {
    const modules::Matrix w{64, 64, std::vector<float>(64 * 64, value)};
    must(engine.set_weights(w));
    std::printf("%.3f times 32: %.4f\n", static_cast<double>(value),
                static_cast<double>(must(engine.matmul(x))[0]));
  }
  auto exact = must(modules::ByteMatMul::create(4, 8, 8));
  const std::vector<uint32_t> ones(16, 255), input(4, 255);
  std::printf("4 * 255 * 255 = %llu, in %d products of digits\n",
              static_cast<unsigned long long>(must(exact.multiply(ones, input))[0]),
              exact.split().products);
}
