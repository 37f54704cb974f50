/* A shared object with the right symbol that is no plugin. */
#include <sz/easy.h>

const sz_plugin* sz_plugin_entry_v1(const sz_offer* offer, sz_error** error) {
  (void)offer;
  (void)error;
  abort();
}
