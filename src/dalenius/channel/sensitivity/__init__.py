"""How far records move the answer."""
