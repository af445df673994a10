ln -s real link; ln -s link/a.txt b.txt
