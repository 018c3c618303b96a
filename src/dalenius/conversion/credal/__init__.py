"""What any pipeline can leak of records whose law is only known to be one of a set (Results 21.25 to 21.27)."""
