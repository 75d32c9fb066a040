// COCO's annotations: instances and person_keypoints, as the format's own page has them.
#include <algorithm>
#include <map>

#include "base/json/json.h"
#include "base/sha256.h"
#include "evaluate/data/json_lines.h"
#include "evaluate/data/readers.h"
#include "evaluate/rules/rules.h"

namespace edgetwin::evaluation {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {"images", "annotations", "categories"};

// An element of a list.
struct Element {
  const char* list;
  size_t index;
};

class Reader {
 public:
  Reader(std::string file, std::string_view text, Task task)
      : file_(std::move(file)), text_(text), task_(task) {}

  Status read(const Json& document, const fs::path& pictures, SampleSet& set);

 private:
  Place place_of(const Element& e);
  Error bad(const Element& e, const std::string& what);
  Status read_pictures(const Json& list, const fs::path& folder, SampleSet& set);
  Status read_categories(const Json& list, SampleSet& set);
  Status read_annotation(const Json& a, const Element& at, SampleSet& set);
  Status read_object(const Json& a, const Element& at, TrueObject& object);
  Status read_keypoints(const Json& a, const Element& at, TrueObject& object);
  void pass_over(SampleSet& set, const Element& at, const std::string& what);

  std::string file_;
  std::string_view text_;
  std::map<std::string, std::vector<int>> lines_;  // of the elements of lists that were asked for
  Task task_;
  std::map<int64_t, size_t> places_;  // picture id: sample
  std::map<int64_t, bool> known_;     // category ids
};

Place Reader::place_of(const Element& e) {
  auto at = lines_.find(e.list);
  if (at == lines_.end()) at = lines_.emplace(e.list, lines_of_elements(text_, e.list)).first;
  Place place;
  place.file = file_;
  place.field = std::string(e.list) + "[" + std::to_string(e.index) + "]";
  if (e.index < at->second.size()) place.line = at->second[e.index];
  return place;
}

Error Reader::bad(const Element& e, const std::string& what) {
  Error error = damaged(file_, 0, what);
  error.place = place_of(e);
  return error;
}

Status Reader::read_pictures(const Json& list, const fs::path& folder, SampleSet& set) {
  std::map<int64_t, Sample> by_id;
  for (size_t i = 0; i < list.size(); ++i) {
    const Json picture = list.at(i);
    const Element where{"images", i};
    const auto id = picture.get_integer("id");
    const auto name = picture.get_string("file_name");
    if (!id || !name || name->empty()) return bad(where, "'id' or 'file_name' is missing");
    Sample s;
    s.name = *name;
    s.file = (folder / *name).string();
    s.set_file = file_;
    if (!by_id.emplace(*id, std::move(s)).second) {
      return bad(where, "id " + std::to_string(*id) + " was there before");
    }
  }
  // By their ids, as pycocotools takes them: the order decides between equal scores.
  for (auto& [id, sample] : by_id) {
    places_.emplace(id, set.samples.size());
    set.samples.push_back(std::move(sample));
  }
  return Ok{};
}

Status Reader::read_categories(const Json& list, SampleSet& set) {
  for (size_t i = 0; i < list.size(); ++i) {
    const Element where{"categories", i};
    const auto id = list.at(i).get_integer("id");
    const auto name = list.at(i).get_string("name");
    if (!id || !name) return bad(where, "'id' or 'name' is missing");
    if (!known_.emplace(*id, true).second) {
      return bad(where, "id " + std::to_string(*id) + " was there before");
    }
    for (const Category& c : set.categories) {
      if (c.name == *name) {
        Error twice = broken(Rule::labels_double, "'" + *name + "' is the name of category " +
                                                      std::to_string(c.id) + " and of category " +
                                                      std::to_string(*id));
        twice.place = place_of(where);
        return std::move(twice).with_hint("Rename one of them in the annotation file.");
      }
    }
    set.categories.push_back({*id, *name, place_of(where).line.value_or(0)});
  }
  std::ranges::sort(set.categories, {}, &Category::id);
  return Ok{};
}

void Reader::pass_over(SampleSet& set, const Element& at, const std::string& what) {
  set.findings.push_back(
      finding_of(info(Rule::set_annotation), place_of(at), what + "; it is left out"));
}

Status Reader::read_object(const Json& a, const Element& at, TrueObject& object) {
  const auto box = a.get("bbox");
  if (!box || box->size() != 4) return bad(at, "'bbox' has not 4 numbers");
  for (size_t i = 0; i < 4; ++i) {
    const auto number = box->at(i).as_number();
    if (!number) return bad(at, "'bbox' has not 4 numbers");
    object.box[i] = *number;
  }
  const auto area = a.get("area");
  const auto number =
      area ? area->as_number() : std::optional<double>(object.box[2] * object.box[3]);
  if (!number) return bad(at, "'area' is not a number");
  object.area = *number;
  object.crowd = a.get_integer("iscrowd").value_or(0) != 0;
  return Ok{};
}

Status Reader::read_keypoints(const Json& a, const Element& at, TrueObject& object) {
  const auto points = a.get("keypoints");
  if (!points || points->size() != 51) {
    return bad(at, "'keypoints' has not 17 times 3 numbers");
  }
  for (size_t i = 0; i < points->size(); ++i) {
    const auto number = points->at(i).as_number();
    if (!number) return bad(at, "'keypoints' has not 17 times 3 numbers");
    object.keypoints.push_back(*number);
    if (i % 3 == 2 && *number > 0) ++object.visible;
  }
  object.visible = a.get_integer("num_keypoints").value_or(object.visible);
  return Ok{};
}

Status Reader::read_annotation(const Json& a, const Element& at, SampleSet& set) {
  const auto picture = a.get_integer("image_id");
  const auto category = a.get_integer("category_id");
  if (!picture || !category) return bad(at, "'image_id' or 'category_id' is missing");
  const auto place = places_.find(*picture);
  if (place == places_.end()) {
    pass_over(set, at, "there is no picture " + std::to_string(*picture));
    return Ok{};
  }
  if (!known_.contains(*category)) {
    pass_over(set, at, "there is no category " + std::to_string(*category));
    return Ok{};
  }
  TrueObject object;
  object.category = *category;
  EDGETWIN_TRY(read_object(a, at, object));
  if (task_ == Task::keypoints) EDGETWIN_TRY(read_keypoints(a, at, object));
  set.samples[place->second].truth.objects.push_back(std::move(object));
  return Ok{};
}

Status Reader::read(const Json& document, const fs::path& pictures, SampleSet& set) {
  for (const char* key : kNames) {
    const auto list = document.get(key);
    if (!list || !list->is_array()) {
      return broken(Rule::set_truth, "the document has no list '" + std::string(key) + "'")
          .in_file(file_)
          .with_hint("Give COCO's instances_*.json or person_keypoints_*.json.");
    }
  }
  EDGETWIN_TRY(read_pictures(*document.get("images"), pictures, set));
  EDGETWIN_TRY(read_categories(*document.get("categories"), set));
  const Json annotations = *document.get("annotations");
  for (size_t i = 0; i < annotations.size(); ++i) {
    EDGETWIN_TRY(read_annotation(annotations.at(i), {"annotations", i}, set));
  }
  return Ok{};
}

}  // namespace

Result<SampleSet> read_coco(ByteSpan data, const fs::path& file, const std::string& pictures,
                            Task task) {
  if (task != Task::detect && task != Task::keypoints) {
    return broken(Rule::set_truth,
                  "COCO's annotations are read for detect and keypoints, not for " +
                      std::string(name(task)))
        .in_file(file.string());
  }
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(as_text(data), file.string()));
  SampleSet set;
  set.kind = "coco";
  const fs::path folder = pictures.empty() ? file.parent_path() : fs::path(pictures);
  EDGETWIN_TRY(Reader(file.string(), as_text(data), task).read(document, folder, set));
  set.load = [](const Sample& s) { return load_file(s); };
  seal(set, sha256_hex(data));
  return set;
}

}  // namespace edgetwin::evaluation
