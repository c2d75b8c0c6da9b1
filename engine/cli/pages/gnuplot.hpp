#pragma once
// Pictures of recordings, drawn by the program gnuplot.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "torsor/recording/recording.hpp"

namespace torsor::cli {

// A curve: a column of a recording with a label.
struct Curve {
  std::string label;
  size_t column;
};

// Curves with a common y axis. Panels are drawn one above the other, over the same time.
struct Panel {
  std::string axis;  // name and unit
  std::vector<Curve> curves;
};

// A curve as points (t, y), decimated to the resolution of a picture. A y of NaN is a gap.
struct DrawnCurve {
  std::string label;
  std::vector<std::pair<double, double>> points;
};
struct DrawnPanel {
  std::string axis;
  std::vector<DrawnCurve> curves;
};

inline constexpr size_t most_points = 4000;  // maximum per curve, more than the width of a picture
// Returns how many points each of several curves may have, so that a picture of hundreds of curves
// stays small.
size_t points_of_each(size_t curves);

// Returns the curve of a column with at most this number of points: all rows, or the minimum and
// the maximum of every few rows.
DrawnCurve drawn_curve(const std::string& label, const Recording& recording, size_t column,
                       size_t points = most_points);

// Throws Error with the name of the option for an extension other than .svg and .png.
void require_picture(const char* option, const std::filesystem::path& out);

// Write an .svg or a .png file. Rows and points may be in any order. Throw Error for another
// extension, if gnuplot is missing, fails, or exceeds its limits of memory or time, and if the file
// cannot be written.
void draw(const Recording& recording, const std::vector<Panel>& panels,
          const std::filesystem::path& out);
void draw(const std::vector<DrawnPanel>& panels, const std::filesystem::path& out);

}  // namespace torsor::cli
