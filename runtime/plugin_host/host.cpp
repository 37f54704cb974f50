#include "plugin_host/host.h"

#include <sz/host/run.h>
#include <sz/services.h>

#include <algorithm>
#include <sstream>

#include "base/hash.h"
#include "plugin_host/attachments.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"
#include "plugin_host/library.h"
#include "plugin_host/rank_check.h"
#include "plugin_host/search.h"

namespace sz {

struct PluginHost::Impl {
  std::vector<PluginLibrary> libraries;
  std::vector<std::string> faults;
  LoadPlan plan;
  HostRun run;
  std::vector<std::unique_ptr<PluginInstance>> instances;  // in order of start
  std::unique_ptr<Attachments> attachments;

  const PluginLibrary& library(const std::string& id) const {
    const auto same = [&](const PluginLibrary& library) { return library.descriptor.id == id; };
    const auto it = std::find_if(libraries.begin(), libraries.end(), same);
    SZ_ASSERT(it != libraries.end());
    return *it;
  }
};

namespace {

std::string key_of(const std::string& name, const std::string& key) { return "plugins." + name + "." + key; }

std::string cite(const ConfigDocument& document, const std::string& path) {
  const Provenance where = document.where(path);
  if (where.line == 0) return path + ": ";
  return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": " + path + ": ";
}

PluginLibrary open_plugin(const std::string& name, const ConfigDocument& document, const SearchPath& search) {
  const auto pin = document.string_at(key_of(name, "sha256"));
  PluginLibrary library = PluginLibrary::open(find_plugin(name, search), pin.value_or(""));
  if (library.descriptor.id != name) {
    throw Error(Exit::kPlugin, library.path + " holds the plugin '" + library.descriptor.id +
                                   "'; name its table [plugins." + library.descriptor.id + "]");
  }
  return library;
}

std::map<std::string, KeyValue> own_values(const Descriptor& descriptor, const Config& config) {
  std::map<std::string, KeyValue> values;
  for (const KeySpec& key : descriptor.keys) {
    const std::string path = key_of(descriptor.id, key.path);
    if (config.has(path)) values[key.path] = read_value(config, path, key.type);
  }
  return values;
}

}  // namespace

const HostOffer& host_offer_to_plans() {
  static const HostOffer offer = [] {
    HostOffer made;
    made.givable = {SZ_SCORER, SZ_PACING, SZ_ARCHITECTURE, SZ_LOSS, SZ_OPTIMIZER, SZ_SCHEDULE};
    for (const InterfaceEntry& entry : host_interfaces()) made.interfaces.insert(entry.id);
    made.slots = {Slot::kPrecision, Slot::kResidency, Slot::kSampler};
    return made;
  }();
  return offer;
}

PluginHost::PluginHost() : impl_(std::make_unique<Impl>()) {}
PluginHost::PluginHost(PluginHost&&) noexcept = default;

PluginHost& PluginHost::operator=(PluginHost&& other) noexcept {
  if (impl_) stop();
  impl_ = std::move(other.impl_);
  return *this;
}

PluginHost::~PluginHost() {
  if (impl_) stop();
}

PluginHost PluginHost::discover(const ConfigDocument& document) {
  PluginHost host;
  const SearchPath search = SearchPath::of(document);
  for (const std::string& name : document.enabled_plugins()) {
    try {
      host.impl_->libraries.push_back(open_plugin(name, document, search));
    } catch (const Error& error) {
      host.impl_->faults.push_back(cite(document, key_of(name, "enabled")) + error.what());
    }
  }
  return host;
}

const std::vector<std::string>& PluginHost::faults() const { return impl_->faults; }

void PluginHost::add_schema(Schema& schema) const {
  for (const PluginLibrary& library : impl_->libraries) {
    const std::string& id = library.descriptor.id;
    for (const KeySpec& key : keys_of_every_plugin(id)) schema.add(key);
    for (KeySpec key : library.descriptor.keys) {
      key.path = key_of(id, key.path);
      schema.add(std::move(key));
    }
  }
}

const LoadPlan& PluginHost::make_plan(const Config& config, std::vector<std::string>& faults) {
  std::vector<PlanInput> inputs;
  for (const PluginLibrary& library : impl_->libraries) {
    inputs.push_back({library.descriptor, own_values(library.descriptor, config), library.path, library.checksum,
                      config.cite(key_of(library.descriptor.id, "enabled"))});
  }
  impl_->plan = make_load_plan(inputs, host_offer_to_plans(), faults);
  return impl_->plan;
}

const LoadPlan& PluginHost::make_plan(const Config& config) {
  std::vector<std::string> faults;
  make_plan(config, faults);
  if (!faults.empty()) throw Error(Exit::kPlugin, sorted_report(std::move(faults)));
  return impl_->plan;
}

const LoadPlan& PluginHost::plan() const { return impl_->plan; }

void PluginHost::compare_ranks(Communicator& comm, const Config& config) const {
  Fingerprint fingerprint = impl_->plan.fingerprint();
  for (auto& line : config.fingerprint()) fingerprint.push_back(std::move(line));
  std::string text;
  for (const auto& [key, value] : fingerprint) text += key + '\0' + value + '\0';
  compare_across_ranks(comm, xxh3_64(text), fingerprint);
}

std::vector<std::string> PluginHost::warnings(const Config& config, const KnownRun& run) const {
  HostRun only_config;
  only_config.main_thread = std::this_thread::get_id();
  only_config.context.config = &config;
  const sz_check known = {sizeof(sz_check), uint32_t(run.ranks), run.steps_per_epoch, run.total_steps};
  std::vector<std::string> lines;
  for (const PlannedPlugin& planned : impl_->plan.plugins) {
    PluginInstance instance(impl_->library(planned.id), planned, only_config);
    std::istringstream text(instance.check(known));
    for (std::string line; std::getline(text, line);) lines.push_back("plugin " + planned.id + ": " + line);
  }
  return lines;
}

void PluginHost::create() {
  impl_->run.main_thread = std::this_thread::get_id();
  for (const PlannedPlugin& planned : impl_->plan.plugins) {
    impl_->instances.push_back(
        std::make_unique<PluginInstance>(impl_->library(planned.id), planned, impl_->run));
    impl_->instances.back()->create();
  }
}

void PluginHost::start(const RunContext& context) {
  SZ_ASSERT(context.config && context.services && context.comm);
  impl_->run.context = context;
  for (const auto& instance : impl_->instances) {
    instance->start();
    impl_->run.instances.push_back(instance.get());
  }
}

void PluginHost::attach(HookTable& hooks, ServiceRegistry& registry) {
  SZ_ASSERT(!impl_->attachments);
  impl_->attachments = std::make_unique<Attachments>(impl_->plan, impl_->run, hooks, registry);
}

void PluginHost::stop() noexcept {
  std::vector<std::unique_ptr<PluginInstance>>& instances = impl_->instances;
  for (auto it = instances.rbegin(); it != instances.rend(); ++it) (*it)->stop();
  for (auto it = instances.rbegin(); it != instances.rend(); ++it) (*it)->destroy();
}

Precision* PluginHost::precision() const { return impl_->attachments ? impl_->attachments->precision.get() : nullptr; }
Residency* PluginHost::residency() const { return impl_->attachments ? impl_->attachments->residency.get() : nullptr; }
Sampler* PluginHost::sampler() const { return impl_->attachments ? impl_->attachments->sampler.get() : nullptr; }

std::vector<Voter*> PluginHost::voters() const {
  std::vector<Voter*> result;
  if (!impl_->attachments) return result;
  for (const auto& voter : impl_->attachments->voters) result.push_back(voter.get());
  return result;
}

std::vector<Stateful*> PluginHost::states() const {
  std::vector<Stateful*> result;
  if (!impl_->attachments) return result;
  for (const auto& [id, state] : impl_->attachments->states) result.push_back(state.get());
  return result;
}

std::vector<PluginScorer> PluginHost::scorers() const {
  std::vector<PluginScorer> result;
  for (PluginInstance* plugin : impl_->run.instances) {
    for (const ServiceOffer& offer : plugin->plan().gives) {
      if (offer.service == SZ_SCORER) result.emplace_back(*plugin, offer.name);
    }
  }
  return result;
}

void PluginHost::set_source(std::shared_ptr<const Source> source) { impl_->run.source = std::move(source); }
void PluginHost::set_model(ModelDeclaration* model) { impl_->run.model = model; }

}  // namespace sz
