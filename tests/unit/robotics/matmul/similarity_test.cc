#include "robotics/matmul/similarity.h"

#include <cmath>

#include "robotics/matmul/random.h"
#include "robotics/tools.h"

namespace edgetwin::robotics {
namespace {

using testing::code_of;

constexpr int kWidth = 192;  // its products reach 1.5

std::vector<float> unit(size_t axis, float size = 1.0F) {
  std::vector<float> v(kWidth, 0.0F);
  v[axis] = size;
  return v;
}

EmbeddingSimilarity opened_similarity() {
  auto s = EmbeddingSimilarity::from_template(kWidth);
  EXPECT_TRUE(s.ok()) << to_text(s.error());
  EXPECT_TRUE(s->open().ok());
  return std::move(*s);
}

TEST(Similarity, Properties) {
  auto s = EmbeddingSimilarity::from_template(kWidth);
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->size(), 0U);
  EXPECT_EQ(s->capacity(), static_cast<size_t>(kWidth));
  EXPECT_EQ(s->embedding_dim(), static_cast<size_t>(kWidth));
  EXPECT_NEAR(s->scale_factor(), 1.0, 1e-9);
  edgetpu::templates::Dense a;
  a.n = 8;
  const auto made = edgetpu::templates::build(a);
  auto engine = twin_engine(made->model);
  auto bare = MatMulEngine::create(std::shared_ptr<Engine>(std::move(*engine)), Sidecar());
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(code_of(EmbeddingSimilarity::create(std::move(*bare))), ErrorCode::module_model);
}

TEST(Similarity, Scores) {
  EmbeddingSimilarity s = opened_similarity();
  EXPECT_EQ(code_of(s.query(unit(0))), ErrorCode::module_database);
  ASSERT_TRUE(s.add("same", unit(0, 7.0F)).ok());  // lengths do not count
  ASSERT_TRUE(s.add("across", unit(1)).ok());
  ASSERT_TRUE(s.add("opposite", unit(0, -1.0F)).ok());
  const auto m = s.query(unit(0), 10);
  ASSERT_TRUE(m.ok());
  ASSERT_EQ(m->size(), 3U);
  EXPECT_EQ((*m)[0].label, "same");
  EXPECT_NEAR((*m)[0].score, 1.0, 0.02);
  EXPECT_EQ((*m)[1].label, "across");
  EXPECT_NEAR((*m)[1].score, 0.0, 0.02);
  EXPECT_EQ((*m)[2].label, "opposite");
  EXPECT_NEAR((*m)[2].score, -1.0, 0.02);
  EXPECT_EQ(s.query(unit(0))->size(), 1U);
}

TEST(Similarity, BatchesAreSingles) {
  EmbeddingSimilarity s = opened_similarity();
  Random random(4);
  std::vector<std::vector<float>> vectors(5, std::vector<float>(kWidth));
  for (auto& v : vectors) {
    for (float& e : v) e = static_cast<float>(random.normal());
  }
  ASSERT_TRUE(s.add_batch({"a", "b", "c", "d", "e"}, vectors).ok());
  const auto all = s.query_batch(vectors, 2);
  ASSERT_TRUE(all.ok());
  for (size_t i = 0; i < vectors.size(); ++i) {
    const auto one = s.query(vectors[i], 2);
    EXPECT_EQ((*all)[i][0].label, (*one)[0].label);
    EXPECT_EQ((*all)[i][0].score, (*one)[0].score);
    EXPECT_EQ((*one)[0].label, std::string(1, static_cast<char>('a' + i)));
  }
}

TEST(Similarity, Refusals) {
  EmbeddingSimilarity s = opened_similarity();
  ASSERT_TRUE(s.add("a", unit(0)).ok());
  EXPECT_EQ(code_of(s.add("a", unit(1))), ErrorCode::module_database);
  EXPECT_EQ(code_of(s.add("", unit(1))), ErrorCode::module_database);
  EXPECT_EQ(code_of(s.add("b", std::vector<float>(3))), ErrorCode::module_database);
  EXPECT_EQ(code_of(s.add("b", std::vector<float>(kWidth, 0.0F))), ErrorCode::module_database);
  EXPECT_EQ(code_of(s.add("b", std::vector<float>(kWidth, std::nanf("")))),
            ErrorCode::module_database);
  EXPECT_EQ(code_of(s.remove("b")), ErrorCode::module_database);
  EXPECT_EQ(code_of(s.query(std::vector<float>(3))), ErrorCode::module_database);
  EXPECT_EQ(code_of(s.add_batch({"x"}, {})), ErrorCode::module_database);
  EXPECT_EQ(code_of(s.set_database({"x", "x"}, {unit(0), unit(1)})), ErrorCode::module_database);
  EXPECT_EQ(code_of(s.add_batch({"x", "a"}, {unit(0), unit(1)})), ErrorCode::module_database);
  EXPECT_EQ(s.labels(), std::vector<std::string>{"a"});  // nothing changed
  for (int i = 1; i < kWidth; ++i) ASSERT_TRUE(s.add(std::to_string(i), unit(2)).ok());
  const auto full = s.add("one more", unit(0));
  ASSERT_EQ(code_of(full), ErrorCode::module_database);
  EXPECT_NE(full.error().message.find("192"), std::string::npos);
}

TEST(Similarity, RemoveMovesUp) {
  EmbeddingSimilarity s = opened_similarity();
  ASSERT_TRUE(s.set_database({"a", "b", "c"}, {unit(0), unit(1), unit(2)}).ok());
  ASSERT_TRUE(s.remove("a").ok());
  EXPECT_EQ(s.labels(), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(s.query(unit(2))->at(0).label, "c");
}

TEST(Similarity, LifeAndUpload) {
  auto s = EmbeddingSimilarity::from_template(kWidth);
  ASSERT_TRUE(s.ok());
  ASSERT_TRUE(s->add("a", unit(3)).ok());
  EXPECT_EQ(code_of(s->query(unit(3))), ErrorCode::module_closed);
  ASSERT_TRUE(s->open().ok());
  EXPECT_TRUE(s->engine().weights_loaded());  // at once
  EXPECT_NEAR(s->query(unit(3))->at(0).score, 1.0, 0.02);
  s->close();
  EXPECT_EQ(code_of(s->query(unit(3))), ErrorCode::module_closed);
  ASSERT_TRUE(s->open().ok());
  EXPECT_NEAR(s->query(unit(3))->at(0).score, 1.0, 0.02);
}

TEST(Similarity, SaveAndLoad) {
  EmbeddingSimilarity s = opened_similarity();
  ASSERT_TRUE(s.set_database({"first", "second"}, {unit(0), unit(5, 3.0F)}).ok());
  const auto data = s.save();
  ASSERT_TRUE(data.ok());
  EmbeddingSimilarity fresh = opened_similarity();
  const Status loaded = fresh.load(*data, "db.npz");
  ASSERT_TRUE(loaded.ok()) << to_text(loaded.error());
  EXPECT_EQ(fresh.labels(), s.labels());
  EXPECT_EQ(fresh.query(unit(5))->at(0).label, "second");
  auto other = EmbeddingSimilarity::from_template(16);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(code_of(other->load(*data, "db.npz")), ErrorCode::module_database);
  EXPECT_FALSE(fresh.load(Bytes(10), "db.npz").ok());
  EXPECT_EQ(fresh.size(), 2U);
}

}  // namespace
}  // namespace edgetwin::robotics
