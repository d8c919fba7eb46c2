"""Values that hold Python functions, and how to copy and pickle them."""

from __future__ import annotations

import pickle
from typing import Any

from kc.support.diagnostics import InputError
from kc.support.locations import caller_location


class FunctionHolder:
    """A value that holds Python functions. Like a function, it is its own copy."""

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        del memo
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        """The state for a pickle. Raises InputError KC0098 for functions that a pickle cannot refer
        to by name.
        """
        try:
            pickle.dumps(vars(self), protocol)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InputError(
                "KC0098",
                f"{self!r} cannot be pickled",
                location=caller_location(),
                why=f"it holds Python functions, which pickle refuses: {error}",
                hints=[
                    "functions that a module defines by their names can be pickled; lambdas, "
                    "functions in functions and decorated ones cannot"
                ],
            ) from None
        return super().__reduce_ex__(protocol)
