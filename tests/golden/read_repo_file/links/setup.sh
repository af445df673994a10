ln -s a.txt in; ln -s /etc/passwd out; ln -s /etc outdir; ln -s .env toenv; ln -s real dir; ln -s secret tokeys; ln -s .env.none dangling; ln -s loop loop
