"""Who is absent: ratios of posterior to prior, in closed form."""
