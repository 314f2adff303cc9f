"""What crash_test.py and io_error_test.py share: commands to disturb, and the comparison of their results."""
