ln -s crlf.txt link
