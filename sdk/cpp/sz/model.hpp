// sz.model/1: the model as data.
#pragma once
#include <span>

#include <sz/host.hpp>
#include <sz/host/model.h>

namespace sz::inline sdk {

class Model : Interface<sz_model_api> {
 public:
  // model: of a hook or a slot's table; null: the run's.
  explicit Model(Host host, const sz_model* model = nullptr) : Interface(host, SZ_MODEL), model_(model) {}

  int64_t parameter_count() const { return table().parameter_count(raw(), model_); }
  int64_t segment_count() const { return table().segment_count(raw(), model_); }
  int64_t vocabulary() const { return table().vocabulary(raw(), model_); }
  int64_t context() const { return table().context(raw(), model_); }
  int64_t find_parameter(const char* name) const { return table().find_parameter(raw(), model_, name); }
  sz_parameter_info parameter(int64_t index) const {
    sz_parameter_info info = {};
    info.struct_size = sizeof(info);
    check(table().parameter(raw(), model_, index, &info));
    return info;
  }
  // Initial values of elements [begin, end) of the flattened parameter.
  void initialise(int64_t index, uint64_t seed, int64_t begin, int64_t end, float* out) const {
    check(table().initialise(raw(), model_, index, seed, begin, end, out));
  }
  sz_segment_info segment(int64_t index) const {  // -1: the head
    sz_segment_info info = {};
    info.struct_size = sizeof(info);
    check(table().segment(raw(), model_, index, &info));
    return info;
  }

 private:
  const sz_model* model_;
};

// The model while it is being declared.
class OpenModel : Interface<sz_model_api> {
 public:
  OpenModel(Host host, sz_model* model) : Interface(host, SZ_MODEL), model_(model) {}

  int64_t add_parameter(const sz_parameter_info& info) {
    int64_t index = -1;
    check(table().add_parameter(raw(), model_, &info, &index));
    return index;
  }
  void give_to_segment(int64_t segment, int64_t parameter) {
    check(table().give_to_segment(raw(), model_, segment, parameter));
  }
  void set_trainable(int64_t parameter, bool trainable) {
    check(table().set_trainable(raw(), model_, parameter, trainable));
  }
  void set_decay(int64_t parameter, bool decay) { check(table().set_decay(raw(), model_, parameter, decay)); }
  void tie(int64_t kept, int64_t gone) { check(table().tie(raw(), model_, kept, gone)); }
  // In sz_architecture::declare: segments in the order of the forward pass, then the loss, and the head.
  void add_segment(const char* name, std::span<const int32_t> parameters, const sz_segment* table, void* segment) {
    const sz_segment_info info = described(name, parameters);
    check(this->table().add_segment(raw(), model_, &info, table, segment));
  }
  void add_loss(const char* name, std::span<const int32_t> parameters) {
    const sz_segment_info info = described(name, parameters);
    check(table().add_loss(raw(), model_, &info));
  }
  void set_head(const char* name, std::span<const int32_t> parameters, const sz_segment* table, void* segment) {
    const sz_segment_info info = described(name, parameters);
    check(this->table().set_head(raw(), model_, &info, table, segment));
  }

 private:
  static sz_segment_info described(const char* name, std::span<const int32_t> parameters) {
    return {sizeof(sz_segment_info), uint32_t(parameters.size()), name, parameters.data()};
  }
  sz_model* model_;
};

}  // namespace sz::inline sdk
