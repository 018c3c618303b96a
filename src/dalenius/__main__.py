"""`python -m dalenius` is the command `dalenius`."""

import os

try:
    from dalenius.cli.main import main
except KeyboardInterrupt:
    os.write(2, b"dalenius: stopped\n")
    os._exit(130)

if __name__ == "__main__":
    main()
