"""Rules of default schedules for GPUs: blocks and threads in place of cores and vectors."""
