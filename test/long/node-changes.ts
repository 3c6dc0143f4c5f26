// The time after which a change on one node is in force on another, each a process of its own on one real PostgreSQL: a
// key that is made, a budget that is raised, a channel that is disabled, a key that is revoked. Once as nodes hear of
// changes by LISTEN and NOTIFY, once where none is announced, as behind a pooler that passes no notifications on.
// CHANGES of each kind, and HOW (as `announced,silent`) by the environment.
import { setTimeout as wait } from 'node:timers/promises'
import { type AskAdmin, createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startPostgres } from '../support/postgres.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { testAdminToken, testKey } from '../support/start-gateway.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'

const CHANGES = Number(process.env['CHANGES'] ?? 1_000)
const HOW = (['announced', 'silent'] as const).filter((how) =>
  (process.env['HOW'] ?? 'announced,silent').split(',').includes(how),
)
type How = (typeof HOW)[number]

/** The time in which each change must be in force for 99 of 100. */
const LIMIT_MS = { announced: 2_000, silent: 10_000 } as const
/** Changes that are made and waited for at once: a silent one takes up to two seconds. */
const LANES = { announced: 4, silent: 40 } as const
/** The time between two looks, which must not be all that the nodes have to do. */
const LOOK_EVERY_MS = { announced: 20, silent: 100 } as const
const GIVE_UP_MS = 60_000
/** What an answer of twenty tokens of output costs, in dollars. */
const ANSWER_USD = 0.00004
const kinds = ['made', 'raised', 'disabled', 'revoked'] as const
type Times = Readonly<Record<(typeof kinds)[number], number[]>>

const usage = { prompt_tokens: 0, completion_tokens: 20, total_tokens: 20 }
const head = { id: 'c1', object: 'chat.completion', created: 1, model: 'm' }
const message = { role: 'assistant', content: 'Hi.' }
const answer = jsonAnswer({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
const failures: string[] = []

await using cleanup = new AsyncDisposableStack()
const server = cleanup.use(await startPostgres())
const upstream = cleanup.use(await openScriptedUpstream(() => answer))
for (const how of HOW) await timeChanges(how)
await cleanup.disposeAsync()
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

async function timeChanges(how: How): Promise<void> {
  await using open = new AsyncDisposableStack()
  const url = await server.createDatabase()
  const [first, second] = [open.use(await startNode(url)), open.use(await startNode(url))]
  if (how === 'silent') await silence(url)
  const ask = createAskAdmin(first.url)
  const times: Times = { made: [], raised: [], disabled: [], revoked: [] }
  const lanes = Array.from({ length: LANES[how] }, (_, lane) => lane)
  for (const lane of lanes) await makeChannel(ask, lane)
  const startedAtMs = performance.now()
  let next = 0
  await Promise.all(
    lanes.map(async (lane) => {
      while (next < CHANGES) {
        next += 1
        await changeOnce(ask, { name: `k${next}`, lane, second, times, lookEveryMs: LOOK_EVERY_MS[how] })
      }
    }),
  )
  process.stdout.write(`${how}, in ${Math.round((performance.now() - startedAtMs) / 1_000)} s\n`)
  for (const kind of kinds) report(how, kind, times[kind])
}

function startNode(url: string): Promise<StartedProcess> {
  const yaml = `${channelYaml({ name: 'one', format: 'chat', origin: upstream.origin, models: ['m'] })}
log: { level: silent }
admin: { allow_private: true }
keys: [{ name: test, secret: ${testKey}, models: ["*"] }]
models: { m: { price: { input: 0, output: 2 } } }
`
  const environment = {
    HEADGATE_DATABASE_URL: url,
    HEADGATE_SECRET: 'node-secret-0123456789abcdef',
    HEADGATE_ADMIN_TOKEN: testAdminToken,
  }
  return startProcess(yaml, {}, { environment, startsWithinMs: 120_000 })
}

/** A channel for the changes of one lane, with a model of its own. */
async function makeChannel(ask: AskAdmin, lane: number): Promise<void> {
  const { status, text } = await ask('POST', '/channels', {
    body: {
      name: `extra-${lane}`,
      provider: 'openai-compatible',
      base_url: `${upstream.origin}/v1`,
      allow_private: true,
      api_key: 'sk-up-1234567890',
      models: [`x-${lane}`],
    },
  })
  if (status !== 201) throw new Error(`no channel was made: ${text}`)
}

interface Change {
  /** The name of the key that is made for it. */
  readonly name: string
  readonly lane: number
  readonly second: StartedProcess
  readonly times: Times
  readonly lookEveryMs: number
}

/** Makes a change of each kind on the first node, one after the other, and waits until the second follows. */
async function changeOnce(ask: AskAdmin, { name, lane, second, times, lookEveryMs }: Change): Promise<void> {
  const change = async (method: string, path: string, body?: object) => {
    const answered = await ask(method, path, body === undefined ? {} : { body })
    if (answered.status >= 300) throw new Error(`${method} ${path}: ${answered.text}`)
    return answered.body
  }
  const untilSo = (what: string, isSo: () => Promise<boolean>) => until(what, isSo, lookEveryMs)
  const budget = { limit_usd: ANSWER_USD, window: 'total', mode: 'exact', at_limit: 'refuse' }
  const made = await change('POST', '/keys', { name, models: ['*'], budgets: [budget] })
  const { secret: key } = made as { readonly secret: string }
  const statusOf = () => call(second, key)
  times.made.push(await untilSo(`${name} is served`, async () => (await statusOf()) === 200))
  await untilSo(`${name} is spent`, async () => (await statusOf()) === 429)
  await change('PATCH', `/keys/${name}`, { budgets: [{ ...budget, limit_usd: 1 }] })
  times.raised.push(await untilSo(`${name} is raised`, async () => (await statusOf()) === 200))
  const isServed = async () => (await call(second, testKey, `x-${lane}`)) === 200
  await untilSo(`extra-${lane} is enabled`, isServed)
  await change('POST', `/channels/extra-${lane}/disable`)
  times.disabled.push(await untilSo(`extra-${lane} is disabled`, async () => !(await isServed())))
  await change('POST', `/channels/extra-${lane}/enable`)
  await change('DELETE', `/keys/${name}`)
  times.revoked.push(await untilSo(`${name} is revoked`, async () => (await statusOf()) === 401))
}

async function call(node: StartedProcess, key: string, model = 'm'): Promise<number> {
  const response = await fetch(`${node.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 20, messages: [{ role: 'user', content: '' }] }),
  })
  await response.arrayBuffer()
  return response.status
}

/** Changes still count up, as behind a pooler that passes no notifications on. */
async function silence(url: string): Promise<void> {
  await server.query(
    url,
    `create or replace function headgate.announce_change() returns trigger language plpgsql as $$
     begin
       execute format('update %I.changes set version = version + 1 where topic = $1', tg_table_schema) using tg_table_name;
       return null;
     end $$`,
  )
}

/** The milliseconds until it is so. */
async function until(what: string, isSo: () => Promise<boolean>, everyMs: number): Promise<number> {
  const startMs = performance.now()
  while (!(await isSo())) {
    if (performance.now() - startMs > GIVE_UP_MS) throw new Error(`never within a minute: ${what}`)
    await wait(everyMs)
  }
  return performance.now() - startMs
}

function report(how: How, kind: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)
  process.stdout.write(
    `${how}, ${kind}: ${times.length} changes, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms\n`,
  )
  if (at(0.99) > LIMIT_MS[how]) failures.push(`${how}, ${kind}: p99 ${at(0.99)} ms`)
}
