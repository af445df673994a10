echo old >small/old.txt
