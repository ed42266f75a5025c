// node exported.mjs DIRECTORY MODULE OUTPUT FOLDER: the page that `whatwire export --to html` puts a trace into, of what build.mjs made in the
// directory (exported-view.js, view-style.css, engine-worker.js) and the WebAssembly module. It may load and send nothing: its script and its style
// run by their hashes. What it holds is text between elements that are no scripts: base64 of gzip. And FOLDER, the files of the page of `--to html-folder`,
// which loads what lies beside it.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [directory, module, output, folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node exported.mjs DIRECTORY MODULE OUTPUT FOLDER');
  process.exit(2);
}
const text_of = async (name) => (await readFile(join(directory, name), 'utf8')).replaceAll('\r', '');
const hash_of = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const within = (text, element) => {
  if (new RegExp(`</${element}`, 'i').test(text)) throw new Error(`a ${element} would end early`);
  return text;
};

const here = dirname(fileURLToPath(import.meta.url));
const view = await readFile(join(here, 'src/view/view.html'), 'utf8');
const script = within(await text_of('exported-view.js'), 'script'),
  style = within(await text_of('view-style.css'), 'style'),
  worker = within(await text_of('engine-worker.js'), 'script'),
  zipped = gzipSync(await readFile(module), { level: 9 }),
  engine = zipped.toString('base64');
const policy = [
  "default-src 'none'",
  `script-src ${hash_of(script)} 'wasm-unsafe-eval'`,
  `style-src ${hash_of(style)}`,
  'worker-src blob:',
  'img-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

// In place of what the served page refers to.
function replaced(page, from, to) {
  if (page.split(from).length !== 2) throw new Error(`view.html has not one ${from}`);
  return page.replace(from, () => to);
}
const with_policy = (rules) =>
  replaced(view, '<meta charset="utf-8">\n', `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${rules}">\n`);
let page = with_policy(policy);
page = replaced(page, '<link rel="stylesheet" href="view-style.css">', `<style>${style}</style>`);
page = replaced(
  page,
  '<script src="view.js"></script>',
  `<script type="text/plain" id="worker">${worker}</script>\n<script type="text/plain" id="engine">${engine}</script>\n<!-- held -->\n<script>${script}</script>`,
);
await writeFile(output, page);

const folder_policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  'img-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
await mkdir(folder, { recursive: true });
for (const [from, to] of [
  ['folder-view.js', 'view.js'],
  ['view-style.css', 'view-style.css'],
  ['engine-worker.js', 'engine-worker.js'],
])
  await copyFile(join(directory, from), join(folder, to));
await writeFile(join(folder, 'engine.bin'), zipped);
await writeFile(join(folder, 'index.html'), with_policy(folder_policy));
