#include "formats/ai8x/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <set>
#include <streambuf>
#include <unordered_map>

namespace edgetwin::ai8x {
namespace {

Mark mark_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

Error at(ErrorCode code, std::string message, const std::string& file, Mark mark) {
  Error error = Error(code, std::move(message)).in_file(file);
  if (mark) {
    error.place.line = mark.line;
    error.place.column = mark.column;
  }
  return error;
}

// Ends the parser from inside an event; caught in parse_yaml.
struct Stop {
  Error error;
};

// Reads from the text without a copy.
struct TextBuffer : std::streambuf {
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // never written: there is no put area
    setg(begin, begin, begin + text.size());
  }
};

size_t count_nodes(const YamlNode& node) {
  size_t out = 1;
  for (const YamlNode& child : node.children) out += count_nodes(child);
  return out;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      throw Stop{at(ErrorCode::ai8x_yaml, "a second document begins here", file_, mark_of(mark))};
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node;
    node.mark = mark_of(mark);
    add(std::move(node), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node;
    node.mark = mark_of(mark);
    node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    node.text = value;
    refuse_tag(tag, node.mark);
    add(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw Stop{
          at(ErrorCode::ai8x_yaml, "an alias stands inside its own value", file_, mark_of(mark))};
    }
    YamlNode copy = found->second;
    count(count_nodes(copy) - 1, mark_of(mark));
    add(std::move(copy), 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlKind::sequence, mark_of(mark), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlKind::map, mark_of(mark), tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
  };

  void refuse_tag(const std::string& tag, Mark mark) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    constexpr std::string_view kCore = "tag:yaml.org,2002:";
    if (tag.starts_with(kCore)) {
      const std::string_view type = std::string_view(tag).substr(kCore.size());
      for (const std::string_view known : {"str", "int", "bool", "null", "seq", "map"}) {
        if (type == known) return;
      }
    }
    throw Stop{at(ErrorCode::ai8x_yaml, "values with tags of their own are not read", file_, mark)};
  }

  void count(size_t more, Mark mark) {
    nodes_ += more;
    if (nodes_ > kMaxYamlNodes) {
      throw Stop{at(ErrorCode::ai8x_yaml_limit,
                    "the description has more than " + std::to_string(kMaxYamlNodes) +
                        " values, aliases written out",
                    file_, mark)};
    }
  }

  void open(YamlKind kind, Mark mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_tag(tag, mark);
    if (stack_.size() >= kMaxYamlDepth) {
      throw Stop{
          at(ErrorCode::ai8x_yaml_limit,
             "the description is nested more than " + std::to_string(kMaxYamlDepth) + " deep",
             file_, mark)};
    }
    YamlNode node;
    node.kind = kind;
    node.mark = mark;
    stack_.push_back({std::move(node), anchor});
  }

  void close() {
    Open top = std::move(stack_.back());
    stack_.pop_back();
    if (top.node.kind == YamlKind::map) merge(top.node);
    add(std::move(top.node), top.anchor);
  }

  void add(YamlNode node, YAML::anchor_t anchor) {
    count(1, node.mark);
    if (anchor != 0) anchors_[anchor] = node;
    if (stack_.empty()) {
      root_ = std::move(node);
    } else {
      stack_.back().node.children.push_back(std::move(node));
    }
  }

  // "<<: *other": the other map's entries, where this one has none of its own.
  void merge(YamlNode& map) {
    std::vector<YamlNode> own;
    std::vector<YamlNode> merged;
    for (size_t i = 0; i + 1 < map.children.size(); i += 2) {
      YamlNode& key = map.children[i];
      YamlNode& value = map.children[i + 1];
      if (key.kind != YamlKind::scalar || key.quoted || key.text != "<<") {
        own.push_back(std::move(key));
        own.push_back(std::move(value));
        continue;
      }
      const bool many = value.kind == YamlKind::sequence;
      std::vector<YamlNode> sources;
      if (many) {
        sources = std::move(value.children);
      } else {
        sources.push_back(std::move(value));
      }
      for (YamlNode& source : sources) {
        if (source.kind != YamlKind::map) {
          throw Stop{
              at(ErrorCode::ai8x_yaml, "'<<' merges something that is no map", file_, key.mark)};
        }
        merged.insert(merged.end(), std::make_move_iterator(source.children.begin()),
                      std::make_move_iterator(source.children.end()));
      }
    }
    std::set<std::string> known;
    if (!merged.empty()) {
      for (size_t i = 0; i < own.size(); i += 2) known.insert(own[i].text);
    }
    for (size_t i = 0; i + 1 < merged.size(); i += 2) {
      if (!known.insert(merged[i].text).second) continue;
      own.push_back(std::move(merged[i]));
      own.push_back(std::move(merged[i + 1]));
    }
    map.children = std::move(own);
  }

  const std::string& file_;
  int documents_ = 0;
  size_t nodes_ = 0;
  YamlNode root_;
  std::vector<Open> stack_;
  std::unordered_map<YAML::anchor_t, YamlNode> anchors_;
};

}  // namespace

Result<YamlNode> parse_yaml(std::string_view text, const std::string& file) {
  if (text.size() > kMaxYamlBytes) {
    return at(ErrorCode::ai8x_yaml_limit,
              "the description has " + std::to_string(text.size()) + " bytes, the limit is 1 MiB",
              file, {});
  }
  // Beyond what the parser does with them: in a text file they are damage.
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
    return at(ErrorCode::ai8x_yaml, "the file contains a zero byte: it is no text", file,
              {static_cast<int>(line), 1});
  }
  TextBuffer buffer(text);
  std::istream stream(&buffer);
  TreeBuilder builder(file);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop& stop) {
    return stop.error;
  } catch (const YAML::Exception& e) {
    const Mark mark = e.mark.is_null() ? Mark{} : mark_of(e.mark);
    return at(ErrorCode::ai8x_yaml, e.msg, file, mark);
  } catch (const std::exception& e) {
    return at(ErrorCode::ai8x_yaml, e.what(), file, {});
  }
  return builder.take();
}

}  // namespace edgetwin::ai8x
