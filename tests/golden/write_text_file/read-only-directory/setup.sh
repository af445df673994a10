mkdir dir && chmod 0555 dir
