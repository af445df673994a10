ln -s ../two/a repo/link; ln -s ../repo-evil/a repo/evil
