"""The posterior of a curve, integrated over weighted nodes; and the contract that every engine keeps."""
