// A page of shapes as SVG, which scales to the available width.
import { escapeXml } from '@clinic/lib/formats/svg.ts';
import { type Shape, widthOf } from './shapes.ts';

type Attributes = Record<string, string | number | undefined>;

const round = (value: number) => Math.round(value * 100) / 100;

function tag(name: string, attributes: Attributes, ...children: string[]): string {
  const text = Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escapeXml(String(value))}"`]));
  return children.length === 0 ? `<${name}${text.join('')}/>` : `<${name}${text.join('')}>${children.join('')}</${name}>`;
}

const toTitle = (hint: string | undefined) => (hint === undefined ? [] : [tag('title', {}, escapeXml(hint))]);
const toPoints = (points: [number, number][]) => points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ');

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
    tag('title', {}, escapeXml(about.title)),
    tag('desc', {}, escapeXml(about.description)),
    tag('rect', { width, height, fill: '#ffffff' }),
    ...shapes.map(toElement),
  );
}

function toElement(shape: Shape): string {
  switch (shape.kind) {
    case 'box': {
      const { x, y, width, height, fill = 'none', stroke, radius, hint } = shape;
      return tag('rect', { x: round(x), y: round(y), width: round(width), height: round(height), rx: radius, fill, stroke }, ...toTitle(hint));
    }
    case 'line':
      return tag('polyline', {
        points: toPoints(shape.points),
        fill: 'none',
        stroke: shape.stroke,
        'stroke-width': shape.width,
        'stroke-linejoin': 'round',
        'stroke-linecap': 'round',
      });
    case 'area':
      return tag('polygon', { points: toPoints(shape.points), fill: shape.fill });
    case 'text': {
      const { x, y, size, fill, weight, anchor } = shape;
      // Fixes the width for which the page was laid out, whatever font the reader has.
      const length = { textLength: shape.text === '' ? undefined : round(widthOf(shape.text, size, weight)), lengthAdjust: 'spacingAndGlyphs' };
      const attributes = { 'font-weight': weight === 'bold' ? 700 : undefined, 'text-anchor': anchor === 'start' ? undefined : anchor };
      return tag('text', { x: round(x), y: round(y), 'font-size': size, fill, ...attributes, ...length }, escapeXml(shape.text));
    }
  }
}
