"""Ask the service of policy.toml one question over HTTP, as an analyst's own program would.

python examples/outbreak/ask.py http://127.0.0.1:8750 TOKEN
"""

import json
import sys
from typing import Any
from urllib.request import Request, urlopen

QUESTION = {"measure": "ill", "query": {"kind": "count", "per_label": True}, "epsilon": 1.0}
DATA = "/api/v1/data/outbreak"


def sent(url: str, token: str) -> Any:
    """What the service says to the question."""
    body = json.dumps(QUESTION).encode()
    known = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urlopen(Request(url, body, known), timeout=60) as said:
        return json.load(said)


def main() -> None:
    address, token = sys.argv[1:]
    quote = sent(f"{address}{DATA}/estimate", token)
    print(f"how many are ill, per district: costs {quote['cost']['leakage']:.4g} nats")
    print(quote["risk"]["in_words"])
    # The same again gets the same answer, free: a request whose answer was lost on its way can be sent once more.
    done = sent(f"{address}{DATA}/ask", token)
    for label, answer, (low, high) in zip(done["labels"], done["answers"], done["interval"], strict=True):
        print(f"  {label}: {answer} (95 %: {low} to {high})")
    print(f"left of the data set's budget: {done['budget']['remaining']:.4g} of {done['budget']['initial']:.4g} nats")


if __name__ == "__main__":
    main()
