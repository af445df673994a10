mkdir -m 0 closed
