// What the matrix routes need to know of the CPU.
#pragma once

namespace sz {

bool cpu_is_intel();
bool cpu_is_amd();
bool cpu_has_amx();  // tiles with bf16

}  // namespace sz
