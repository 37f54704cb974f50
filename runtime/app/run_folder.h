// A run's folder: claimed by one run at a time, and never written over by another.
#pragma once
#include <string>

#include "base/files.h"

namespace sz {

// Rank 0 alone.
class RunFolder {
 public:
  // Locks PATH and leaves all as it is. Errors: Error(kUsage) where another run holds it or it can't be written.
  static RunFolder claim(const std::string& path);
  // Once nothing is likely to fail any more: unless this run continues it, what an earlier run left there is moved to
  // PATH.1, PATH.2, ...; then makes the folders of a run.
  void begin(bool continues);
  void write(const std::string& name, const std::string& text) const;

 private:
  RunFolder(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  FileLock lock_;
};

// Whether the checkpoint folder CHECKPOINT lies in the run folder PATH.
bool lies_in(const std::string& checkpoint, const std::string& path);

}  // namespace sz
