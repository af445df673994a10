ln -s f.txt link
