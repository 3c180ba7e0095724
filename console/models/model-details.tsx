/** A model in words: its description, its endpoints, its members with their rules, and its indexes. */
import type { JSX } from 'preact';
import type { ChangeKind, ModelChange } from '../../runtime/console/api/console-options.ts';
import type { ModelGraph, ShownMember, ShownModel } from '../../runtime/console/model-graph.ts';
import { HAS_CONSOLE_API } from '../state/console-api.ts';
import { hrefTo } from '../state/route.ts';
import { Prose, withCode } from '../ui/text.tsx';
import { ownOf } from './drawing.tsx';
import { manyOf, oneOf } from './layout.ts';

interface ModelDetailsProps {
  readonly model: ShownModel;
  readonly graph: ModelGraph;
  readonly change: ModelChange | undefined;
}

export function ModelDetails({ model, graph, change }: ModelDetailsProps): JSX.Element {
  const { name, doc, entrypoints, members, indexes = [], uniques = [] } = model;
  const removed = Object.entries(change?.members ?? {}).filter(([, kind]) => kind === 'removed');
  return (
    <>
      {doc !== null && (
        <div class="soft">
          <Prose text={doc} />
        </div>
      )}
      <ul class="row small spaced">
        {entrypoints.map((id) => (
          <li key={id}>
            <a href={hrefTo('reference', ['tag', id])}>{id}</a>
          </li>
        ))}
        {HAS_CONSOLE_API && (
          <li>
            <a href={hrefTo('data', [name])}>Records</a>
          </li>
        )}
      </ul>
      <ul class="members">
        {members.map((member) => (
          <Member
            key={`${member.kind} ${member.name}`}
            member={member}
            model={model}
            graph={graph}
            change={change && ownOf(change.members, member.name)}
          />
        ))}
        {removed.map(([member]) => (
          <li key={member} class="member field-item is-removed">
            <div class="field-line row">
              <code class="field-name">{member}</code>
              <ChangeMark change="removed" />
            </div>
          </li>
        ))}
      </ul>
      <Lines title="Unique together" lines={uniques.map(asCode)} />
      <Lines title="Indexes" lines={indexes.map(asCode)} />
    </>
  );
}

export function Lines({
  title,
  lines,
}: {
  readonly title: string;
  readonly lines: readonly string[];
}): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <>
      <h3 class="medium apart">{title}</h3>
      <ul class="bullets">
        {lines.map((line) => (
          <li key={line}>{withCode(line)}</li>
        ))}
      </ul>
    </>
  );
}

interface MemberProps {
  readonly member: ShownMember;
  readonly model: ShownModel;
  readonly graph: ModelGraph;
  readonly change: ModelChange['change'] | undefined;
}

function Member({ member, model, graph, change }: MemberProps): JSX.Element {
  const { kind, name, doc, values, default: initial, validate, onDelete } = member;
  return (
    <li class={`member field-item is-${kind}`}>
      <div class="field-line row">
        <code class="field-name">{name}</code>
        <MemberType member={member} graph={graph} />
        {marksOf(member, model, graph).map((word) => (
          <span key={word} class="pill soft">
            {word}
          </span>
        ))}
        <ChangeMark change={change} />
      </div>
      {doc !== null && <p class="soft medium">{withCode(doc)}</p>}
      {values && (
        <p class="words">
          {values.map((value) => (
            <code key={value}>{value}</code>
          ))}
        </p>
      )}
      <Rule name="default" text={initial} />
      <Rule name="validate" text={validate} />
      <Rule name="on delete" text={onDelete} />
    </li>
  );
}

function asCode(text: string): string {
  return `\`${text}\``;
}

function Rule({ name, text }: { readonly name: string; readonly text: string | undefined }): JSX.Element | null {
  if (text === undefined) return null;
  return (
    <p class="rule soft small">
      {name} <code>{text}</code>
    </p>
  );
}

function MemberType({ member, graph: { models } }: Pick<MemberProps, 'member' | 'graph'>): JSX.Element {
  const { type, many, kind } = member;
  const isModel = type !== null && models.some(({ name }) => name === type);
  const text = `${type ?? 'any'}${many ? '[]' : ''}`;
  return (
    <code class="soft small">
      {kind === 'reference' ? '→ ' : kind === 'relation' ? '← ' : ''}
      {isModel ? <a href={hrefTo('models', [type])}>{text}</a> : text}
    </code>
  );
}

function marksOf(member: ShownMember, model: ShownModel, { edges }: ModelGraph): readonly string[] {
  const { kind, unique, nullable, name, secret, index } = member;
  const edge = edges.find(({ from, to, reference, relation }) =>
    kind === 'reference'
      ? from === model.name && reference === name
      : kind === 'relation' && to === model.name && relation === name,
  );
  const ends = edge && (kind === 'reference' ? `${manyOf(edge)} → ${oneOf(edge)}` : `${oneOf(edge)} ← ${manyOf(edge)}`);
  const words = [
    kind === 'field' ? null : kind,
    ends,
    unique ? 'unique' : null,
    nullable ? 'nullable' : null,
    index ? 'index' : null,
    secret ? 'secret' : null,
  ];
  return words.filter((word) => word !== null && word !== undefined);
}

/** The words for a change to a model or a member since the last release. */
const CHANGES: Readonly<Record<ChangeKind, string>> = { added: 'new', changed: 'changed', removed: 'removed' };

export function ChangeMark({ change }: { readonly change: ChangeKind | undefined }): JSX.Element | null {
  if (change === undefined) return null;
  return <span class={`pill is-${change}`}>{CHANGES[change]}</span>;
}
