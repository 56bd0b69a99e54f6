"""The stores of the Django tables: functions in `checkpoints` and `sessions`, and async adapters."""
