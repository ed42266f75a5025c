// node dev.mjs REPORT.html [PORT]: serves a report's page, made anew from the sources at each loading, which asks for the
// report's data over HTTP. Only to this machine.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { options } from './build.mjs';

const page = `<!doctype html>
<html lang="en" data-source="/data">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>whatwire report</title>
<link rel="stylesheet" href="/page-style.css"></head>
<body><div id="errors" role="alert" hidden></div><div id="page"></div><script src="/page.js"></script></body>
</html>
`;
// As a report's, and its own origin for the data; elements of the page have style attributes.
const policy = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'";

export async function data_of(report) {
  const text = await readFile(report, 'utf8');
  const json = text.match(/<script type="application\/json" id="data">(.*?)<\/script>/s);
  if (!json) throw new Error(`${report} is no report of whatwire's`);
  return JSON.parse(json[1]);
}

async function answer(path, report) {
  if (path === '/') return ['text/html', page];
  if (path === '/page.js' || path === '/page-style.css') {
    const { outputFiles } = await build({
      ...options,
      entryPoints: { ...options.entryPoints, page: 'src/served.ts' },
      minify: false,
      write: false,
      outdir: '/',
    });
    return [path.endsWith('js') ? 'text/javascript' : 'text/css', outputFiles.find((file) => file.path === path).text];
  }
  if (path === '/data/report') {
    const data = await data_of(report);
    for (const study of data.studies) delete study.timeline;
    return ['application/json', JSON.stringify(data)];
  }
  const study = path.match(/^\/data\/timeline\/(\d+)$/);
  if (study) {
    const { studies } = await data_of(report);
    if (studies[study[1]]) return ['application/json', JSON.stringify(studies[study[1]].timeline ?? null)];
  }
  return null;
}

// The address of the server, once it listens.
export async function serve(report, port = 0) {
  await data_of(report);
  const server = createServer(async (request, response) => {
    try {
      const found = await answer(new URL(request.url, 'http://local').pathname, report);
      response.writeHead(found ? 200 : 404, {
        'content-type': `${found ? found[0] : 'text/plain'}; charset=utf-8`,
        'content-security-policy': policy,
        'cache-control': 'no-store',
      });
      response.end(found ? found[1] : 'not found\n');
    } catch (error) {
      response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(`${error.message}\n`);
    }
  });
  await new Promise((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done));
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.length < 3) {
    console.error('usage: node dev.mjs REPORT.html [PORT]');
    process.exit(2);
  }
  try {
    console.log((await serve(process.argv[2], Number(process.argv[3] ?? 8000))).url);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
