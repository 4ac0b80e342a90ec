// Shared parts of the charts.
export const WIDTH = 820;

export const svg = (height: number, label: string, parts: string[]) =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" role="img" aria-label="${label}">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    ...parts,
    '</svg>',
    '',
  ].join('\n');

export const text = (x: number, y: number, content: string, size: number, colour = '#24292f') =>
  `<text x="${x.toFixed(1)}" y="${y}" font-size="${size}" fill="${colour}">${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
