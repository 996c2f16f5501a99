# SPDX-License-Identifier: Apache-2.0
from . import b
from .b import value as renamed
from .inner import c
from .inner.c import where

print("a runs")
total = b.value + renamed
