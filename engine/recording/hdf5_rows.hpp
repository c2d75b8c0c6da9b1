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
  hsize_t chunk_rows;  // rows per chunk
  bool filtered;       // compressed or otherwise filtered, by another program

  // Opens the dataset. Throws Failure if it is missing or damaged.
  Dataset(hid_t file, const std::string& name);
};

struct RowsRequest {
  const std::vector<Dataset>& signals;  // the first is time
  const Dataset* checksums;             // nullptr for a recording without checksums
  hsize_t rows;                         // number of rows that the file should have
  hsize_t file_size;                    // bytes
  bool unclosed;                        // true: the writer has not closed the file
};

struct Rows {
  std::vector<double> values;  // [rows][columns of all signals]
  std::string damage;          // states which rows are lost and omitted, or ""
};

// Reads the rows, each signal in one call. Throws Failure if a part of the file cannot be read.
Rows read_rows(const RowsRequest& request);
// Reads the readable rows, chunk by chunk. Throws Failure if no row is readable.
Rows salvage_rows(const RowsRequest& request);

}  // namespace torsor::hdf5
