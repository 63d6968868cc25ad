"""What ops are made of: tables of elementwise ops, older call forms, blocks, threads, memory."""
