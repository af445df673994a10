chmod 0000 dir
