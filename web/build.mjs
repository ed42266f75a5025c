// node build.mjs OUTPUT_DIRECTORY: page.js and page-style.css, each one file, as they stand in a report; view.js and view-style.css of
// the viewer; modules.js for tests.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** @type {import('esbuild').BuildOptions} */
export const options = {
  absWorkingDir: dirname(fileURLToPath(import.meta.url)),
  entryPoints: {
    page: 'src/report.ts',
    'page-style': 'src/page.css',
    view: 'src/view/view.ts',
    'view-style': 'src/view/view.css',
    'exported-view': 'src/view/exported.ts',
    'folder-view': 'src/view/folder.ts',
    'engine-worker': 'src/view/source/engine_worker.ts',
  },
  bundle: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  minify: true,
  logLevel: 'warning',
};

// The licences of the packages whose code is in a bundle, as a comment: each text once, with whom it names for each package.
async function notices({ inputs }) {
  const packages = new Set(Object.keys(inputs).flatMap((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []));
  const texts = new Map();
  for (const name of packages) {
    const [copyright, ...text] = (await readFile(join(options.absWorkingDir, 'node_modules', name, 'LICENSE'), 'utf8')).trim().split('\n');
    const terms = text.join('\n').trim();
    texts.set(terms, [...(texts.get(terms) ?? []), `${name}: ${copyright}`]);
  }
  return [...texts].map(([terms, names]) => `/*! ${[...names, '', terms].join('\n')} */\n`).join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const outdir = process.argv[2];
  if (process.argv.length !== 3) {
    console.error('usage: node build.mjs OUTPUT_DIRECTORY');
    process.exit(2);
  }
  const { metafile, outputFiles } = await build({ ...options, outdir, metafile: true, write: false });
  await mkdir(outdir, { recursive: true });
  const made = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  for (const { path, text } of outputFiles)
    await writeFile(join(outdir, basename(path)), path.endsWith('.js') ? (await notices(made.get(basename(path)))) + text : text);
  await build({ ...options, entryPoints: ['test/modules.ts'], globalName: 'modules', outdir });
}
