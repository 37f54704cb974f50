// The verbs of szworker. Each returns the process's exit code or throws sz::Error.
#pragma once
#include <string>
#include <vector>

namespace sz {

struct RunArguments {
  std::string config;
  std::vector<std::string> sets;
  std::string resume;  // "", "auto" or a path
};

int run_command(const RunArguments& arguments);
int check_command(const RunArguments& arguments);
int data_prepare_command(const RunArguments& arguments);
int data_scores_command(const RunArguments& arguments);
int doctor_command();
int schema_command(const std::vector<std::string>& plugins);  // the configuration reference as Markdown
int plugins_list_command(const RunArguments& arguments);  // config may be empty
int plugins_info_command(const std::string& name, const RunArguments& arguments);
int plugins_plan_command(const RunArguments& arguments);

}  // namespace sz
