// A page of shapes as SVG, which scales to the width that it is given.
import { type Shape, widthOf } from './shapes.ts';

type Attributes = Record<string, string | number | undefined>;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
// Control characters are not allowed in XML, not even as entities.
const escaped = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);
const round = (value: number) => Math.round(value * 100) / 100;

function tag(name: string, attributes: Attributes, ...children: string[]): string {
  const told = Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escaped(String(value))}"`]));
  return children.length === 0 ? `<${name}${told.join('')}/>` : `<${name}${told.join('')}>${children.join('')}</${name}>`;
}

const hinted = (hint: string | undefined) => (hint === undefined ? [] : [tag('title', {}, escaped(hint))]);
const joined = (points: [number, number][]) => points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ');

export function toSvg(width: number, height: number, about: { title: string; description: string }, shapes: Shape[]): string {
  return tag(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${height}`,
      width: Math.round((width * 4) / 3),
      height: Math.round((height * 4) / 3),
      role: 'img',
      lang: 'es',
      style: 'max-width:100%;height:auto',
      'font-family': "Helvetica,'Helvetica Neue',Arial,'Liberation Sans',sans-serif",
    },
    tag('title', {}, escaped(about.title)),
    tag('desc', {}, escaped(about.description)),
    tag('rect', { width, height, fill: '#ffffff' }),
    ...shapes.map(drawn),
  );
}

function drawn(shape: Shape): string {
  switch (shape.kind) {
    case 'box': {
      const { x, y, width, height, fill = 'none', stroke, radius, hint } = shape;
      return tag('rect', { x: round(x), y: round(y), width: round(width), height: round(height), rx: radius, fill, stroke }, ...hinted(hint));
    }
    case 'line':
      return tag('polyline', {
        points: joined(shape.points),
        fill: 'none',
        stroke: shape.stroke,
        'stroke-width': shape.width,
        'stroke-dasharray': shape.dash,
        'stroke-linejoin': 'round',
        'stroke-linecap': 'round',
      });
    case 'area':
      return tag('polygon', { points: joined(shape.points), fill: shape.fill }, ...hinted(shape.hint));
    case 'text': {
      const { x, y, size, fill, weight, anchor } = shape;
      // As wide as the page was laid out for, whichever font stands in for the ones that were meant.
      const length = { textLength: shape.text === '' ? undefined : round(widthOf(shape.text, size, weight)), lengthAdjust: 'spacingAndGlyphs' };
      const attributes = { 'font-weight': weight === 'bold' ? 700 : undefined, 'text-anchor': anchor === 'start' ? undefined : anchor };
      return tag('text', { x: round(x), y: round(y), 'font-size': size, fill, ...attributes, ...length }, escaped(shape.text));
    }
  }
}
