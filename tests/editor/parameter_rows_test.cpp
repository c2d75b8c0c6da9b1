// Tests of the widgets that edit the parameters of plugins.

#include "editor/widgets/parameter_rows.hpp"

#include <gtest/gtest.h>
#include <imgui.h>

#include <cmath>

#include "editor/app/fonts.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/sdk/param_rows.hpp"

namespace torsor::editor::test {
namespace {

class ParameterRows : public testing::Test {
 protected:
  ParameterRows() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().DisplaySize = {400, 200};
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    load_fonts(1);
    apply_theme(true, 1);
  }
  ~ParameterRows() override { ImGui::DestroyContext(); }

  // Drags the widget of one parameter by 30 pixels to the right. Returns its value afterwards.
  double dragged(const torsor_param& row, double value) {
    const torsor_descriptor descriptor{
        sizeof descriptor, "force.test", "1.0", "", "", 1, &row, nullptr};
    std::vector<Setting> settings{{row.name, row.unit, value}};
    ImGuiIO& io = ImGui::GetIO();
    int edits = 0;
    for (int k = 0; k < 40; ++k) {
      io.MousePos = {200.0f + float(std::max(0, k - 5)), 20};
      io.MouseDown[0] = k >= 4 && k < 35;
      ImGui::NewFrame();
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({400, 200});
      ImGui::Begin("settings", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
      if (const auto edit = draw_settings(descriptor, settings, true, {})) {
        settings[0].value = read_value(row, edit->text);
        ++edits;
      }
      ImGui::End();
      ImGui::Render();
    }
    EXPECT_GT(edits, 0) << "the widget was not hit";
    return std::get<double>(settings[0].value);
  }
};

TEST_F(ParameterRows, ANumberWithoutLimitsChangesInProportionToItsValue) {
  for (const double min : {-sdk::no_limit, 0.0}) {
    const double value = dragged(sdk::real("gain", "N/m", "", min, sdk::no_limit, 50), 50);
    EXPECT_GT(value, 50 * 1.05) << min;
    EXPECT_LT(value, 50 * 2) << min;  // 1 % per pixel
  }
}

TEST_F(ParameterRows, ANumberWithLimitsChangesInProportionToItsRange) {
  const double value = dragged(sdk::real("gain", "N/m", "", 0, 400, 50), 50);
  EXPECT_GT(value, 50 + 10);
  EXPECT_LE(value, 50 + 30);  // range / 400 per pixel
  EXPECT_EQ(dragged(sdk::real("gain", "N/m", "", 0, 400, 50), 395), 400);
}

}  // namespace
}  // namespace torsor::editor::test
