/* Preloaded: the MKL inside PyTorch then takes its Intel path on AMD CPUs too, as our "mkl_fast" route does. */
int mkl_serv_intel_cpu(void) { return 1; }
int mkl_serv_intel_cpu_true(void) { return 1; }
