// A run's folder: claimed by one run at a time, and never written over by another.
#pragma once
#include <memory>
#include <string>

#include "base/files.h"

namespace sz {

class RunFolder {
 public:
  // Rank 0 alone. Locks PATH. Without `resume`, what an earlier run left there is moved to PATH.1, PATH.2, ...
  // Errors: Error(kUsage) where another run holds it or it can't be written.
  static RunFolder claim(const std::string& path, bool resume);
  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;

 private:
  RunFolder(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  FileLock lock_;
};

}  // namespace sz
