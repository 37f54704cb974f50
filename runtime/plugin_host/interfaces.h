// The host's interfaces by id: one file each, iface_NAME.cpp.
#pragma once
#include <string>
#include <vector>

namespace sz {

const void* config_interface();
const void* log_interface();
const void* metrics_interface();
const void* decisions_interface();
const void* events_interface();
const void* run_interface();
const void* state_interface();
const void* rng_interface();
const void* comm_interface();
const void* tensor_interface();
const void* torch_interface();
const void* hooks_interface();
const void* model_interface();
const void* data_interface();
const void* services_interface();
const void* alloc_interface();

struct InterfaceEntry {
  const char* id;
  const void* (*table)();
  const char* unsupported;  // what of it answers with an error so far; empty: nothing
};
const std::vector<InterfaceEntry>& host_interfaces();

// Null for an unknown id.
const void* host_interface(const std::string& id);

}  // namespace sz
