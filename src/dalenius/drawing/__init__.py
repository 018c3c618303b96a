"""How pictures look: colours and marks, axes, files."""

from dalenius.drawing.axes import (
    floored as floored,
    given_axes as given_axes,
    spread as spread,
    with_ends as with_ends,
    with_floor as with_floor,
)
from dalenius.drawing.files import (
    check_picture as check_picture,
    check_place as check_place,
    save as save,
    save_with_vector as save_with_vector,
)
from dalenius.drawing.looks import (
    COLOURS as COLOURS,
    METHOD_LOOKS as METHOD_LOOKS,
    NOTION_LOOKS as NOTION_LOOKS,
    Look as Look,
    looks_of as looks_of,
    notion_looks_of as notion_looks_of,
)
from dalenius.drawing.written import write_both as write_both, write_rows as write_rows, write_whole as write_whole
