// The few words of SVG that the drawings are written in.

type Attributes = Record<string, string | number | undefined>;

/** `<name …>children</name>`; attributes that are undefined are left out. */
export function tag(name: string, attributes: Attributes, ...children: string[]): string {
  let open = `<${name}`;
  for (const key in attributes) if (attributes[key] !== undefined) open += ` ${key}="${escaped(String(attributes[key]))}"`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('')}</${name}>`;
}

export const text = (x: number, y: number, content: string, attributes: Attributes = {}) =>
  tag('text', { x: round(x), y: round(y), ...attributes }, escaped(content));
export const title = (content: string) => tag('title', {}, escaped(content));
export const polygon = (points: readonly (readonly [number, number])[], attributes: Attributes) =>
  tag('polygon', { points: points.map(([x, y]) => `${round(x)},${round(y)}`).join(' '), ...attributes });
export const path = (d: string, attributes: Attributes) => tag('path', { d, ...attributes });
export const line = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes) =>
  tag('line', { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), ...attributes });
export const group = (attributes: Attributes, ...children: string[]) => (children.some(Boolean) ? tag('g', attributes, ...children) : '');

const round = (value: number) => Math.round(value * 100) / 100;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (content: string) => content.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

/** A whole picture that scales to the width it is given. */
export function picture(width: number, height: number, about: { title: string; description: string }, ...children: string[]): string {
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
    tag('desc', {}, escaped(about.description)),
    tag('rect', { width, height, fill: '#FFFFFF' }),
    ...children,
  );
}
