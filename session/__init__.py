"""`Session.run`: fetches, feeds, plans and executors."""
