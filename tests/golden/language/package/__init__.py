# SPDX-License-Identifier: Apache-2.0
print("package runs")
EXPORTED = "from the package itself"
