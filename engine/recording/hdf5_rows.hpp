#pragma once
// Reads the rows of an HDF5 recording. Only the files hdf5_*.cpp include this header.

#include <string>
#include <vector>

#include "torsor/recording/hdf5_handle.hpp"

namespace torsor::hdf5 {

// A dataset of rows: [rows][columns]. A dataset of rank 1 has one column.
struct Dataset {
  Handle handle;
  std::string name;
  hsize_t rows, columns;
  hsize_t chunk_rows;  // rows that are stored together
  bool filtered;       // compressed by another program

  // Opens the dataset. Throws Failure.
  Dataset(hid_t file, const std::string& name);
};

struct RowsRequest {
  const std::vector<Dataset>& signals;  // the first is time
  const Dataset* checksums;             // nullptr for a recording without them
  hsize_t rows;                         // number of rows that the file should have
  hsize_t file_size;                    // bytes
  bool unclosed;                        // whether the writer did not close the file
};

struct Rows {
  std::vector<double> values;  // [rows][columns of all signals]
  std::string damage;          // a description of the rows that are lost and left out, or ""
};

// Reads the rows, each signal in one call. Throws Failure if a part of the file cannot be read.
Rows read_rows(const RowsRequest& request);
// Reads the readable rows, chunk by chunk. Throws Failure if there are none.
Rows salvage_rows(const RowsRequest& request);

}  // namespace torsor::hdf5
