#!/bin/sh
# A ledger of decimal amounts, to the cent: sh ledger.sh [ACCORD]. Ends with 1 when it does not balance.
accord=${1:-accord}
set -e
"$accord" sum ledger.csv --column amount --group-by account --decimal
total=$("$accord" sum ledger.csv --column amount --decimal | cut -d' ' -f1)
echo "balance  $total"
# In binary 0.10 is no tenth: even the correctly rounded sum of the nearest f64 need not be 0.
echo "in f64   $("$accord" sum ledger.csv --column amount | cut -d' ' -f1)"
echo "a loop   $("$accord" sum ledger.csv --column amount --naive | sed -n 's/^naive *\([^ ]*\) .*/\1/p')"
[ "$total" = 0.00 ]
