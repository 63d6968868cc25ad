"""A folder for each subject, a module for each family: signature, shape function, kernel."""
