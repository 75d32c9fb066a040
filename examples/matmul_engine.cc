// Two matrices one after the other on the same program, and an exact product of larger integers.
#include "robotics/matmul/matmul_engine.h"
#include "example.h"
#include "robotics/matmul/byte_matmul.h"

using namespace edgetwin;

int main() {
  auto engine = must(robotics::MatMulEngine::from_template(256));
  must(engine.open());
  const std::vector<float> x(256, 0.1F);
  for (const float value : {0.0472F, -0.0315F}) {
    const robotics::Matrix w{256, 256, std::vector<float>(256 * 256, value)};
    must(engine.set_weights(w));
    std::printf("%.4f times 25.6: %.3f\n", static_cast<double>(value),
                static_cast<double>(must(engine.matmul(x))[0]));
  }
  auto exact = must(robotics::ByteMatMul::create(4, 8, 8));
  const std::vector<uint32_t> ones(16, 255), input(4, 255);
  std::printf("4 * 255 * 255 = %llu, in %d products of digits\n",
              static_cast<unsigned long long>(must(exact.multiply(ones, input))[0]),
              exact.split().products);
}
