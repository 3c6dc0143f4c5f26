// Fills a data folder with ROWS rows of the ledger (1,000,000), and brings it into PostgreSQL by the commands of
// docs/migrating.md: the history first, then the switch. Measures the time from the stop of the old gateway to the
// first answer of the new one, and compares what both sides have spent. The switch may take 10 s.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { openLedger } from '../../src/storage/ledger/open-ledger.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { batchOf } from '../support/ledger-row.ts'
import { startPostgres } from '../support/postgres.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { createLedgerTraffic } from './ledger-traffic.ts'

const ROWS = Number(process.env['ROWS'] ?? 1_000_000)
const MAX_SWITCH_MS = 10_000
const BATCH_ROWS = 5_000
const START_WITHIN_MS = 120_000
const secret = 'folder-secret-0123456789abcdef'
const key = 'sk-migrate-0123456789abcdef'
const run = promisify(execFile)
const launcher = resolve(import.meta.dirname, '../../bin/headgate.js')
const folder = mkdtempSync(join(tmpdir(), 'headgate-migrate-'))
const data = join(folder, 'data')
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }]
const answer = jsonAnswer({ id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage })
await using upstream = await openScriptedUpstream(answer)
const yaml = `log: { level: silent }
ledger: { keep: 400d }
keys: [{ name: test, secret: ${key}, models: ["*"] }]
models: { m: { price: { input: 1, output: 2 } } }
${channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })}`

await using server = await startPostgres()
const url = await server.createDatabase()
const environment = { HEADGATE_DATA: data, HEADGATE_SECRET: secret }
print(`PostgreSQL ${server.version}, ${ROWS} rows`)
await timed('rows written to the folder', fill)
const before = await start(environment)
await ask(before)
const steps = { ...environment, HEADGATE_DATABASE_URL: url }
await timed('headgate migrate --dry-run', () => migrate('--dry-run'))
await timed('headgate migrate, while it serves', () => migrate())
await timed('headgate migrate again', () => migrate())
await ask(before)
await end(before)
const stoppedAtMs = performance.now()
print(
  (await timed('headgate migrate --finish', () => migrate('--finish')))
    .trim()
    .split('\n')
    .slice(-6)
    .join('\n'),
)
const after = await start(steps)
await ask(after)
const switchMs = performance.now() - stoppedAtMs
print(`not ready at the switch: ${(switchMs / 1_000).toFixed(1)} s`)
const [counted] = await server.query(url, 'select count(*)::int as rows from headgate.ledger_rows')
print(`rows in PostgreSQL: ${String(counted?.['rows'])} of ${ROWS + 3}`)
await end(after)
rmSync(folder, { recursive: true, force: true })
if (switchMs > MAX_SWITCH_MS || Number(counted?.['rows']) < ROWS + 2) process.exitCode = 1

async function fill(): Promise<void> {
  const ledger = await openLedger({ dataFolder: data, onDiskFault: print })
  const rowAt = createLedgerTraffic({ size: ROWS, shape: 'usual' })
  for (let index = 0; index < ROWS; index += BATCH_ROWS)
    await ledger.commit(
      batchOf({
        rows: Array.from({ length: Math.min(BATCH_ROWS, ROWS - index) }, (_, at) => rowAt(index + at)),
      }),
    )
  await ledger.close()
}

function start(variables: Readonly<Record<string, string>>): Promise<StartedProcess> {
  return startProcess(yaml, {}, { environment: variables, startsWithinMs: START_WITHIN_MS })
}

async function ask({ url: origin }: StartedProcess): Promise<void> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  await response.text()
  if (response.status !== 200) throw new Error(`a request was answered with ${response.status}`)
}

async function migrate(...options: readonly string[]): Promise<string> {
  const file = join(folder, 'migrate.yaml')
  writeFileSync(file, `data: ${data}\n${yaml}`)
  const { stdout, stderr } = await run(
    process.execPath,
    [launcher, '--config', file, 'migrate', '--from', data, ...options],
    {
      env: {
        ...process.env,
        ...steps,
        HEADGATE_ADMIN_TOKEN: readFileSync(join(data, 'admin-token'), 'utf8').trim(),
      },
    },
  )
  return `${stdout}${stderr}`
}

async function end({ child, ...started }: StartedProcess): Promise<void> {
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await ended
  await started[Symbol.asyncDispose]()
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const startedAtMs = performance.now()
  const result = await work()
  print(`${what}: ${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s`)
  return result
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
