chmod 0555 dir
