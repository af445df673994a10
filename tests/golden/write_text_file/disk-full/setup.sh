mkdir small
