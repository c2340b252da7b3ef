"""What people bring: tables of files, workbooks and data frames, as measurements that know their lines."""
