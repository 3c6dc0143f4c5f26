// Prints what runs for one warm request of the chat format, streamed and passed on word for word: the files of `src/`
// in which a function was executed, the functions that only call another, and the calls back into a file that the
// request had left. Figures of one commit, to be held against those of another.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, relative, resolve, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { instrument, type KnownFunction } from './instrument-functions.ts'

const sourceRoot = resolve(import.meta.dirname, '../src')
const WARM_UP_REQUESTS = 50
const MEASURED_REQUESTS = 25

/** A function that began, and the nearest function of `src/` on the stack; undefined where Node called it. */
interface Entry {
  readonly called: KnownFunction
  readonly caller: string | undefined
}

const functions: KnownFunction[] = []
const importsOf = new Map<string, readonly string[]>()
let traced: Entry[] = []
let isTracing = false

Object.assign(globalThis, { __entered: traceEntry })
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const path = pathOf(url)
    if (path === undefined || loaded.source == null) return loaded
    const { source, found, imports } = instrument(
      path,
      stripTypeScriptTypes(String(loaded.source)),
      functions.length,
    )
    functions.push(...found)
    importsOf.set(
      path,
      imports.map((one) =>
        relative(sourceRoot, resolve(sourceRoot, dirname(path), one))
          .split(sep)
          .join('/'),
      ),
    )
    return { ...loaded, format: 'module', source }
  },
})

function pathOf(url: string): string | undefined {
  if (!url.startsWith(pathToFileURL(sourceRoot).href) || !url.endsWith('.ts')) return undefined
  return relative(sourceRoot, fileURLToPath(url)).split(sep).join('/')
}

function traceEntry(id: number): void {
  const called = functions[id]
  if (isTracing && called !== undefined) traced.push({ called, caller: findCaller() })
}

/** The file of the nearest other function of `src/` that is on the stack itself, not awaited. */
function findCaller(): string | undefined {
  const { prepareStackTrace: before, stackTraceLimit: limit } = Error
  Error.stackTraceLimit = 40
  Error.prepareStackTrace = (_error, sites) => sites
  const sites = new Error().stack as unknown as readonly NodeJS.CallSite[]
  Error.prepareStackTrace = before
  Error.stackTraceLimit = limit
  for (const site of sites.slice(3)) {
    if (site.isAsync()) return undefined
    const path = pathOf(site.getFileName() ?? '')
    if (path !== undefined) return path
  }
  return undefined
}

const { startGateway, testKey } = await import('../test/support/start-gateway.ts')
const { channelYaml } = await import('../test/support/channel-yaml.ts')

const chunk = (delta: object, more: object = {}) => {
  const choices = [{ index: 0, delta, finish_reason: null, ...more }]
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
}
const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
const stream = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Warm' }),
  chunk({ content: ' water.' }),
  chunk({}, { finish_reason: 'stop' }),
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })}\n\n`,
  'data: [DONE]\n\n',
]

const upstream = createServer(async (request, response) => {
  request.resume()
  await once(request, 'end')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const frame of stream) {
    response.write(frame)
    await pause(2)
  }
  response.end()
})
upstream.listen(0, '127.0.0.1')
await once(upstream, 'listening')
const { port } = upstream.address() as AddressInfo
const origin = `http://127.0.0.1:${port}`
const gateway = await startGateway(
  `${channelYaml({ format: 'chat', origin, models: ['m'] })}log: { level: info }\n`,
)

async function ask(): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'How warm is the water?' }],
    }),
  })
  const text = await response.text()
  if (response.status !== 200 || !text.endsWith('[DONE]\n\n')) throw new Error(`no answer: ${text}`)
}

for (let index = 0; index < WARM_UP_REQUESTS; index += 1) await ask()
await pause(200)
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
// A timer of the gateway that ends meanwhile adds what it runs: of several requests the one with the fewest
// files has none.
const runs: { readonly executed: readonly string[]; readonly entries: readonly Entry[] }[] = []
for (let index = 0; index < MEASURED_REQUESTS; index += 1) runs.push(await measure())
const { executed, entries } = runs.reduce((shortest, run) =>
  run.executed.length < shortest.executed.length ? run : shortest,
)
await gateway[Symbol.asyncDispose]()
upstream.closeAllConnections()
upstream.close()

print('files of src/ with an executed function', executed)
print('functions that only call another file', findForwarders())
print('calls back into a file that was left', findJumpsBack())

async function measure() {
  await session.post('Profiler.takePreciseCoverage')
  traced = []
  isTracing = true
  await ask()
  // The row goes to the log in a turn of its own.
  await pause(20)
  isTracing = false
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const executed = result
    // A range at the beginning of the file is the file itself, which is executed when it is imported.
    .filter(({ functions: ran }) =>
      ran.some(({ ranges: [range] }) => range !== undefined && range.startOffset > 0 && range.count > 0),
    )
    .flatMap(({ url }) => pathOf(url) ?? [])
    .sort()
  return { executed, entries: traced }
}

/** The forwarding functions that were executed and from which a function of another file began. */
function findForwarders(): readonly string[] {
  const seen = entries.flatMap(({ called }, index) => {
    const next = entries[index + 1]
    const isOther = next?.caller === called.path && next.called.path !== called.path
    return called.isForwarder && isOther
      ? [`${called.path}:${called.line} ${called.name} > ${next.called.path}`]
      : []
  })
  return [...new Set(seen)]
}

/** A file that calls one which imports it calls back into what called it before. */
function findJumpsBack(): readonly string[] {
  const seen = entries.flatMap(({ called, caller }) =>
    caller !== undefined && caller !== called.path && leadsTo(called.path, caller)
      ? [`${caller} > ${called.path}`]
      : [],
  )
  return [...new Set(seen)]
}

function leadsTo(from: string, to: string, known: Set<string> = new Set()): boolean {
  if (known.has(from)) return false
  known.add(from)
  const imports = importsOf.get(from) ?? []
  return imports.includes(to) || imports.some((next) => leadsTo(next, to, known))
}

function print(what: string, details: readonly string[]): void {
  process.stdout.write(`${what}: ${details.length}\n`)
  if (process.argv.includes('--details')) for (const detail of details) process.stdout.write(`  ${detail}\n`)
}
