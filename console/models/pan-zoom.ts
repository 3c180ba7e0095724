/** A sheet that is dragged, scrolled and pinched. Two fingers or Ctrl zoom, arrow keys move, `+`, `-` and `0` zoom. */
export interface Zoomable {
  /** Shows all of it, but never larger than its natural size. */
  fit(): void;
  zoom(factor: number): void;
  /** Shows all of it if that can be read, else the first of the areas that can be, or the middle of the last one. */
  focus(...areas: readonly Area[]): void;
}

/** A part of the sheet. */
interface Area extends Size {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const SMALLEST = 0.05;
const LARGEST = 2.5;
/** The scale at which texts can still be read. */
const READABLE = 0.85;
const STEP = 60;
/** The distance that a finger may slip in a tap. */
const SLIP = 4;

/** Makes a sheet zoomable until the signal fires. */
export function panAndZoom(svg: SVGSVGElement, sheet: SVGGElement, size: Size, signal: AbortSignal): Zoomable {
  let view = { x: 0, y: 0, scale: 1 };
  const draw = (next: typeof view): void => {
    view = { ...next, scale: Math.min(LARGEST, Math.max(SMALLEST, next.scale)) };
    sheet.setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.scale})`);
  };
  const move = (dx: number, dy: number): void => draw({ ...view, x: view.x + dx, y: view.y + dy });
  const zoomAt = (factor: number, x: number, y: number): void => {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, view.scale * factor));
    const ratio = scale / view.scale;
    draw({ scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio });
  };
  const frame = (): Size => ({ width: svg.clientWidth, height: svg.clientHeight });
  const middle = (): { x: number; y: number } => ({ x: svg.clientWidth / 2, y: svg.clientHeight / 2 });
  const zoomable = {
    fit: () => draw(fitting(size, frame())),
    zoom: (factor: number) => zoomAt(factor, middle().x, middle().y),
    focus: (...areas: readonly Area[]) => {
      const whole = fitting(size, frame());
      const area = areas.find((each) => fitting(each, frame()).scale >= READABLE) ?? areas.at(-1);
      if (area === undefined || whole.scale >= READABLE) return draw(whole);
      const [x, y] = [area.x + area.width / 2, area.y + area.height / 2];
      draw({ scale: READABLE, x: middle().x - x * READABLE, y: middle().y - FOOT / 2 - y * READABLE });
    },
  };
  followWheel(svg, move, zoomAt, signal);
  followPointers(svg, move, zoomAt, signal);
  followKeys(svg, move, zoomable, signal);
  return zoomable;
}

/** The height of the row of buttons below. */
const FOOT = 56;

function fitting(sheet: Size, frame: Size): { x: number; y: number; scale: number } {
  const height = frame.height - FOOT;
  const scale = Math.max(SMALLEST, Math.min(1, frame.width / sheet.width, height / sheet.height));
  return { scale, x: (frame.width - sheet.width * scale) / 2, y: Math.max(0, (height - sheet.height * scale) / 2) };
}

type Move = (dx: number, dy: number) => void;
type ZoomAt = (factor: number, x: number, y: number) => void;

function followWheel(svg: SVGSVGElement, move: Move, zoomAt: ZoomAt, signal: AbortSignal): void {
  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const { left, top } = svg.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey)
      zoomAt(Math.exp(-event.deltaY / 200), event.clientX - left, event.clientY - top);
    else move(-event.deltaX, -event.deltaY);
  };
  svg.addEventListener('wheel', onWheel, { passive: false, signal });
}

function followPointers(svg: SVGSVGElement, move: Move, zoomAt: ZoomAt, signal: AbortSignal): void {
  const fingers = new Map<number, PointerEvent>();
  let moved = 0;
  const press = (event: PointerEvent): void => {
    fingers.set(event.pointerId, event);
    if (fingers.size === 1) moved = 0;
  };
  const drag = (event: PointerEvent): void => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const other = [...fingers.values()].find(({ pointerId }) => pointerId !== event.pointerId);
    moved += Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
    // A drag alone captures the pointer: a click must reach the box under it.
    if (moved > SLIP) svg.setPointerCapture(event.pointerId);
    if (other) pinch(svg, before, event, other, zoomAt);
    else if (moved > SLIP) move(event.clientX - before.clientX, event.clientY - before.clientY);
    fingers.set(event.pointerId, event);
  };
  svg.addEventListener('pointerdown', press, { signal });
  svg.addEventListener('pointermove', drag, { signal });
  for (const end of ['pointerup', 'pointercancel', 'pointerleave'] as const)
    svg.addEventListener(end, ({ pointerId }) => fingers.delete(pointerId), { signal });
  const afterDrag = (event: MouseEvent): void => {
    if (moved > SLIP) event.stopPropagation();
    moved = 0;
  };
  svg.addEventListener('click', afterDrag, { capture: true, signal });
}

function pinch(svg: SVGSVGElement, before: PointerEvent, now: PointerEvent, other: PointerEvent, zoomAt: ZoomAt): void {
  const apart = (event: PointerEvent): number =>
    Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY);
  const { left, top } = svg.getBoundingClientRect();
  const factor = apart(now) / (apart(before) || 1);
  zoomAt(factor, (now.clientX + other.clientX) / 2 - left, (now.clientY + other.clientY) / 2 - top);
}

function followKeys(svg: SVGSVGElement, move: Move, { zoom, fit }: Zoomable, signal: AbortSignal): void {
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => move(STEP, 0),
    ArrowRight: () => move(-STEP, 0),
    ArrowUp: () => move(0, STEP),
    ArrowDown: () => move(0, -STEP),
    '+': () => zoom(1.25),
    '-': () => zoom(0.8),
    '0': fit,
  };
  const press = (event: KeyboardEvent): void => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action();
  };
  svg.addEventListener('keydown', press, { signal });
}
