#pragma once
// Pictures of recordings, drawn with gnuplot.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "torsor/recording/recording.hpp"

namespace torsor::cli {

// A curve to be drawn: a column of a recording and its label.
struct Curve {
  std::string label;
  size_t column;
};

// A panel: curves with a common y axis. The panels of a picture are drawn one above the other with
// the same time axis.
struct Panel {
  std::string axis;  // label of the y axis: name and unit
  std::vector<Curve> curves;
};

// The points (t, y) of a curve, reduced to the resolution of a picture. NaN as y makes a gap.
struct DrawnCurve {
  std::string label;
  std::vector<std::pair<double, double>> points;
};
// The label and the scale of a horizontal axis. Panels with the same axis have the same range.
struct HorizontalAxis {
  std::string label = "time [s]";
  bool logarithmic = false;
  bool operator==(const HorizontalAxis&) const = default;
};
struct DrawnPanel {
  std::string axis;
  std::vector<DrawnCurve> curves;
  HorizontalAxis horizontal = {};
};

// Maximum number of points per curve, more than the width of a picture in pixels.
inline constexpr size_t most_points = 4000;
// Returns the maximum number of points per curve in a picture with this number of curves. It limits
// the size of pictures with hundreds of curves.
size_t points_of_each(size_t curves);

// Returns the curve of a column with at most `points` points. If the column has more rows,
// takes the minimum and the maximum of each group of consecutive rows.
DrawnCurve drawn_curve(const std::string& label, const Recording& recording, size_t column,
                       size_t points = most_points);

// Throws Error if the extension of `out` is not .svg or .png. option: the name of the option for
// the message.
void require_picture(const char* option, const std::filesystem::path& out);

// Write a picture as an .svg or .png file. Rows and points may be in any order. Throw Error in
// these cases:
// - The extension is not .svg or .png.
// - gnuplot is missing, fails, or exceeds its limits of memory or time.
// - The file cannot be written.
void draw(const Recording& recording, const std::vector<Panel>& panels,
          const std::filesystem::path& out);
void draw(const std::vector<DrawnPanel>& panels, const std::filesystem::path& out);
// Writes a picture of other gnuplot commands. width, height: in pixels.
void draw(const std::string& commands, int width, int height, const std::filesystem::path& out);

// Returns a text in quotes for a command.
std::string quoted_label(const std::string& text);

}  // namespace torsor::cli
