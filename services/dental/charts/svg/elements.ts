// The SVG elements that the charts use.
import { escapeXml } from '@clinic/lib/formats/svg.ts';

type Attributes = Record<string, string | number | undefined>;

/** `<name …>children</name>`; attributes that are undefined are left out. */
export function tag(name: string, attributes: Attributes, ...children: string[]): string {
  let element = `<${name}`;
  for (const key in attributes) if (attributes[key] !== undefined) element += ` ${key}="${escapeXml(String(attributes[key]))}"`;
  return children.length === 0 ? `${element}/>` : `${element}>${children.join('')}</${name}>`;
}

export const text = (x: number, y: number, content: string, attributes: Attributes = {}) =>
  tag('text', { x: round(x), y: round(y), ...attributes }, escapeXml(content));
export const title = (content: string) => tag('title', {}, escapeXml(content));
export const polygon = (points: readonly (readonly [number, number])[], attributes: Attributes) =>
  tag('polygon', { points: points.map(([x, y]) => `${round(x)},${round(y)}`).join(' '), ...attributes });
export const path = (d: string, attributes: Attributes) => tag('path', { d, ...attributes });
export const line = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes) =>
  tag('line', { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), ...attributes });
export const group = (attributes: Attributes, ...children: string[]) => (children.some(Boolean) ? tag('g', attributes, ...children) : '');

const round = (value: number) => Math.round(value * 100) / 100;

/** An SVG document that scales to the width of its container. */
export function svg(width: number, height: number, about: { title: string; description: string }, ...children: string[]): string {
  return tag(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      lang: 'es',
      style: 'max-width:100%;height:auto',
      'font-family': "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif",
    },
    title(about.title),
    tag('desc', {}, escapeXml(about.description)),
    tag('rect', { width, height, fill: '#FFFFFF' }),
    ...children,
  );
}
