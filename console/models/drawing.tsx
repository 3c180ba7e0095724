/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/**
 * The models as a drawing: a box for each, a line for each reference, with both of its names and how many are at each
 * end. The reports of releases have it too: the two lines above let it be run without a bundler.
 */
import type { JSX } from 'preact';
import type { ChangeKind, ModelChange } from '../../runtime/console/api/console-options.ts';
import type { ShownMember } from '../../runtime/console/model-graph.ts';
import {
  type Box,
  HEAD_HEIGHT,
  type Layout,
  type Line,
  labelOf,
  manyOf,
  marksOf,
  oneOf,
  type Point,
  ROW_HEIGHT,
  typeText,
} from './layout.ts';

interface DrawingProps {
  readonly layout: Layout;
  /** The selected model. Its neighbours and the lines between them are highlighted; null if none is. */
  readonly selected: string | null;
  readonly changes: Readonly<Record<string, ModelChange>>;
  /** Missing if models cannot be selected. */
  readonly onSelect?: (model: string) => void;
}

export function Drawing({ layout: { boxes, lines }, selected, changes, onSelect }: DrawingProps): JSX.Element {
  const isNear = ({ edge }: Line): boolean => edge.from === selected || edge.to === selected;
  const near = new Set(lines.filter(isNear).flatMap(({ edge: { from, to } }) => [from, to]));
  return (
    <>
      {lines.map((line) => (
        <EdgeLine key={keyOf(line)} line={line} isNear={isNear(line)} />
      ))}
      {boxes.map((each) => (
        <ModelBox
          key={each.model.name}
          box={each}
          change={ownOf(changes, each.model.name)}
          isSelected={each.model.name === selected}
          isNear={near.has(each.model.name)}
          onSelect={onSelect}
        />
      ))}
      {lines.map((line) => (
        <EdgeLabel key={keyOf(line)} line={line} isNear={isNear(line)} />
      ))}
    </>
  );
}

/** Models and members may have names such as `constructor`, which each object has. */
export function ownOf<T>(of: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

/** Signs beside the colours, for those who do not see them, and for paper. */
const SIGNS: Readonly<Record<ChangeKind | 'same', string>> = { added: '+ ', changed: '~ ', removed: '− ', same: '' };

function keyOf({ edge: { from, reference } }: Line): string {
  return `${from}.${reference}`;
}

interface ModelBoxProps {
  readonly box: Box;
  readonly change: ModelChange | undefined;
  readonly isSelected: boolean;
  readonly isNear: boolean;
  readonly onSelect: DrawingProps['onSelect'];
}

function ModelBox({ box, change, isSelected, isNear, onSelect }: ModelBoxProps): JSX.Element {
  const { model, rows, more, x, y, width, height } = box;
  const { name } = model;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    onSelect?.(name);
  };
  const label = `${name}, ${model.members.length} members${change ? `, ${change.change}` : ''}`;
  const button =
    onSelect && ({ tabindex: 0, role: 'button', 'aria-label': label, 'aria-pressed': isSelected } as const);
  return (
    <g
      class={`model ${isSelected ? 'is-selected' : ''} ${isNear ? 'is-near' : ''} ${change ? `is-${change.change}` : ''}`}
      transform={`translate(${x} ${y})`}
      data-model={name}
      // The keys of the button in it come here too.
      {...(onSelect && { tabindex: -1, onClick: () => onSelect(name), onKeyDown })}
    >
      <rect class="model-frame" width={width} height={height} rx={8} />
      <g {...button}>
        <path class="model-head" d={`M0 ${HEAD_HEIGHT}V8a8 8 0 0 1 8-8H${width - 8}a8 8 0 0 1 8 8V${HEAD_HEIGHT}z`} />
        <text class="model-name" x={12} y={22}>
          {SIGNS[change?.change ?? 'same']}
          {name}
        </text>
      </g>
      {rows.map((row, at) => (
        <ModelRow key={row.name} row={row} at={at} width={width} change={change && ownOf(change.members, row.name)} />
      ))}
      {more > 0 && (
        <text class="row-more" x={12} y={HEAD_HEIGHT + rows.length * ROW_HEIGHT + 16}>
          and {more} more
        </text>
      )}
    </g>
  );
}

interface ModelRowProps {
  readonly row: ShownMember;
  readonly at: number;
  readonly width: number;
  readonly change: ChangeKind | undefined;
}

function ModelRow({ row, at, width, change }: ModelRowProps): JSX.Element {
  return (
    <g
      class={`row is-${row.kind} ${change ? `is-${change}` : ''}`}
      transform={`translate(0 ${HEAD_HEIGHT + at * ROW_HEIGHT + 16})`}
    >
      <text class="row-name" x={12}>
        {SIGNS[change ?? 'same']}
        {row.name}
        <tspan class="row-mark">{marksOf(row)}</tspan>
      </text>
      <text class="row-type" x={width - 12} text-anchor="end">
        {typeText(row)}
      </text>
    </g>
  );
}

interface EdgeProps {
  readonly line: Line;
  readonly isNear: boolean;
}

function EdgeLine({ line: { edge, points }, isNear }: EdgeProps): JSX.Element {
  return (
    <g
      class={`edge ${isNear ? 'is-near' : ''}`}
      data-from={edge.from}
      data-to={edge.to}
      data-reference={edge.reference}
    >
      <path d={curveThrough(points)} />
      <circle cx={points.at(-1)?.x ?? 0} cy={points.at(-1)?.y ?? 0} r={3.5} />
    </g>
  );
}

/** A curve that bends at the points without reaching those in between. */
function curveThrough(points: readonly Point[]): string {
  const [first = { x: 0, y: 0 }, ...rest] = points;
  const bends = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? point;
    const isLast = at === rest.length - 2;
    const end = isLast ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  const last = rest.at(-1) ?? first;
  return `M${first.x} ${first.y}${bends.length === 0 ? `L${last.x} ${last.y}` : bends.join('')}`;
}

/** The label of a line, drawn above the boxes, so that no line hides a name. */
function EdgeLabel({ line: { edge, points, label }, isNear }: EdgeProps): JSX.Element {
  const text = labelOf(edge);
  const width = text.length * 6.6 + 10;
  return (
    <g class={`edge-label ${isNear ? 'is-near' : ''}`}>
      <rect x={label.x - width / 2} y={label.y - 9} width={width} height={18} rx={9} />
      <text x={label.x} y={label.y + 4} text-anchor="middle">
        {text}
      </text>
      <Count end={points[0]} next={points[1]} text={manyOf(edge)} />
      <Count end={points.at(-1)} next={points.at(-2)} text={oneOf(edge)} />
    </g>
  );
}

interface CountProps {
  readonly end: Point | undefined;
  readonly next: Point | undefined;
  readonly text: string;
}

/** The count at an end of a line, beside the line and a little away from the box. */
function Count({ end, next, text }: CountProps): JSX.Element | null {
  if (!end || !next) return null;
  const length = Math.hypot(next.x - end.x, next.y - end.y) || 1;
  const x = end.x + ((next.x - end.x) / length) * 14;
  const y = end.y + ((next.y - end.y) / length) * 14 - 6;
  // A loop leaves its box downwards, so its count is beside it.
  const isUpright = Math.abs(next.x - end.x) < 1;
  return (
    <text class="count" x={isUpright ? x + 10 : x} y={isUpright ? y + 8 : y} text-anchor="middle">
      {text}
    </text>
  );
}
