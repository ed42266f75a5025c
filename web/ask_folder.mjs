// node ask_folder.mjs ADDRESS QUESTIONS ANSWERS: what a page in an exported folder, served at ADDRESS, answers, without a browser.
// QUESTIONS: JSON, a list of [path, {query}]; ANSWERS: a directory, which gets N.body for each, and fetched.json: the paths that were
// fetched for each.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [address, questions_file, answers] = process.argv.slice(2);
const made = mkdtempSync(join(tmpdir(), 'whatwire-folder-'));
try {
  await build({
    absWorkingDir: dirname(fileURLToPath(import.meta.url)),
    entryPoints: ['src/view/source/folder.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    outdir: made,
  });
  const { Folder } = await import(pathToFileURL(join(made, 'folder.mjs')).href);
  let fetched = [];
  const { fetch } = globalThis;
  globalThis.fetch = (url, options) => {
    fetched.push(String(url).slice(address.length));
    return fetch(url, options);
  };
  const folder = new Folder(address),
    binary = new Set(['tile', 'calls', 'messages', 'series']),
    told = [];
  for (const [number, [path, query]] of JSON.parse(readFileSync(questions_file, 'utf8')).entries()) {
    fetched = [];
    const body = binary.has(path.split('/').at(-1))
      ? new Uint8Array(await folder.binary(path, query))
      : JSON.stringify(await folder.json(path, query));
    writeFileSync(join(answers, `${number}.body`), body);
    told.push(fetched);
  }
  writeFileSync(join(answers, 'fetched.json'), JSON.stringify(told));
} finally {
  rmSync(made, { recursive: true });
}
