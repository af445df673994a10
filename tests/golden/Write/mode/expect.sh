echo x >b.txt
