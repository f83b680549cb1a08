# begin: score
scorecast assess matrix.npy --biclusters found.json --truth truth.json --report out.html
# end: score
