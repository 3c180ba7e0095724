/** A request as code, in the language that the reader has chosen last. */
import type { JSX } from 'preact';
import { BROWSER, keepText, keptText } from '../state/kept.ts';
import type { Api, ApiOperation } from '../state/operations.ts';
import { SERVER } from '../state/page.ts';
import { createStore, useStore } from '../state/store.ts';
import { Code } from '../ui/code.tsx';
import { Tabs } from '../ui/tabs.tsx';
import type { Draft } from './request.ts';
import { type SampleName, samplesOf } from './samples.ts';

const NAME = 'kiln-sample-language';
const chosen = createStore<string>(keptText(BROWSER, NAME) ?? 'curl');

function choose(name: SampleName): void {
  keepText(BROWSER, NAME, name);
  chosen.set(name);
}

interface SampleTabsProps {
  readonly api: Api;
  readonly operation: ApiOperation;
  readonly draft: Draft;
}

export function SampleTabs({ api, operation, draft }: SampleTabsProps): JSX.Element | null {
  const name = useStore(chosen);
  const samples = samplesOf({ api, operation, draft, server: SERVER });
  const sample = samples.find((each) => each.name === name) ?? samples[0];
  if (!sample) return null;
  return (
    <Tabs label="Request as code" tabs={samples} selected={sample.name} onSelect={choose}>
      <Code text={sample.text} language={sample.language} copyLabel={`Copy the request as ${sample.label}`} />
    </Tabs>
  );
}
