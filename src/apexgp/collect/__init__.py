"""From an estimator and labelled data to learning curves. Knows scikit-learn and pairs; never sees a model of curves."""
