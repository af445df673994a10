chmod 0 a
