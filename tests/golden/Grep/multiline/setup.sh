touch -d 2020-01-01 src/b.py
touch -d 2021-01-01 'src/deep/c d'
touch -d 2022-01-01 src/a.txt
