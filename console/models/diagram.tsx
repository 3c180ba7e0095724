/** The models as a drawing: a box for each, a line for each reference, with both of its names and how many are at each end. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { ChangeKind, ModelChange } from '../../runtime/console/api/console-options.ts';
import type { ModelGraph, ShownMember } from '../../runtime/console/model-graph.ts';
import { IconButton } from '../ui/button.tsx';
import {
  type Box,
  centreOf,
  curveThrough,
  HEAD_HEIGHT,
  type Layout,
  type Line,
  labelOf,
  layoutOf,
  manyOf,
  marksOf,
  oneOf,
  type Point,
  ROW_HEIGHT,
  typeText,
} from './layout.ts';
import { panAndZoom, type Zoomable } from './pan-zoom.ts';

/** The signs of a change to a model or a member since the last release. */
const SIGNS: Readonly<Record<ChangeKind, string>> = { added: '+', changed: '~', removed: '−' };

interface DiagramProps {
  readonly graph: ModelGraph;
  /** The selected model. Its neighbours and the lines between them are highlighted; null if none is. */
  readonly selected: string | null;
  readonly changes: Readonly<Record<string, ModelChange>>;
  readonly onSelect: (model: string) => void;
}

export function Diagram({ graph, selected, changes, onSelect }: DiagramProps): JSX.Element {
  const layout = useMemo(() => layoutOf(graph), [graph]);
  const { svg, sheet, zoomable } = useZoom(layout, selected, centreOf(graph));
  const near = new Set(
    layout.lines.flatMap(({ edge: { from, to } }) => (from === selected || to === selected ? [from, to] : [])),
  );
  const isNear = ({ edge }: Line): boolean => edge.from === selected || edge.to === selected;
  return (
    <div class="stage grow">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no set of fields. */}
      <svg
        ref={svg}
        class={`diagram ${selected === null ? '' : 'has-selection'}`}
        role="group"
        aria-label="Diagram of the models"
        tabindex={0}
      >
        <g ref={sheet}>
          {layout.lines.map((line) => (
            <EdgeLine key={keyOf(line)} line={line} isNear={isNear(line)} />
          ))}
          {layout.boxes.map((each) => (
            <ModelBox
              key={each.model.name}
              box={each}
              change={changes[each.model.name]}
              isSelected={each.model.name === selected}
              isNear={near.has(each.model.name)}
              onSelect={onSelect}
            />
          ))}
          {layout.lines.map((line) => (
            <EdgeLabel key={keyOf(line)} line={line} isNear={isNear(line)} />
          ))}
        </g>
      </svg>
      <fieldset class="controls box surface raised">
        <legend class="visually-hidden">Zoom</legend>
        <IconButton icon="plus" label="Zoom in" onClick={() => zoomable.current?.zoom(1.25)} />
        <IconButton icon="minus" label="Zoom out" onClick={() => zoomable.current?.zoom(0.8)} />
        <IconButton icon="fit" label="Show all" onClick={() => zoomable.current?.fit()} />
      </fieldset>
      <p class="legend pill soft ellipsis">
        {'◆ unique   ? nullable   ƒ computed   * many   Drag to move, Ctrl and wheel to zoom'}
      </p>
    </div>
  );
}

/** Moves the selected model to the middle. Without one, all models are in view. */
function useZoom(layout: Layout, selected: string | null, centre: string | null) {
  const svg = useRef<SVGSVGElement>(null);
  const sheet = useRef<SVGGElement>(null);
  const zoomable = useRef<Zoomable | null>(null);
  const boxOf = (name: string | null) => layout.boxes.find(({ model }) => model.name === name);
  const look = (): void => {
    const isNarrow = (svg.current?.clientWidth ?? 0) < NARROW;
    const middle = boxOf(selected) ?? (isNarrow ? boxOf(centre) : undefined);
    if (middle) zoomable.current?.focus(...(isNarrow ? [] : [areaAround(middle, layout)]), middle);
    else zoomable.current?.fit();
  };
  const latest = useRef(look);
  latest.current = look;
  useLayoutEffect(() => {
    const controller = new AbortController();
    if (svg.current && sheet.current)
      zoomable.current = panAndZoom(svg.current, sheet.current, layout, controller.signal);
    return () => controller.abort();
  }, [layout]);
  useEffect(look, [layout, selected]);
  useEffect(() => {
    // The size also changes when the panel beside it opens or closes.
    const observer = new ResizeObserver(() => latest.current());
    if (svg.current) observer.observe(svg.current);
    return () => observer.disconnect();
  }, []);
  return { svg, sheet, zoomable };
}

/** The area with the model and its neighbours. */
function areaAround({ model: { name } }: Box, { boxes, lines }: Layout) {
  const near = new Set([
    name,
    ...lines.flatMap(({ edge: { from, to } }) => (from === name ? to : to === name ? from : [])),
  ]);
  const all = boxes.filter(({ model }) => near.has(model.name));
  const [x, y] = [Math.min(...all.map((box) => box.x)), Math.min(...all.map((box) => box.y))];
  const width = Math.max(...all.map((box) => box.x + box.width)) - x;
  return { x, y, width, height: Math.max(...all.map((box) => box.y + box.height)) - y };
}

/**
 * The width below which the diagram begins with the model that has the most links: on a phone all models at once would
 * be too small to read.
 */
const NARROW = 480;

function keyOf({ edge: { from, reference } }: Line): string {
  return `${from}.${reference}`;
}

interface ModelBoxProps {
  readonly box: Box;
  readonly change: ModelChange | undefined;
  readonly isSelected: boolean;
  readonly isNear: boolean;
  readonly onSelect: (model: string) => void;
}

function ModelBox({ box, change, isSelected, isNear, onSelect }: ModelBoxProps): JSX.Element {
  const { model, rows, more, x, y, width, height } = box;
  const { name } = model;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    onSelect(name);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it takes the focus and the keys.
    <g
      class={`model ${isSelected ? 'is-selected' : ''} ${isNear ? 'is-near' : ''} ${change ? `is-${change.change}` : ''}`}
      transform={`translate(${x} ${y})`}
      data-model={name}
      // The keys of the button in it come here too.
      tabindex={-1}
      onClick={() => onSelect(name)}
      onKeyDown={onKeyDown}
    >
      <rect class="model-frame" width={width} height={height} rx={8} />
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing has no buttons of its own. */}
      <g
        tabindex={0}
        role="button"
        aria-label={`${name}, ${model.members.length} members${change ? `, ${change.change}` : ''}`}
        aria-pressed={isSelected}
      >
        <path class="model-head" d={`M0 ${HEAD_HEIGHT}V8a8 8 0 0 1 8-8H${width - 8}a8 8 0 0 1 8 8V${HEAD_HEIGHT}z`} />
        <text class="model-name" x={12} y={22}>
          {name}
        </text>
      </g>
      {change && (
        <text class="model-change" x={width - 12} y={22} text-anchor="end">
          {SIGNS[change.change]}
        </text>
      )}
      {rows.map((row, at) => (
        <ModelRow key={row.name} row={row} at={at} width={width} change={change} />
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
  readonly change: ModelChange | undefined;
}

function ModelRow({ row, at, width, change }: ModelRowProps): JSX.Element {
  const kind = change?.members[row.name];
  return (
    <g
      class={`row is-${row.kind} ${kind ? `is-${kind}` : ''}`}
      transform={`translate(0 ${HEAD_HEIGHT + at * ROW_HEIGHT + 16})`}
    >
      {kind && (
        <text class="row-change" x={3}>
          {SIGNS[kind]}
        </text>
      )}
      <text class="row-name" x={12}>
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
