"""What is asked: templates, environments, expressions and calls, all made from seeds or written by hand."""
