#include "torsor/scripting/values/read_closure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "torsor/base/text.hpp"

namespace torsor::lua {

namespace {

Vec3<double> vector_at(lua_State* L, int index, const Place& place) {
  const std::vector<double> numbers = numbers_at(L, index, place, 3);
  return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace

ClosureDescription read_closure(lua_State* L, int index, const std::string& call,
                                const std::string& source) {
  TableReader table(L, index, {call, ""}, {"name", "between", "axis", "axes", "pitch", "length"},
                    1);
  ClosureDescription out;
  out.source = source;
  const std::string word = table.positional_text(1);
  const auto kind = closure_kind(word);
  if (!kind)
    table.fail(fmt::format("there is no kind '{}'{}; the kinds are {}", word,
                           did_you_mean(word, closure_kind_names()),
                           fmt::join(closure_kind_names(), ", ")));
  out.kind = *kind;
  out.name = table.text("name");
  table.set_owner(fmt::format("closure '{}'", out.name));
  const std::vector<std::string> between = table.texts("between");
  if (between.size() != 2)
    table.place().inside("between").fail(
        fmt::format("has {} names; give two links or frames", between.size()));
  out.frames[0] = between[0], out.frames[1] = between[1];
  if (table.has("axis") && table.has("axes")) table.fail("has axis and axes; give one of them");
  if (table.has("axis")) out.axes[0] = out.axes[1] = table.vector("axis");
  if (table.has("axes")) {
    size_t n = 0;
    table.each_entry("axes", "a list of two axes", [&](int entry, const Place& place) {
      if (n == 2) place.fail("is a third axis; give two");
      out.axes[n++] = vector_at(L, entry, place);
    });
    if (n != 2) table.place().inside("axes").fail("needs two axes");
  }
  for (const char* key : {"pitch", "length"}) {
    if (!table.has(key)) continue;
    if (traits(out.kind).parameter != key)
      table.place().inside(key).fail(
          fmt::format("has no meaning for a {} closure; remove it", traits(out.kind).name));
    out.parameter = table.number(key);
  }
  return out;
}

}  // namespace torsor::lua
