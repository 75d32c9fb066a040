#include "targets/espdl/check/check.h"

#include <memory>
#include <set>

#include "exec/session.h"
#include "formats/espdl/document/numerics_name.h"
#include "formats/espdl/import/import.h"
#include "targets/espdl/check/checker.h"

namespace edgetwin::targets::espdl {
namespace {

std::string label_of(const Node& node, size_t index) {
  std::string label = "#" + std::to_string(index) + " " + node.op_type;
  if (!node.name.empty()) label += " '" + node.name + "'";
  return label;
}

void check_nodes(Checker& c) {
  for (size_t i = 0; i < c.document().nodes.size(); ++i) {
    const Node& node = c.document().nodes[i];
    const Subject s{c, node, label_of(node, i)};
    check_attributes(s);
    check_types(s);
    check_parameters(s);
    check_exponents(s);
    check_shifts(s);
    check_products(s);
    check_sums(s);
    check_tables(s);
    check_windows(s);
    check_traps(s);
    check_recurrent(s);
  }
}

// What lowering and planning add to what the rules have found.
class Planning {
 public:
  explicit Planning(Checker& c) : c_(c) {
    for (const Finding& f : c.findings()) {
      named_.insert(to_text(f.place));
      if (f.severity != Severity::error) continue;
      failed_.insert(to_text(f.place));
      broken_ = broken_ || f.id.starts_with("ESPDL-REF-");
    }
  }

  void run(const CheckOptions& options) {
    Result<Model> model =
        edgetwin::espdl::import_document(c_.document(), c_.target(), options.file);
    if (!model.ok()) return take(model.error());
    take(model->findings);
    exec::Options how;
    how.numerics = edgetwin::espdl::numerics_of(c_.target());
    how.runtime = options.runtime;
    const auto session =
        exec::Session::create(std::make_shared<const Graph>(std::move(model->graphs[0])), how);
    if (!session.ok()) return take(session.error());
    take(session->findings());
  }

 private:
  void take(const Error& error) {
    if (failed_.contains(error.place.layer)) return;
    // Wrong references make others look wrong.
    const bool reference =
        error.code == ErrorCode::graph_order || error.code == ErrorCode::graph_duplicate ||
        error.code == ErrorCode::graph_reference || error.code == ErrorCode::espdl_reference;
    if (reference && broken_) return;
    // Without a layer, the cause may be one that a rule has named by its tensor.
    if (error.place.layer.empty() && !failed_.empty()) return;
    std::string message = error.message;
    for (const std::string& line : error.details) message += "; " + line;
    const std::string& where = error.place.layer.empty() ? error.place.field : error.place.layer;
    const std::string_view remedy = edgetwin::info(error.code).remedy;
    c_.findings().push_back({Severity::error, std::string(error.id()), where, std::move(message),
                             error.hint.empty() ? std::string(remedy) : error.hint});
  }

  void take(const std::vector<Finding>& findings) {
    for (const Finding& f : findings) {
      if (named_.contains(to_text(f.place))) continue;
      c_.say(Rule::plan_remark, to_text(f.place), f.message, f.hint);
    }
  }

  Checker& c_;
  std::set<std::string> named_, failed_;
  bool broken_ = false;  // a rule of references has been broken
};

}  // namespace

std::vector<Finding> check(const Document& document, Target target, const CheckOptions& options) {
  Checker c(document, target);
  check_document(c);
  check_references(c);
  check_nodes(c);
  if (options.plan) Planning(c).run(options);
  return std::move(c.findings());
}

std::vector<Finding> check(const edgetwin::espdl::ModelFile& model, Target target,
                           const CheckOptions& options) {
  std::vector<Finding> findings;
  const auto say = [&](Rule rule, const Finding& f) {
    findings.push_back({f.severity, std::string(info(rule).id), f.place, f.message, f.hint});
  };
  if (model.edl_version == 1) {
    say(Rule::header_edl1,
        {info(Rule::header_edl1).severity, "", "header",
         "EDL1: the payload begins at byte 12, 12 mod 16 is not 0, and all parameters are copied",
         "A current exporter writes EDL2, whose payload begins at byte 16."});
  }
  for (const Finding& f : model.findings) say(Rule::reader_remark, f);
  std::vector<Finding> rest = check(model.document, target, options);
  findings.insert(findings.end(), std::make_move_iterator(rest.begin()),
                  std::make_move_iterator(rest.end()));
  return findings;
}

}  // namespace edgetwin::targets::espdl
