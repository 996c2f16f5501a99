# SPDX-License-Identifier: Apache-2.0
from .ring_one import one

two = 2
