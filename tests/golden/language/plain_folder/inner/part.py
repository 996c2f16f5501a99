# SPDX-License-Identifier: Apache-2.0
here = 1
