ln -s a.txt in; ln -s "$PWD/a.txt" abs; ln -s /etc/passwd out; ln -s loop loop
