"""Any number of people: bounds without the law of the whole answer."""
