// sz.alloc/1: bytes that tensors hold.
#pragma once
#include <sz/host.hpp>
#include <sz/host/alloc.h>

namespace sz::inline sdk {

class Alloc : Interface<sz_alloc> {
 public:
  explicit Alloc(Host host) : Interface(host, SZ_ALLOC) {}

  sz_alloc_info read() const {
    sz_alloc_info info = {};
    info.struct_size = sizeof(info);
    check(table().read(raw(), &info));
    return info;
  }
  void reset_peak() { check(table().reset_peak(raw())); }
};

}  // namespace sz::inline sdk
