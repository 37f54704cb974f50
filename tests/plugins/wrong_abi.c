/* Its note says that it speaks a version of the ABI that no host has yet. */
#include <sz/easy.h>

__attribute__((used, section(SZ_NOTE_SECTION), aligned(4))) static const sz_note note = {
    sizeof(SZ_NOTE_NAME), 16, SZ_NOTE_TYPE, SZ_NOTE_NAME, 98, 99, SZ_DRAFT, 0};

const sz_plugin* sz_plugin_entry_v1(const sz_offer* offer, sz_error** error) {
  (void)offer;
  (void)error;
  abort(); /* the note must keep the host from coming here */
}
