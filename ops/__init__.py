"""Op families: for each op its signature, public function, shape function and kernel."""
