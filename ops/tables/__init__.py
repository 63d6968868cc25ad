"""Tables: values that a session keeps by keys, such as the numbers of words."""
