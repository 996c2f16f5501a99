# SPDX-License-Identifier: Apache-2.0
print("b runs")
value = 4
