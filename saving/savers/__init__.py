"""`Saver`, checkpoint ops, warm starting."""
