"""The operator's view. Everything can be read and ended here, nothing that is stored can be rewritten."""

from chatapp.admin.runs import RunAdmin
from chatapp.admin.threads import ThreadAdmin
from chatapp.admin.users import UserAdmin

__all__ = ["RunAdmin", "ThreadAdmin", "UserAdmin"]
