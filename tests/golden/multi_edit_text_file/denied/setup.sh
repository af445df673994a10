chmod 0000 secret.txt
