chmod 750 b.txt; ln -s b.txt a.txt
