"""The page in the browser and its JSON interface: requests, answers in worker processes, the guard at the door."""
