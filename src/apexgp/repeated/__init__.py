"""What fits a method many times: to judge it, to replay it, to compare models, to forecast a batch."""
