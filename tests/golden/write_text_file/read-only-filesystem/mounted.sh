echo old >frozen/old.txt; mount -o remount,ro frozen
