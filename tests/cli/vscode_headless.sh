#!/bin/sh
# The extension for VS Code packed and tested as its readers do it: vscode_headless.sh GDR PROJECT SCRATCH
# Ends with 77, which skips the test, without npm or where its packages cannot be had.
set -eu
gdr=$1 project=$2 scratch=$3
command -v npm > /dev/null || { echo "needs npm"; exit 77; }
rm -rf "$scratch"
cp -r "$project/editor/clients/vscode" "$scratch"
cd "$scratch"
npm install --no-audit --no-fund || exit 77
npm run build
test -s gdr.vsix
GDR=$gdr npm test
