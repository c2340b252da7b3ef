"""From an estimator and labelled data to learning curves. Knows scikit-learn and pairs, never a model of curves."""
