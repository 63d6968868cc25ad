"""Input pipelines of queues: what goes in, and what comes out in batches."""
