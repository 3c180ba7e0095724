import type { NewProject, ProjectFile } from './project-file.ts';

export function readmeFile({ name }: NewProject): ProjectFile {
  return { path: 'README.md', text: readmeText(name) };
}

function readmeText(name: string): string {
  return `# ${name}

An application made with Kiln: the \`*.kiln\` files describe its data and its API, and everything else comes from them.

\`\`\`sh
kiln dev      # serves it with records to look at, and again after every change
npm test      # starts it on an empty database and asks it
kiln build    # makes a container image of the last commit
\`\`\`

## What is here

| file | is |
|---|---|
| \`*.kiln\` | the application |
| \`test/\` | its tests, on nothing but Node |
| \`kiln.json\` | the name of its images |
| \`.github/workflows/kiln.yml\` | checks every push, and makes an image of every push to main |
| \`compose.yaml\`, \`.env.example\`, \`compose/\` | Postgres, the migration and the application on one machine |
| \`kubernetes/\` | the same on many machines |

## Run it on one machine

\`\`\`sh
git init --initial-branch main && git add --all && git commit --message 'Begin'
kiln build
cp .env.example .env    # and set POSTGRES_PASSWORD in it
docker compose up
\`\`\`

The migration runs to its end first, then the application answers on http://localhost:3000/api. A new release, or the way
back to an old one, is \`compose/deploy.sh ${name}:<commit>\`. With the proxy of \`.env.example\` it costs no request.

## Run it on Kubernetes

\`\`\`sh
kubectl create secret generic ${name} --from-literal=DATABASE_URL='postgres://user:password@host:5432/${name}'
kubernetes/deploy.sh registry.example.com/${name}:3f2a91c
\`\`\`

The script runs the migration as a job, waits for it, and only then rolls the application out. With an older image it goes
back to that.
`;
}
