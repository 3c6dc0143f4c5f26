import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { runHeadgate } from '../support/run-headgate.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { ledgerFileIn } from '../support/topology/needs.ts'

const LIMIT_MS = 60_000
const demo = 'channels: [{ name: demo, provider: demo }]\n'

const madeSchema = z.object({ name: z.string(), secret: z.string() })
const listSchema = z.object({ data: z.array(z.object({ name: z.string() })) })

interface Load {
  /** Names of keys that the server said were made. */
  readonly keys: { readonly name: string; readonly secret: string }[]
  /** Answered requests, by their ids. */
  readonly requests: string[]
  stop(): Promise<void>
}

/** Makes keys and asks the demo model without a pause, in several lines at once. */
function startLoad({ url, folder }: StartedProcess): Load {
  const token = readFileSync(join(folder, 'data', 'admin-token'), 'utf8').trim()
  const load: Pick<Load, 'keys' | 'requests'> = { keys: [], requests: [] }
  let isStopped = false
  async function makeKeys(line: number) {
    for (let count = 0; !isStopped; count += 1) {
      const made = await post(`${url}/admin/v1/keys`, token, { name: `key-${line}-${count}` })
      const key = madeSchema.parse(await made.json())
      if (made.status === 201) load.keys.push({ name: key.name, secret: key.secret })
      const secret = load.keys.at(-1)?.secret ?? ''
      const asked = { model: 'demo-chat', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }
      const answer = await post(`${url}/v1/chat/completions`, secret, asked)
      await answer.arrayBuffer()
      if (answer.status === 200) load.requests.push(answer.headers.get('x-request-id') ?? '')
    }
  }
  const lines = [1, 2, 3, 4].map(makeKeys)
  return {
    ...load,
    async stop() {
      isStopped = true
      await Promise.all(lines)
    },
  }
}

function post(url: string, token: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** The ids of requests that the ledger of a folder has rows of, as hex. */
function readLedgerRequests(dataFolder: string): readonly unknown[] {
  const database = new DatabaseSync(ledgerFileIn(dataFolder))
  try {
    return database
      .prepare('select request from readable_ledger')
      .all()
      .map(({ request }) => request)
  } finally {
    database.close()
  }
}

it.each([
  ['of one process', demo],
  ['with a worker', `${demo}workers: 1\n`],
])(
  'a backup of a server %s under write load has every write acknowledged before it, and its copy serves',
  {
    timeout: LIMIT_MS,
  },
  async (_name, yaml) => {
    await using server = await startProcess(yaml, {}, { startsWithinMs: LIMIT_MS })
    const load = startLoad(server)
    await expect.poll(() => load.requests.length).toBeGreaterThan(20)
    const keysBefore = [...load.keys]
    const requestsBefore = [...load.requests]
    const file = join(server.folder, 'copy.tar')
    const made = await runHeadgate(['backup', file, '--json'], { folder: server.folder })
    await load.stop()
    expect(made.errors).toBe('')
    expect(JSON.parse(made.output)).toMatchObject({ by: 'server', omitted: [] })
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    expect(readdirSync(join(server.folder, 'data')).filter((name) => name.startsWith('backup-'))).toEqual([])

    const folder = makeTemporaryFolder()
    const restored = await runHeadgate(['restore', file, '--data', join(folder, 'data')])
    expect(restored).toMatchObject({ code: 0, errors: '' })
    const recorded = readLedgerRequests(join(folder, 'data'))
    expect(recorded).toEqual(expect.arrayContaining(requestsBefore.map((id) => id.replace(/^req_|-/g, ''))))
    await using copy = await startGateway(demo, folder)
    const headers = { authorization: `Bearer ${testAdminToken}` }
    const ask = async (path: string) => (await fetch(`${copy.url}/admin/v1${path}`, { headers })).json()
    const names = listSchema.parse(await ask('/keys')).data.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(keysBefore.map(({ name }) => name)))
    for (const requestId of requestsBefore.slice(-5)) {
      expect(await ask(`/requests/${requestId}`)).toMatchObject({ request_id: requestId })
    }
    const models = await fetch(`${copy.url}/v1/models`, {
      headers: { authorization: `Bearer ${keysBefore.at(-1)?.secret}` },
    })
    expect(models.status).toBe(200)
  },
)

it('a backup can omit secrets; restoring refuses a folder in use or full, and keeps what it replaces', async () => {
  await using server = await startProcess(demo)
  const data = join(server.folder, 'data')
  const file = join(server.folder, 'copy.tar')
  expect(await runHeadgate(['backup', file], { folder: server.folder })).toMatchObject({ code: 0 })
  const bare = join(server.folder, 'bare.tar')
  expect(await runHeadgate(['backup', bare, '--without-secrets'], { folder: server.folder })).toMatchObject({
    code: 0,
  })
  for (const name of ['pepper', 'admin-token', 'secret', 'first-key']) {
    const secret = readFileSync(join(data, name), 'latin1').trim()
    expect([name, readFileSync(bare, 'latin1').includes(secret)]).toEqual([name, false])
    expect([name, readFileSync(file, 'latin1').includes(secret)]).toEqual([name, true])
  }
  const inUse = await runHeadgate(['restore', file, '--replace'], { folder: server.folder })
  expect(inUse).toMatchObject({ code: 1 })
  expect(inUse.errors).toContain('is in use by a running Headgate; stop it first')
  const ended = new Promise((resolve) => server.child.once('exit', resolve))
  server.child.kill('SIGTERM')
  await ended

  const offline = await runHeadgate(['backup', join(server.folder, 'offline.tar')], { folder: server.folder })
  expect(offline.output).toContain('no server runs on it')
  const full = await runHeadgate(['restore', file], { folder: server.folder })
  expect(full).toMatchObject({ code: 1 })
  expect(full.errors).toContain('already holds headgate.db, requests.db, ledger.db; with --replace')

  const before = readFileSync(join(data, 'headgate.db'))
  const replaced = await runHeadgate(['restore', file, '--replace', '--json'], { folder: server.folder })
  expect(replaced.errors).toBe('')
  const { moved_to: movedTo } = JSON.parse(replaced.output)
  expect(readFileSync(join(movedTo, 'headgate.db')).equals(before)).toBe(true)
  expect(existsSync(join(data, 'headgate.db'))).toBe(true)
})
