import type { NewProject, ProjectFile } from './project-file.ts';

/**
 * The workflow for GitHub. Kiln itself is fetched from where the repository's variables say, because that is for the
 * owner of the repository to choose.
 */
export function workflowFile({ name }: NewProject): ProjectFile {
  return { path: '.github/workflows/kiln.yml', text: workflowText(name) };
}

function workflowText(name: string): string {
  return `# Checks every push, and makes an image of every push to main.
#
# Set the variable KILN_REPOSITORY of this repository (Settings, Secrets and variables, Actions, Variables) to the
# GitHub repository that Kiln is fetched from, and KILN_REF to the tag or commit of it that you trust.
name: kiln

on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
      - uses: actions/checkout@v5
        with:
          repository: \${{ vars.KILN_REPOSITORY }}
          ref: \${{ vars.KILN_REF }}
          path: .kiln/tool
          persist-credentials: false
      - uses: ./.kiln/tool/.github/actions/setup-kiln
      - run: kiln check
      - run: kiln fmt --check
      - run: npm test

  build:
    if: github.event_name == 'push'
    needs: check
    runs-on: ubuntu-latest
    timeout-minutes: 15
    # Two builds of a branch would append to the same ledger, so the second one waits.
    concurrency:
      group: kiln-build-\${{ github.ref }}
      cancel-in-progress: false
    permissions:
      # For the ledger of releases, refs/kiln/*.
      contents: write
      # For the image.
      packages: write
    steps:
      - uses: actions/checkout@v5
        with:
          # The ledger of a release refers to the history of its branch.
          fetch-depth: 0
      - uses: actions/checkout@v5
        with:
          repository: \${{ vars.KILN_REPOSITORY }}
          ref: \${{ vars.KILN_REF }}
          path: .kiln/tool
          persist-credentials: false
      - uses: ./.kiln/tool/.github/actions/kiln-build
        with:
          image: ghcr.io/\${{ github.repository_owner }}/${name}
          registry: ghcr.io
          username: \${{ github.actor }}
          password: \${{ github.token }}
`;
}
