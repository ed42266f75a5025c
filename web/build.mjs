// node build.mjs OUTPUT_DIRECTORY: page.js and page-style.css, each one file, as they stand in a report; modules.js for tests.

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** @type {import('esbuild').BuildOptions} */
export const options = {
  absWorkingDir: dirname(fileURLToPath(import.meta.url)),
  entryPoints: { page: 'src/report.ts', 'page-style': 'src/page.css' },
  bundle: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  minify: true,
  logLevel: 'warning',
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.length !== 3) {
    console.error('usage: node build.mjs OUTPUT_DIRECTORY');
    process.exit(2);
  }
  await build({ ...options, outdir: process.argv[2] });
  await build({ ...options, entryPoints: ['test/modules.ts'], globalName: 'modules', outdir: process.argv[2] });
}
