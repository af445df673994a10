"""old_history.py - a history as the first version of stet left it."""
import sqlite3


def make_old(base):
    """Take away what later steps of schema.def have added; the newest step."""
    with sqlite3.connect(base) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        for table in ("approval", "approval_piece", "may"):
            db.execute(f"DROP TABLE {table}")
        db.execute("DROP INDEX op_group")
        for column in ("root", "root_dev", "root_ino", "granted_by",
                       "group_id", "from_path"):
            db.execute(f"ALTER TABLE op DROP COLUMN {column}")
        db.execute("PRAGMA user_version=1")
    db.close()
    return version
