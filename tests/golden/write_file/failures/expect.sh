echo theirs >>a.txt
