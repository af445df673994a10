ln -s /etc/stet-does-not-exist link.txt
