ln -s real/a.txt link
