// The host as a plugin sees it: where interfaces are looked up.
#pragma once
#include <string>

#include <sz/error.hpp>

namespace sz::inline sdk {

// A borrowed sz_host; copied freely.
class Host {
 public:
  explicit Host(const sz_host* raw) : raw_(raw) {}
  const sz_host* raw() const { return raw_; }

  // Null where the host lacks the interface. Not to be called from a plugin's constructor.
  template <class Table>
  const Table* find(const char* id) const {
    return static_cast<const Table*>(raw_->get_interface(raw_, id));
  }
  template <class Table>
  const Table& get(const char* id) const {
    if (const Table* table = find<Table>(id)) return *table;
    throw Error(SZ_PLUGIN_FAILED, std::string("the host lacks the interface ") + id);
  }

 private:
  const sz_host* raw_;
};

// What all accessors hold: the host and one of its tables.
template <class Table>
class Interface {
 public:
  Interface(Host host, const char* id) : host_(host), table_(&host.get<Table>(id)) {}

 protected:
  const sz_host* raw() const { return host_.raw(); }
  const Table& table() const { return *table_; }

 private:
  Host host_;
  const Table* table_;
};

}  // namespace sz::inline sdk
