// Saving what a display shows: its picture as SVG or PNG, its numbers as CSV. A display gives a Figure; the pane has the buttons.
export interface Table {
  columns: string[]; // with the unit in the name: "blocked_s"
  rows: (string | number | null)[][];
}
export interface Figure {
  name: string; // of the file, without its ending
  svg?: () => SVGSVGElement; // complete in itself, or as it stands in the page: styles are put in
  canvas?: () => HTMLCanvasElement; // where there is no svg: PNG alone
  table?: () => Table;
}

const field = (value: string | number | null) => {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
// RFC 4180, with a head line.
export const csv_text = ({ columns, rows }: Table) => [columns, ...rows].map((row) => row.map(field).join(',') + '\r\n').join('');

// Properties that pictures of this page use, as the page's style gives them.
const STYLED = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'paint-order',
  'display',
] as const;
// A copy that looks the same where the page's style sheet is not: with size, ground and computed styles.
export function standalone(picture: SVGSVGElement): SVGSVGElement {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const originals = [picture, ...picture.querySelectorAll('*')],
    copies = [copy, ...copy.querySelectorAll('*')];
  originals.forEach((original, i) => {
    const styles = getComputedStyle(original),
      target = copies[i];
    if (!target) return;
    target.removeAttribute('style');
    target.removeAttribute('class');
    for (const name of STYLED) {
      const value = styles.getPropertyValue(name);
      if (value !== '') target.setAttribute(name, value);
    }
  });
  const { width, height } = picture.getBoundingClientRect(),
    box = picture.viewBox.baseVal;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width || box?.width || 800));
  copy.setAttribute('height', String(height || box?.height || 600));
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, value] of Object.entries({ x: box?.x ?? 0, y: box?.y ?? 0, width: '100%', height: '100%' }))
    ground.setAttribute(name, String(value));
  ground.setAttribute('fill', getComputedStyle(document.body).getPropertyValue('--paper').trim() || '#fff');
  copy.prepend(ground);
  return copy;
}
export const svg_text = (figure: Figure) => (figure.svg ? new XMLSerializer().serializeToString(standalone(figure.svg())) : null);

export async function png_blob(figure: Figure): Promise<Blob> {
  const text = svg_text(figure);
  const canvas = text === null ? figure.canvas?.() : await drawn(text);
  if (!canvas) throw new Error('this display has no picture');
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('the picture is too large for this browser'))), 'image/png'),
  );
}
// Twice the size, for paper and fine screens.
async function drawn(text: string) {
  const picture = new Image(),
    address = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    picture.src = address;
    await picture.decode();
    const canvas = document.createElement('canvas');
    canvas.width = picture.naturalWidth * 2;
    canvas.height = picture.naturalHeight * 2;
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return canvas;
  } finally {
    URL.revokeObjectURL(address);
  }
}

export function save(blob: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
export type Kind = 'svg' | 'png' | 'csv';
export const kinds_of = (figure: Figure): Kind[] => [
  ...(figure.svg ? (['svg'] as const) : []),
  ...(figure.svg || figure.canvas ? (['png'] as const) : []),
  ...(figure.table ? (['csv'] as const) : []),
];
export async function save_figure(figure: Figure, kind: Kind) {
  const text = kind === 'svg' ? svg_text(figure) : kind === 'csv' && figure.table ? csv_text(figure.table()) : null;
  const type = kind === 'svg' ? 'image/svg+xml' : 'text/csv';
  save(text === null ? await png_blob(figure) : new Blob([text], { type }), `${figure.name}.${kind}`);
}
