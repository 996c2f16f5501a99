# SPDX-License-Identifier: Apache-2.0
from .ring_two import two

one = 1
