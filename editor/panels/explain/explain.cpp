// The panel that explains a solver's recursion at the current state, body by body, with equations
// and numbers, and the constraint step.

#include "editor/panels/explain/explain.hpp"

#include <GLFW/glfw3.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <vector>

#include "editor/app/editor.hpp"
#include "editor/panels/dynamics/equation.hpp"
#include "editor/panels/explain/constraint_solvers.hpp"
#include "editor/panels/explain/constraints.hpp"
#include "editor/panels/explain/contacts.hpp"
#include "editor/panels/explain/numbers.hpp"
#include "editor/probe/constraint_step.hpp"
#include "editor/probe/contacts/contact_step.hpp"
#include "editor/probe/probe.hpp"
#include "editor/session/command.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

constexpr double pace = 0.7;  // seconds per step during playback

std::string chosen_solver(Editor& editor) {
  const std::vector<std::string> all = editor.probe.explaining_solvers();
  const std::string wanted = editor.panel<ExplainPanel>().solver.empty()
                                 ? editor.now->solver()
                                 : editor.panel<ExplainPanel>().solver;
  for (const std::string& id : all)
    if (without_kind(id) == without_kind(wanted)) return id;
  return all.empty() ? "" : all.front();
}

const Recursion* recursion(Editor& editor) {
  const std::string solver = chosen_solver(editor);
  return solver.empty() ? nullptr : &editor.probe.recursion(solver);
}

// Returns the displayed step of the recursion, and displays the recursion. Throws Error if there is
// none.
ExplainedStep required(Editor& editor) {
  need_scene(editor);
  editor.panel<ExplainPanel>().subject = Explained::recursion;
  const auto at = explained_step(editor);
  if (at) return *at;
  const Recursion* found = recursion(editor);
  throw Error(found ? found->failure : "no solver of this model can explain its recursion");
}

void go(Editor& editor, int step) {
  const int last = int(required(editor).tracer.steps().size()) - 1;
  editor.panel<ExplainPanel>().step = std::clamp(step, 0, last);
}
void step_by(Editor& editor, int steps) {
  go(editor, editor.panel<ExplainPanel>().step + steps);
  editor.panel<ExplainPanel>().next = -1;
}
// Goes to the first step that satisfies the predicate. Searches from the current step to the end,
// then from the beginning. Does nothing if there is no such step.
template <class Holds>
void find_step(Editor& editor, const ExplainedStep& at, const Holds& holds) {
  const std::vector<TraceStep>& steps = at.tracer.steps();
  for (size_t k = 0; k < steps.size(); ++k) {
    const size_t there = (size_t(editor.panel<ExplainPanel>().step) + k) % steps.size();
    if (holds(steps[there])) return go(editor, int(there));
  }
}

void choose_solver(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const std::string& id = editor.plugins().find<Solver>(arguments.text(0, "SOLVER")).id;
  const std::vector<std::string> all = editor.probe.explaining_solvers();
  if (std::find(all.begin(), all.end(), id) == all.end())
    throw Error(fmt::format("solver '{}' cannot explain its recursion; use one of: {}", id,
                            fmt::join(all, ", ")));
  ExplainPanel& panel = editor.panel<ExplainPanel>();
  panel.solver = id;
  panel.subject = Explained::recursion;
  panel.step = 0;
  panel.next = -1;
}

void choose_body(Editor& editor, const Arguments& arguments) {
  const ExplainedStep at = required(editor);
  const std::string& name = arguments.text(0, "LINK");
  const Link& link = editor.model().links[size_t(find_selection(editor, "link", name).index)];
  const int body = editor.model().frames[size_t(link.frame)].body;
  if (body == 0)
    throw Error(fmt::format(
        "link '{}' is fixed to the world and not part of the recursion; choose a moving link",
        name));
  // Go to the step that computes the same quantity for this body.
  find_step(editor, at, [&](const TraceStep& step) {
    return step.body == body && step.quantity == at.step.quantity;
  });
}

void choose_pass(Editor& editor, const Arguments& arguments) {
  const ExplainedStep at = required(editor);
  const double k = arguments.number(0, "NUMBER");
  const auto& passes = at.tracer.table().passes;
  if (!(k >= 1 && k <= double(passes.size()) && k == std::floor(k)))
    throw Error(fmt::format("{} has passes 1 to {}", at.tracer.id(), passes.size()));
  editor.panel<ExplainPanel>().step = 0;
  find_step(editor, at,
            [&](const TraceStep& step) { return step.quantity == passes[size_t(k) - 1].first; });
}

void choose_quantity(Editor& editor, const Arguments& arguments) {
  const ExplainedStep at = required(editor);
  const auto found = at.tracer.table().find(arguments.text(0, "SYMBOL"));
  if (!found) {
    std::vector<std::string> all;
    for (const TracedQuantity& q : at.tracer.table().quantities) all.push_back(q.symbol);
    throw Error(fmt::format("{} has no quantity '{}'; use one of: {}", at.tracer.id(),
                            arguments.text(0, "SYMBOL"), fmt::join(all, ", ")));
  }
  find_step(editor, at, [&](const TraceStep& step) {
    return step.body == at.step.body && step.quantity == *found;
  });
}

void play(Editor& editor, const Arguments&) {
  const int last = int(required(editor).tracer.steps().size()) - 1;
  if (editor.panel<ExplainPanel>().next >= 0) {
    editor.panel<ExplainPanel>().next = -1;
    return;
  }
  if (editor.panel<ExplainPanel>().step == last) editor.panel<ExplainPanel>().step = 0;
  editor.panel<ExplainPanel>().next = ImGui::GetTime() + pace;
}

constexpr struct {
  const char *name, *title;
  Explained subject;
} subjects[] = {{"recursion", "Recursion", Explained::recursion},
                {"constraints", "Constraints", Explained::constraints},
                {"contacts", "Contacts", Explained::contacts}};

void choose_subject(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const std::string& what = arguments.text(0, "recursion|constraints|contacts");
  const auto found = std::ranges::find(subjects, what, [](const auto& row) { return row.name; });
  if (found == std::end(subjects))
    throw Error(
        fmt::format("'{}' cannot be explained; use recursion, constraints or contacts", what));
  editor.panel<ExplainPanel>().subject = found->subject;
}

void choose_constraint_solver(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const std::string& wanted = arguments.text(0, "CONSTRAINT_SOLVER");
  const std::string& id = editor.plugins().find<ConstraintSolver>(wanted).id;
  for (const SolverChoice& choice : editor.scene().constraint_solvers)
    if (choice.id == id && !choice.rejection.empty())
      throw Error(fmt::format("constraint solver '{}' does not support this model: {}", id,
                              choice.rejection));
  editor.session.post(command::SetConstraintSolver{id});
}

// Compares the constraint solvers at the present state, and shows the result: at the contacts if
// the panel shows them, otherwise at the constraints.
void compare_constraint_solvers(Editor& editor, const Arguments&) {
  need_scene(editor);
  ExplainPanel& panel = editor.panel<ExplainPanel>();
  if (panel.subject == Explained::contacts) return panel.contacts.compare(editor.now, editor.probe);
  panel.subject = Explained::constraints;
  panel.compared = std::make_shared<ConstraintSolvers>(editor.probe.compare_constraint_solvers());
  panel.compared_scene = editor.now->scene;
}

void print_constraints(Editor& editor) {
  fmt::print("{}", constraint_text(editor.probe.constraint_step()));
  const ExplainPanel& panel = editor.panel<ExplainPanel>();
  if (panel.compared && panel.compared_scene.lock() == editor.now->scene)
    fmt::print("{}", comparison_text(*panel.compared));
}

void print_contacts(Editor& editor) {
  fmt::print("{}", contact_text(editor.model(), editor.probe.contact_step()));
  if (const ConstraintSolvers* compared =
          editor.panel<ExplainPanel>().contacts.compared(editor.now))
    fmt::print("{}", comparison_text(*compared));
}

void print_step(Editor& editor, const Arguments&) {
  const Explained subject = editor.panel<ExplainPanel>().subject;
  if (editor.has_scene() && subject != Explained::recursion) {
    subject == Explained::contacts ? print_contacts(editor) : print_constraints(editor);
    std::fflush(stdout);
    return;
  }
  const ExplainedStep at = required(editor);
  const TracedQuantity& q = at.tracer.table().quantities[size_t(at.step.quantity)];
  for (const TracedValue& value : at.tracer.outputs(at.step))
    fmt::print("{}, step {} of {}: {} of {}, {}: {:.9g} {}\n", at.tracer.id(),
               editor.panel<ExplainPanel>().step + 1, at.tracer.steps().size(), value.symbol,
               value.of, q.name, fmt::join(value.x, " "), value.unit);
  std::fflush(stdout);
}

constexpr Action explain_action_rows[] = {
    {"explain.next",
     "Explain: next step",
     "",
     [](Editor& e, const Arguments&) { step_by(e, 1); },
     {GLFW_KEY_N}},
    {"explain.back",
     "Explain: previous step",
     "",
     [](Editor& e, const Arguments&) { step_by(e, -1); },
     {GLFW_KEY_B}},
    {"explain.first", "Explain: first step", "",
     [](Editor& e, const Arguments&) { step_by(e, -e.panel<ExplainPanel>().step); }},
    {"explain.last", "Explain: last step", "",
     [](Editor& e, const Arguments&) { step_by(e, 1'000'000); }},
    {"explain.play", "Explain: play or stop", "", play},
    {"explain.solver", "Explain another solver", "SOLVER", choose_solver},
    {"explain.body", "Explain a quantity at a link", "LINK", choose_body},
    {"explain.pass", "Explain from the start of a pass", "NUMBER", choose_pass},
    {"explain.quantity", "Explain a quantity", "SYMBOL", choose_quantity},
    {"explain.show", "Explain the recursion of a solver, the constraints, or the contacts",
     "recursion|constraints|contacts", choose_subject},
    {"explain.constraint_solver", "Choose the active constraint solver", "CONSTRAINT_SOLVER",
     choose_constraint_solver},
    {"explain.compare", "Compare the constraint solvers at the current state", "",
     compare_constraint_solvers},
    {"explain.print", "Print the explained step", "", print_step},
};

std::vector<std::string> traced_symbols(Editor& editor) {
  std::vector<std::string> out;
  if (const auto at = explained_step(editor))
    for (const TracedQuantity& quantity : at->tracer.table().quantities)
      out.push_back(quantity.symbol);
  return out;
}

void draw_solver_choice(Editor& editor, const Tracer& tracer) {
  ImGui::SetNextItemWidth(std::min(scaled(150), 0.5f * ImGui::GetContentRegionAvail().x));
  const std::string name(without_kind(tracer.id()));
  if (!ImGui::BeginCombo("##solver", name.c_str())) return;
  for (const std::string& id : editor.probe.explaining_solvers())
    if (ImGui::Selectable(std::string(without_kind(id)).c_str(), id == tracer.id()))
      try_action(editor, "explain.solver", {id});
  ImGui::EndCombo();
}

void draw_step_buttons(Editor& editor) {
  constexpr struct {
    const char *label, *action;
  } buttons[] = {{"|<", "explain.first"},
                 {"<", "explain.back"},
                 {">", "explain.next"},
                 {">|", "explain.last"}};
  for (const auto& [label, action] : buttons) {
    ImGui::SameLine(0, scaled(4));
    action_button(editor, label, action);
  }
  ImGui::SameLine(0, scaled(4));
  action_button(editor, editor.panel<ExplainPanel>().next < 0 ? "Play" : "Stop", "explain.play");
}

// Position of a body in the drawing of the tree. depth is the number of joints from the world. The
// first child of a body is in the row of the body; each further child begins a new row.
struct Spot {
  int depth = 0, row = 0;
};
struct TreePlan {
  std::vector<Spot> spots;
  int depth = 0, rows = 1;
};

TreePlan plan(const Model& model) {
  const size_t n = size_t(model.n_body);
  TreePlan out{std::vector<Spot>(n), 0, 1};
  std::vector<std::vector<int>> children(n);
  // The last child comes first, so that the stack below returns the first child first.
  for (size_t i = n - 1; i > 0; --i) children[size_t(model.parent[i])].push_back(int(i));
  std::vector<int> stack{0};
  int row = 0;
  while (!stack.empty()) {
    const size_t i = size_t(stack.back());
    stack.pop_back();
    if (i > 0) {
      out.spots[i] = {out.spots[size_t(model.parent[i])].depth + 1, row};
      out.depth = std::max(out.depth, out.spots[i].depth);
      out.rows = row + 1;
    }
    if (children[i].empty()) ++row;
    for (const int child : children[i]) stack.push_back(child);
  }
  return out;
}

// Draws the tree of bodies from the world to the tips. The body of the step is highlighted. Bodies
// that the pass has already visited are filled. A click on a body goes to its step.
void draw_tree(Editor& editor, const ExplainedStep& at) {
  const Model& model = at.tracer.model();
  const TreePlan tree = plan(model);
  const float room = ImGui::GetContentRegionAvail().x, radius = scaled(4.5f);
  const float across = std::min(scaled(30), (room - 3 * radius) / float(std::max(tree.depth, 1))),
              down = tree.rows > 8 ? scaled(10) : scaled(14);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const auto place = [&](int body) {
    const Spot& spot = tree.spots[size_t(body)];
    return ImVec2{start.x + 1.5f * radius + across * float(spot.depth),
                  start.y + 2 * radius + down * float(spot.row)};
  };
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImU32 line = color_u32(Shade::dim), lit = color_u32(Shade::accent),
              back = ImGui::GetColorU32(ImGuiCol_WindowBg);
  for (int i = 1; i < model.n_body; ++i) {
    const ImVec2 from = place(model.parent[size_t(i)]), to = place(i);
    draw.AddLine(from, {from.x + 0.5f * across, to.y}, line, scaled(1));
    draw.AddLine({from.x + 0.5f * across, to.y}, to, line, scaled(1));
  }
  const bool inward =
      at.tracer.table().passes[size_t(at.tracer.table().pass_of(at.step.quantity))].inward;
  for (int i = 0; i < model.n_body; ++i) {
    const bool here = i == at.step.body,
               visited = i > 0 && (inward ? i > at.step.body : i < at.step.body);
    const ImVec2 spot = place(i);
    if (i == 0) {
      draw.AddRectFilled({spot.x - radius, spot.y - radius}, {spot.x + radius, spot.y + radius},
                         line);
      continue;
    }
    draw.AddCircleFilled(spot, here ? 1.35f * radius : radius, here ? lit : visited ? line : back);
    draw.AddCircle(spot, here ? 1.35f * radius : radius, here ? lit : line, 0, scaled(1.2f));
  }
  ImGui::InvisibleButton("tree", {std::max(room, 1.0f), 4 * radius + down * float(tree.rows - 1)});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (int i = 1; i < model.n_body; ++i) {
    const ImVec2 spot = place(i);
    if (std::hypot(mouse.x - spot.x, mouse.y - spot.y) > 1.6f * radius) continue;
    tooltip(at.tracer.link_name(i));
    if (ImGui::IsMouseClicked(0)) try_action(editor, "explain.body", {at.tracer.link_name(i)});
  }
}

void draw_step(Editor& editor, const ExplainedStep& at) {
  const Tracer& tracer = at.tracer;
  const TraceTable& table = tracer.table();
  const TracedQuantity& q = table.quantities[size_t(at.step.quantity)];
  const int pass = table.pass_of(at.step.quantity);
  const Model& model = tracer.model();
  const std::string& name = table.passes[size_t(pass)].name;
  draw_wrapped_text(fmt::format("Pass {} of {}: {}", pass + 1, table.passes.size(), name));
  dim_text(fmt::format("{}; step {} of {}",
                       table.passes[size_t(pass)].inward ? "Inward, from the tips to the base"
                                                         : "Outward, from the base to the tips",
                       editor.panel<ExplainPanel>().step + 1, tracer.steps().size()));
  draw_tree(editor, at);
  clipped_text(fmt::format("{} (joint {}, parent {})", tracer.link_name(at.step.body),
                           model.joint_of_body(at.step.body),
                           tracer.link_name(model.parent[size_t(at.step.body)])),
               ImGui::GetContentRegionAvail().x);
  ImGui::Separator();
  draw_wrapped_text(q.name);
  draw_equation(q.equation);
  dim_text(q.source);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {scaled(6), scaled(2)});
  for (const TracedValue& value : tracer.outputs(at.step)) draw_traced_value(value);
  ImGui::Separator();
  dim_text("Computed from");
  for (const TracedValue& value : tracer.inputs(at.step)) draw_traced_value(value);
  ImGui::PopStyleVar();
}

}  // namespace

std::optional<ExplainedStep> explained_step(Editor& editor) {
  const Recursion* found = recursion(editor);
  if (!found || !found->failure.empty() || found->tracer->steps().empty()) return std::nullopt;
  const std::vector<TraceStep>& steps = found->tracer->steps();
  editor.panel<ExplainPanel>().step =
      std::clamp(editor.panel<ExplainPanel>().step, 0, int(steps.size()) - 1);
  return ExplainedStep{*found->tracer, steps[size_t(editor.panel<ExplainPanel>().step)]};
}

void ExplainPanel::begin_frame(Editor& editor) {
  contacts.look_at(editor.now);
}

void ExplainPanel::draw(Editor& editor) {
  for (const auto& [name, title, each] : subjects) {
    if (each != subjects[0].subject) ImGui::SameLine();
    if (ImGui::RadioButton(title, subject == each)) try_action(editor, "explain.show", {name});
  }
  if (subject != Explained::recursion) next = -1;
  if (subject == Explained::constraints) {
    draw_constraint_solvers(editor,
                            compared_scene.lock() == editor.now->scene ? compared.get() : nullptr);
    return draw_constraint_step(editor.model(), editor.probe.constraint_step());
  }
  if (subject == Explained::contacts) return draw_contacts_page(editor);
  const Recursion* found = recursion(editor);
  if (!found) return dim_text("No solver of this model can explain its recursion.");
  if (!found->failure.empty()) return draw_wrapped_text(found->failure);
  const auto at = explained_step(editor);
  if (!at) return dim_text("No moving joints.");
  if (next >= 0 && ImGui::GetTime() >= next) {
    const bool last = step + 1 == int(at->tracer.steps().size());
    next = last ? -1 : ImGui::GetTime() + pace;
    if (!last) ++step;
  }
  draw_solver_choice(editor, at->tracer);
  draw_step_buttons(editor);
  draw_step(editor, *explained_step(editor));
}

std::optional<std::vector<std::string>> ExplainPanel::candidates(Editor& editor, const Action&,
                                                                 std::string_view word,
                                                                 const Arguments&) {
  if (!editor.has_scene()) return std::nullopt;
  if (word == "SYMBOL") return traced_symbols(editor);
  if (word == "CONSTRAINT_SOLVER") {
    std::vector<std::string> out;
    for (const SolverChoice& choice : editor.scene().constraint_solvers)
      if (choice.rejection.empty()) out.emplace_back(without_kind(choice.id));
    return out;
  }
  if (word != "SOLVER") return std::nullopt;
  std::vector<std::string> out = editor.probe.explaining_solvers();
  for (std::string& id : out) id = without_kind(id);
  return out;
}

std::span<const Action> ExplainPanel::actions() {
  return explain_action_rows;
}

}  // namespace torsor::editor
