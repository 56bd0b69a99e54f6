"""Users: as Django has them, but deleting one ends their runs and removes their histories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from chatapp import services
from chatapp.admin.readonly import DeletesByName

if TYPE_CHECKING:
    Base = DjangoUserAdmin[User]
else:
    Base = DjangoUserAdmin

admin.site.unregister(User)


@admin.register(User)
class UserAdmin(DeletesByName, Base):
    def delete_model(self, request: HttpRequest, obj: User) -> None:
        services.delete_user(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            services.delete_user(user)
