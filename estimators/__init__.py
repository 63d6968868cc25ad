"""Models as objects that are trained, evaluated, asked and exported: `td.estimator`."""
