/**
 * The README of an example, for a copy of the example: its commands run in the folder of the copy. What it says of its
 * accounts and requests stays, because that is what somebody tries first.
 */
export function readmeOfCopy(readme: string, example: string): string {
  const folder = `kiln/examples/${example}`;
  return readme
    .replace(/^# .*\n+/, '')
    .replace(/^`kiln new .*\n*/m, '')
    .replaceAll(`${folder}/`, '')
    .replaceAll(` ${folder}`, '')
    .replace(/^```console .*$/gm, '```console')
    .trimEnd();
}

/** First the application, then the files that every project has. */
export function readmeWith(projectReadme: string, exampleReadme: string): string {
  const [title = '', ...rest] = projectReadme.split('\n\n');
  return [title, exampleReadme, '## Work on it', ...rest].join('\n\n');
}
