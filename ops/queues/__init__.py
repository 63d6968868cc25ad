"""Queues, barriers, accumulators, staging areas."""
