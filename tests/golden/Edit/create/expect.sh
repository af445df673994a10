mkdir new; echo two >new/a.txt
