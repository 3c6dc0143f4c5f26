// Proves the backup of docs/scaling.md: a node serves and spends, its database is dumped by the documented line and
// restored into another one, and a node with the same secret goes on there: the key works, the ledger's own check finds
// no difference, and as much is spent. Needs the server, pg_dump and pg_restore of one version in the folder that
// HEADGATE_TEST_POSTGRES names, such as /usr/lib/postgresql/15/bin; without it nothing is done.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startPostgres } from '../support/postgres.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'

const REQUESTS = 50
const programs = process.env['HEADGATE_TEST_POSTGRES'] ?? ''
const secret = 'node-secret-0123456789abcdef'
const usage = { prompt_tokens: 0, completion_tokens: 20, total_tokens: 20 }
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }]
const answer = jsonAnswer({ id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage })
const folder = mkdtempSync(join(tmpdir(), 'headgate-restore-'))
if (programs === '') {
  process.stdout.write('not done: HEADGATE_TEST_POSTGRES names no folder with pg_dump\n')
  process.exit(0)
}
await using server = await startPostgres()
await using upstream = await openScriptedUpstream(answer)
const yaml = `${channelYaml({ name: 'one', format: 'chat', origin: upstream.origin, models: ['m'] })}
models: { m: { price: { input: 0, output: 2 } } }
keys: [{ name: other, secret: sk-other-0123456789abcdef }]
`
const [url, restored] = [await server.createDatabase(), await server.createDatabase()]
const first = await startGateway(yaml, folder, { databaseUrl: url, secret })
const budget = { limit_usd: 1, window: 'total', mode: 'exact' }
const made = await createAskAdmin(first.url)('POST', '/keys', {
  body: { name: 'made', models: ['*'], budgets: [budget] },
})
const { secret: key } = made.body as { readonly secret: string }
for (let count = 0; count < REQUESTS; count += 1) await ask(first)
await first.close(1_000)
const before = await figuresOf(url)
const dump = join(folder, 'headgate.dump')
runProgram('pg_dump', ['--format=custom', '--schema=headgate', `--file=${dump}`, url])
runProgram('pg_restore', [`--dbname=${restored}`, dump])
const second = await startGateway(yaml, folder, { databaseUrl: restored, secret })
const after = await figuresOf(restored)
const verified = await createAskAdmin(second.url)('POST', '/ledger/verify', { body: {} })
await ask(second)
await second.close(1_000)
process.stdout.write(
  `PostgreSQL ${server.version}: dumped ${JSON.stringify(before)}, restored ${JSON.stringify(after)}\nverified: ${verified.status} ${verified.text}\n`,
)
if (JSON.stringify(before) !== JSON.stringify(after) || verified.status !== 200) process.exitCode = 1
rmSync(folder, { recursive: true, force: true })

async function ask({ url: origin }: StartedGateway): Promise<void> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', max_tokens: 20, messages: [{ role: 'user', content: '' }] }),
  })
  await response.text()
  if (response.status !== 200) throw new Error(`a request was answered with ${response.status}`)
}

async function figuresOf(database: string): Promise<unknown> {
  const [row] = await server.query(
    database,
    `select (select count(*)::int from headgate.ledger_rows) as rows,
       (select sum(cost)::bigint::text from headgate.ledger_rows) as cost,
       (select sum(settled)::bigint::text from headgate.budget_windows) as settled,
       (select count(*)::int from headgate.keys) as keys`,
  )
  return row
}

function runProgram(name: string, options: readonly string[]): void {
  execFileSync(join(programs, name), [...options], { stdio: 'inherit' })
}
