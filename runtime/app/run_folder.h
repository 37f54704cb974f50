// A run's folder: claimed by one run at a time, and never written over by another.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/files.h"

namespace sz {

// Rank 0 alone. Until keep() all is taken back where the object goes: a run that is refused leaves the folder of an
// earlier one as it was, and none of its own.
class RunFolder {
 public:
  // Locks PATH where a run has been before, and changes nothing. Errors: Error(kUsage) where another run holds it or it
  // can't be written.
  static std::unique_ptr<RunFolder> claim(const std::string& path);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  // Makes the folders of a run. Unless this run continues it, what an earlier run left there is moved to PATH.1,
  // PATH.2, ... Errors: as claim().
  void begin(bool continues);
  // Once nothing refuses the run any more.
  void keep();
  void write(const std::string& name, const std::string& text) const;

 private:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}
  void take_back() noexcept;

  const std::string path_;
  std::optional<FileLock> lock_;
  std::string aside_;       // where the earlier run is now
  std::string first_made_;  // the outermost folder that was not there before
  bool ours_ = false;       // all that is in it comes of this run
  bool kept_ = false;
};

// Whether the checkpoint folder CHECKPOINT lies in the run folder PATH.
bool lies_in(const std::string& checkpoint, const std::string& path);

}  // namespace sz
