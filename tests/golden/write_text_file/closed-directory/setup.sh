mkdir dir && chmod 0000 dir
