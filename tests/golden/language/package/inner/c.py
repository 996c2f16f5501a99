# SPDX-License-Identifier: Apache-2.0
from ..b import value

where = __name__
doubled = value * 2
