#!/bin/sh
# The commands of the guide to assessments, on the colon data (not shipped: 62 x 2,000).
# Usage: cd FOLDER_WITH_THE_DATA_SET && sh docs/guide/example_assessment.sh
run() {
    printf '\n== %s ==\n$ scorecast %s\n' "$1" "$2"
    eval "scorecast $2" && code=0 || code=$?
    printf '(exit code %s)\n' "$code"
}
exec 2>&1
run colon 'assess microarray_colon.npz --target y --model naive-bayes --model svm --learning-curve --report colon.html'
run selection 'assess microarray_colon.npz --target y --model naive-bayes --selection 20 --permutations 0'
run size 'size --accuracy 0.9 --width 0.1'
run versus 'size --accuracy 0.9 --versus 0.85'
run target 'assess microarray_colon.npz --target tissue --model svm'
run model "assess microarray_colon.npz --target y --model \"sklearn.svm:SVC(C=open('x'))\""
printf '\n== end ==\n'
