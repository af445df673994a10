ln -s old.txt link
