// Which of three vectors is most like a fourth.
#include "example.h"
#include "robotics/matmul/similarity.h"

using namespace edgetwin;

int main() {
  auto database = must(robotics::EmbeddingSimilarity::from_template(256));
  must(database.open());
  const auto vector = [](size_t first, size_t second) {
    std::vector<float> v(256, 0.0F);
    v[first] = 1.0F;
    v[second] = 0.5F;
    return v;
  };
  must(database.add("cup", vector(0, 1)));
  must(database.add("plate", vector(1, 2)));
  must(database.add("spoon", vector(7, 8)));
  for (const auto& match : must(database.query(vector(0, 2), 3))) {
    std::printf("%-6s %+.2f\n", match.label.c_str(), match.score);
  }
}
