"""Where jobs run: in this process, in a pool of processes, on a Ray cluster."""
